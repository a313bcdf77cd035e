-- One bill x currency x cost column: the lines that came in against the costs that came out.
SELECT b.bill_id, b.source, r.billing_month, r.BillingCurrency, r."column" AS cost_column,
    r.before AS lines, r.after AS costs, r.difference
FROM book.reconciliation AS r LEFT JOIN book.bills AS b USING (bill_no)
