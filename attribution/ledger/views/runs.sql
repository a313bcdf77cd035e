-- One pipeline run.
SELECT * FROM book.runs
