-- One episode of a subject: days that cost other than expected, with start, peak and end.
SELECT * FROM book.anomalies
