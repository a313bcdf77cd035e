-- One month x pair of currencies: the rate that the workspace states.
SELECT * FROM book.rates
