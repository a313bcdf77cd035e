-- One source: how far the bills that count reach.
SELECT p.source, min(p.first_usage_date) AS first_usage_date, max(p.last_usage_date) AS last_usage_date,
    max(p.watermark) AS watermark
FROM book.bills AS b
JOIN book.bill_parts AS bp USING (bill_no)
JOIN book.parts AS p USING (part_no)
WHERE b.superseded_run IS NULL
GROUP BY ALL
ORDER BY ALL
