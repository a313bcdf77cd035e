-- One usage_date x subject (resource, service, SKU, charge category, tags ...) x dimensions with their methods.
SELECT
    f.subject_id || '.' || strftime(f.usage_date, '%Y%m%d') || '.' || f.allocation_id AS cost_id,
    f.usage_date, s.billing_month, s.source, b.bill_id,
    s.BillingAccountId, s.SubAccountId, s.SubAccountName, s.ServiceProviderName, s.ServiceCategory, s.ServiceName,
    s.SkuId, s.SkuMeter, s.ResourceId, s.ResourceName, s.ResourceType, s.RegionId,
    s.ChargeCategory, s.ChargeClass, s.ChargeFrequency, s.PricingCategory,
    s.CommitmentDiscountId, s.CommitmentDiscountStatus, s.BillingCurrency, s.Tags,
    s.cost_element, s.elasticity, {dimensions_with_method}, a.project_method AS method, a.project_rule AS rule,
    a.rules_version,
    f.BilledCost, f.EffectiveCost, f.ListCost, f.ContractedCost, f.ConsumedQuantity, s.ConsumedUnit
FROM book.cost_facts AS f
JOIN book.subjects AS s USING (subject_id)
JOIN book.allocations AS a USING (allocation_id)
LEFT JOIN book.bills AS b USING (bill_no)
