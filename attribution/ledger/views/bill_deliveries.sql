-- One delivery read x cost column: what its files state and what became of it, exactly, as text.
SELECT d.source, d.name, d.delivery_digest, d.reader, d.state, d.rows, d.posted_run, t.cost_column,
    t.stated, t.stored, t.residual, t.rejected, t.netted
FROM book.deliveries_read AS d
JOIN book.delivery_totals AS t USING (delivery_digest)
