"""Experiments that burn without progress: what counts as progress, and each limit from both sides."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily, every_day, mark

from attribution.detection.progress import STEP_COLUMNS, Training, count_steps, stalled_experiments
from schemas.inputs import CHECKPOINT_COLUMNS, RUN_COLUMNS
from schemas.workspace import Progress

FIRST, LAST = date(2026, 10, 1), date(2026, 10, 31)


def noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def run(name: str = "r-1", experiment: str = "e-1", status: str | None = "running", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    row: dict[str, Any] = dict.fromkeys(RUN_COLUMNS)
    return row | {"run_id": name, "experiment": experiment, "status": status, "started_at": noon(FIRST)} | more


def checkpoint(day: date, step: int, experiment: str = "e-1", run_id: str | None = "r-1") -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(CHECKPOINT_COLUMNS)
    return row | {"uri": f"s3://{experiment}/{run_id}/{day}/{step}", "experiment": experiment, "run_id": run_id,
                  "step": step, "size_bytes": 1, "created_at": noon(day)}  # fmt: skip


LIVELY = (run("r-9", "e-9"), checkpoint(LAST, 5, "e-9", "r-9"))
"""Another experiment that comes on, so that the files are not old."""


def told(
    *things: dict[str, Any], steps: list[tuple[Any, ...]] = [], alone: bool = False, costs: str = "50",  # noqa: B006
    last_cost: date = LAST, limits: Progress = Progress(), more: list[dict[str, Any]] = [],  # noqa: B006, B008
) -> list[dict[str, Any]]:  # fmt: skip
    given = [*things, *(() if alone else LIVELY)]
    training = Training(
        pl.DataFrame([one for one in given if "status" in one], schema=RUN_COLUMNS),
        pl.DataFrame([one for one in given if "uri" in one], schema=CHECKPOINT_COLUMNS),
        pl.DataFrame(steps, schema=STEP_COLUMNS, orient="row"),
    )
    mine, others = every_day(FIRST, last_cost, costs, experiment="e-1"), every_day(FIRST, LAST, "50", experiment="e-9")
    world = daily(mine, others, more)
    found = stalled_experiments(world, training, {"nimbus": mark(LAST)}, "UTC", limits)
    return list(found.iter_rows(named=True))


def ago(days: int) -> date:
    return LAST - timedelta(days=days)


def test_money_since_the_last_checkpoint_is_told_with_its_figures() -> None:
    (one,) = told(run(steps=900), checkpoint(ago(9), 300), checkpoint(ago(8), 600), checkpoint(ago(7), 900))
    assert (one["kind"], one["subject"], one["verdict"]) == ("burns_without_progress", "e-1", "finding")
    assert (one["owner"], one["project"], one["cost_at_stake"]) == ("lin", "orion", 50 * 31)
    assert "cost 350.00 USD from 2026-10-25 to 2026-10-31, 7 days" in one["evidence"]
    assert "a checkpoint of step 900" in one["evidence"]


@pytest.mark.parametrize(("days", "found"), [(3, 0), (4, 1)])
def test_three_days_may_pass(days: int, found: int) -> None:
    assert len(told(run(), checkpoint(ago(days), 1))) == found


@pytest.mark.parametrize(("days", "found"), [(8, 0), (9, 1)])
def test_two_usual_gaps_between_checkpoints_may_pass(days: int, found: int) -> None:
    written = [checkpoint(ago(days + 4 * back), 100 - back) for back in range(3)]
    assert len(told(run(), *written)) == found


@pytest.mark.parametrize(("costs", "found"), [("25", 1), ("24.999999999999", 0), ("0", 0)])
def test_below_the_minimum_nobody_asks(costs: str, found: int) -> None:
    assert len(told(run(), checkpoint(ago(4), 1), costs=costs)) == found


def test_an_old_step_again_is_no_progress_but_another_run_is() -> None:
    old = checkpoint(ago(10), 500)
    assert len(told(run(), old, checkpoint(ago(1), 500), checkpoint(ago(0), 400))) == 1
    assert told(run(), old, run("r-2"), checkpoint(ago(1), 100, run_id="r-2")) == []
    assert told(run(), old, run("r-2", started_at=noon(ago(2)))) == []
    assert told(run(), old, run("r-2", status="completed", ended_at=noon(ago(2)))) == []
    assert len(told(run(), old, run("r-2", status="failed", ended_at=noon(ago(2))))) == 1


def test_what_counts_no_steps_or_runs_no_more_is_not_judged() -> None:
    assert told(run()) == []
    assert told(run(status="completed", steps=5, ended_at=noon(ago(20))), checkpoint(ago(20), 5)) == []
    assert len(told(checkpoint(ago(20), 5))) == 1  # no run is told at all: the checkpoints say it alone
    assert told(run(), checkpoint(ago(20), 5), last_cost=ago(3)) == []  # its money stopped, too


def test_steps_that_rose_over_night_are_progress_and_a_first_look_is_none() -> None:
    things = (run(steps=700), checkpoint(ago(20), 500))
    assert told(*things, steps=[("r-1", 700, ago(1), ago(9))]) == []
    assert len(told(*things, steps=[("r-1", 700, ago(4), ago(9))])) == 1
    assert len(told(*things, steps=[("r-1", 700, ago(1), ago(1))])) == 1


def test_where_nothing_at_all_is_new_the_files_may_be_old() -> None:
    (one,) = told(run(), checkpoint(ago(9), 1), alone=True)
    assert (one["verdict"], one["confidence"]) == ("undetermined", "low")
    assert "handed in anew?" in one["evidence"]


def test_steps_are_counted_from_night_to_night() -> None:
    empty = pl.DataFrame(schema=STEP_COLUMNS)
    first, second, third = (date(2026, 10, day) for day in (1, 2, 3))

    def night(before: pl.DataFrame, day: date, steps: int | None) -> pl.DataFrame:
        return count_steps(pl.DataFrame([run(steps=steps)], schema=RUN_COLUMNS), before, day)

    one = night(empty, first, 10)
    assert one.rows() == [("r-1", 10, first, first)]
    assert night(one, second, 10).rows() == [("r-1", 10, first, first)]
    two = night(one, second, 11)
    assert two.rows() == [("r-1", 11, second, first)]
    assert night(two, third, 5).rows() == [("r-1", 11, second, first)]  # a count that fell is none
    assert night(two, third, None).rows() == []


@pytest.mark.parametrize(("newest", "found"), [("-0.000000000001", 0), ("0.000000000001", 1)])
def test_an_experiment_whose_money_stopped_is_left_alone_and_the_least_amount_is_money(newest: str, found: int) -> None:
    """What was spent is far above the minimum; whether it goes on, the last three days tell."""
    more = [cost(ago(1), newest, experiment="e-1")]
    assert len(told(run(), checkpoint(ago(20), 1), last_cost=ago(3), more=more)) == found


def test_the_sentence_names_what_runs_and_no_rhythm_that_nobody_saw() -> None:
    failed = run("r-2", status="failed", ended_at=noon(ago(9)))
    (one,) = told(run(), failed, checkpoint(ago(9), 1))
    assert one["evidence"] == (
        "Experiment e-1 cost 450.00 USD from 2026-10-23 to 2026-10-31, 9 days, without a new step or checkpoint: the "
        "last progress is of 2026-10-22, a checkpoint of step 1; r-1 still says that it runs."
    )
    assert one["confidence"] == "medium"


def test_files_are_old_where_nothing_came_for_more_than_the_days_allowed() -> None:
    other = (run("r-9", "e-9"), checkpoint(ago(3), 5, "e-9", "r-9"))
    (one,) = told(run(), checkpoint(ago(9), 1), *other, alone=True)
    assert one["verdict"] == "finding"
    other = (run("r-9", "e-9"), checkpoint(ago(4), 5, "e-9", "r-9"))
    assert {one["verdict"] for one in told(run(), checkpoint(ago(9), 1), *other, alone=True)} == {"undetermined"}


def test_at_stake_is_the_last_complete_month_of_those_whose_money_it_was() -> None:
    before = every_day(date(2026, 9, 1), date(2026, 9, 30), "7", experiment="e-1")
    nothing = [cost(ago(1), "0", experiment="e-1", owner="omar", project="vega")]
    (one,) = told(run(), checkpoint(ago(9), 1), more=[*before, *nothing])
    assert (one["cost_at_stake"], one["owner"], one["project"]) == (50 * 31, "lin", "orion")
    least = [cost(ago(1), "0.000000000001", experiment="e-1", owner="omar")]
    (one,) = told(run(), checkpoint(ago(9), 1), more=least)
    assert one["owner"] == "shared"


def test_an_experiment_is_judged_up_to_the_source_that_came_furthest_within_its_month() -> None:
    last = date(2026, 11, 10)
    world = daily(
        every_day(FIRST, last, "50", experiment="e-1"),
        every_day(FIRST, LAST, "50", experiment="e-1", source="cirrus"),
        every_day(FIRST, last, "50", experiment="e-9"),
    )
    given = [run(), checkpoint(ago(9), 1), run("r-9", "e-9"), checkpoint(last, 5, "e-9", "r-9")]
    training = Training(
        pl.DataFrame([one for one in given if "status" in one], schema=RUN_COLUMNS),
        pl.DataFrame([one for one in given if "uri" in one], schema=CHECKPOINT_COLUMNS),
        pl.DataFrame(schema=STEP_COLUMNS),
    )
    marks = {"nimbus": mark(last), "cirrus": mark(LAST)}
    (one,) = stalled_experiments(world, training, marks, "UTC", Progress()).to_dicts()
    assert (one["month"], one["cost_at_stake"]) == (FIRST, 2 * 50 * 31)
    assert "from 2026-10-23 to 2026-11-10, 19 days" in one["evidence"]
