-- What people said of findings; only ever added to. `episode` and `month` tell which appearance of it they meant.
CREATE TABLE book.finding_actions (
    action_no INTEGER NOT NULL,
    fingerprint VARCHAR NOT NULL,
    action VARCHAR NOT NULL,
    until DATE,
    who VARCHAR NOT NULL,
    why VARCHAR NOT NULL,
    said_at TIMESTAMPTZ NOT NULL,
    episode DATE NOT NULL,
    month DATE
);
