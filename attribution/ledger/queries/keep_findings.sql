-- Findings of this run against those kept: `new` on the day it appears or comes back, `still` after it, `gone` without.
CREATE OR REPLACE TABLE book.findings AS
SELECT
    coalesce(n.fingerprint, k.fingerprint) AS fingerprint,
    CASE WHEN is_now THEN n.kind ELSE k.kind END AS kind,
    CASE WHEN is_now THEN n.subject ELSE k.subject END AS subject,
    CASE WHEN is_now THEN n.verdict ELSE k.verdict END AS verdict,
    CASE WHEN is_now THEN n.owner ELSE k.owner END AS owner,
    CASE WHEN is_now THEN n.project ELSE k.project END AS project,
    CASE WHEN is_now THEN n.cost_at_stake ELSE k.cost_at_stake END AS cost_at_stake,
    CASE WHEN is_now THEN n.BillingCurrency ELSE k.BillingCurrency END AS BillingCurrency,
    CASE WHEN is_now THEN n.confidence ELSE k.confidence END AS confidence,
    CASE WHEN is_now THEN n.evidence ELSE k.evidence END AS evidence,
    CASE WHEN is_now THEN n.month ELSE k.month END AS month,
    CASE WHEN is_now THEN n.saving ELSE k.saving END AS saving,
    CASE WHEN is_now THEN n.tier ELSE k.tier END AS tier,
    CASE
        WHEN NOT coalesce(is_now, false) THEN 'gone'
        WHEN k.fingerprint IS NULL OR k.state = 'gone' OR k.state_since = today THEN 'new'
        ELSE 'still'
    END AS state,
    CASE
        WHEN k.fingerprint IS NULL THEN today
        WHEN coalesce(is_now, false) AND k.state = 'gone' THEN today
        WHEN NOT coalesce(is_now, false) AND k.state <> 'gone' THEN today
        ELSE k.state_since
    END AS state_since,
    least(k.first_seen, today) AS first_seen,  -- a backfill may look at an earlier day
    CASE WHEN is_now THEN greatest(k.last_seen, today) ELSE k.last_seen END AS last_seen
FROM (SELECT *, true AS is_now FROM findings_now) AS n
FULL JOIN book.findings AS k ON n.fingerprint = k.fingerprint
CROSS JOIN (SELECT CAST($today AS DATE) AS today)
