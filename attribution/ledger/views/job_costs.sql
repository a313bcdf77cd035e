-- One job x currency x dimensions: what it cost of the nodes that it ran on, at their billed rates, and its GPU-hours.
SELECT
    g.job_id, j.run_id, {dimensions}, j.job_state, j.job_user, j.job_account, j.job_partition, j.job_name,
    j.first_start, j.last_end, j.nodes,
    s.BillingCurrency, round(sum(g.gpu_hours), 6) AS gpu_hours, sum(g.BilledCost) AS BilledCost,
    sum(g.EffectiveCost) AS EffectiveCost, sum(g.ListCost) AS ListCost, sum(g.ContractedCost) AS ContractedCost
FROM book.job_shares AS g
JOIN book.subjects AS s USING (subject_id)
JOIN book.allocations AS a USING (allocation_id)
LEFT JOIN (
    SELECT
        job_id, any_value(run_id) AS run_id, arg_max(job_state, start) AS job_state, any_value(job_user) AS job_user,
        any_value(job_account) AS job_account, any_value(job_partition) AS job_partition,
        any_value(job_name) AS job_name,
        min(start) AS first_start, CASE WHEN count("end") = count(*) THEN max("end") END AS last_end,
        count(DISTINCT resource_id) AS nodes
    FROM book.jobs GROUP BY job_id
) AS j USING (job_id)
WHERE g.job_id IS NOT NULL
GROUP BY ALL
