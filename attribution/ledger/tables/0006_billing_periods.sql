-- What providers say of their billing periods.
CREATE TABLE book.billing_periods (
    source VARCHAR NOT NULL,
    billing_month DATE NOT NULL,
    InvoiceIssuerName VARCHAR,
    period_status VARCHAR NOT NULL,
    updated_at TIMESTAMPTZ
);
