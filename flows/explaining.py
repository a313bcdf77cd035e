"""`attribution explain`: from a resource or a row of costs down to the charges, with all that was tried and what won.

Answered from the published file, its stored provenance and the same rules; a run that is writing is never waited for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import polars as pl

from attribution.allocation import explain, recompute, resolve, split
from attribution.ledger import Published, RollUp, read_published
from attribution.reports.figures import count, label
from flows.questions import plain_rows
from flows.running import rollup_of
from flows.steps import read_stated
from schemas.faults import Fault, InputError
from schemas.money import COSTS
from schemas.workspace import Workspace

_SHOWN = 12


@dataclass(frozen=True)
class Told:
    """An explanation: lines to read, the same as plain data."""

    lines: tuple[str, ...]
    data: dict[str, Any]

    def as_text(self) -> str:
        """For reading: plain letters, whatever a tag holds."""
        return "\n".join(label(line) if line else "" for line in self.lines)

    def as_json(self) -> str:
        """For scripts; money is text."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, default=str)


def explain_resource(workspace: Workspace, resource: str, month: date | None) -> Told:
    """Why a resource's money is whose it is.

    Args:
        workspace: whose published file, rules and inputs.
        resource: ResourceId as billed.
        month: first day of a month of usage; None for all.

    Raises:
        InputError: nothing is published, or no charge has this ResourceId.
    """
    stated = read_stated(workspace)
    rollup = rollup_of(workspace, stated.rules.columns)
    with read_published(workspace.store) as published:
        subjects, lines = published.subjects(rollup), published.lines(rollup).collect()
        if not subjects.filter(pl.col("ResourceId") == resource).height:
            hint = "It must be written as billed: SELECT DISTINCT ResourceId FROM costs."
            raise InputError(Fault("explain", f'no charge has the ResourceId "{resource}"', hint=hint))
        inputs = stated.inputs
        resolved = resolve(subjects, lines, inputs.tags, inputs.resources, stated.rules)
        told = explain(
            resource,
            month,
            subjects=subjects,
            lines=lines,
            tags=inputs.tags,
            resources=inputs.resources,
            rules=stated.rules,
            divided=split(resolved, stated.rules, stated.beside(partial(published.charge_periods, rollup))),
        )
        stale = _stale(published, stated.rules.digest)
        asked = pl.lit(value=True) if month is None else rollup.day().dt.month_start() == month
        charges = _charges(published, "ResourceId = ?", [resource], asked)
    return Told((*stale, *told.as_lines(), *_charge_lines(charges)), told.as_dict() | {"charges": plain_rows(charges)})


def _stale(published: Published, digest: str) -> tuple[str, ...]:
    """A word of warning where the rules are no longer those of the published costs."""
    rows = published.frame(
        "SELECT versions FROM runs WHERE status = 'done' AND command <> 'weekly' ORDER BY run DESC LIMIT 1"
    )
    used = json.loads(rows.item()).get("rules") if rows.height else digest
    return () if used == digest else ("rules.toml changed since the last run: this is what the next run will say.", "")


def explain_cost(workspace: Workspace, cost_id: str) -> Told:
    """Why one row of `costs` is what it is, from what is stored alone.

    Args:
        workspace: whose published file.
        cost_id: as in `costs`.

    Raises:
        InputError: nothing is published, or no row has this id.
    """
    with read_published(workspace.store) as published:
        found = published.frame("SELECT * FROM costs WHERE cost_id = ?", [cost_id])
        if not found.height:
            raise InputError(Fault("explain", f'no cost "{cost_id}"', hint="Take the cost_id from a row of costs."))
        row = found.row(0, named=True)
        names = [name.removesuffix("_method") for name in found.columns if name.endswith("_method")]
        lines = [f"{cost_id}: {row['usage_date']}, {row['source']}, bill {row['bill_id']}"]
        lines += [f"  {name} {row[name]:f} {row['BillingCurrency']}" for name in COSTS if row[name] is not None]
        lines += [
            f"  {name} = {row[name]}  ({row[f'{name}_method']}: {row[f'{name}_rule'] or 'nobody said anything'})"
            for name in names
        ]
        shares = _shares(published, cost_id)
        lines += [
            f'  split "{one["split"]}": {one["weight"]} of {one["total_weight"]}, '
            f"pool {one['pool']:f}, share {one['share']:f}"
            for one in shares.iter_rows(named=True)
        ]
        members = _members(published, cost_id, shares.get_column("split").to_list())
        charges = _behind(published, _billed(published, found), rollup_of(workspace))
        if members.height:
            lines.append(f"  the pool was summed from {count(members.height, 'cost')}, the largest:")
            lines += [
                f"    {one['cost_id']}  {one['ServiceName']}  {one['ResourceId'] or ''}  {one['EffectiveCost']}"
                for one in members.head(_SHOWN).iter_rows(named=True)
            ]
    data = {
        "cost": plain_rows(found)[0],
        "shares": plain_rows(shares),
        "members": plain_rows(members),
        "charges": plain_rows(charges),
    }
    return Told((*lines, *_charge_lines(charges)), data)


def _shares(published: Published, cost_id: str) -> pl.DataFrame:
    """What splits say of this row, each share recomputed from the stored weights."""
    subject, day, allocation = _parts(cost_id)
    pools = published.frame(
        """
        SELECT * FROM split_lineage WHERE subject_id = ? AND usage_date = ?
        ORDER BY split, subject_id, usage_date, pool_allocation_id, hour, position
        """,
        [subject, day],
    )
    told = pools.with_columns(recompute(pools, "EffectiveCost").alias("share"), pl.col("EffectiveCost").alias("pool"))
    return told.filter(pl.col("receiver_allocation_id") == allocation).select(
        "split", "weight", "total_weight", "pool", "share"
    )


def _members(published: Published, cost_id: str, splits: list[str]) -> pl.DataFrame:
    """Costs that the pool of this row was summed from by these splits, the largest first."""
    subject, day, _ = _parts(cost_id)
    return published.frame(
        """
        SELECT c.* FROM split_pools AS p
        JOIN costs AS c
            ON c.cost_id = p.subject_id || '.' || strftime(p.usage_date, '%Y%m%d') || '.' || p.allocation_id
        WHERE p.pool_subject_id = ? AND p.usage_date = ? AND list_contains(?, p.split)
        ORDER BY abs(c.EffectiveCost) DESC NULLS LAST, c.cost_id
        """,
        [subject, day, splits],
    )


def _billed(published: Published, costs: pl.DataFrame) -> pl.DataFrame:
    """Costs that came off a bill: shares are followed through their pools, and the pools' pools; the largest only."""
    leaves = []
    for row in costs.head(_SHOWN).iter_rows(named=True):
        shares = _shares(published, row["cost_id"])
        pool = _members(published, row["cost_id"], shares.get_column("split").to_list())
        leaves.append(_billed(published, pool) if pool.height else costs.filter(pl.col("cost_id") == row["cost_id"]))
    return pl.concat(leaves) if leaves else costs


def _parts(cost_id: str) -> tuple[int, date, int]:
    subject, day, allocation = cost_id.split(".")
    return int(subject), date.fromisoformat(day), int(allocation)


_SAME = ("ResourceId", "ServiceName", "SkuId", "SkuMeter", "SubAccountId", "ChargeCategory", "RegionId", "Tags")


def _behind(published: Published, costs: pl.DataFrame, rollup: RollUp) -> pl.DataFrame:
    """Charges that the largest of some costs were rolled up from."""
    frames = []
    for row in costs.head(_SHOWN).iter_rows(named=True):
        same = " AND ".join(f"{name} IS NOT DISTINCT FROM ?" for name in _SAME)
        params = [row["bill_id"], *(row[name] for name in _SAME)]
        frames.append(_charges(published, f"bill_id = ? AND {same}", params, rollup.day() == row["usage_date"]))
    return pl.concat(frames) if frames else _charges(published, "false", [], pl.lit(value=True))


def _charges(published: Published, where: str, params: list[Any], day: pl.Expr) -> pl.DataFrame:
    """Charges that SQL finds and whose usage date, which is a rule of the roll-up, is the one asked for."""
    rows = published.frame(
        f"""
        SELECT source, bill_id, file, row_number, ChargePeriodStart, ChargePeriodEnd, ChargeCategory, ServiceName,
            ChargeDescription, BilledCost, EffectiveCost, BillingCurrency
        FROM charges WHERE {where} ORDER BY bill_id, file, row_number
        """,  # noqa: S608 - conditions of our own, values are parameters
        params,
    )
    return rows.filter(day).drop("source", "ChargePeriodEnd")


def _charge_lines(charges: pl.DataFrame) -> list[str]:
    lines = ["", f"{count(charges.height, 'charge')}:"]
    lines += [
        f"  {one['file']} {_row(one['row_number'])}: "
        f"{one['ChargePeriodStart']:%Y-%m-%d %H:%M} {one['ChargeCategory']}, BilledCost {one['BilledCost']:f}, "
        f"EffectiveCost {_or_unknown(one['EffectiveCost'])} {one['BillingCurrency']}"
        for one in charges.head(_SHOWN).iter_rows(named=True)
    ]
    if charges.height > _SHOWN:
        lines.append(f"  ... and {charges.height - _SHOWN} more (--json shows all)")
    return lines


def _row(number: int | None) -> str:
    return "private rows" if number is None else f"row {number}"


def _or_unknown(amount: Any) -> str:  # noqa: ANN401 - a Decimal or nothing
    return "unknown" if amount is None else f"{amount:f}"
