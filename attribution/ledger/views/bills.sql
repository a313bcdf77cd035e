-- One bill revision x currency; the revision that counts has no superseded_at.
WITH part AS (
    SELECT bp.bill_no,
        list_sort(list_distinct(flatten(list(d.files)))) AS files,
        max(p.watermark) AS watermark,
        max(p.pruned_at) AS pruned_at,
        bool_and(d.parts = 1) AS alone
    FROM book.bill_parts AS bp
    JOIN book.parts AS p USING (part_no)
    JOIN (
        SELECT delivery_digest, list(name) AS files,
            (SELECT count(*) FROM book.parts AS other WHERE other.delivery_digest = df.delivery_digest) AS parts
        FROM book.delivery_files AS df GROUP BY delivery_digest
    ) AS d USING (delivery_digest)
    GROUP BY bp.bill_no
),
money AS (
    SELECT bp.bill_no, s.BillingCurrency, CAST(sum(s.rows) AS BIGINT) AS rows,
        count(*) OVER (PARTITION BY bp.bill_no) AS currencies,
        sum(s.BilledCost) AS BilledCost, sum(s.EffectiveCost) AS EffectiveCost,
        sum(s.ListCost) AS ListCost, sum(s.ContractedCost) AS ContractedCost
    FROM book.bill_parts AS bp JOIN book.part_sums AS s USING (part_no)
    GROUP BY bp.bill_no, s.BillingCurrency
),
total AS (
    -- A refused amount may be too large for any decimal of ours; the sum is unknown then, never short of it.
    SELECT bp.bill_no,
        CASE WHEN count(t.stated) = count(TRY_CAST(t.stated AS DECIMAL(38,12)))
            THEN sum(TRY_CAST(t.stated AS DECIMAL(38,12))) END AS stated,
        sum(CAST(t.residual AS DECIMAL(38,24))) AS residual,
        CASE WHEN count(t.rejected) = count(TRY_CAST(t.rejected AS DECIMAL(38,12)))
            THEN sum(TRY_CAST(t.rejected AS DECIMAL(38,12))) END AS rejected,
        sum(CAST(t.netted AS DECIMAL(38,12))) AS netted
    FROM (SELECT DISTINCT bill_no, delivery_digest FROM book.bill_parts JOIN book.parts USING (part_no)) AS bp
    JOIN book.delivery_totals AS t USING (delivery_digest)
    WHERE t.cost_column = 'BilledCost'
    GROUP BY bp.bill_no
),
state AS (
    -- Periods are named by the invoices' issuer, bills by account: where issuers differ, a bill's is unknown.
    SELECT source, billing_month,
        CASE WHEN count(DISTINCT period_status) = 1 THEN min(period_status) END AS period_status
    FROM book.billing_periods GROUP BY source, billing_month
)
SELECT b.bill_no, b.bill_id, b.source, b.BillingAccountId, b.billing_month,
    coalesce(part.files, []) AS files, b.digest, money.BillingCurrency, coalesce(money.rows, 0) AS rows,
    CASE WHEN part.alone AND money.currencies = 1 THEN total.stated END AS stated_BilledCost,
    money.BilledCost AS stored_BilledCost,
    CASE WHEN part.alone AND money.currencies = 1 THEN total.residual END AS residual_BilledCost,
    CASE WHEN part.alone AND money.currencies = 1 THEN total.rejected END AS rejected_BilledCost,
    CASE WHEN part.alone AND money.currencies = 1 THEN total.netted END AS netted_BilledCost,
    money.EffectiveCost AS stored_EffectiveCost, money.ListCost AS stored_ListCost,
    money.ContractedCost AS stored_ContractedCost,
    part.watermark, state.period_status, b.posted_run, b.posted_at, b.superseded_run, b.superseded_at, part.pruned_at
FROM book.bills AS b
LEFT JOIN part USING (bill_no)
LEFT JOIN money USING (bill_no)
LEFT JOIN total USING (bill_no)
LEFT JOIN state ON state.source = b.source AND state.billing_month = b.billing_month
