"""Who hears of whose money: what counts, from which day, and what is told."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily

from attribution.detection import disputed_costs, owners_who_left, owners_without_recipient

TODAY = date(2026, 11, 10)
DISPUTE = {"dispute": "d-7", "report": "owner=lin", "subject": "project=orion", "says": "not ours"}


def told(found: pl.DataFrame) -> list[tuple[Any, ...]]:
    return found.select("subject", "BillingCurrency", "cost_at_stake", "owner").rows()


@pytest.mark.parametrize(
    ("day", "at_stake"),
    [
        (date(2026, 9, 30), None),  # long ago
        (date(2026, 10, 1), Decimal(5)),
        (date(2026, 10, 31), Decimal(5)),
        (date(2026, 11, 1), None),  # not in the month that the money at stake is of
    ],
)
def test_money_of_the_last_month_has_nobody_who_hears_of_it(day: date, at_stake: Decimal | None) -> None:
    found = owners_without_recipient(daily([cost(day, "5")]), ["omar"], TODAY)
    assert told(found) == ([] if at_stake is None else [("owner=lin", "USD", at_stake, "lin")])


def test_owners_who_hear_nobody_in_particular_and_sums_of_nothing_are_left_out() -> None:
    october = date(2026, 10, 5)
    world = daily(
        [cost(october, "5", owner=owner) for owner in ("omar", "unallocated", "shared")]
        + [cost(october, amount, owner="none") for amount in ("3", "-3")]
        + [cost(october, "0.000000000001", owner="mei"), cost(october, "-2", owner="mei", BillingCurrency="EUR")]
    )
    assert told(owners_without_recipient(world, ["omar"], TODAY)) == [
        ("owner=mei", "EUR", Decimal(-2), "mei"),
        ("owner=mei", "USD", Decimal("0.000000000001"), "mei"),
    ]


def disputed(**more: str) -> pl.DataFrame:
    october, november = date(2026, 10, 5), date(2026, 11, 2)
    world = daily(
        [cost(october, "5"), cost(november, "70"), cost(october, "11", project="vega"), cost(october, "2", owner="mei")]
    )
    return disputed_costs(world, pl.DataFrame([DISPUTE | more]), TODAY)


def test_a_dispute_tells_what_the_reader_says_with_the_last_months_money() -> None:
    found = disputed()
    assert told(found) == [("project=orion", "USD", Decimal(5), "lin")]
    assert found.item(0, "evidence") == "Dispute d-7: the reader of the report for owner=lin says: not ours"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"report": "all"}, ("project=orion", "USD", Decimal(7), "unallocated")),
        ({"subject": "owner=mei", "report": "all"}, ("owner=mei", "USD", Decimal(2), "mei")),
        ({"subject": "service=Compute"}, ("service=Compute", "USD", Decimal(16), "lin")),  # no column of that name
        ({"subject": "project=gone"}, ("project=gone", None, None, "lin")),
    ],
)
def test_a_dispute_is_of_what_report_and_subject_have_in_common(
    more: dict[str, str], expected: tuple[Any, ...]
) -> None:
    assert told(disputed(**more)) == [expected]


def test_who_left_is_told_from_the_first_day_without_them() -> None:
    days = [(date(2026, 10, 9), "100"), (date(2026, 10, 10), "3"), (date(2026, 10, 12), "4"), (date(2026, 10, 11), "1")]
    world = daily([cost(day, amount) for day, amount in days])
    found = owners_who_left(world, {"lin": (date(2026, 10, 10), "mira"), "omar": (date(2026, 1, 1), None)})
    assert told(found) == [("owner=lin", "USD", Decimal(8), "lin")]
    assert found.item(0, "evidence") == (
        "lin left on 2026-10-10; 8.00 USD since then, up to 2026-10-12, still goes to that name, and nobody receives "
        "its report. mira, who was their lead, may know whose it is now."
    )
    alone = owners_who_left(world, {"lin": (date(2026, 10, 12), None)})
    assert alone.item(0, "evidence").endswith("Nobody is stated as their lead.")
    assert owners_who_left(world, {"lin": (date(2026, 10, 13), None)}).is_empty()


@pytest.mark.parametrize("amounts", [("5", "-5"), ("0",)])
def test_who_left_and_costs_nothing_is_not_told(amounts: tuple[str, ...]) -> None:
    world = daily([cost(date(2026, 10, 12), amount) for amount in amounts])
    assert owners_who_left(world, {"lin": (date(2026, 10, 1), None)}).is_empty()
