"""From a row of `costs` down to its charges, from what is stored alone."""

from __future__ import annotations

from datetime import date

import polars as pl

from attribution.allocation import recompute
from attribution.ledger import Published, read_published
from attribution.rules import read_rules
from flows.explaining.told import SHOWN, Told, answer_lines, because, behind, charge_lines, or_unknown, reasons, stale
from flows.plain_data import plain_rows
from flows.running import rollup_of
from schemas.faults import Fault, InputError
from schemas.money import COSTS, shortest
from schemas.words import counted
from schemas.workspace import Workspace


def explain_cost(workspace: Workspace, cost_id: str) -> Told:
    """Why one row of `costs` is what it is, from what is stored alone.

    Args:
        workspace: whose published file.
        cost_id: as in `costs`.

    Raises:
        InputError: nothing is published, or no row has this id.
    """
    rules = read_rules(workspace.rules)
    known = reasons(rules)
    with read_published(workspace.store) as published:
        found = published.frame("SELECT * FROM costs WHERE cost_id = ?", [cost_id])
        if not found.height:
            raise InputError(Fault("explain", f'no cost "{cost_id}"', hint="Take the cost_id from a row of costs."))
        row = found.row(0, named=True)
        lines = [f"{cost_id}: {row['usage_date']}, {row['source']}, bill {row['bill_id']}"]
        lines += [f"  {name} {shortest(row[name])} {row['BillingCurrency']}" for name in COSTS if row[name] is not None]
        lines += answer_lines(row, published.dimensions(), known)
        shares = shares_of(published, cost_id)
        lines += [
            f'  split "{one["split"]}": {one["weight"]} of {one["total_weight"]}, '
            f"pool {or_unknown(one['pool'])}, share {or_unknown(one['share'])}{because(one['split'], known)}"
            for one in shares.iter_rows(named=True)
        ]
        members = members_of(published, cost_id)
        found_charges = behind(published, billed(published, found), rollup_of(workspace))
        if members.height:
            lines.append(f"  the pool was summed from {counted(members.height, 'cost')}, the largest:")
            lines += [
                f"    {one['cost_id']}  {one['ServiceName']}  {one['ResourceId'] or ''}  "
                + or_unknown(one["EffectiveCost"])
                for one in members.head(SHOWN).iter_rows(named=True)
            ]
    data = {
        "cost": plain_rows(found)[0],
        "shares": plain_rows(shares),
        "members": plain_rows(members),
        "charges": plain_rows(found_charges),
    }
    older = stale([row["rules_version"]], rules, "what is said here is from then; reasons are those of today.")
    return Told((*older, *lines, *charge_lines(found_charges)), data)


def shares_of(published: Published, cost_id: str) -> pl.DataFrame:
    """What splits say of this row, each share recomputed from the stored weights."""
    subject, day, allocation = parts(cost_id)
    pools = published.frame(
        """
        SELECT * FROM split_lineage WHERE subject_id = ? AND usage_date = ?
        ORDER BY split, subject_id, usage_date, pool_allocation_id, hour, position
        """,
        [subject, day],
    )
    told = shares_anew(pools)
    return told.filter(pl.col("receiver_allocation_id") == allocation).select(
        "split", "weight", "total_weight", "pool", "share"
    )


def shares_anew(lineage: pl.DataFrame) -> pl.DataFrame:
    """Whole pools of split_lineage with the `share` that their weights give of the `pool`, both EffectiveCost."""
    pools = lineage.sort("split", "subject_id", "usage_date", "pool_allocation_id", "hour", "position")
    return pools.with_columns(recompute(pools, "EffectiveCost").alias("share"), pl.col("EffectiveCost").alias("pool"))


def members_of(published: Published, cost_id: str) -> pl.DataFrame:
    """Costs that the pool was summed from whose share or negation this row is, the largest first."""
    subject, day, allocation = parts(cost_id)
    return published.frame(
        """
        SELECT c.* FROM split_pools AS p
        JOIN costs AS c
            ON c.cost_id = p.subject_id || '.' || strftime(p.usage_date, '%Y%m%d') || '.' || p.allocation_id
        WHERE p.pool_subject_id = $subject AND p.usage_date = $day AND p.split IN (
            SELECT split FROM split_lineage WHERE subject_id = $subject AND usage_date = $day
                AND $allocation IN (receiver_allocation_id, negation_allocation_id))
        ORDER BY abs(c.EffectiveCost) DESC NULLS LAST, c.cost_id
        """,
        {"subject": subject, "day": day, "allocation": allocation},
    )


def billed(published: Published, costs: pl.DataFrame) -> pl.DataFrame:
    """Costs that came off a bill: shares are followed through their pools, and the pools' pools; the largest only."""
    leaves = []
    for row in costs.head(SHOWN).iter_rows(named=True):
        pool = members_of(published, row["cost_id"])
        leaves.append(billed(published, pool) if pool.height else costs.filter(pl.col("cost_id") == row["cost_id"]))
    return pl.concat(leaves) if leaves else costs


def parts(cost_id: str) -> tuple[int, date, int]:
    """Subject, day and allocation that a cost_id is made of."""
    subject, day, allocation = cost_id.split(".")
    return int(subject), date.fromisoformat(day), int(allocation)
