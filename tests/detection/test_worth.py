"""Growth in a foreign currency: judged in its own, worth in the workspace's, and the rate's part told apart."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import polars as pl
import pytest
from detection_worlds import daily, every_day, mark
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.detection import growth
from attribution.detection.worth import Worth
from schemas.detection import EFFECTS
from schemas.workspace import Growth

SEP, OCT = date(2026, 9, 1), date(2026, 10, 1)
MARKS = {"nimbus": mark(date(2026, 10, 31), SEP)}


def october(before: str, now: str, worth: Worth, minimum: str = "100") -> dict[str, Decimal]:
    frame = daily(
        every_day(SEP, date(2026, 9, 30), before, BillingCurrency="EUR"),
        every_day(OCT, date(2026, 10, 31), now, BillingCurrency="EUR"),
    )
    rows = growth(frame, MARKS, Growth(minimum=Decimal(minimum)), [("project",)], worth=worth)
    return rows.filter(pl.col("month") == OCT).row(0, named=True)


def euros(september: str, october_: str) -> Worth:
    return Worth("USD", {("EUR", SEP): Decimal(september), ("EUR", OCT): Decimal(october_)})


def test_a_rate_alone_is_no_growth_and_is_told_apart() -> None:
    row = october("100", "100", euros("1.00", "1.50"))
    assert (row["status"], row["change"], row["verdict"]) == ("steady", 0, None)
    assert (row["currency_effect"], row["converted_change"]) == (Decimal(1550), Decimal(1550))


def test_effects_at_the_rate_and_the_rates_part_are_the_whole() -> None:
    row = october("100", "200", euros("1.00", "1.50"))
    assert (row["change"], row["currency_effect"]) == (Decimal(3100), Decimal(1550))
    assert row["converted_change"] == Decimal(31 * (200 * 15 - 100 * 10)) / 10


@pytest.mark.parametrize(("rate", "verdict"), [("2", "finding"), ("1.999999", None)])
def test_the_minimum_counts_by_the_months_rate(rate: str, verdict: str | None) -> None:
    assert october("10", "20", euros("1", rate), minimum="620")["verdict"] == verdict


def test_without_a_rate_nothing_is_converted_and_the_minimum_is_the_bills() -> None:
    row = october("10", "20", Worth("USD", {("EUR", OCT): Decimal(2)}))
    assert (row["currency_effect"], row["converted_change"]) == (None, None)
    assert october("10", "20", Worth("USD"), minimum="310")["verdict"] == "finding"
    own = october("10", "20", Worth("EUR"))
    assert (own["currency_effect"], own["converted_change"]) == (0, own["change"])


@settings(max_examples=25, deadline=None)
@given(*(st.integers(1, 10**15).map(lambda units: Decimal(units).scaleb(-12)) for _ in range(4)))
def test_the_six_effects_sum_to_the_last_decimal(before: Decimal, now: Decimal, then: Decimal, rate: Decimal) -> None:
    row = october(str(before), str(now), Worth("USD", {("EUR", SEP): then, ("EUR", OCT): rate}))
    assert sum(row[name] for name in EFFECTS) == row["change"]
    units = row["change"] * rate
    assert abs(row["converted_change"] - row["currency_effect"] - units) <= Decimal("0.000000000001")
