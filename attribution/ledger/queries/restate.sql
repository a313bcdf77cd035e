-- A value that had no row before, or has none after, cost nothing then: 0. Null stays what it is, unknown.
INSERT INTO book.restatements
SELECT
    r.run,
    r.as_of,
    billing_month,
    billing_month + INTERVAL 1 MONTH <= k.as_of AS month_was_over,
    dimension,
    value,
    BillingCurrency,
    CASE WHEN b.is_there THEN b.EffectiveCost ELSE 0 END,
    CASE WHEN a.is_there THEN a.EffectiveCost ELSE 0 END,
    CASE WHEN b.is_there THEN b.BilledCost ELSE 0 END,
    CASE WHEN a.is_there THEN a.BilledCost ELSE 0 END,
    billing_month IN (SELECT month FROM book.reported_months WHERE run < r.run)
        OR billing_month IN (SELECT billing_month FROM book.closings WHERE closed_run < r.run),
    c.cause
FROM (SELECT *, true AS is_there FROM months_before) AS b
FULL JOIN (SELECT *, true AS is_there FROM months_after) AS a
    USING (billing_month, dimension, value, BillingCurrency)
CROSS JOIN (SELECT run, as_of FROM book.runs WHERE run = $run) AS r
CROSS JOIN (SELECT max(as_of) AS as_of FROM book.costs_kept) AS k
LEFT JOIN causes AS c USING (billing_month)
WHERE billing_month IN (SELECT billing_month FROM months_before)
    AND list_contains($dimensions, dimension)
    AND (
        b.is_there IS DISTINCT FROM a.is_there
        OR b.EffectiveCost IS DISTINCT FROM a.EffectiveCost
        OR b.BilledCost IS DISTINCT FROM a.BilledCost
    )
