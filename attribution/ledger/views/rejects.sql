-- One refused value of an input row: file, line, column, check, value.
SELECT r.source, r.file, r.line, r."column", r."check", r.value, r.outcome
FROM book.rejects AS r
JOIN book.deliveries_read AS d USING (delivery_digest)
WHERE d.state = 'counts'
UNION ALL
SELECT source, file, line, "column", "check", value, outcome FROM book.input_rejects
