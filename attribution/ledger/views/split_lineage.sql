-- One pool and receiver of a split: the weights, and the pool's amounts that were shared.
SELECT * FROM book.split_lineage
