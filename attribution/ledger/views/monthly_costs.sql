-- One billing month x dimensions x cost element x currency.
SELECT billing_month, BillingCurrency, {dimensions}, cost_element,
    sum(BilledCost) AS BilledCost, sum(EffectiveCost) AS EffectiveCost,
    sum(ListCost) AS ListCost, sum(ContractedCost) AS ContractedCost
FROM main.costs
GROUP BY ALL
