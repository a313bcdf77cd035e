-- One usage_date x resource x pod x labels x measure: what was used there, as weights for splits.
SELECT * FROM book.usage
