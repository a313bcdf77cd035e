-- One billing month x dimension x value x currency whose cost is under the dimension's limit: shown as `other`.
SELECT m.billing_month, m.dimension, m.value, m.BillingCurrency, m.EffectiveCost, l.other_below
FROM main.dimension_months AS m
JOIN book.other_limits AS l USING (dimension)
WHERE abs(m.EffectiveCost) < l.other_below AND m.value NOT IN ({unknown}, 'idle')
