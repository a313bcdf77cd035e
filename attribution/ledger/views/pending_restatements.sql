-- One change that a closed month holds back: by dimension value and currency, as reported and as computed now.
SELECT * FROM book.pending_restatements
