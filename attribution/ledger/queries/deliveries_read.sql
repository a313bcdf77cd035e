-- One delivery that was read: rows of its files, values refused of them, the run that read it.
SELECT d.source, d.name, d.rows, coalesce(r.refused_values, 0) AS refused_values, d.posted_run
FROM book.deliveries_read AS d
LEFT JOIN (SELECT delivery_digest, count(*) AS refused_values FROM book.rejects GROUP BY ALL) AS r
    USING (delivery_digest)
ORDER BY ALL
