-- By its reference the reader of a mail can answer; `attempts` counts the tries of the run that sent it last.
ALTER TABLE book.deliveries ADD COLUMN reference VARCHAR;
ALTER TABLE book.deliveries ADD COLUMN attempts INTEGER;
-- Recipients are a JSON list of [report, address], sorted; the newest approval holds.
CREATE TABLE book.approvals (
    recipients VARCHAR NOT NULL,
    run INTEGER NOT NULL,
    approved_at TIMESTAMPTZ NOT NULL
);
