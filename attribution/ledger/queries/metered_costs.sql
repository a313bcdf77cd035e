-- One resource (or none) x calendar month of usage x meter and what else the bill says of it x dimensions.
SELECT s.source, s.ResourceId, CAST(date_trunc('month', f.usage_date) AS DATE) AS month, s.BillingCurrency,
    {dimensions},
    s.SubAccountId, s.ServiceProviderName, s.ServiceCategory, s.ServiceSubcategory, s.ServiceName, s.ResourceType,
    s.RegionId, s.SkuId, s.SkuMeter, s.PricingCategory, s.ChargeCategory, s.ChargeFrequency,
    s.CommitmentDiscountId, s.CommitmentDiscountStatus, s.CapacityReservationId, s.CapacityReservationStatus,
    s.ConsumedUnit, s.cost_element,
    sum(f.EffectiveCost) AS EffectiveCost,
    sum(f.BilledCost) AS BilledCost,
    sum(f.ListCost) AS ListCost,
    sum(f.ConsumedQuantity) AS ConsumedQuantity,
    min(f.usage_date) FILTER (s.ChargeCategory = 'Usage') AS first_day,
    max(f.usage_date) FILTER (s.ChargeCategory = 'Usage') AS last_day,
    -- A bit a day: counting distinct days of many small groups would take several times as long.
    bit_count(bit_or(1::INTEGER << day(f.usage_date) - 1)) AS days,
    coalesce(bit_count(bit_or(1::INTEGER << day(f.usage_date) - 1) FILTER (isodow(f.usage_date) >= 6)), 0)
        AS weekend_days
FROM book.cost_facts AS f
JOIN book.subjects AS s USING (subject_id)
JOIN book.allocations AS a USING (allocation_id)
WHERE f.usage_date <= $until
GROUP BY ALL
