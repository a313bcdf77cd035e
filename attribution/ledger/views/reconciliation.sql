-- One bill x billing month x currency x cost column: the lines that came in against the costs that came out.
SELECT b.bill_id, b.source, r.*
FROM book.reconciliation AS r LEFT JOIN book.bills AS b USING (bill_no)
