-- One finding: kind, subject, owner, cost at stake, evidence, confidence, first seen, last seen, state.
WITH said AS (
    SELECT * FROM book.finding_actions QUALIFY row_number() OVER (PARTITION BY fingerprint ORDER BY action_no DESC) = 1
),
judged AS (
    SELECT f.*, m.severity, m.suppressed_until, m.suppressed_because, a.action, a.until AS stated_until, a.who, a.why,
        CAST(a.said_at AS DATE) AS said_on,
        CASE a.action WHEN 'snooze' THEN a.until WHEN 'resolve' THEN CAST(a.said_at AS DATE) + {resolved_for} END AS ends,
        -- Growth of another month is another thing, whoever knew of the last.
        a.episode = f.state_since AND (f.kind NOT IN ('growth', 'new') OR a.month IS NOT DISTINCT FROM f.month) AS holds,
        CASE
            WHEN f.state = 'gone' THEN 'resolved'
            WHEN f.verdict = 'planned' THEN 'planned'
            WHEN m.suppressed_until > f.last_seen THEN 'suppressed'
            WHEN holds AND a.action = 'ack' THEN 'acknowledged'
            WHEN holds AND a.action = 'snooze' AND ends > f.last_seen THEN 'snoozed'
            WHEN holds AND a.action = 'resolve' AND ends > f.last_seen THEN 'resolved'
            WHEN a.action IS NOT NULL OR f.state_since > f.first_seen THEN 'reopened'
            ELSE 'open'
        END AS life
    FROM book.findings AS f
    LEFT JOIN book.finding_marks AS m USING (fingerprint)
    LEFT JOIN said AS a USING (fingerprint)
)
SELECT fingerprint, kind, subject, verdict, owner, project, cost_at_stake, saving, BillingCurrency, severity, confidence,
    evidence, month, tier, life AS state,
    CASE
        WHEN life = 'reopened' AND holds AND action <> 'reopen' THEN ends
        WHEN state <> 'gone' AND holds AND life IN ('acknowledged', 'snoozed', 'resolved', 'reopened') THEN said_on
        ELSE state_since
    END AS state_since,
    CASE life WHEN 'snoozed' THEN stated_until WHEN 'suppressed' THEN suppressed_until END AS until,
    CASE WHEN holds AND state <> 'gone' AND life NOT IN ('planned', 'suppressed') THEN who END AS who,
    CASE
        WHEN life = 'suppressed' THEN suppressed_because
        WHEN holds AND state <> 'gone' AND life <> 'planned' THEN why
    END AS why,
    state AS seen, first_seen, last_seen
FROM judged
