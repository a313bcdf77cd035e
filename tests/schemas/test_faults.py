"""Faults in words: each where, what, known and hint; several in one line stay sentences."""

from __future__ import annotations

from schemas.faults import Fault, in_one_line, missing_columns


def test_advice_stands_under_the_fault_with_one_blank_between_its_parts() -> None:
    fault = Fault("a.csv", "is odd", "x, y", 'Did you mean "x"?')
    assert str(fault) == 'a.csv: is odd\n  Known: x, y. Did you mean "x"?'


def test_faults_in_one_line_end_where_they_end() -> None:
    faults = missing_columns("a.csv", ["BilledCost", "Zone"], ["Cost", "BilledCosts"])
    said = in_one_line([*faults, Fault("a.csv", "has no end")])
    assert said == (
        'column "BilledCost" is missing. Known: Cost, BilledCosts. Did you mean "BilledCosts"? '
        'column "Zone" is missing. has no end'
    )
    assert in_one_line(faults[1:]) == 'column "Zone" is missing'
