-- One node x usage_date x currency that jobs divided: GPU-hours and cost, of jobs and of nobody, and why nobody's.
SELECT
    s.ResourceId, g.usage_date, s.BillingCurrency,
    round(sum(g.gpu_hours), 6) AS gpu_hours,
    round(sum(g.gpu_hours) FILTER (g.kind = 'job'), 6) AS gpu_hours_of_jobs,
    sum(g.EffectiveCost) AS EffectiveCost,
    sum(g.EffectiveCost) FILTER (g.kind = 'job') AS cost_of_jobs,
    sum(g.EffectiveCost) FILTER (g.kind = 'idle') AS cost_idle,
    sum(g.EffectiveCost) FILTER (g.kind = 'down') AS cost_down,
    sum(g.EffectiveCost) FILTER (g.kind = 'drained') AS cost_drained,
    sum(g.EffectiveCost) FILTER (g.kind = 'reserved') AS cost_reserved
FROM book.job_shares AS g
JOIN book.subjects AS s USING (subject_id)
GROUP BY ALL
