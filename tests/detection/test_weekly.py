"""Week over week: complete weeks alone, with the limits of growth, and told once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily, every_day, mark

from attribution.detection import subjects_of, weekly_findings, weekly_growth
from attribution.detection.daily import LONG_COLUMNS
from schemas.detection import EFFECTS, WEEKLY_COLUMNS, Watermark
from schemas.findings import FINDING_COLUMNS
from schemas.workspace import Growth

FIRST, MONDAY, SUNDAY = date(2026, 9, 7), date(2026, 10, 19), date(2026, 10, 25)
NO_LONG = pl.DataFrame(schema=dict.fromkeys(LONG_COLUMNS, pl.String()))
NOTHING = pl.DataFrame(schema=FINDING_COLUMNS)


def weeks(
    *groups: list[dict[str, Any]],
    last: date = SUNDAY,
    long: pl.DataFrame = NO_LONG,
    others: dict[str, Watermark] | None = None,
    subjects: Sequence[tuple[str, ...]] = (("project",),),
) -> pl.DataFrame:
    marks = {"nimbus": mark(last, FIRST)} | (others or {})
    return weekly_growth(daily(*groups), marks, Growth(), subjects, long)


def grown(now: str, last: date = SUNDAY) -> list[dict[str, Any]]:
    return every_day(FIRST, date(2026, 10, 18), "100.00") + every_day(MONDAY, last, now)


def test_a_week_is_compared_with_the_week_before() -> None:
    row = weeks(grown("150.00")).row(-1, named=True)
    assert (row["week"], row["cost"], row["previous"], row["change"]) == (MONDAY, 1050, 700, 350)
    assert (row["percent"], row["verdict"]) == (Decimal(50), "finding")
    assert sum(row[name] for name in EFFECTS) == row["change"]


@pytest.mark.parametrize(("now", "verdict"), [("130.00", "finding"), ("129.99", None)])
def test_the_limits_of_growth_hold(now: str, verdict: str | None) -> None:
    assert weeks(grown(now)).row(-1, named=True)["verdict"] == verdict


def test_only_complete_weeks_count_for_each_source() -> None:
    assert weeks(grown("150.00", date(2026, 10, 24)), last=date(2026, 10, 24)).get_column("week").max() == date(
        2026, 10, 12
    )
    slow = every_day(FIRST, date(2026, 10, 20), "900.00", source="cirrus")
    row = weeks(grown("150.00"), slow, others={"cirrus": Watermark(FIRST, date(2026, 10, 20))}).row(-1, named=True)
    assert (row["cost"], row["previous"]) == (1050, 700)
    assert weeks(grown("150.00")).get_column("week").min() == date(2026, 9, 14), "the first week has none before"


def test_a_week_is_monday_to_sunday_and_so_is_the_one_before() -> None:
    other = every_day(FIRST, SUNDAY, "1", project="other")
    edges = [(10, 11, "1000"), (10, 12, "1"), (10, 18, "2"), (10, 19, "4"), (10, 25, "8"), (10, 26, "1000")]
    found = weeks(other, [cost(date(2026, month, day), amount) for month, day, amount in edges])
    row = found.filter((pl.col("week") == MONDAY) & (pl.col("subject") == "project=orion")).row(0, named=True)
    assert (row["cost"], row["previous"], row["change"]) == (12, 3, 9)


@pytest.mark.parametrize(("last", "week"), [(date(2026, 10, 25), MONDAY), (date(2026, 10, 26), MONDAY)])
def test_the_newest_week_is_the_last_with_its_sunday(last: date, week: date) -> None:
    assert weeks(grown("150.00", last), last=last).get_column("week").max() == week


@pytest.mark.parametrize(
    ("before", "now", "verdict", "percent"),
    [
        ("10", "110", "finding", Decimal("142.857143")),  # 100 more than 70, the minimum
        ("10", "109.999999999999", None, Decimal("142.857143")),
        (None, "100", "finding", None),
        (None, "99.999999999999", None, None),
        ("-0.000000000001", "200", None, None),  # a base below zero says nothing of growth
        ("0.000000000001", "200", "finding", None),
    ],
)
def test_the_minimum_and_the_base_decide_to_the_last_decimal(
    before: str | None, now: str, verdict: str | None, percent: Decimal | None
) -> None:
    other = every_day(FIRST, SUNDAY, "1", project="other")
    steady = before if before is not None and Decimal(before) >= 1 else None
    mine = [] if steady is None else every_day(date(2026, 10, 12), SUNDAY, steady)
    mine = [row for row in mine if row["usage_date"] != SUNDAY]
    if before is not None and steady is None:
        mine.append(cost(date(2026, 10, 12), before))
    row = weeks(other, mine, [cost(SUNDAY, now)]).filter(pl.col("subject") == "project=orion").row(-1, named=True)
    assert row["verdict"] == verdict
    if steady is not None or before is None:
        assert row["percent"] == percent


def test_thirteen_weeks_are_shown() -> None:
    long_ago = every_day(date(2026, 1, 5), SUNDAY, "1.00")
    found = weekly_growth(
        daily(long_ago), {"nimbus": mark(SUNDAY, date(2026, 1, 5))}, Growth(), [("project",)], NO_LONG
    )
    assert found.height == 13


def test_own_costs_and_long_charges_say_nothing_of_a_week() -> None:
    lump = [cost(MONDAY, "9000.00", SkuId="month")]
    assert weeks(grown("100.00"), lump).row(-1, named=True)["verdict"] == "finding"
    long = pl.DataFrame({"source": ["nimbus"], "ServiceName": ["Compute"], "SkuId": ["month"]})
    assert weeks(grown("100.00"), lump, long=long).row(-1, named=True)["verdict"] is None
    paid = [cost(MONDAY, "9000.00", source="own_costs")]
    row = weeks(grown("100.00"), paid, others={"own_costs": mark(SUNDAY, FIRST)}).row(-1, named=True)
    assert row["change"] == 0


def test_one_cause_is_one_finding_and_what_is_told_already_is_none() -> None:
    found = weeks(grown("150.00"), subjects=subjects_of())
    (row,) = weekly_findings(found, NOTHING).iter_rows(named=True)
    assert (row["kind"], row["subject"]) == ("weekly_growth", "project=orion stage=pretraining")
    assert row["evidence"] == (
        "project=orion stage=pretraining cost 1,050.00 USD in the week from 2026-10-19, 700.00 in the week before: "
        "+50.0 %, +350.00 USD."
    )
    assert weekly_findings(found, weekly_findings(found, NOTHING)).is_empty()


def test_nothing_gives_nothing() -> None:
    empty = weekly_growth(daily(), {}, Growth(), subjects_of(), NO_LONG)
    assert empty.schema == pl.Schema(WEEKLY_COLUMNS)
    assert weekly_findings(empty, NOTHING).is_empty()
