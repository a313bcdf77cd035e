-- One waste detector x currency: what it judged in the last run, or what it lacks.
SELECT * FROM book.detectors
