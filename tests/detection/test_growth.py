"""Growth: what is compared with what, and what each month is called. Figures are worked out by hand."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily, every_day, mark

from attribution.detection import growth, subjects_of
from schemas.detection import GROWTH_COLUMNS
from schemas.faults import LawBrokenError
from schemas.workspace import Growth, GrowthOverride

AUG, SEP, OCT, NOV = (date(2026, month, 1) for month in (8, 9, 10, 11))
END = {AUG: date(2026, 8, 31), SEP: date(2026, 9, 30), OCT: date(2026, 10, 31)}
PROJECT = [("project",)]


def judged(frame: pl.DataFrame, month: date, subject: str = "project=orion") -> dict[str, Any]:
    found = frame.filter((pl.col("month") == month) & (pl.col("subject") == subject))
    assert found.height == 1, frame
    return found.row(0, named=True)


def two_months(before: str | None, now: str | None, **more: str) -> pl.DataFrame:
    """One charge in September and one in October, of a world that has data of another project in both."""
    rows = [cost(SEP, "1.00", project="other"), cost(OCT, "1.00", project="other")]
    rows += [cost(day, amount, **more) for day, amount in ((SEP, before), (OCT, now)) if amount is not None]
    return daily(rows)


def grown(before: str | None, now: str | None, thresholds: Growth | None = None, **more: str) -> dict[str, Any]:
    frame = two_months(before, now, **more)
    rows = growth(frame, {"nimbus": mark(END[OCT], SEP)}, thresholds or Growth(), PROJECT)
    return judged(rows, OCT)


def test_months_of_other_lengths_compare_by_the_day() -> None:
    frame = daily(every_day(SEP, END[SEP], "10.00"), every_day(OCT, END[OCT], "10.00"))
    row = judged(growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT), OCT)
    assert (row["cost"], row["previous"], row["change"]) == (Decimal(310), Decimal(300), Decimal(0))
    assert (row["status"], row["percent"], row["days"], row["previous_days"]) == ("steady", Decimal(0), 31, 30)


def test_a_running_month_is_compared_over_its_complete_days_with_the_same_days() -> None:
    october = every_day(OCT, END[OCT], "40.00")
    running = every_day(NOV, date(2026, 11, 6), "44.00")
    frame = daily(october, running, [cost(date(2026, 11, 7), "3.00")])
    row = judged(growth(frame, {"nimbus": mark(date(2026, 11, 6), OCT)}, Growth(), PROJECT), NOV)
    assert (row["cost"], row["previous"], row["days"], row["previous_days"]) == (Decimal(264), Decimal(240), 6, 6)
    assert (row["percent"], row["change"], row["verdict"]) == (Decimal(10), Decimal(24), None)


def test_a_running_month_longer_than_the_one_before_uses_all_days_there_are() -> None:
    february = every_day(date(2026, 2, 1), date(2026, 2, 28), "5.00")
    march = every_day(date(2026, 3, 1), date(2026, 3, 30), "5.00")
    marks = {"nimbus": mark(date(2026, 3, 30), date(2026, 2, 1))}
    row = judged(growth(daily(february, march), marks, Growth(), PROJECT), date(2026, 3, 1))
    assert (row["days"], row["previous_days"], row["change"]) == (30, 28, Decimal(0))


def test_each_source_is_compared_up_to_its_own_watermark() -> None:
    frame = daily(
        every_day(OCT, END[OCT], "10.00"),
        every_day(NOV, date(2026, 11, 8), "10.00"),
        every_day(OCT, END[OCT], "6.00", source="cirrus"),
        every_day(NOV, date(2026, 11, 3), "9.00", source="cirrus"),
    )
    marks = {"nimbus": mark(date(2026, 11, 8), OCT), "cirrus": mark(date(2026, 11, 3), OCT)}
    row = judged(growth(frame, marks, Growth(), PROJECT), NOV)
    assert (row["per_day"], row["previous_per_day"]) == (Decimal(19), Decimal(16))
    assert (row["cost"], row["previous"]) == (Decimal(107), Decimal(98))
    assert (row["change"], row["percent"]) == (Decimal(24), Decimal("18.75"))
    assert (row["days"], row["previous_days"]) == (8, 8)
    only = pl.concat([frame, daily(every_day(OCT, date(2026, 11, 3), "5.00", source="cirrus", project="vega"))])
    vega = judged(growth(only, marks, Growth(), PROJECT), NOV, "project=vega")
    assert (vega["days"], vega["previous_days"], vega["change"]) == (3, 3, 0)


def test_a_source_without_a_complete_day_stays_out_of_the_month_and_is_named() -> None:
    frame = daily(
        every_day(OCT, END[OCT], "10.00"),
        every_day(NOV, date(2026, 11, 8), "10.00"),
        every_day(OCT, END[OCT], "90.00", source="cirrus"),
    )
    marks = {"nimbus": mark(date(2026, 11, 8), OCT), "cirrus": mark(END[OCT], OCT)}
    row = judged(growth(frame, marks, Growth(), PROJECT), NOV)
    assert (row["status"], row["previous"]) == ("steady", Decimal(80))
    assert row["note"] == "cirrus has no complete day in 2026-11 and is left out"


def test_a_source_that_begins_in_the_month_counts_and_is_named() -> None:
    frame = daily(
        every_day(SEP, END[SEP], "10.00"),
        every_day(OCT, END[OCT], "10.00"),
        every_day(OCT, END[OCT], "10.00", source="cirrus"),
    )
    marks = {"nimbus": mark(END[OCT], SEP), "cirrus": mark(END[OCT], OCT)}
    row = judged(growth(frame, marks, Growth(), PROJECT), OCT)
    assert (row["percent"], row["verdict"]) == (Decimal(100), "finding")
    assert "cirrus has no data in 2026-09" in row["note"]
    alone = pl.concat([frame, daily(every_day(OCT, END[OCT], "5.00", source="cirrus", project="vega"))])
    vega = judged(growth(alone, marks, Growth(), PROJECT), OCT, "project=vega")
    assert (vega["status"], vega["days"], vega["previous_days"]) == ("new", 31, 30)


def test_the_first_month_of_data_gives_no_verdict() -> None:
    frame = daily(every_day(OCT, END[OCT], "1000.00"))
    row = judged(growth(frame, {"nimbus": mark(END[OCT], OCT)}, Growth(), PROJECT), OCT)
    assert (row["status"], row["verdict"], row["previous"], row["change"]) == ("first", None, None, None)


def test_a_month_after_a_gap_in_the_data_gives_no_verdict() -> None:
    frame = daily(every_day(AUG, END[AUG], "10.00"), every_day(OCT, END[OCT], "1000.00"))
    row = judged(growth(frame, {"nimbus": mark(END[OCT], AUG)}, Growth(), PROJECT), OCT)
    assert (row["status"], row["verdict"]) == ("first", None)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (None, "310", ("new", None, "310", "finding")),
        (None, "99.999999999999", ("new", None, "99.999999999999", None)),
        (None, "100", ("new", None, "100", "finding")),
        ("0", "310", ("new", None, "310", "finding")),
        ("0", "0", ("no_cost", None, "0", None)),
        ("300", "775", ("grew", "150", "465", "finding")),
        ("300", None, ("vanished", "-100", "-310", None)),
        ("300", "155", ("fell", "-50", "-155", None)),
        ("300", "310", ("steady", "0", "0", None)),
        ("-30", "31", ("grew", None, "62", None)),
        ("-30", "310", ("grew", None, "341", "undetermined")),
        (None, "-310", ("fell", None, "-310", None)),
        # The smallest amount there is decides as any other does.
        (None, "0.000000000001", ("new", None, "0.000000000001", None)),
        (None, "-0.000000000001", ("fell", None, "-0.000000000001", None)),
        ("0.000000000001", None, ("vanished", "-100", "-0.000000000001", None)),
        ("-0.000000000001", None, ("grew", None, "0.000000000001", None)),
        ("300", "310.000000000001", ("grew", "0", "0.000000000001", None)),
        ("300", "309.999999999999", ("fell", "0", "-0.000000000001", None)),
    ],
)
def test_each_month_has_one_name(
    before: str | None, now: str | None, expected: tuple[str, str | None, str, str | None]
) -> None:
    row = grown(before, now)
    status, percent, change, verdict = expected
    assert (row["status"], row["change"], row["verdict"]) == (status, Decimal(change), verdict)
    assert row["percent"] == (None if percent is None else Decimal(percent))


@pytest.mark.parametrize(
    ("now", "verdict"),
    [("1343.333333333333", None), ("1343.333333333334", "finding")],
)
def test_the_threshold_is_met_to_the_last_decimal(now: str, verdict: str | None) -> None:
    assert grown("1000.00", now)["verdict"] == verdict


def test_exactly_the_threshold_fires() -> None:
    assert grown("3000.00", "4030.00")["verdict"] == "finding"
    assert grown("3000.00", "4029.999999999999")["verdict"] is None


def test_the_minimum_is_met_to_the_last_decimal() -> None:
    assert grown("30.00", "131.00")["verdict"] == "finding"
    assert grown("30.00", "130.999999999999")["verdict"] is None


def test_a_currency_may_have_a_minimum_of_its_own() -> None:
    frame = two_months("3000", "6200", BillingCurrency="JPY")
    marks = {"nimbus": mark(END[OCT], SEP)}
    assert judged(growth(frame, marks, Growth(), PROJECT), OCT)["verdict"] == "finding"
    rows = growth(frame, marks, Growth(), PROJECT, {"JPY": Decimal(15_000)})
    assert judged(rows, OCT)["verdict"] is None


def test_currencies_are_subjects_apart() -> None:
    frame = pl.concat([two_months("300", "310"), two_months("30", "310", BillingCurrency="EUR")])
    rows = growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT)
    found = rows.filter((pl.col("subject") == "project=orion") & (pl.col("month") == OCT))
    assert found.select("BillingCurrency", "status").rows() == [("EUR", "grew"), ("USD", "steady")]


def test_what_comes_back_is_new_again_and_says_so() -> None:
    frame = daily(
        every_day(date(2026, 7, 1), END[OCT], "1.00", project="other"),
        every_day(date(2026, 7, 1), END[AUG], "50.00"),
        every_day(OCT, END[OCT], "50.00"),
    )
    rows = growth(frame, {"nimbus": mark(END[OCT], date(2026, 7, 1))}, Growth(), PROJECT)
    assert judged(rows, SEP)["status"] == "vanished"
    assert (judged(rows, OCT)["status"], judged(rows, OCT)["note"]) == (
        "new",
        "returned: its last cost was in 2026-08",
    )


def test_what_began_after_the_days_compared_is_not_new_a_second_time() -> None:
    frame = daily(
        every_day(SEP, date(2026, 11, 5), "1.00", project="other"), every_day(date(2026, 10, 20), END[OCT], "100.00"),
        every_day(NOV, date(2026, 11, 5), "100.00"),
    )  # fmt: skip
    rows = growth(frame, {"nimbus": mark(date(2026, 11, 5), SEP)}, Growth(), PROJECT)
    assert judged(rows, OCT)["status"] == "new"
    assert (judged(rows, NOV)["status"], judged(rows, NOV)["verdict"]) == ("grew", "undetermined")


@pytest.mark.parametrize("before", ["0.000000000001", "-0.000000000001"])
def test_what_cost_the_least_there_is_had_its_cost_in_the_days_compared(before: str) -> None:
    assert (grown(before, "310")["status"], grown(before, "310")["note"]) == ("grew", None)


@pytest.mark.parametrize(("now", "shown"), [("99999999999999999.999999999999", True), ("100000000000000000", False)])
def test_a_percentage_that_its_column_cannot_hold_is_left_out(now: str, *, shown: bool) -> None:
    july = date(2026, 7, 1)
    frame = daily([cost(july, "0.000000000001"), cost(AUG, now)])
    row = judged(growth(frame, {"nimbus": mark(END[AUG], july)}, Growth(), PROJECT), AUG)
    assert (row["percent"] is not None, row["verdict"]) == (shown, "finding")


def test_an_override_may_name_all_that_is_known_of_a_subject() -> None:
    only_here = Growth(overrides=(GrowthOverride({"owner": "lin", "project": "orion"}, threshold=Decimal(9)),))
    assert grown("300", "775")["verdict"] == "finding"
    assert grown("300", "775", only_here)["verdict"] is None


def test_a_credit_neither_hides_nor_fakes_growth() -> None:
    credit = cost(date(2026, 9, 30), "-280.00", ChargeCategory="Credit")
    frame = daily(every_day(AUG, END[OCT], "10.00"), [credit])
    rows = growth(frame, {"nimbus": mark(END[OCT], AUG)}, Growth(), PROJECT)
    assert [judged(rows, month)["status"] for month in (SEP, OCT)] == ["steady", "steady"]
    assert [judged(rows, month)["net"] for month in (AUG, SEP, OCT)] == [Decimal(310), Decimal(20), Decimal(310)]
    assert judged(rows, OCT)["previous_net"] == Decimal(20)


@pytest.mark.parametrize("category", ["Tax", "Purchase", "Adjustment", "Credit"])
def test_only_usage_grows(category: str) -> None:
    frame = daily(every_day(SEP, END[OCT], "10.00"), [cost(OCT, "900.00", ChargeCategory=category)])
    row = judged(growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT), OCT)
    assert (row["status"], row["net"]) == ("steady", Decimal(1210))


def test_unknown_cost_is_not_zero() -> None:
    frame = pl.concat([two_months("300", None), daily([cost(OCT, None)])])
    row = judged(growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT), OCT)
    assert (row["status"], row["cost"], row["change"], row["net"]) == ("unknown", None, None, None)
    frame = pl.concat([frame, daily([cost(OCT, "310.00")])])
    row = judged(growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT), OCT)
    assert (row["status"], row["note"]) == ("steady", "part of the cost is unknown")


def test_a_pair_may_grow_where_neither_half_does() -> None:
    def world(month: date, end: date, pretraining: str) -> list[dict[str, Any]]:
        return [
            *every_day(month, end, pretraining),
            *every_day(month, end, "100.00", stage="serving"),
            *every_day(month, end, "100.00", project="vega"),
        ]

    frame = daily(world(SEP, END[SEP], "20.00"), world(OCT, END[OCT], "45.00"))
    rows = growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), subjects_of())
    fired = rows.filter(pl.col("verdict") == "finding").get_column("subject").to_list()
    assert fired == ["project=orion stage=pretraining"]


def test_money_that_belongs_to_nobody_in_particular_is_shown_and_unallocated_alone_reported() -> None:
    groups = [
        [*every_day(SEP, END[SEP], "10.00", project=name), *every_day(OCT, END[OCT], "90.00", project=name)]
        for name in ("unallocated", "shared", "idle", "(tag conflict)")
    ]
    rows = growth(daily(*groups), {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT)
    assert rows.filter(pl.col("month") == OCT).get_column("status").to_list() == ["grew"] * 4
    assert rows.filter(pl.col("verdict") == "finding").get_column("subject").to_list() == ["project=unallocated"]


def test_the_only_owner_is_named_and_several_are_shared() -> None:
    frame = daily(
        every_day(SEP, END[OCT], "10.00"),
        every_day(SEP, END[OCT], "10.00", owner="unallocated"),
        every_day(SEP, END[OCT], "10.00", project="vega", owner="lin"),
        every_day(SEP, END[OCT], "10.00", project="vega", owner="omar"),
    )
    rows = growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), [("project",), ("owner",)])
    assert judged(rows, OCT)["owner"] == "lin"
    assert judged(rows, OCT, "project=vega")["owner"] == "shared"
    assert judged(rows, OCT, "owner=lin")["project"] == "shared"


def test_subjects_by_default_and_by_wish() -> None:
    assert subjects_of(("project", "team"), ("owner", "service"))[-2:] == (("project", "stage"), ("owner", "service"))
    frame = daily(every_day(SEP, END[OCT], "10.00"))
    rows = growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), [("owner", "service")])
    assert rows.row(0, named=True)["subject"] == "owner=lin service=Compute"
    assert rows.row(0, named=True)["kind"] == "owner x service"


def test_no_costs_give_no_growth() -> None:
    assert growth(daily(), {}, Growth()).schema == pl.Schema(GROWTH_COLUMNS)
    assert growth(daily(), {"nimbus": mark(END[OCT])}, Growth()).height == 0


def test_a_source_without_a_watermark_is_our_mistake() -> None:
    with pytest.raises(LawBrokenError, match="nimbus"):
        growth(daily([cost(OCT, "1")]), {}, Growth())
