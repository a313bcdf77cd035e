-- One billing month x dimension x value as shown x currency: values under their dimension's limit are one, `other`.
SELECT m.billing_month, m.dimension, CASE WHEN o.value IS NULL THEN m.value ELSE 'other' END AS shown_value,
    m.BillingCurrency, count(*) AS values_together,
    sum(m.BilledCost) AS BilledCost, sum(m.EffectiveCost) AS EffectiveCost,
    sum(m.ListCost) AS ListCost, sum(m.ContractedCost) AS ContractedCost
FROM main.dimension_months AS m
LEFT JOIN main.other_values AS o USING (billing_month, dimension, value, BillingCurrency)
GROUP BY ALL
