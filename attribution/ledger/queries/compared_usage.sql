-- One month compared x source x resource x service x dimensions x currency: usage of its days and of the days before.
SELECT w.month, c.source, c.BillingCurrency, {dimensions}, c.ServiceName, c.cost_element, c.ResourceId,
    any_value(c.ResourceName) AS ResourceName,
    sum(c.EffectiveCost) FILTER (w.data_month = w.month) AS cost,
    sum(c.EffectiveCost) FILTER (w.data_month <> w.month) AS previous
FROM main.costs AS c
JOIN compared_days AS w ON c.source = w.source AND c.usage_date BETWEEN w.first AND w.last
WHERE c.ChargeCategory = 'Usage'
GROUP BY ALL
ORDER BY ALL
