-- One finding: kind, subject, owner, cost at stake, evidence, confidence, first seen, last seen, state.
SELECT * FROM book.findings
