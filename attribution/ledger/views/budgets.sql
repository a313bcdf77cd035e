-- One budget x period: spent, forecast, and the days on which its lines are reached.
SELECT * FROM book.budgets
