-- One subject x month: cost, the month before, and what made the difference.
SELECT * FROM book.growth
