-- One billing month x source x currency: how far commitments cover, how far they are used, and what they save.
WITH usage AS (
    SELECT s.source, s.billing_month, s.BillingCurrency, s.ServiceName, s.ResourceType, s.PricingCategory,
        lower(s.CommitmentDiscountStatus) AS status, f.EffectiveCost, f.ListCost
    FROM book.cost_facts AS f
    JOIN book.subjects AS s USING (subject_id)
    WHERE s.ChargeCategory = 'Usage'
),
-- What commitments could cover: kinds of usage of which they cover some. Spot prices are none of theirs.
eligible AS (
    SELECT DISTINCT source, ServiceName, ResourceType FROM usage WHERE status = 'used' AND ResourceType IS NOT NULL
),
months AS (
    SELECT u.source, u.billing_month, u.BillingCurrency,
        sum(u.EffectiveCost) FILTER (status = 'used') AS used_EffectiveCost,
        sum(u.EffectiveCost) FILTER (status = 'unused') AS unused_EffectiveCost,
        sum(u.ListCost) FILTER (status = 'used') AS covered_ListCost,
        sum(u.ListCost) FILTER (can_cover) AS eligible_ListCost,
        sum(u.EffectiveCost) FILTER (can_cover) AS eligible_EffectiveCost,
        bool_or(can_cover AND u.ListCost IS NULL) AS list_unknown
    FROM (
        SELECT u.*, e.source IS NOT NULL AND coalesce(u.PricingCategory, '') <> 'Dynamic'
            AND coalesce(status, '') <> 'unused' AS can_cover
        FROM usage AS u LEFT JOIN eligible AS e USING (source, ServiceName, ResourceType)
    ) AS u
    GROUP BY ALL
)
SELECT billing_month, source, BillingCurrency, used_EffectiveCost,
    CASE WHEN used_EffectiveCost IS NOT NULL THEN coalesce(unused_EffectiveCost, 0) ELSE unused_EffectiveCost END
        AS unused_EffectiveCost,
    covered_ListCost, eligible_ListCost, eligible_EffectiveCost,
    CAST(used_EffectiveCost AS DOUBLE)
        / nullif(CAST(used_EffectiveCost + coalesce(unused_EffectiveCost, 0) AS DOUBLE), 0) AS utilization,
    CASE WHEN NOT list_unknown THEN CAST(covered_ListCost AS DOUBLE) / nullif(CAST(eligible_ListCost AS DOUBLE), 0) END
        AS commitment_coverage,
    CASE WHEN NOT list_unknown
        THEN 1 - CAST(eligible_EffectiveCost + coalesce(unused_EffectiveCost, 0) AS DOUBLE)
            / nullif(CAST(eligible_ListCost AS DOUBLE), 0)
    END AS effective_savings_rate
FROM months
WHERE used_EffectiveCost IS NOT NULL OR unused_EffectiveCost IS NOT NULL
