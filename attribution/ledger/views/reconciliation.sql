-- One bill x billing month x currency x cost column: charges against costs.
SELECT * FROM book.reconciliation
