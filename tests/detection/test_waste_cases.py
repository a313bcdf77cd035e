"""Every labelled case of waste, alone in its world: what must fire, what nearly does, what data leaves open."""

from __future__ import annotations

from collections import Counter

import pytest
from waste_cases import Case, Compare, answers, every_case, told_of, verdict_of, world_of

CASES = tuple(every_case())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_labelled_case(case: Case, as_written_down: Compare) -> None:
    rows = told_of(case)
    assert verdict_of(case, rows) == case.label
    as_written_down(rows)


@pytest.mark.parametrize("kind", sorted({case.kind for case in CASES}))
def test_a_detector_has_enough_cases(kind: str) -> None:
    labels = Counter(case.label for case in CASES if case.kind == kind)
    assert labels["waste"] >= 5
    assert labels["active"] >= 5


@pytest.mark.parametrize("kind", sorted({case.kind for case in CASES}))
def test_no_saving_exceeds_its_cost_and_evidence_is_a_sentence(kind: str) -> None:
    mine = [case for case in CASES if case.kind == kind and not case.alone]
    rows = [row for told in answers(world_of(mine), kind).values() for row in told]
    assert rows
    for row in rows:
        assert row["saving"] is None or 0 <= row["saving"] <= row["cost_at_stake"]
        assert row["evidence"].endswith(".")
        assert "None" not in row["evidence"]
        assert "null" not in row["evidence"]
        assert ".." not in row["evidence"]
