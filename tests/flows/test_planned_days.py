"""Odd days that a plan foresaw are shown as planned, and days without the money of plans are not silent."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import polars as pl
from detection_worlds import Row, cost, daily, every_day, mark

from attribution.detection import judge_days, subjects_of
from attribution.detection.daily import LONG_COLUMNS
from attribution.detection.planned import without
from flows.odd_days import episodes_told
from schemas.findings import FINDING_COLUMNS
from schemas.plans import Plan

FIRST, LAST = date(2026, 8, 1), date(2026, 10, 31)
NO_LONG = pl.DataFrame(schema=dict.fromkeys(LONG_COLUMNS, pl.String()))
NONE_GREW = pl.DataFrame(schema=FINDING_COLUMNS)
USUAL = every_day(FIRST, LAST, "100.00")


def told(since: date, until: date, *groups: list[Row]) -> set[tuple[str, str, str]]:
    """Kind, subject and verdict of all that is told where a plan holds for a project's days."""
    plans = (Plan(since, until, {"project": "orion"}, Decimal(10_000), "agreed"),)

    def episodes(frame: pl.DataFrame) -> pl.DataFrame:
        marks = {"nimbus": mark(LAST, FIRST)}
        return judge_days(frame, marks, subjects_of(), Decimal(100), NO_LONG).episodes

    frame = daily(*groups)
    found = episodes_told(episodes(frame), NONE_GREW, episodes(without(frame, plans)), plans)
    return set(found.select("kind", "subject", "verdict").iter_rows())


def test_two_days_within_a_plan_that_is_over_are_planned() -> None:
    run = every_day(date(2026, 10, 25), date(2026, 10, 26), "300.00")
    subject = "project=orion stage=pretraining"
    assert told(date(2026, 10, 25), date(2026, 10, 27), USUAL, run) == {("anomaly", subject, "planned")}


def test_a_plan_of_usual_days_makes_no_silence() -> None:
    assert told(date(2026, 10, 22), date(2026, 10, 29), USUAL) == set()


def test_an_odd_day_beside_a_plan_is_told() -> None:
    spike = [cost(date(2026, 10, 20), "300.00")]
    subject = "project=orion stage=pretraining"
    assert told(date(2026, 10, 25), date(2026, 10, 27), USUAL, spike) == {("anomaly", subject, "finding")}


def test_a_service_that_stops_is_told_beside_a_plan() -> None:
    ended = every_day(FIRST, date(2026, 10, 24), "100.00", ServiceName="Storage", project="vega", owner="omar")
    subject = "service=Storage"
    assert told(date(2026, 10, 25), date(2026, 10, 27), USUAL, ended) == {("sudden_silence", subject, "undetermined")}
