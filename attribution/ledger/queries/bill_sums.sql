-- One bill that counts x currency: what its stored charges sum to.
SELECT b.bill_no, b.bill_id, b.source, b.BillingAccountId, b.billing_month, s.BillingCurrency,
    CAST(sum(s.rows) AS BIGINT) AS rows,
    sum(s.BilledCost) AS BilledCost, sum(s.EffectiveCost) AS EffectiveCost,
    sum(s.ListCost) AS ListCost, sum(s.ContractedCost) AS ContractedCost
FROM book.bills AS b
JOIN book.bill_parts AS bp USING (bill_no)
JOIN book.part_sums AS s USING (part_no)
WHERE b.superseded_run IS NULL
GROUP BY ALL
ORDER BY ALL
