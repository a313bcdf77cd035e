-- One bill x currency (x invoice where both sides name them) against what finance paid.
SELECT * FROM book.invoice_checks
