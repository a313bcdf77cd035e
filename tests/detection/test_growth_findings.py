"""Growth as findings: one sentence, one sign, a name that stays, and what data weakens said aloud."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import polars as pl
from detection_worlds import cost, daily, every_day, mark

from attribution.detection import (
    detect_growth,
    growth,
    notice_findings,
    silent_sources,
    unknown_recipients,
    unnamed_sources,
)
from attribution.detection.wording import amount, month, percentage, signed
from schemas.detection import GROWTH_COLUMNS, NOTICE_COLUMNS, Watermark
from schemas.findings import FINDING_COLUMNS
from schemas.workspace import Growth

AUG, SEP, OCT, NOV = (date(2026, month, 1) for month in (8, 9, 10, 11))
PAIR = [("project", "stage")]


def found(frame: pl.DataFrame, last: date, first: date = SEP) -> pl.DataFrame:
    return detect_growth(growth(frame, {"nimbus": mark(last, first)}, Growth(), PAIR))


def test_the_sentence_has_its_figures_and_one_sign() -> None:
    frame = daily(
        every_day(SEP, date(2026, 9, 30), "800.00", SkuId="gpu", ConsumedQuantity=100.0),
        every_day(OCT, date(2026, 10, 31), "1200.00", SkuId="gpu", ConsumedQuantity=140.0),
    )
    row = found(frame, date(2026, 10, 31)).row(0, named=True)
    assert row["evidence"] == (
        "project=orion stage=pretraining cost 1,200.00 USD a day in 2026-10 (1–31), 800.00 in 2026-09: +50.0 %, "
        "+12,400.00 USD for the month; usage +9,920.00; price +2,480.00."
    )
    assert (row["kind"], row["subject"]) == ("growth", "project=orion stage=pretraining")
    assert (row["confidence"], row["verdict"], row["month"]) == ("high", "finding", OCT)
    assert (row["cost_at_stake"], row["BillingCurrency"]) == (Decimal(37_200), "USD")
    assert (row["owner"], row["project"]) == ("lin", "orion")


def test_a_new_subject_is_a_finding_of_its_own_kind() -> None:
    frame = daily(every_day(SEP, date(2026, 10, 31), "1.00", project="vega"), [cost(OCT, "620.00")])
    row = found(frame, date(2026, 10, 31)).row(0, named=True)
    assert row["kind"] == "new"
    assert row["evidence"] == (
        "project=orion stage=pretraining cost 20.00 USD a day in 2026-10 (1–31), nothing in 2026-09: new, +620.00 USD."
    )


def test_falls_and_what_vanished_are_no_findings() -> None:
    frame = daily(
        every_day(SEP, date(2026, 9, 30), "900.00"), every_day(SEP, date(2026, 9, 30), "900.00", project="vega"),
        every_day(OCT, date(2026, 10, 31), "5.00"),
    )  # fmt: skip
    assert found(frame, date(2026, 10, 31)).is_empty()


def test_the_running_month_speaks_first_and_names_the_one_before() -> None:
    frame = daily(
        every_day(SEP, date(2026, 9, 30), "100.00"), every_day(OCT, date(2026, 10, 31), "200.00"),
        every_day(NOV, date(2026, 11, 8), "300.00"),
    )  # fmt: skip
    rows = found(frame, date(2026, 11, 8))
    assert rows.height == 1
    row = rows.row(0, named=True)
    assert (row["month"], row["confidence"], row["cost_at_stake"]) == (NOV, "medium", Decimal(6200))
    assert "200.00 in 2026-10 (1–8): +50.0 %, +800.00 USD over 8 days" in row["evidence"]
    assert row["evidence"].endswith("It was so in 2026-10, too: +100.0 %, +3,100.00 USD for the month.")


def test_older_months_are_history() -> None:
    frame = daily(every_day(AUG, date(2026, 8, 31), "100.00"), every_day(SEP, date(2026, 11, 8), "200.00"))
    assert found(frame, date(2026, 11, 8), AUG).is_empty()


def test_a_base_below_zero_is_undetermined() -> None:
    frame = daily([cost(SEP, "-300.00")], every_day(OCT, date(2026, 10, 31), "10.00"))
    row = found(frame, date(2026, 10, 31)).row(0, named=True)
    assert (row["verdict"], row["confidence"]) == ("undetermined", "low")
    assert "+620.00 USD for the month; no percentage" in row["evidence"]
    assert "%" not in row["evidence"]


def test_the_fingerprint_outlives_the_figures() -> None:
    def one(now: str, currency: str = "USD") -> str:
        frame = daily(
            every_day(SEP, date(2026, 9, 30), "10.00", BillingCurrency=currency),
            every_day(OCT, date(2026, 10, 31), now, BillingCurrency=currency),
        )
        return str(found(frame, date(2026, 10, 31)).row(0, named=True)["fingerprint"])

    assert one("90.00") == one("95.00") != one("90.00", "EUR")


def test_the_net_is_shown_beside() -> None:
    frame = daily(
        every_day(SEP, date(2026, 9, 30), "10.00"), every_day(OCT, date(2026, 10, 31), "90.00"),
        [cost(OCT, "-2000.00", ChargeCategory="Credit")],
    )  # fmt: skip
    row = found(frame, date(2026, 10, 31)).row(0, named=True)
    assert "with credits and all other charges 790.00 USD" in row["evidence"]
    assert row["cost_at_stake"] == Decimal(790)


def test_no_rows_no_findings() -> None:
    empty = detect_growth(pl.DataFrame(schema=GROWTH_COLUMNS))
    assert empty.is_empty()
    assert empty.schema == pl.Schema(FINDING_COLUMNS)


def test_figures_have_one_sign() -> None:
    assert [signed(Decimal(x)) for x in ("-200", "200", "0", "-0.001", "1234.5")] == [
        "-200.00", "+200.00", "0.00", "0.00", "+1,234.50",
    ]  # fmt: skip
    assert [percentage(Decimal(x)) for x in ("-25", "33.333333", "0", "-0.04", "150")] == [
        "-25.0 %", "+33.3 %", "0.0 %", "0.0 %", "+150.0 %",
    ]  # fmt: skip
    assert [amount(Decimal(x)) for x in ("-0.004", "99999999999999999999999999.999")] == [
        "0.00", "100,000,000,000,000,000,000,000,000.00",
    ]  # fmt: skip
    assert (month(OCT), month(OCT, 1), month(OCT, 9)) == ("2026-10", "2026-10 (1)", "2026-10 (1–9)")


def test_a_source_is_silent_a_day_after_its_grace() -> None:
    marks = {"nimbus": mark(date(2026, 11, 6)), "cirrus": mark(date(2026, 11, 7))}
    row = silent_sources(marks, date(2026, 11, 10))
    assert row.get_column("subject").to_list() == ["source=nimbus"]
    assert row.row(0, named=True)["cost_at_stake"] is None
    assert silent_sources(marks, date(2026, 11, 10), days=2).height == 2


def test_notices_become_findings_and_equal_ones_are_summed() -> None:
    notices = pl.DataFrame(
        [
            ("unused_commitment", "plan-1", "Derived for 2026-09.", Decimal("1.10"), "USD"),
            ("unused_commitment", "plan-1", "Derived for 2026-10.", Decimal("2.20"), "USD"),
            ("unused_commitment", "plan-1", "Derived for 2026-10.", None, "EUR"),
            ("clock", "source=nimbus", "Times have no zone.", None, None),
        ],
        schema=NOTICE_COLUMNS,
        orient="row",
    )
    rows = notice_findings(notices)
    assert rows.select("kind", "BillingCurrency", "cost_at_stake").rows() == [
        ("clock", None, None),
        ("unused_commitment", "EUR", None),
        ("unused_commitment", "USD", Decimal("3.30")),
    ]
    assert rows.get_column("evidence").to_list()[2] == "Derived for 2026-09. (and 1 more like it)"


def test_a_source_that_is_no_longer_named_is_told() -> None:
    marks = {name: Watermark(date(2026, 8, 1), date(2026, 11, 9)) for name in ("aws", "cloud")}
    assert unnamed_sources(marks, ["aws"]).get_column("subject").to_list() == ["source=cloud"]
    assert unnamed_sources(marks, ["aws", "cloud", "new"]).is_empty()


def test_a_recipient_without_cost_is_told_with_the_name_that_may_be_meant() -> None:
    row = unknown_recipients(["mira", "okafr"], ["mira", "okafor", "unallocated"]).row(0, named=True)
    assert row["subject"] == "owner=okafr"
    assert row["evidence"].endswith('Did you mean "okafor"?')
    assert unknown_recipients(["mira"], ["mira"]).is_empty()
