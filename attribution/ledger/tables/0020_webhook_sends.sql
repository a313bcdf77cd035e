-- Findings that were about to go to a webhook, and what became of it: one occurrence of a finding goes once.
CREATE TABLE book.webhook_sends (
    hook VARCHAR NOT NULL,
    fingerprint VARCHAR NOT NULL,
    occurrence VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL,
    error VARCHAR
);
