-- Months that reports showed, so that a change of what somebody was told can be told from any other.
CREATE TABLE book.reported_months (
    run INTEGER NOT NULL,
    month DATE NOT NULL
);
ALTER TABLE book.restatements ADD COLUMN reported BOOLEAN;
