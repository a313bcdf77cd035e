-- One refused value with the text of its row, of deliveries that count and of such as are held back.
SELECT r.source, d.name AS delivery, d.state, r.file, r.line, r."column", r."check", r.value, r.outcome, r.raw
FROM book.rejects AS r
JOIN book.deliveries_read AS d USING (delivery_digest)
WHERE d.state IN ('counts', 'held back')
UNION ALL
SELECT source, NULL, 'counts', file, line, "column", "check", value, outcome, NULL FROM book.input_rejects
