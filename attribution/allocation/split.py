"""Split: move money that serves many to those it serves, losing nothing.

What a split takes stays in the table as it was, with a negation beside it and the shares at the receivers. Both the
rows taken and their negation are out of play from then on, so the next split sees what is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from attribution.allocation.beside import Beside
from attribution.allocation.moving import EMPTIED, Step, after, move, sums_to_nothing
from attribution.allocation.nodes import divide_nodes
from attribution.allocation.pools import Standing, used
from attribution.allocation.resolve import Resolved
from attribution.allocation.shares import AllocationBook
from attribution.rules import SPLITS, RuleBook, Scene, Split
from schemas.costs import COST_COLUMNS, LINEAGE_COLUMNS, POOLED_COLUMNS
from schemas.detection import NOTICE_COLUMNS
from schemas.nodes import JOB_SHARE_COLUMNS, RUN_JOB_COLUMNS


@dataclass(frozen=True)
class Divided:
    """Costs after all splits.

    `costs`: COST_COLUMNS, the rows that came in and after them negations and shares. `lineage`: one row a pool and
    receiver. `pooled`: which cost rows a pool was summed from. `notices`: money that nobody could take. `job_shares`,
    `jobs`: what jobs had of nodes, see schemas/nodes.py. `remarks`: NOTICE_COLUMNS.
    """

    costs: pl.DataFrame
    allocations: pl.DataFrame
    subjects: pl.DataFrame
    lineage: pl.DataFrame
    pooled: pl.DataFrame
    notices: tuple[str, ...]
    job_shares: pl.DataFrame
    jobs: pl.DataFrame
    remarks: pl.DataFrame


def split(resolved: Resolved, rules: RuleBook, beside: Beside | None = None) -> Divided:
    """Carry out every `[[split]]` in file order.

    Args:
        resolved: what `resolve` gave, unfiltered.
        rules: the same rule book.
        beside: what is handed in beside the bills; without it no job and no measure is known.

    Raises:
        InputError: a split names a receiver that an earlier split emptied.
        LawBrokenError: what a split added does not sum to zero.
    """
    evidence = resolved.evidence
    rows = resolved.costs.with_columns(
        evidence.of_line.alias("context"),
        evidence.contexts.get_column("subject_row").gather(evidence.of_line),
        pl.lit(value=True).alias("live"),
        pl.lit(value=True).alias("billed"),
    )
    subjects = resolved.subjects.with_columns(pl.lit(value=False).alias("is_pool"))
    standing = Standing(rows.drop("subject_id"), subjects, resolved.allocations, evidence)
    book = AllocationBook(resolved.allocations, rules.names)
    emptied = pl.DataFrame(schema=EMPTIED)
    steps: list[Step] = []
    for one in rules.splits:
        for step in _carry_out(one, standing, book, emptied, beside=beside or Beside(), rules=rules):
            standing = step.standing
            emptied = pl.concat([emptied, step.emptied])
            steps.append(step)
    added = standing.rows[resolved.costs.height :]
    ids = standing.subjects.get_column("subject_id").gather(added.get_column("subject_row"))
    return Divided(
        # What came in stands as it was, and millions of rows are not copied for the few that splits add.
        pl.concat([resolved.costs, added.with_columns(ids).select(list(COST_COLUMNS))], rechunk=False),
        standing.allocations,
        standing.subjects.drop("is_pool"),
        _all(LINEAGE_COLUMNS, [step.lineage for step in steps]),
        _all(POOLED_COLUMNS, [step.pooled for step in steps]),
        (*resolved.notices, *(notice for step in steps for notice in step.notices)),
        _all(JOB_SHARE_COLUMNS, [step.nodes.shares for step in steps if step.nodes]),
        _all(RUN_JOB_COLUMNS, [step.nodes.jobs for step in steps if step.nodes]).unique(maintain_order=True),
        _all(NOTICE_COLUMNS, [step.remarks for step in steps]).unique(maintain_order=True),
    )


def _all(columns: dict[str, pl.DataType], frames: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(schema=columns), *frames])


def _carry_out(
    split: Split, standing: Standing, book: AllocationBook, emptied: pl.DataFrame, *, beside: Beside, rules: RuleBook
) -> Iterator[Step]:
    """What a split does, step by step; each step stands where the one before it left all money."""
    meets = standing.meets(split)
    if not meets.any():
        yield Step(standing, notices=(f'split "{split.name}" found no money to move',))
    elif split.of_nodes:
        step = _share_nodes(split, standing, meets, book, beside=beside, rules=rules)
        yield step
        if step.nodes and split.idle in ("even", "use"):
            yield _spread_idle(split, step.standing, step.nodes.users, book)
    else:

        def weigh(places: pl.DataFrame, there: pl.DataFrame) -> pl.DataFrame:
            scene = Scene(places, there, lambda of: used(split, standing, meets, of), beside.measures)
            return SPLITS[split.by](split, scene)

        step = move(split, standing, meets, weigh, book, emptied=emptied)
        yield replace(step, remarks=pl.concat([step.remarks, _unknown_receivers(split, standing, beside)]))


def _unknown_receivers(split: Split, standing: Standing, beside: Beside) -> pl.DataFrame:
    """Receivers that a split names and nothing else does: a slip of the pen, or somebody who costs nothing yet."""
    first = split.across[0]
    measured = beside.measures[split.name].get_column(first).unique().to_list() if split.name in beside.measures else []
    known = set(standing.allocations.get_column(first).unique().to_list())
    rows = [
        (
            "receiver_unknown",
            f"split={split.name}",
            f'it names "{value}", and no cost has this {first}; is it spelt as it is tagged?',
            None,
            None,
        )
        for value in sorted({*(split.to or ()), *split.weights, *measured} - known)
    ]
    return pl.DataFrame(rows, schema=NOTICE_COLUMNS, orient="row")


def _share_nodes(
    split: Split, standing: Standing, meets: pl.Series, book: AllocationBook, *, beside: Beside, rules: RuleBook
) -> Step:
    """Divide nodes among those that ran on them; a share stays with its node, and with the node's tags."""
    taken = standing.rows.with_row_index("row").filter(meets)
    nodes = divide_nodes(split, standing, taken, book, beside=beside, rules=rules)
    sums_to_nothing(split, nodes.rows)
    of_row = standing.rows.select("subject_row", "usage_date", "context")[nodes.rows.get_column("row")]
    new = of_row.hstack(nodes.rows.drop("row")).with_columns(pl.lit(value=False).alias("billed"))
    subjects = standing.subjects.get_column("subject_id").gather(nodes.taken.get_column("subject_row"))
    pooled = nodes.taken.select(
        pl.lit(split.name).alias("split"),
        subjects,
        *("usage_date", "allocation_id"),
        subjects.alias("pool_subject_id"),
    )
    standing = replace(standing, rows=after(standing.rows, nodes.taken, new), allocations=book.close())
    return Step(standing, nodes.lineage, pooled, remarks=nodes.notices, nodes=nodes)


def _spread_idle(split: Split, standing: Standing, users: pl.DataFrame, book: AllocationBook) -> Step:
    """Give what nobody used to those that used the nodes of the same window and currency."""
    first = split.across[0]
    voice = standing.allocations.select(
        (pl.col(f"{first}_method") == "idle")
        & ((pl.col(f"{first}_rule") == split.name) | pl.col(f"{first}_rule").str.starts_with(f"{split.name}: "))
    ).to_series()
    meets = voice.gather(standing.rows.get_column("allocation_id")) & standing.rows.get_column("live")
    weights = (
        users if split.idle == "use" else users.with_columns(pl.lit(1).cast(users.schema["weight"]).alias("weight"))
    )
    none = pl.DataFrame(schema=EMPTIED)
    return move(split, standing, meets, lambda _places, _there: weights, book, emptied=none, voice=("idle", split.name))
