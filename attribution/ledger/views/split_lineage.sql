-- One share that a split made: where its money came from.
SELECT * FROM book.split_lineage
