-- One time that a billing month was closed: by which run, from which rule set, and when it was opened again.
SELECT c.closing, c.billing_month, c.closed_run, c.closed_at, c.kept_run, r.versions ->> 'rules' AS rules_version,
    c.reopened_run, c.reopened_at
FROM book.closings AS c LEFT JOIN book.runs AS r ON r.run = c.kept_run
