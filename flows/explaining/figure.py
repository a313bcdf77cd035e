"""From a figure down: a cell of a report, an experiment, a finding; who gave it, by which rule, from which charges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from attribution.ledger import Published, read_published
from attribution.reports.period import Period, month_of
from attribution.rules import read_rules
from flows.explaining.costs import billed
from flows.explaining.resources import explain_resource
from flows.explaining.told import SHOWN, Told, amounts, behind, charge_lines, reasons, said_by, stale
from flows.plain_data import plain_rows
from flows.running import rollup_of
from schemas.faults import Fault, InputError, suggest
from schemas.money import known_sum
from schemas.words import counted
from schemas.workspace import Workspace

Cell = Mapping[str, Sequence[str]]
"""Column -> values of which a cost has one; a blank value stands for none."""

_COLUMNS = {"service": "ServiceName", "sku": "SkuMeter", "category": "ChargeCategory"}
ALSO = (
    "source", "cost_element", "elasticity", "ServiceName", "SkuMeter", "ChargeCategory", "ResourceId", "bill_id",
    "BillingCurrency",
)  # fmt: skip
"""Columns of costs that a figure may name, beside the dimensions."""


def explain_figure(workspace: Workspace, cell: Cell, period: Period | None, heading: str = "") -> Told:
    """What a sum of costs is made of.

    Args:
        workspace: whose published file.
        cell: dimensions, cost_element, service, source and the like.
        period: days of usage; None for all.
        heading: a line to begin with.

    Raises:
        InputError: nothing is published, a column is unknown, or no cost is there.
    """
    rules = read_rules(workspace.rules)
    with read_published(workspace.store) as published:
        where, params = condition_of(published, cell, period)
        rows = published.frame(f"SELECT * FROM costs WHERE {where}", params)  # noqa: S608 - columns that are known
        what = _called(cell, period)
        if rows.is_empty():
            hint = "Months and days are those of usage; values are written as in costs."
            raise InputError(Fault("explain", f"no cost of {what}", hint=hint))
        things = _things(rows)
        first = rows.filter(pl.col("cost_id").is_in(things.get_column("cost_id").implode()))
        charges = behind(published, billed(published, first), rollup_of(workspace))
    named = next(iter([name for name in cell if f"{name}_method" in rows.columns]), "project")
    sums, given = _sums(rows, ["BillingCurrency"]), _sums(rows, ["BillingCurrency", f"{named}_method", f"{named}_rule"])
    known = reasons(rules)
    versions = rows.get_column("rules_version").unique().to_list()
    lines = [*([heading, ""] if heading else []), *stale(versions, rules, "reasons are those of today.")]
    lines += [f"{what}: {amounts(one)}, of {counted(one['rows'], 'cost')}" for one in sums.iter_rows(named=True)]
    lines.append(f"  who says that it is {named} {' or '.join(cell.get(named, ()))}:".replace(" :", ":"))
    lines += [f"    {amounts(one)}  {said_by(one, named, known)}" for one in given.iter_rows(named=True)]
    lines.append("  what costs most, each with its dearest row (see attribution explain --cost):")
    lines += [
        f"    {one['ServiceName']}  {one['ResourceId'] or ''}  {amounts(one)}  {one['cost_id']}"
        for one in things.iter_rows(named=True)
    ]
    bottom = ["", "Of the dearest rows, down to the bill:", *charge_lines(charges)[1:]]
    data = {
        "cell": {name: values[0] if len(values) == 1 else list(values) for name, values in cell.items()},
        "month": period.first if period and period.is_month else None,
        "days": f"{period.first}..{period.last}" if period else None,
        "rules_versions": versions, "sums": plain_rows(sums), "by_rule": plain_rows(given),
        "things": plain_rows(things), "charges": plain_rows(charges),
    }  # fmt: skip
    return Told((*lines, *bottom), data)


def _called(cell: Cell, period: Period | None) -> str:
    """A figure's name: its cell, and the month or days."""
    said = {name: " or ".join(value or "(none)" for value in values) for name, values in cell.items()}
    what = ", ".join(f"{name}={value}" for name, value in said.items())
    if period is None:
        return what
    days = f"in {period.first:%Y-%m}" if period.is_month else f"from {period.first} to {period.last}"
    return f"{what} {days}".lstrip()


def condition_of(published: Published, cell: Cell, period: Period | None) -> tuple[str, list[Any]]:
    """SQL that holds for the costs of a figure, with the values of its `?`.

    Raises:
        InputError: a column is unknown.
    """
    known = (*published.dimensions(), *ALSO, *_COLUMNS)
    conditions = ["true"]
    params: list[Any] = []
    for name, values in cell.items():
        if name not in known:
            raise InputError(Fault("explain", f'unknown column "{name}"', ", ".join(known), suggest(name, known)))
        conditions.append(f"list_contains(?, coalesce(\"{_COLUMNS.get(name, name)}\", ''))")
        params.append(list(values))
    if period is not None:
        conditions.append("usage_date BETWEEN ? AND ?")
        params += [period.first, period.last]
    return " AND ".join(conditions), params


def _sums(rows: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    return (
        rows.group_by(key)
        .agg(pl.len().alias("rows"), known_sum("BilledCost"), known_sum("EffectiveCost"))
        .sort(pl.col("EffectiveCost").abs(), *key, descending=[True, *[False] * len(key)], nulls_last=True)
    )


def _things(rows: pl.DataFrame) -> pl.DataFrame:
    """What was paid for, the dearest first: services and resources, each with the cost_id of its largest row."""
    by_size = rows.sort(pl.col("EffectiveCost").abs(), "cost_id", descending=[True, False], nulls_last=True)
    key = ["ServiceName", "ResourceId", "BillingCurrency"]
    summed = by_size.group_by(key, maintain_order=True).agg(
        known_sum("BilledCost"), known_sum("EffectiveCost"), pl.col("cost_id").first()
    )
    return summed.sort(pl.col("EffectiveCost").abs(), *key, descending=[True, *[False] * 3], nulls_last=True).head(
        SHOWN
    )


def explain_finding(workspace: Workspace, name: str) -> Told:
    """What a finding rests on: its sentence, then its subject's figure or resource in its month.

    Args:
        workspace: whose published file.
        name: the fingerprint, or the beginning of one that is no other's.

    Raises:
        InputError: nothing is published, no or several findings are called so, or it has no cost.
    """
    with read_published(workspace.store) as published:
        found = published.frame("SELECT * FROM findings WHERE starts_with(fingerprint, ?) ORDER BY 1", [name])
        if found.height != 1:
            what = f'no finding "{name}"' if found.is_empty() else f'"{name}" begins several findings'
            hint = "Take the fingerprint from: attribution sql 'SELECT fingerprint, kind, subject FROM findings'."
            raise InputError(Fault("explain", what, ", ".join(found.get_column("fingerprint").head(4)), hint))
        row = found.row(0, named=True)
        dimensions = published.dimensions()
        billed_so = published.frame("SELECT 1 FROM costs WHERE ResourceId = ? LIMIT 1", [row["subject"]]).height
    heading = f"{row['kind']} {row['subject']} ({row['fingerprint']}, {row['state']}): {row['evidence']}"
    cell = _cell(row["subject"], dimensions)
    if cell:
        told = explain_figure(workspace, cell, month_of(row["month"]) if row["month"] else None, heading)
    elif billed_so:
        told = explain_resource(workspace, row["subject"], row["month"])
        told = Told((heading, "", *told.lines), told.data)
    else:
        told = Told((heading, "  no cost of its own lies behind it"), {})
    return Told(told.lines, {"finding": plain_rows(found)[0]} | told.data)


def _cell(subject: str, dimensions: Sequence[str]) -> Cell:
    """`project=atlas stage=sft` as columns and values; values may hold blanks, names do not."""
    names = "|".join(map(re.escape, (*dimensions, *ALSO, *_COLUMNS)))
    at = list(re.finditer(rf"(?:^|\s)({names})=", subject))
    if not at or at[0].start() != 0:
        return {}
    ends = [*(one.start() for one in at[1:]), len(subject)]
    return {one[1]: (subject[one.end() : end].strip(),) for one, end in zip(at, ends, strict=True)}
