-- One subject x complete week of the last thirteen: cost, the week before, and what made the difference.
SELECT * FROM book.weekly_growth
