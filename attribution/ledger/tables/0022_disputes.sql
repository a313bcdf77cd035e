CREATE TABLE book.disputes (
    dispute INTEGER NOT NULL,
    reference VARCHAR NOT NULL,
    report VARCHAR NOT NULL,
    period VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    says VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    state VARCHAR NOT NULL,
    answer VARCHAR,
    settled_at TIMESTAMPTZ
);
