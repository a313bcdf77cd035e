"""From a charge up to everyone who pays for it: by which rule, by which split, which part, to the last unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import polars as pl

from attribution.ledger import Published, read_published
from attribution.rules import read_rules
from flows.explaining.told import Told, amounts, answer_lines, because, or_unknown, reasons, row_text, stale
from flows.plain_data import plain_rows
from flows.running import rollup_of
from schemas.costs import SUBJECT_TEXT
from schemas.faults import Fault, InputError
from schemas.money import from_units, split_units, to_units
from schemas.words import counted
from schemas.workspace import Workspace

_HOUR = timedelta(hours=1)
Units = tuple[int | None, int | None]
"""BilledCost and EffectiveCost in whole units of 1e-12; unknown stays unknown."""


@dataclass
class _Trail:
    """What is found on the way up: who pays in the end, and each split that divided on the way."""

    payers: dict[int, Units] = field(default_factory=dict)
    steps: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)


def explain_charge(workspace: Workspace, bill: str, row: int) -> Told:
    """Who pays for one charge.

    The parts of a charge are its share of the pool it went into, divided by the weights that are stored; they sum to
    the charge exactly. Single parts may differ from the sum over a pool by units of 1e-12.

    Args:
        workspace: whose published file.
        bill: the file the charge stands in, as `charges` names it, or a bill_id.
        row: its number in the file.

    Raises:
        InputError: nothing is published, or no single charge is there.
    """
    rules = read_rules(workspace.rules)
    with read_published(workspace.store) as published:
        charge = _charge(published, bill, row)
        day = charge.select(rollup_of(workspace).day()).item()
        one = charge.row(0, named=True)
        lines = _lines(published, charge, day)
        trail = _Trail()
        start = (to_or_none(one["BilledCost"]), to_or_none(one["EffectiveCost"]))
        hours = (one["ChargePeriodStart"], one["ChargePeriodEnd"])
        subject, allocation = lines.row(0)
        _up(published, trail, (subject, day, allocation), start, hours)
        who = published.frame("SELECT * FROM book.allocations")
        names = published.dimensions()
    known = reasons(rules)
    said = who.filter(pl.col("allocation_id") == allocation).row(0, named=True)
    paid = _paid(trail, who, names)
    text = _lines_of(one, row, day)
    text += answer_lines(said, names, known)
    text += _step_lines(trail, who, names, known)
    text += _paid_lines(paid, names)
    older = stale([said["rules_version"]], rules, "what is said here is from then; reasons are those of today.")
    data = {"charge": plain_rows(charge)[0], "rules_version": said["rules_version"], "answers": said,
            "splits": [{**step, "receiver": _called(who, names, step)} for step in trail.steps.values()],
            "paid_by": paid}  # fmt: skip
    return Told((*older, *text), data)


def _lines_of(one: dict[str, Any], row: int, day: Any) -> list[str]:  # noqa: ANN401 - a date
    place = f"{one['file']} {row_text(row)}: {one['ChargePeriodStart']:%Y-%m-%d %H:%M} {one['ChargeCategory']}"
    lines = [f"{place}, {one['ServiceName']}: {amounts(one)}", f"  bill {one['bill_id']}, usage date {day}"]
    if one["ResourceId"]:
        lines.append(f"  what else was said: attribution explain {one['ResourceId']} --month {day:%Y-%m}")
    return lines


def _paid_lines(paid: list[dict[str, Any]], names: Sequence[str]) -> list[str]:
    return [f"  paid by {counted(len(paid), 'receiver')}:"] + [
        f"    BilledCost {or_unknown(part['BilledCost'])}, EffectiveCost {or_unknown(part['EffectiveCost'])}  "
        + ", ".join(f"{name}={part[name]}" for name in names)
        for part in paid
    ]


def to_or_none(amount: Any) -> int | None:  # noqa: ANN401 - a Decimal or nothing
    """Whole units of an amount that is known."""
    return None if amount is None else to_units(amount)


def _charge(published: Published, bill: str, row: int) -> pl.DataFrame:
    found = published.frame(
        "SELECT * FROM charges WHERE row_number = ? AND (file = ? OR bill_id = ?)", [row, bill, bill]
    )
    if found.is_empty():
        hint = "Name the file or bill_id and the row as `charges` has them: --charge bills/aws/october.csv:12."
        raise InputError(Fault("explain", f'no charge in row {row} of "{bill}"', hint=hint))
    if found.height > 1:
        files = ", ".join(sorted(set(found.get_column("file"))))
        raise InputError(Fault("explain", f'row {row} of "{bill}" stands in several files', files, "Name one of them."))
    return found


def _lines(published: Published, charge: pl.DataFrame, day: Any) -> pl.DataFrame:  # noqa: ANN401 - a date
    """The subject that a charge was rolled up to, and its allocation before any split."""
    one = charge.row(0, named=True)
    asked = [name for name in SUBJECT_TEXT if name in charge.columns]
    same = " AND ".join(f's."{name}" IS NOT DISTINCT FROM ?' for name in asked)
    made = "SELECT 1 FROM split_lineage AS l WHERE l.subject_id = f.subject_id AND l.usage_date = f.usage_date"
    rows = published.frame(
        f"""
        SELECT DISTINCT f.subject_id, f.allocation_id
        FROM book.cost_facts AS f JOIN book.subjects AS s USING (subject_id) JOIN book.bills AS b USING (bill_no)
        WHERE b.bill_id = ? AND f.usage_date = ? AND {same}
            AND NOT EXISTS ({made}
                AND f.allocation_id IN (l.receiver_allocation_id, l.negation_allocation_id))
        ORDER BY ALL
        """,  # noqa: S608 - columns of our own
        [one["bill_id"], day, *(None if one[name] is None else str(one[name]) for name in asked)],
    )
    if rows.is_empty():
        hint = "It came after the last costs were made, or its month is closed: see pending_restatements."
        raise InputError(Fault("explain", "this charge is in no cost", hint=hint))
    return rows


def _up(published: Published, trail: _Trail, at: tuple[Any, ...], units: Units, hours: tuple[Any, Any]) -> None:
    """Follow a part of a charge from one row of costs to those that a split made of it, and on."""
    lineage = published.frame(
        """
        SELECT l.* FROM split_lineage AS l
        WHERE l.usage_date = $day AND l.pool_allocation_id = $allocation AND (
            l.subject_id = $subject OR (l.split, l.subject_id) IN (
                SELECT (split, pool_subject_id) FROM split_pools
                WHERE subject_id = $subject AND usage_date = $day AND allocation_id = $allocation))
        ORDER BY l.split, l.hour, l.position
        """,
        dict(zip(("subject", "day", "allocation"), at, strict=True)),
    )
    timed = lineage.filter(
        pl.col("hour").is_null() | ((pl.col("hour") < hours[1]) & (pl.col("hour") + _HOUR > hours[0]))
    )
    if timed.is_empty():
        old = trail.payers.get(at[2], (None, None))
        both = zip(old, units, strict=True)
        trail.payers[at[2]] = tuple(b if a is None else a if b is None else a + b for a, b in both)  # type: ignore[assignment]
        return
    pools = timed.partition_by("hour", maintain_order=True)
    # A charge of several hours lies in each as the node's money does.
    sizes = [abs(to_or_none(pool.item(0, "EffectiveCost")) or 0) for pool in pools]
    parts = [_divide(one, sizes if any(sizes) else [1] * len(pools)) for one in units]
    for number, pool in enumerate(pools):
        weights = [to_units(weight) for weight in pool.get_column("weight").str.to_decimal(scale=12).to_list()]
        shares = [_divide(part[number], weights) for part in parts]
        for row, part in zip(pool.iter_rows(named=True), zip(*shares, strict=True), strict=True):
            step = {key: row[key] for key in ("split", "weight", "total_weight", "receiver_allocation_id", "job_id")}
            step["hour"] = None if row["hour"] is None else f"{row['hour']:%Y-%m-%d %H:%M}"
            trail.steps.setdefault(tuple(step.values()), step)
            if any(part):
                _up(published, trail, (row["subject_id"], at[1], row["receiver_allocation_id"]), part, hours)


def _divide(whole: int | None, weights: list[int]) -> list[int | None]:
    return [None] * len(weights) if whole is None else list(split_units(whole, weights))


def _step_lines(trail: _Trail, who: pl.DataFrame, names: Sequence[str], known: dict[str, str]) -> list[str]:
    """Splits on the way; hours of a node that were divided alike are one line."""
    alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for step in trail.steps.values():
        alike.setdefault(tuple(value for name, value in step.items() if name != "hour"), []).append(step)
    return [
        f'  split "{step["split"]}"{_of_job(step)}: {step["weight"]} of {step["total_weight"]} to '
        f"{_called(who, names, step)}{because(step['split'], known)}"
        + (f"; the same in {counted(len(more), 'more hour')}" if more else "")
        for step, *more in alike.values()
    ]


def _of_job(step: dict[str, Any]) -> str:
    """The clock hour and the job, where jobs divided a node."""
    told = [f"hour {step['hour']}" if step["hour"] else "", f"job {step['job_id']}" if step["job_id"] else ""]
    said = ", ".join(filter(None, told))
    return f" ({said})" if said else ""


def _called(who: pl.DataFrame, names: Sequence[str], step: dict[str, Any]) -> str:
    row = who.filter(pl.col("allocation_id") == step["receiver_allocation_id"]).row(0, named=True)
    moved = [name for name in names if row[f"{name}_rule"] == step["split"]] or names
    return ", ".join(f"{name}={row[name]}" for name in moved)


def _paid(trail: _Trail, who: pl.DataFrame, names: Sequence[str]) -> list[dict[str, Any]]:
    """Receivers with their parts, the largest first; those that read alike are one."""
    found: dict[tuple[str, ...], list[Units]] = {}
    for allocation, units in trail.payers.items():
        row = who.filter(pl.col("allocation_id") == allocation).select(names).row(0)
        found.setdefault(row, []).append(units)
    told = []
    for values, parts in found.items():
        columns = [[one for one in column if one is not None] for column in zip(*parts, strict=True)]
        money = [from_units([sum(column)]).item() if column else None for column in columns]
        told.append({"BilledCost": money[0], "EffectiveCost": money[1], **dict(zip(names, values, strict=True))})
    return sorted(told, key=lambda part: (-abs(part["EffectiveCost"] or 0), *(part[name] for name in names)))
