-- One bill that counts x currency: what it bills, and how many rows of its files were refused.
SELECT b.source, b.BillingAccountId, b.billing_month, s.BillingCurrency, CAST(NULL AS VARCHAR) AS InvoiceId,
    sum(s.BilledCost) AS BilledCost,
    (
        SELECT count(DISTINCT (r.file, r.line)) FROM book.bill_parts AS mine
        JOIN book.parts AS p USING (part_no) JOIN book.rejects AS r USING (delivery_digest)
        WHERE mine.bill_no = b.bill_no AND r.outcome = 'row refused'
    ) AS refused_rows
FROM book.bills AS b
JOIN book.bill_parts AS bp USING (bill_no)
JOIN book.part_sums AS s USING (part_no)
WHERE b.superseded_run IS NULL
GROUP BY ALL
ORDER BY ALL
