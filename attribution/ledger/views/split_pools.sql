-- One cost row that a split took, and the pool it was summed into.
SELECT * FROM book.split_pools
