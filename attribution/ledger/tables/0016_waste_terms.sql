-- How long after its warning a finding of waste falls due; the workspace states it, each run keeps it.
CREATE TABLE book.waste_terms AS SELECT 7::INTEGER AS grace_days;
