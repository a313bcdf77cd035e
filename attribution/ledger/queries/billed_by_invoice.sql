-- One bill that counts x currency x InvoiceId of its charges: what they bill, and refused rows of the bill's files.
SELECT b.source, b.BillingAccountId, b.billing_month, c.BillingCurrency, c.InvoiceId, sum(c.BilledCost) AS BilledCost,
    (
        SELECT count(DISTINCT (r.file, r.line)) FROM book.bill_parts AS mine
        JOIN book.parts AS p USING (part_no) JOIN book.rejects AS r USING (delivery_digest)
        WHERE mine.bill_no = b.bill_no AND r.outcome = 'row refused'
    ) AS refused_rows
FROM main.charges AS c
JOIN book.bills AS b USING (bill_id)
WHERE b.superseded_run IS NULL
GROUP BY ALL
ORDER BY ALL
