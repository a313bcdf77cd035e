-- Growth names what explains it, tells SKUs of one month apart from the mix, and evens out weekdays.
ALTER TABLE IF EXISTS book.growth ADD COLUMN IF NOT EXISTS new_effect DECIMAL(38,12);
ALTER TABLE IF EXISTS book.growth ADD COLUMN IF NOT EXISTS vanished_effect DECIMAL(38,12);
ALTER TABLE IF EXISTS book.growth ADD COLUMN IF NOT EXISTS explained_by VARCHAR;
ALTER TABLE IF EXISTS book.growth ADD COLUMN IF NOT EXISTS weekday_adjustment DECIMAL(38,12);
ALTER TABLE IF EXISTS book.growth ADD COLUMN IF NOT EXISTS currency_effect DECIMAL(38,12);
ALTER TABLE IF EXISTS book.growth ADD COLUMN IF NOT EXISTS converted_change DECIMAL(38,12);
