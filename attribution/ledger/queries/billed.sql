-- One bill that counts x currency: what it bills, and how many rows of its files were refused.
SELECT c.source, c.BillingAccountId, c.billing_month, s.BillingCurrency, CAST(NULL AS VARCHAR) AS InvoiceId,
    sum(s.BilledCost) AS BilledCost, any_value(r.refused_rows) AS refused_rows
FROM book.counting AS c
JOIN book.part_sums AS s USING (part_no)
JOIN book.refused_rows AS r USING (bill_no)
GROUP BY ALL
ORDER BY ALL
