-- One action on a finding: who did what, when and why.
SELECT a.action_no, a.fingerprint, f.kind, f.subject, a.action, a.until, a.who, a.why, a.said_at, a.month
FROM book.finding_actions AS a LEFT JOIN book.findings AS f USING (fingerprint)
