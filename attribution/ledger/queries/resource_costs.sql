-- One ResourceId x calendar month of usage x source x currency x dimensions x service and type of resource.
SELECT source, ResourceId, CAST(date_trunc('month', usage_date) AS DATE) AS month, BillingCurrency, {dimensions},
    ServiceCategory, ServiceName, ResourceType, cost_element,
    sum(EffectiveCost) AS EffectiveCost,
    min(usage_date) FILTER (ChargeCategory = 'Usage') AS first_day,
    max(usage_date) FILTER (ChargeCategory = 'Usage') AS last_day
FROM main.costs
WHERE ResourceId IS NOT NULL
GROUP BY ALL
ORDER BY ALL
