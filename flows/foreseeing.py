"""Budgets of a run: costs in the workspace's currency, what operators foresee, how each budget stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from attribution.detection import budgets as detection
from attribution.detection.exchange import missing_rates
from attribution.detection.progress import STEP_COLUMNS, Training, count_steps, stalled_experiments
from schemas.exchange import convert
from schemas.faults import InputError
from schemas.plans import Budget, Plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attribution.inputs import InputFrames
    from attribution.rules import RuleBook
    from flows.running import Run
    from schemas.detection import Watermark


@dataclass(frozen=True)
class Foreseen:
    """How budgets stand, and what somebody must hear of them."""

    rows: pl.DataFrame
    findings: tuple[pl.DataFrame, ...]


def stated_plans(inputs: InputFrames, rules: RuleBook) -> tuple[Plan, ...]:
    """planned.csv under the names that costs have."""
    return detection.plans_of(inputs.planned, rules.names, lambda name, value: _canonical(rules, name, value))


def foresee(
    run: Run, rules: RuleBook, inputs: InputFrames, daily: pl.DataFrame, marks: Mapping[str, Watermark]
) -> Foreseen:
    """Judge the budgets of the settings, and each plan as a budget of its own days.

    Raises:
        InputError: a budget names a dimension that there is not.
    """
    workspace = run.workspace
    if faults := detection.budget_faults(workspace.budgets, rules.names):
        raise InputError(faults)
    plans = stated_plans(inputs, rules)
    stated = (*(_named(rules, one) for one in workspace.budgets), *detection.plan_budgets(plans))
    converted = convert(daily, inputs.rates, workspace.currency)
    clock = detection.Clock(run.today, marks)
    ahead = detection.Ahead(plans, detection.ends_of(inputs.runs, run.as_of, workspace.timezone))
    rows = detection.budget_rows(converted.costs, stated, clock, workspace.currency, ahead)
    asked = stated or workspace.inputs.rates
    lacking = (missing_rates(converted.apart, workspace.currency),) if asked else ()
    whose = detection.projects_of(converted.costs, stated)
    return Foreseen(rows, (detection.budget_findings(rows, run.today, whose), *lacking))


def stalled(
    run: Run, rules: RuleBook, inputs: InputFrames, daily: pl.DataFrame, marks: Mapping[str, Watermark]
) -> pl.DataFrame:
    """Find experiments that burn without progress; the steps of tonight are kept, for the next night to compare."""
    known = run.ledger.frame("SELECT * FROM book.run_steps")
    before = known.select(pl.col(name).cast(dtype) for name, dtype in STEP_COLUMNS.items())
    steps = count_steps(inputs.runs, before, run.today)
    run.ledger.keep("run_steps", steps)
    training = Training(_experiments(rules, inputs.runs), _experiments(rules, inputs.checkpoints), steps)
    return stalled_experiments(daily, training, marks, run.workspace.timezone, run.workspace.progress)


def _experiments(rules: RuleBook, frame: pl.DataFrame) -> pl.DataFrame:
    names = [_canonical(rules, "experiment", one) for one in frame.get_column("experiment")]
    return frame.with_columns(pl.Series("experiment", names, dtype=pl.String))


def _named(rules: RuleBook, budget: Budget) -> Budget:
    return replace(
        budget, dimensions={name: _canonical(rules, name, value) for name, value in budget.dimensions.items()}
    )


def _canonical(rules: RuleBook, name: str, value: str) -> str:
    return rules.dimensions[name].canonical(value) if name in rules.dimensions else value
