-- One file or delivery that counts for nothing, and why.
SELECT * FROM book.held_back
