-- One time that the costs were replaced.
SELECT * FROM book.costs_kept
