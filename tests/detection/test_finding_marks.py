"""How severe findings are, one unit on either side of each limit, and which are suppressed until when."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from attribution.detection import finding_marks, together
from attribution.detection.candidates import Finding, as_frame
from schemas.workspace import Severity, Suppression

TODAY = date(2026, 11, 5)
RATES = {"USD": Decimal(1), "EUR": Decimal("1.25")}


def marks(*found: Finding, rules: tuple[Suppression, ...] = (), today: date = TODAY) -> list[tuple[object, ...]]:
    frame = together(as_frame(found))
    return finding_marks(frame, Severity(), rules, today, RATES).drop("fingerprint").rows()


@pytest.mark.parametrize(
    ("cost", "currency", "level"),
    [
        ("10000", "USD", "critical"),
        ("9999.999999999999", "USD", "high"),
        ("1000", "USD", "high"),
        ("999.999999999999", "USD", "medium"),
        ("100", "USD", "medium"),
        ("99.999999999999", "USD", "low"),
        ("0", "USD", "low"),
        ("-10000", "USD", "critical"),
        ("8000", "EUR", "critical"),
        ("7999.999999999999", "EUR", "high"),
        ("10000", "JPY", "unknown"),
        (None, "USD", "unknown"),
        ("10000", None, "unknown"),
    ],
)
def test_each_limit_is_met_from_its_amount_on(cost: str | None, currency: str | None, level: str) -> None:
    stake = None if cost is None else Decimal(cost)
    assert marks(Finding("k", "s", "e", cost_at_stake=stake, currency=currency))[0][0] == level


def test_a_suppression_holds_for_what_it_names_and_before_its_day() -> None:
    found = Finding("idle", "i-[7]*", "e", owner="mira", project="atlas")
    day = date(2026, 12, 1)

    def until(**words: str) -> object:
        return marks(found, rules=(Suppression("known", day, **words),))[0][1]

    assert until(kind="idle") == until(owner="mira") == until(project="atlas") == until(subject="i-[7]*") == day
    assert until(subject="i-*") == until(subject="?-*") == until(kind="idle", subject="*", owner="mira") == day
    assert until(kind="idl") is None
    assert until(kind="idle", owner="tomas") is None
    assert until(subject="i-[7]") is None
    assert until(subject="I-*") is None


def test_of_several_suppressions_the_longest_counts_and_a_past_one_says_nothing() -> None:
    found = Finding("idle", "i-1", "e")
    rules = (
        Suppression("short", date(2026, 11, 6), kind="idle"),
        Suppression("long", date(2026, 12, 6), kind="idle"),
        Suppression("past", TODAY, kind="idle"),
    )
    assert marks(found, rules=rules) == [("unknown", date(2026, 12, 6), "long")]
    assert marks(found, rules=rules[2:]) == [("unknown", None, None)]
    assert marks(found, rules=rules[:1], today=date(2026, 11, 6)) == [("unknown", None, None)]
