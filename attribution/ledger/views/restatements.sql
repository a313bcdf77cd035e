-- One change of a month that was kept before: by dimension value and currency, before and after.
SELECT * FROM book.restatements
