-- Months that finance closed: what was reported of them stays until they are opened again.
CREATE TABLE book.closings (
    closing INTEGER NOT NULL,
    billing_month DATE NOT NULL,
    closed_run INTEGER NOT NULL,
    closed_at TIMESTAMPTZ NOT NULL,
    kept_run INTEGER NOT NULL,
    allocations INTEGER NOT NULL,
    reopened_run INTEGER,
    reopened_at TIMESTAMPTZ
);
CREATE TABLE book.closed_sums (
    closing INTEGER NOT NULL,
    bill_no INTEGER NOT NULL,
    BillingCurrency VARCHAR NOT NULL,
    BilledCost DECIMAL(38,12),
    EffectiveCost DECIMAL(38,12),
    ListCost DECIMAL(38,12),
    ContractedCost DECIMAL(38,12)
);
CREATE TABLE book.pending_restatements (
    billing_month DATE NOT NULL,
    dimension VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    BillingCurrency VARCHAR NOT NULL,
    reported_EffectiveCost DECIMAL(38,12),
    computed_EffectiveCost DECIMAL(38,12),
    reported_BilledCost DECIMAL(38,12),
    computed_BilledCost DECIMAL(38,12),
    cause VARCHAR NOT NULL
);
-- What the costs of a run were made from, and what differed where a month changed.
ALTER TABLE book.costs_kept ADD COLUMN inputs VARCHAR;
ALTER TABLE book.restatements ADD COLUMN cause VARCHAR;
ALTER TABLE IF EXISTS book.allocations ADD COLUMN IF NOT EXISTS rules_version VARCHAR;
