"""From a figure down: a cell of a report, an experiment, a finding; who gave it, by which rule, from which charges."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import polars as pl

from attribution.ledger import Published, read_published
from attribution.reports.figures import count
from attribution.rules import read_rules
from flows.explaining.costs import billed
from flows.explaining.resources import explain_resource
from flows.explaining.told import SHOWN, Told, amounts, because, behind, charge_lines, reasons, stale
from flows.questions import plain_rows
from flows.running import rollup_of
from schemas.faults import Fault, InputError, suggest
from schemas.money import known_sum
from schemas.workspace import Workspace

_COLUMNS = {"service": "ServiceName", "sku": "SkuMeter", "category": "ChargeCategory"}
_ALSO = ("source", "cost_element", "elasticity", "ServiceName", "SkuMeter", "ChargeCategory", "ResourceId", "bill_id")


def explain_figure(workspace: Workspace, cell: dict[str, str], month: date | None, heading: str = "") -> Told:
    """What a sum of costs is made of.

    Args:
        workspace: whose published file.
        cell: column -> value: dimensions, cost_element, service, source.
        month: first day of a month of usage; None for all.
        heading: a line to begin with.

    Raises:
        InputError: nothing is published, a column is unknown, or no cost is there.
    """
    rules = read_rules(workspace.rules)
    with read_published(workspace.store) as published:
        where, params = _asked(published, cell, month)
        rows = published.frame(f"SELECT * FROM costs WHERE {where}", params)  # noqa: S608 - columns that are known
        what = ", ".join(f"{name}={value}" for name, value in cell.items())
        what += f" in {month:%Y-%m}" if month else ""
        if rows.is_empty():
            hint = "Months are those of usage; values are written as in costs."
            raise InputError(Fault("explain", f"no cost of {what}", hint=hint))
        things = _things(rows)
        first = rows.filter(pl.col("cost_id").is_in(things.get_column("cost_id").implode()))
        charges = behind(published, billed(published, first), rollup_of(workspace))
    named = next(iter([name for name in cell if f"{name}_method" in rows.columns]), "project")
    sums, given = _sums(rows, ["BillingCurrency"]), _sums(rows, ["BillingCurrency", f"{named}_method", f"{named}_rule"])
    known = reasons(rules)
    versions = rows.get_column("rules_version").unique().to_list()
    lines = [*([heading, ""] if heading else []), *stale(versions, rules, "reasons are those of today.")]
    lines += [f"{what}: {amounts(one)}, of {count(one['rows'], 'cost')}" for one in sums.iter_rows(named=True)]
    lines.append(f"  who says that it is {named} {cell.get(named, '')}:".replace(" :", ":"))
    lines += [
        f"    {amounts(one)}  {one[f'{named}_method']}: {one[f'{named}_rule'] or 'nobody said anything'}"
        f"{because(one[f'{named}_rule'], known)}"
        for one in given.iter_rows(named=True)
    ]
    lines.append("  what costs most, each with its dearest row (see attribution explain --cost):")
    lines += [
        f"    {one['ServiceName']}  {one['ResourceId'] or ''}  {amounts(one)}  {one['cost_id']}"
        for one in things.iter_rows(named=True)
    ]
    bottom = ["", "Of the dearest rows, down to the bill:", *charge_lines(charges)[1:]]
    data = {
        "cell": cell, "month": month, "rules_versions": versions, "sums": plain_rows(sums),
        "by_rule": plain_rows(given), "things": plain_rows(things), "charges": plain_rows(charges),
    }  # fmt: skip
    return Told((*lines, *bottom), data)


def _asked(published: Published, cell: dict[str, str], month: date | None) -> tuple[str, list[Any]]:
    columns = published.frame("SELECT column_name FROM (DESCRIBE costs)").to_series().to_list()
    dimensions = [name for name in columns if f"{name}_method" in columns]
    known = (*dimensions, *_ALSO, *_COLUMNS)
    conditions = ["true"]
    params: list[Any] = []
    for name, value in cell.items():
        if name not in known:
            raise InputError(Fault("explain", f'unknown column "{name}"', ", ".join(known), suggest(name, known)))
        conditions.append(f'"{_COLUMNS.get(name, name)}" = ?')
        params.append(value)
    if month is not None:
        conditions.append("date_trunc('month', usage_date) = ?")
        params.append(month)
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
        dimensions = published.frame("SELECT column_name FROM (DESCRIBE costs)").to_series().to_list()
        billed_so = published.frame("SELECT 1 FROM costs WHERE ResourceId = ? LIMIT 1", [row["subject"]]).height
    heading = f"{row['kind']} {row['subject']} ({row['fingerprint']}, {row['state']}): {row['evidence']}"
    cell = _cell(row["subject"], [name for name in dimensions if f"{name}_method" in dimensions])
    if cell:
        told = explain_figure(workspace, cell, row["month"], heading)
    elif billed_so:
        told = explain_resource(workspace, row["subject"], row["month"])
        told = Told((heading, "", *told.lines), told.data)
    else:
        told = Told((heading, "  no cost of its own lies behind it"), {})
    return Told(told.lines, {"finding": plain_rows(found)[0]} | told.data)


def _cell(subject: str, dimensions: list[str]) -> dict[str, str]:
    """`project=atlas stage=sft` as columns and values; values may hold blanks, names do not."""
    names = "|".join(map(re.escape, (*dimensions, *_ALSO, *_COLUMNS)))
    at = list(re.finditer(rf"(?:^|\s)({names})=", subject))
    if not at or at[0].start() != 0:
        return {}
    ends = [*(one.start() for one in at[1:]), len(subject)]
    return {one[1]: subject[one.end() : end].strip() for one, end in zip(at, ends, strict=True)}
