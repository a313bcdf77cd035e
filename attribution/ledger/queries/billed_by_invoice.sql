-- One bill that counts x currency x InvoiceId of its charges: what they bill, and refused rows of the bill's files.
SELECT b.source, b.BillingAccountId, b.billing_month, c.BillingCurrency, c.InvoiceId, sum(c.BilledCost) AS BilledCost,
    any_value(r.refused_rows) AS refused_rows
FROM main.charges AS c
JOIN book.bills AS b USING (bill_id)
JOIN book.refused_rows AS r USING (bill_no)
GROUP BY ALL
ORDER BY ALL
