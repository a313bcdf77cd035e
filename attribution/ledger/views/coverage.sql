-- One billing month x dimension x currency: how much of the EffectiveCost has a known value.
SELECT billing_month, dimension, BillingCurrency,
    sum(EffectiveCost) FILTER (value NOT IN ({unknown})) AS known_EffectiveCost,
    sum(EffectiveCost) AS EffectiveCost,
    CASE WHEN sum(EffectiveCost) <> 0
        THEN CAST(coalesce(known_EffectiveCost, 0) AS DOUBLE) / CAST(sum(EffectiveCost) AS DOUBLE) END AS share_known
FROM main.dimension_months
GROUP BY billing_month, dimension, BillingCurrency
