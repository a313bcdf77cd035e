-- Findings of waste say what ending them saves, once a resource, and what their evidence is taken from.
ALTER TABLE book.findings ADD COLUMN saving DECIMAL(38,12);
ALTER TABLE book.findings ADD COLUMN tier VARCHAR;
