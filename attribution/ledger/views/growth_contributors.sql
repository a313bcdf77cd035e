-- One resource that a subject's growth comes from, of the five largest; a sixth row is all others, so that they sum.
SELECT * FROM book.growth_contributors
