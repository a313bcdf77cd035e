"""What operators say of money to come, under the names that costs have: budgets, plans, and when runs end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl

from attribution.detection.budgets.foresight import Ends
from attribution.detection.sums import COLUMN_OF, only
from schemas.dimensions import fold
from schemas.faults import Fault, suggest
from schemas.plans import PLANNED_COLUMNS, Budget, Plan


def budget_faults(budgets: Sequence[Budget], dimensions: Collection[str]) -> list[Fault]:
    """Settings of budgets that are no dimension."""
    known = [*dimensions, *COLUMN_OF, "cost_element"]
    return [
        Fault(
            f'attribution.toml: budget "{one.name}"',
            f'unknown setting "{name}"',
            ", ".join(known),
            suggest(name, known),
        )
        for one in budgets
        for name in one.dimensions
        if name not in known
    ]


def plans_of(
    planned: pl.DataFrame, dimensions: Collection[str], canonical: Callable[[str, str], str]
) -> tuple[Plan, ...]:
    """Rows of planned.csv.

    Args:
        planned: PLANNED_COLUMNS, then whatever columns the files have.
        dimensions: their columns count; others say nothing here.
        canonical: a dimension and a value -> the value as costs write it.
    """
    names = {fold(name): name for name in (*dimensions, "cost_element")}
    columns = {one: names[fold(one)] for one in planned.columns if one not in PLANNED_COLUMNS and fold(one) in names}
    return tuple(
        Plan(
            since=row["from"],
            until=row["to"],
            dimensions={name: canonical(name, row[one]) for one, name in columns.items() if row[one] is not None},
            amount=row["amount"],
            reason=row["reason"],
        )
        for row in planned.iter_rows(named=True)
    )


def plan_budgets(plans: Sequence[Plan]) -> tuple[Budget, ...]:
    """Each plan as a budget of its own days, so that one that is exceeded is told like any other."""
    made: dict[str, Budget] = {}
    for one in plans:
        budget = Budget(one.dimensions, one.amount, "plan", one.amount / one.amount if one.amount else one.amount,
                        since=one.since, until=one.until)  # fmt: skip
        name = f"plan {budget.words} {one.since}"
        while name in made:
            name += ", another"
        made[name] = Budget(budget.dimensions, budget.amount, "plan", budget.warn_at, name, one.since, one.until)
    return tuple(made.values())


def ends_of(runs: pl.DataFrame, as_of: datetime, timezone: str) -> dict[str, Ends]:
    """Experiment -> when its running runs end, for those of which one run at least states it.

    A run that still runs may state its end ahead, as `ended_at`. GPUs weigh the runs where all of them are known.
    """
    zone = ZoneInfo(timezone)
    running = runs.filter(pl.col("status") == "running", pl.col("ended_at").is_null() | (pl.col("ended_at") > as_of))
    return dict(_ends(running.sort("experiment", "run_id"), zone))


def _ends(running: pl.DataFrame, zone: ZoneInfo) -> Iterator[tuple[str, Ends]]:
    for (experiment,), group in running.group_by("experiment", maintain_order=True):
        if not group.get_column("ended_at").count():
            continue
        gpus = group.get_column("gpus").to_list()
        weights = [Fraction(one) for one in gpus] if all(gpus) else [Fraction(1)] * len(gpus)
        ends = [None if one is None else one.astimezone(zone).date() for one in group.get_column("ended_at")]
        whole = sum(weights, Fraction(0))
        yield str(experiment), Ends(tuple((end, weight / whole) for end, weight in zip(ends, weights, strict=True)))


def meets(dimensions: Mapping[str, str]) -> pl.Expr:
    """Rows that have all these values."""
    asked = [pl.col(COLUMN_OF.get(name, name)) == value for name, value in dimensions.items()]
    return pl.all_horizontal(*asked) if asked else pl.lit(value=True)


def projects_of(costs: pl.DataFrame, budgets: Sequence[Budget]) -> dict[str, str]:
    """Budget -> the one project that its money is of, `shared` of several; `costs` as `budget_rows` takes them."""
    paid = costs.filter(pl.col("EffectiveCost") != 0)
    mine = {one.name: paid.filter(meets(one.dimensions)).get_column("project").unique().to_list() for one in budgets}
    return {one.name: one.dimensions.get("project") or only(mine[one.name]) for one in budgets}
