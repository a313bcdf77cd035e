-- One usage_date x dimensions x service x SKU x cost element x charge category x currency x source.
SELECT usage_date, source, BillingCurrency, {dimensions}, ServiceName, SkuId, cost_element, ChargeCategory,
    sum(BilledCost) AS BilledCost, sum(EffectiveCost) AS EffectiveCost,
    sum(ConsumedQuantity) AS ConsumedQuantity
FROM main.costs
GROUP BY ALL
ORDER BY ALL
