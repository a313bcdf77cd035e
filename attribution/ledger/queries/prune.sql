-- A part goes when every revision that holds it may go, and one that never counted when nothing holds it back.
UPDATE book.parts
SET pruned_run = $run, pruned_at = (SELECT as_of FROM book.runs WHERE run = $run)
WHERE pruned_run IS NULL
    AND part_no NOT IN (
        SELECT bp.part_no
        FROM (
            SELECT *,
                row_number() OVER (bill ORDER BY bill_no) AS from_first,
                row_number() OVER (bill ORDER BY bill_no DESC) AS from_last
            FROM book.bills WINDOW bill AS (PARTITION BY source, BillingAccountId, billing_month)
        ) AS b
        JOIN book.bill_parts AS bp USING (bill_no)
        LEFT JOIN (SELECT DISTINCT bill_no, period_status FROM main.bills) AS s USING (bill_no)
        WHERE b.superseded_run IS NULL
            OR b.superseded_run > $published  -- the published charges are read from its files
            OR b.from_first = 1
            OR b.bill_no IN (SELECT bill_no FROM book.closed_sums)  -- a closed month's charges stay
            OR b.from_last <= CASE WHEN coalesce(s.period_status = 'open', b.billing_month + INTERVAL 1 MONTH > $today) THEN $revisions ELSE 1 END
            OR EXISTS (
                SELECT 1 FROM book.runs AS w
                WHERE w.command = 'weekly' AND w.run >= b.posted_run AND w.run < b.superseded_run
            )
    )
    AND (
        part_no IN (SELECT part_no FROM book.bill_parts)
        OR delivery_digest IN (
            SELECT delivery_digest FROM book.deliveries_read
            WHERE state IN ('counts', 'superseded') AND settled_run <= $published
        )
    )
