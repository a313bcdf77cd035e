-- One answer to a report: what its reader says is not theirs, and what became of it.
SELECT * FROM book.disputes
