-- The row as it stands in the file, of rows that were refused.
ALTER TABLE book.rejects ADD COLUMN raw VARCHAR;
