-- A place that was taken stays noted for as long as the delivery that took it may yet be held back.
ALTER TABLE book.places ADD COLUMN taken BOOLEAN DEFAULT false;
-- Kind of the finding that a held-back delivery is, where it is one.
ALTER TABLE book.held_back ADD COLUMN kind VARCHAR;
CREATE TABLE book.accepted_deliveries (
    delivery_digest VARCHAR NOT NULL,
    run INTEGER NOT NULL
);
CREATE VIEW book.counting AS
SELECT b.source, b.BillingAccountId, b.billing_month, b.bill_no, p.part_no, p.delivery_digest
FROM book.bills AS b JOIN book.bill_parts AS bp USING (bill_no) JOIN book.parts AS p USING (part_no)
WHERE b.superseded_run IS NULL;
