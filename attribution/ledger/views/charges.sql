-- One charge as billed, of the bills that count: FOCUS columns, and x_ columns of the provider.
SELECT b.bill_id, b.source, b.billing_month, f.name AS file, c.* EXCLUDE (filename)
FROM {charge_files} AS c
JOIN book.parts AS p ON p.part_id = regexp_extract(c.filename, '([0-9a-f]+)/charges-[0-9]+[.]parquet$', 1)
JOIN book.bill_parts AS bp USING (part_no)
JOIN book.bills AS b ON b.bill_no = bp.bill_no AND b.superseded_run IS NULL
LEFT JOIN (
    SELECT delivery_digest, file_id, min(name) AS name FROM book.delivery_files GROUP BY ALL
) AS f ON f.delivery_digest = p.delivery_digest AND f.file_id = c.file_id
