-- One finding of waste: how far it is on the way to action (mark, warn, due, then done or exempt), and since when.
WITH warned AS (
    SELECT k.fingerprint, min(CAST(d.changed_at AS DATE)) AS warned_on
    FROM book.findings AS k
    JOIN book.deliveries AS d ON d.state IN ('sent', 'filed') AND CAST(d.changed_at AS DATE) >= k.state_since
        AND d.report = CASE WHEN k.owner IN ({nobody}) THEN 'all' ELSE 'owner=' || k.owner END
    GROUP BY ALL
),
dated AS (
    SELECT k.*, f.state AS life, f.until AS life_until, f.why AS life_why, w.warned_on,
        w.warned_on + CAST(t.grace_days AS INTEGER) AS due_on, t.grace_days,
        (SELECT CAST(max(as_of) AS DATE) FROM book.runs) AS today
    FROM book.findings AS k
    JOIN main.findings AS f USING (fingerprint)
    CROSS JOIN (SELECT any_value(grace_days) AS grace_days FROM book.waste_terms) AS t
    LEFT JOIN warned AS w USING (fingerprint)
    WHERE k.tier IS NOT NULL AND k.verdict = 'finding'
)
SELECT fingerprint, kind, tier, subject, owner, project, cost_at_stake, saving, BillingCurrency, confidence,
    CASE
        WHEN state = 'gone' THEN 'done'
        WHEN life NOT IN ('open', 'reopened') THEN 'exempt'
        WHEN warned_on IS NULL THEN 'mark'
        WHEN today < due_on THEN 'warn'
        ELSE 'due'
    END AS step,
    CASE WHEN state <> 'gone' THEN state_since ELSE first_seen END AS marked_on,
    CASE WHEN state <> 'gone' THEN warned_on END AS warned_on,
    CASE WHEN state <> 'gone' THEN due_on END AS due_on,
    CASE WHEN state = 'gone' THEN state_since END AS done_on,
    CASE WHEN step = 'exempt' THEN life_until END AS exempt_until,
    CASE WHEN step = 'exempt' THEN coalesce(life_why, life) END AS exempt_because,
    CASE step
        WHEN 'mark' THEN 'On the reclaim plan ' || grace_days || ' days after its owner is told.'
        WHEN 'warn' THEN 'On the reclaim plan from ' || due_on || '.'
        WHEN 'due' THEN 'On the reclaim plan since ' || due_on || '.'
    END AS warning,
    month, evidence
FROM dated
