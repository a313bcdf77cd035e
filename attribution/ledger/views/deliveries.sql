-- One report to one recipient for one period.
SELECT * FROM book.deliveries
