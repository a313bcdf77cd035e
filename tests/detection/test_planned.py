"""Planned money alarms nobody while its plan holds, and excuses nothing else."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import polars as pl
import pytest
from detection_worlds import Row, daily, every_day, mark

from attribution.detection import detect_growth, growth, subjects_of, together
from attribution.detection.candidates import Finding, as_frame
from attribution.detection.planned import plans_kept, rows_as_planned, told_as_planned, without
from schemas.plans import Plan
from schemas.workspace import Growth

SEP, OCT, END = date(2026, 9, 1), date(2026, 10, 1), date(2026, 10, 31)
MARKS = {"nimbus": mark(END, SEP)}
USUAL = every_day(SEP, END, "100.00")
RUN = every_day(OCT, END, "500.00", experiment="big-run")


def plan(amount: str, since: date = OCT, until: date = date(2026, 11, 1)) -> Plan:
    return Plan(since, until, {"experiment": "big-run"}, Decimal(amount), "agreed in August")


def told(plans: tuple[Plan, ...], *groups: list[Row]) -> dict[str, str]:
    frame = daily(*groups)
    kept = plans_kept(frame, plans)
    grown = growth(frame, MARKS, Growth(), subjects_of())
    full, known = detect_growth(grown), grown.filter(pl.col("verdict").is_not_null())
    rest = growth(without(frame, kept), MARKS, Growth(), subjects_of())
    fired = rest.filter(pl.col("verdict").is_not_null())
    found = told_as_planned(full, known, detect_growth(rest), fired, kept)
    return dict(found.select("subject", "verdict").iter_rows())


def test_what_a_plan_foresaw_is_shown_as_planned() -> None:
    assert told((plan("15500"),), USUAL, RUN) == {"experiment=big-run": "planned"}


def test_a_plan_that_is_exceeded_by_one_unit_excuses_nothing() -> None:
    assert told((plan("15499.999999999999"),), USUAL, RUN) == {"experiment=big-run": "finding"}


def test_a_plan_of_other_days_excuses_nothing() -> None:
    assert told((plan("99999", until=date(2026, 10, 2)),), USUAL, RUN) == {"experiment=big-run": "finding"}


def test_what_grew_beside_a_planned_run_is_told() -> None:
    grew = every_day(OCT, END, "80.00", owner="omar", stage="sft")
    steady = every_day(SEP, END, "20.00", owner="omar", stage="sft")
    found = told((plan("15500"),), USUAL, RUN, grew, steady)
    assert found["experiment=big-run"] == "planned"
    assert found["project=orion stage=sft"] == "finding"


def test_the_rows_of_growth_say_so_too() -> None:
    frame = daily(USUAL, RUN)
    grown, rest = (growth(rows, MARKS, Growth(), subjects_of()) for rows in (frame, without(frame, (plan("15500"),))))
    fired = rows_as_planned(grown, rest).filter(pl.col("verdict").is_not_null())
    assert set(fired.get_column("verdict")) == {"planned"}
    assert rows_as_planned(grown, grown).equals(grown)


def test_the_reason_is_in_the_sentence() -> None:
    frame = daily(USUAL, RUN)
    full = detect_growth(growth(frame, MARKS, Growth(), subjects_of()))
    found = told_as_planned(full, full, full.clear(), full.clear(), (plan("15500"),))
    assert found.item(0, "evidence").endswith("Planned: agreed in August.")


def test_the_reason_is_of_the_plan_that_speaks_of_the_subject() -> None:
    def reason(subject: str, *plans: Plan) -> str:
        found = together(as_frame([Finding("growth", subject, "It grew.", currency="USD")]))
        return str(told_as_planned(found, found, found.clear(), found.clear(), plans).item(0, "evidence"))

    one, two = (Plan(OCT, END, {"project": name}, Decimal(1), name) for name in ("orion", "orion-2"))
    assert reason("project=orion-2 stage=sft", one, two) == "It grew. Planned: orion-2."
    assert reason("project=orion stage=sft", two, one) == "It grew. Planned: orion."
    assert reason("stage=orion=2 project=orion two", one, two) == "It grew. Planned."
    assert reason("stage=sft", one, two) == "It grew. Planned: orion."


@pytest.mark.parametrize(("day", "left"), [(date(2026, 9, 30), 1), (OCT, 0), (END, 0), (date(2026, 11, 1), 1)])
def test_a_plan_holds_from_its_first_day_to_the_day_before_its_last(day: date, left: int) -> None:
    frame = daily(every_day(day, day, "1", experiment="big-run"))
    assert without(frame, (plan("1"),)).height == left
    assert without(daily(every_day(day, day, "1")), (plan("1"),)).height == 1, "another experiment's"
