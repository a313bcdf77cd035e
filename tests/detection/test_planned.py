"""Planned changes do not alarm as long as their amount lasts, and what exceeds it does."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import daily, every_day, mark
from polars.testing import assert_frame_equal

from attribution.detection import detect_growth, growth
from attribution.detection.planned import mark_planned, planned_apart, without_planned
from schemas.plans import Plan
from schemas.workspace import Growth

SEPTEMBER, OCTOBER, NOVEMBER = date(2026, 9, 1), date(2026, 10, 1), date(2026, 11, 1)
LAST = date(2026, 10, 31)


def plan(amount: str, since: date = OCTOBER, until: date = NOVEMBER, **dimensions: str) -> Plan:
    return Plan(since, until, dimensions or {"project": "orion"}, Decimal(amount), "agreed")


def costs(now: str, before: str = "10") -> pl.DataFrame:
    usual = every_day(SEPTEMBER, date(2026, 9, 30), before) if before != "0" else []
    other = every_day(SEPTEMBER, LAST, "5", project="other", owner="mo")
    return daily(usual, every_day(OCTOBER, LAST, now), other)


def verdicts(frame: pl.DataFrame, *plans: Plan) -> dict[str, str]:
    marks = {"nimbus": mark(LAST, SEPTEMBER)}
    limits = Growth(Decimal("0.3"), Decimal(100))
    subjects = [("project",)]
    grown = growth(frame, marks, limits, subjects)
    calm = growth(without_planned(frame, plans, "USD"), marks, limits, subjects)
    found = planned_apart(detect_growth(grown), detect_growth(calm), calm, plans)
    rows = mark_planned(grown, calm).filter(pl.col("verdict").is_not_null(), pl.col("month") == OCTOBER)
    told = dict(found.select("subject", "verdict").rows())
    assert dict(rows.select("subject", "verdict").rows()) == told
    return told


def test_without_a_plan_it_alarms_and_with_one_it_is_planned() -> None:
    assert verdicts(costs("20")) == {"project=orion": "finding"}
    assert verdicts(costs("20"), plan("620")) == {"project=orion": "planned"}
    assert verdicts(costs("20"), plan("620", project="other")) == {"project=orion": "finding"}
    assert verdicts(costs("20"), plan("620", SEPTEMBER, OCTOBER)) == {"project=orion": "finding"}
    assert verdicts(costs("20", "0"), plan("620")) == {"project=orion": "planned"}  # new, and foreseen


@pytest.mark.parametrize(("amount", "verdict"), [("425", "finding"), ("440", "planned"), ("0", "finding")])
def test_what_exceeds_the_plan_is_judged_as_ever(amount: str, verdict: str) -> None:
    """620 are spent; what is left over 310 a month must grow by 100: at an amount of 420 or less."""
    assert verdicts(costs("20"), plan(amount)) == {"project=orion": verdict}


def test_the_money_above_the_amount_stays() -> None:
    def left(amount: str) -> Any:  # noqa: ANN401
        frame = without_planned(costs("20"), (plan(amount),), "USD").filter(pl.col("project") == "orion")
        return frame.filter(pl.col("usage_date") >= OCTOBER).get_column("EffectiveCost").sum()

    assert left("620") == left("700") == 310
    assert left("619.99") == Decimal("310.01")
    assert left("619") == 311
    assert left("600") == 310 - 10 + 20
    assert left("0") == 620


def test_all_else_stays_as_it_is() -> None:
    frame = costs("20")
    assert without_planned(frame, (), "USD") is frame
    assert without_planned(frame, (plan("620", project="none"),), "USD") is frame
    assert without_planned(frame, (plan("620"),), "EUR") is frame
    calm = without_planned(frame, (plan("620"),), "USD")
    others = pl.col("project") != "orion"
    assert_frame_equal(calm.filter(others), frame.filter(others))
    before = pl.col("usage_date") < OCTOBER
    assert_frame_equal(calm.filter(before), frame.filter(before))
    assert calm.schema == frame.schema


def test_the_evidence_names_the_plan() -> None:
    marks = {"nimbus": mark(LAST, SEPTEMBER)}
    frame, plans = costs("20"), (plan("620"),)
    grown = growth(frame, marks, Growth(), [("project",)])
    calm = growth(without_planned(frame, plans, "USD"), marks, Growth(), [("project",)])
    (one,) = planned_apart(detect_growth(grown), detect_growth(calm), calm, plans).to_dicts()
    assert one["evidence"].endswith("Planned: project=orion from 2026-10-01 up to, and without, 2026-11-01: agreed.")
