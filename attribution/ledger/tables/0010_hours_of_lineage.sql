-- Shares of nodes are told by the hour and job; other splits leave both null.
ALTER TABLE IF EXISTS book.split_lineage ADD COLUMN IF NOT EXISTS hour TIMESTAMP WITH TIME ZONE;
ALTER TABLE IF EXISTS book.split_lineage ADD COLUMN IF NOT EXISTS job_id VARCHAR;
