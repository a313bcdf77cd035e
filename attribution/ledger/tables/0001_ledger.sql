-- The ledger as it began. Columns and tables are explained in ../comments.toml.
-- No keys or indexes: one writer holds the lock, and DuckDB checks unique keys too eagerly within one transaction.

CREATE TABLE book.runs (
    run INTEGER NOT NULL,
    command VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    as_of TIMESTAMPTZ NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ,
    versions VARCHAR NOT NULL,
    counts VARCHAR,
    message VARCHAR
);

CREATE TABLE book.deliveries_read (
    delivery_digest VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    reader VARCHAR NOT NULL,
    content_digest VARCHAR NOT NULL,
    rows BIGINT NOT NULL,
    order_key VARCHAR,
    is_current BOOLEAN,
    mode VARCHAR,
    state VARCHAR NOT NULL,
    posted_run INTEGER NOT NULL,
    settled_run INTEGER,
    seen_run INTEGER
);
CREATE TABLE book.delivery_files (
    delivery_digest VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    file_id VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    size BIGINT NOT NULL
);
CREATE TABLE book.places (
    source VARCHAR NOT NULL,
    names VARCHAR[] NOT NULL,
    delivery_digest VARCHAR NOT NULL,
    seen_run INTEGER NOT NULL
);
CREATE TABLE book.delivery_totals (
    delivery_digest VARCHAR NOT NULL,
    cost_column VARCHAR NOT NULL,
    stated VARCHAR,
    stored VARCHAR,
    residual VARCHAR,
    rejected VARCHAR,
    netted VARCHAR
);
CREATE TABLE book.rejects (
    delivery_digest VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    file VARCHAR NOT NULL,
    line BIGINT,
    "column" VARCHAR NOT NULL,
    "check" VARCHAR NOT NULL,
    value VARCHAR,
    outcome VARCHAR NOT NULL
);
CREATE TABLE book.notices (
    delivery_digest VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    sentence VARCHAR NOT NULL,
    amount DECIMAL(38,12),
    BillingCurrency VARCHAR
);
CREATE TABLE book.empty_bills (
    delivery_digest VARCHAR NOT NULL,
    BillingAccountId VARCHAR NOT NULL,
    billing_month DATE NOT NULL
);

CREATE TABLE book.parts (
    part_no INTEGER NOT NULL,
    part_id VARCHAR NOT NULL,
    delivery_digest VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    BillingAccountId VARCHAR NOT NULL,
    billing_month DATE NOT NULL,
    charge_files INTEGER NOT NULL,
    rows BIGINT NOT NULL,
    watermark TIMESTAMPTZ,
    first_usage_date DATE NOT NULL,
    last_usage_date DATE NOT NULL,
    rollup VARCHAR NOT NULL
);
CREATE TABLE book.part_sums (
    part_no INTEGER NOT NULL,
    BillingCurrency VARCHAR NOT NULL,
    rows BIGINT NOT NULL,
    BilledCost DECIMAL(38,12),
    EffectiveCost DECIMAL(38,12),
    ListCost DECIMAL(38,12),
    ContractedCost DECIMAL(38,12)
);
CREATE TABLE book.bills (
    bill_no INTEGER NOT NULL,
    bill_id VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    BillingAccountId VARCHAR NOT NULL,
    billing_month DATE NOT NULL,
    digest VARCHAR NOT NULL,
    posted_run INTEGER NOT NULL,
    posted_at TIMESTAMPTZ NOT NULL,
    superseded_run INTEGER,
    superseded_at TIMESTAMPTZ
);
CREATE TABLE book.bill_parts (
    bill_no INTEGER NOT NULL,
    part_no INTEGER NOT NULL
);
CREATE TABLE book.held_back (
    source VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    run INTEGER NOT NULL
);

-- Subjects, allocations, lineage and pools are not here: dimensions and rule columns are configuration, so those
-- tables take the shape of the frames that are kept.
CREATE TABLE book.cost_facts (
    subject_id BIGINT NOT NULL,
    usage_date DATE NOT NULL,
    allocation_id INTEGER NOT NULL,
    BilledCost DECIMAL(38,12),
    EffectiveCost DECIMAL(38,12),
    ListCost DECIMAL(38,12),
    ContractedCost DECIMAL(38,12),
    ConsumedQuantity DOUBLE
);
CREATE TABLE book.costs_kept (
    run INTEGER NOT NULL,
    as_of TIMESTAMPTZ NOT NULL,
    subjects_file VARCHAR NOT NULL
);
CREATE TABLE book.restatements (
    run INTEGER NOT NULL,
    as_of TIMESTAMPTZ NOT NULL,
    billing_month DATE NOT NULL,
    month_was_over BOOLEAN NOT NULL,
    dimension VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    BillingCurrency VARCHAR NOT NULL,
    before_EffectiveCost DECIMAL(38,12),
    after_EffectiveCost DECIMAL(38,12),
    before_BilledCost DECIMAL(38,12),
    after_BilledCost DECIMAL(38,12)
);

CREATE TABLE book.findings (
    fingerprint VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    owner VARCHAR NOT NULL,
    project VARCHAR NOT NULL,
    cost_at_stake DECIMAL(38,12),
    BillingCurrency VARCHAR,
    confidence VARCHAR NOT NULL,
    evidence VARCHAR NOT NULL,
    month DATE,
    state VARCHAR NOT NULL,
    state_since DATE NOT NULL,
    first_seen DATE NOT NULL,
    last_seen DATE NOT NULL
);
CREATE TABLE book.deliveries (
    report VARCHAR NOT NULL,
    period VARCHAR NOT NULL,
    recipient VARCHAR NOT NULL,
    message_id VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL,
    error VARCHAR
);
