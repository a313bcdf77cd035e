-- Charges of revisions that nothing needs any more leave the store; what they were, their sums, stays.
ALTER TABLE book.parts ADD COLUMN pruned_run INTEGER;
ALTER TABLE book.parts ADD COLUMN pruned_at TIMESTAMPTZ;
