-- One thing a reader had to decide about a delivery that counts.
SELECT d.source, d.name, n.kind, n.subject, n.sentence, n.amount, n.BillingCurrency
FROM book.notices AS n
JOIN book.deliveries_read AS d USING (delivery_digest)
WHERE d.state = 'counts'
