-- Whether something was used although every cost of the part is zero; false for parts posted before.
ALTER TABLE book.parts ADD COLUMN free BOOLEAN DEFAULT false;
