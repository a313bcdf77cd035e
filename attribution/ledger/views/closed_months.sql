-- One closed month x source x account x currency x cost column: closed + pending = charged now.
SELECT billing_month, source, BillingAccountId, BillingCurrency, cost_column,
    sum(closed) AS closed, coalesce(sum(charged), 0) - coalesce(sum(closed), 0) AS pending, sum(charged) AS charged
FROM (
    UNPIVOT (
        SELECT c.billing_month, b.source, b.BillingAccountId, s.BillingCurrency,
            s.BilledCost, s.EffectiveCost, s.ListCost, s.ContractedCost
        FROM book.closings AS c
        JOIN book.closed_sums AS s USING (closing)
        JOIN book.bills AS b USING (bill_no)
        WHERE c.reopened_run IS NULL
    ) ON BilledCost, EffectiveCost, ListCost, ContractedCost INTO NAME cost_column VALUE closed
    UNION ALL BY NAME
    UNPIVOT (
        SELECT b.billing_month, b.source, b.BillingAccountId, s.BillingCurrency,
            s.BilledCost, s.EffectiveCost, s.ListCost, s.ContractedCost
        FROM book.bills AS b
        JOIN book.bill_parts AS bp USING (bill_no)
        JOIN book.part_sums AS s USING (part_no)
        WHERE b.superseded_run IS NULL
            AND b.billing_month IN (SELECT billing_month FROM book.closings WHERE reopened_run IS NULL)
    ) ON BilledCost, EffectiveCost, ListCost, ContractedCost INTO NAME cost_column VALUE charged
)
GROUP BY ALL
