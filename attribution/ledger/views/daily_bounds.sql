-- One subject x day of the last hundred: what it cost, and between which bounds it was to be expected.
SELECT * FROM book.daily_bounds
