"""Experiments that cost money and come no further: no new step, no new checkpoint, while a run says that it runs.

Progress is a checkpoint with a step that its run had not reached, a completed run, a run that began, or a count of
steps that rose from one night to the next. An experiment that tells none of these is not judged: evaluation and serving
count no steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.windows import last_complete_month, next_month
from attribution.detection.wording import amount
from schemas.detection import Watermark
from schemas.dimensions import SHARED, UNALLOCATED
from schemas.money import known_sum
from schemas.words import counted
from schemas.workspace import Progress

KIND = "burns_without_progress"
GAPS = 2
"""An experiment may be silent for so many of its usual gaps between checkpoints."""


@dataclass(frozen=True)
class Training:
    """Runs and checkpoints as handed in, experiments under their canonical names; `steps`: STEP_COLUMNS."""

    runs: pl.DataFrame
    checkpoints: pl.DataFrame
    steps: pl.DataFrame


STEP_COLUMNS: dict[str, pl.DataType] = {
    "run_id": pl.String(),
    "steps": pl.Int64(),
    "since": pl.Date(),  # the night that saw this count first
    "first_seen": pl.Date(),
}
"""One run: how many steps it had done when it was last looked at, and since when."""


def count_steps(runs: pl.DataFrame, before: pl.DataFrame, today: date) -> pl.DataFrame:
    """Set the runs' steps against those of the nights before.

    Args:
        runs: RUN_COLUMNS.
        before: STEP_COLUMNS.
        today: the run's date.
    """
    now = runs.filter(pl.col("steps").is_not_null()).select("run_id", "steps")
    both = now.join(before, on="run_id", how="left", suffix="_before", validate="1:1")
    same = (pl.col("steps") <= pl.col("steps_before")).fill_null(value=False)
    return both.select(
        "run_id",
        pl.when(same).then("steps_before").otherwise("steps").alias("steps"),
        pl.when(same).then("since").otherwise(pl.lit(today)).alias("since"),
        pl.coalesce("first_seen", pl.lit(today)).alias("first_seen"),
    ).sort("run_id")


def stalled_experiments(
    daily: pl.DataFrame, training: Training, marks: Mapping[str, Watermark], timezone: str, limits: Progress
) -> pl.DataFrame:
    """Report each experiment that burns without progress.

    Args:
        daily: attributed daily costs, all charge categories.
        training: what was trained.
        marks: each source's last complete day.
        timezone: of days.
        limits: how many days, how much money.

    Returns:
        Findings; at stake is the experiment's last complete month. `undetermined` where no experiment at all shows
        anything new in those days: then the files may be old rather than every experiment stuck.
    """
    return together(as_frame(_stalled(daily, training, marks, ZoneInfo(timezone), limits)))


def _stalled(
    daily: pl.DataFrame, training: Training, marks: Mapping[str, Watermark], zone: ZoneInfo, limits: Progress
) -> Iterator[Finding]:
    ways = {name: _way(name, training, zone) for name in _judged(training)}
    newest = max((way.last for way in ways.values()), default=date.min)
    for name, way in sorted(ways.items()):
        mine = daily.filter(pl.col("experiment") == name)
        ends = [marks[source].last_day for source in mine.get_column("source").unique() if source in marks]
        if not ends:
            continue
        last = max(ends)
        allowed = max(limits.days, GAPS * way.gap)
        if (last - way.last).days <= allowed:
            continue
        for (_currency,), costs in mine.group_by("BillingCurrency", maintain_order=True):
            finding = _finding(name, way, costs, last, limits)
            if finding:
                old = (last - newest).days > limits.days
                yield _undetermined(finding, newest) if old else finding


@dataclass(frozen=True)
class _Way:
    """How far an experiment came: the day of its last progress, what that was, and days between its checkpoints."""

    last: date
    what: str
    gap: int
    running: tuple[str, ...]


def _judged(training: Training) -> list[str]:
    """Experiments that tell of steps or checkpoints, with a run that runs or none told at all."""
    runs = training.runs
    told = {*runs.filter(pl.col("steps").is_not_null())["experiment"], *training.checkpoints["experiment"]}
    running = set(runs.filter(pl.col("status") == "running")["experiment"])
    return sorted(told & (running | (told - set(runs["experiment"]))))


def _way(name: str, training: Training, zone: ZoneInfo) -> _Way:
    runs = training.runs.filter(pl.col("experiment") == name)
    events: list[tuple[date, str]] = []
    for row in runs.iter_rows(named=True):
        events.append((row["started_at"].astimezone(zone).date(), f"run {row['run_id']} began"))
        if row["status"] == "completed" and row["ended_at"]:
            events.append((row["ended_at"].astimezone(zone).date(), f"run {row['run_id']} was completed"))
    moved = training.steps.filter(
        pl.col("run_id").is_in(runs.get_column("run_id").implode()), pl.col("since") > pl.col("first_seen")
    )
    events += [(since, f"run {run} stood at step {steps}") for run, steps, since, _ in moved.iter_rows()]
    written = _new_steps(training.checkpoints.filter(pl.col("experiment") == name))
    days = [row["created_at"].astimezone(zone).date() for row in written]
    events += [(day, f"a checkpoint of step {row['step']}") for day, row in zip(days, written, strict=True)]
    last, what = max(events, key=lambda one: one[0])
    gaps = [(after - before).days for before, after in pairwise(days)]
    running = runs.filter(pl.col("status") == "running").get_column("run_id").sort().to_list()
    return _Way(last, what, round(median(gaps)) if gaps else 0, tuple(running))


def _new_steps(checkpoints: pl.DataFrame) -> list[dict[str, Any]]:
    """Checkpoints, oldest first, that came further than all before them of their run."""
    ordered = checkpoints.sort("created_at", "step").with_columns(
        pl.col("step").cum_max().shift(1).over("run_id").alias("reached")
    )
    return ordered.filter(pl.col("reached").is_null() | (pl.col("step") > pl.col("reached"))).to_dicts()


def _finding(name: str, way: _Way, costs: pl.DataFrame, last: date, limits: Progress) -> Finding | None:
    since = way.last + timedelta(days=1)
    burnt = costs.filter(pl.col("usage_date").is_between(since, last))
    spent = burnt.select(known_sum("EffectiveCost")).item()
    newest = burnt.filter(pl.col("usage_date") > last - timedelta(days=limits.days))
    going = newest.select(known_sum("EffectiveCost")).item()
    if spent is None or spent < limits.minimum or not going or going <= 0:
        return None
    currency = costs.get_column("BillingCurrency")[0]
    complete = last_complete_month(last)
    month = costs.filter((pl.col("usage_date") >= complete) & (pl.col("usage_date") < next_month(complete)))
    who = burnt.filter(pl.col("EffectiveCost") != 0)
    every = f"; checkpoints came every {counted(way.gap, 'day')}" if way.gap else ""
    runs = f"; {', '.join(way.running)} still says that it runs" if way.running else ""
    return Finding(
        kind=KIND,
        subject=name,
        evidence=f"Experiment {name} cost {amount(spent)} {currency} from {since} to {last}, {(last - way.last).days} "
        f"days, without a new step or checkpoint: the last progress is of {way.last}, {way.what}{every}{runs}.",
        confidence="high" if way.gap else "medium",
        cost_at_stake=month.select(known_sum("EffectiveCost")).item() or spent,
        currency=currency,
        owner=_only(who, "owner"),
        project=_only(who, "project"),
        month=complete,
    )


def _only(costs: pl.DataFrame, column: str) -> str:
    values = costs.get_column(column).unique().to_list()
    return values[0] if len(values) == 1 else SHARED if values else UNALLOCATED


def _undetermined(finding: Finding, newest: date) -> Finding:
    more = f" No experiment shows anything new since {newest}: are runs and checkpoints handed in anew?"
    return replace(finding, verdict="undetermined", confidence="low", evidence=finding.evidence + more)
