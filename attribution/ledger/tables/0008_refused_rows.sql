-- One bill that counts: how many rows of the files it lies in were refused.
CREATE VIEW book.refused_rows AS
SELECT c.bill_no, count(DISTINCT (r.file, r.line)) FILTER (r.file IS NOT NULL) AS refused_rows
FROM (SELECT DISTINCT bill_no, delivery_digest FROM book.counting) AS c
LEFT JOIN book.rejects AS r ON r.delivery_digest = c.delivery_digest AND r.outcome = 'row refused'
GROUP BY c.bill_no;
