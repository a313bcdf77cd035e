"""Why a resource's money is whose it is: all that was said, what won, and where splits moved it.

Only the resource and what it hangs on are resolved anew; shares are taken from the provenance that is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import polars as pl

from attribution.allocation import Share, explain, related
from attribution.ledger import Published, read_published
from flows.explaining.costs import shares_anew
from flows.explaining.told import Told, charge_lines, charges, reasons, stale
from flows.people import with_teams
from flows.plain_data import plain_rows
from flows.running import rollup_of
from flows.steps import read_stated
from schemas.faults import Fault, InputError
from schemas.money import known_sum
from schemas.workspace import Workspace


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
    with read_published(workspace.store) as published, published.rolled_up(rollup) as billed:
        subjects = billed.subjects
        if not subjects.filter(pl.col("ResourceId") == resource).height:
            hint = (
                "It must be written as billed: SELECT DISTINCT ResourceId FROM costs. A figure is asked for with "
                "--where, for example --where project=NAME."
            )
            raise InputError(Fault("explain", f'no charge has the ResourceId "{resource}"', hint=hint))
        inputs = stated.inputs
        rules = with_teams(stated.rules, inputs.people)
        mine = subjects.filter(pl.col("ResourceId").is_in(related(resource, subjects, inputs.resources)))
        told = explain(
            resource,
            month,
            subjects=mine,
            lines=billed.lines.join(mine.select("subject_id"), on="subject_id", how="semi"),
            tags=inputs.tags,
            resources=inputs.resources,
            rules=rules,
        )
        shares, versions = shares_stored(published, resource, month)
        told = replace(told, shares=shares)
        asked = pl.lit(value=True) if month is None else rollup.day().dt.month_start() == month
        found = charges(published, "ResourceId = ?", [resource], asked)
    older = stale(versions, stated.rules, "answers are those of the next run, shares those of the last one.")
    lines = told.as_lines(reasons(rules))
    return Told((*older, *lines, *charge_lines(found)), told.as_dict() | {"charges": plain_rows(found)})


def shares_stored(
    published: Published, resource: str, month: date | None
) -> tuple[tuple[Share, ...], list[str | None]]:
    """Where splits moved the money of a resource, by receiver, and the versions of the rules that its costs are of."""
    own = """
        SELECT DISTINCT f.subject_id, f.usage_date, f.allocation_id, a.rules_version
        FROM book.cost_facts AS f JOIN book.subjects AS s USING (subject_id) JOIN book.allocations AS a
        USING (allocation_id)
        WHERE s.ResourceId = $resource AND ($month IS NULL OR date_trunc('month', f.usage_date) = $month)
    """
    asked = {"resource": resource, "month": month}
    versions = published.frame(f"SELECT DISTINCT rules_version FROM ({own})", asked)  # noqa: S608 - text of our own
    lineage = published.frame(
        f"""
        WITH own AS ({own}), pools AS (
            SELECT DISTINCT p.split, p.pool_subject_id AS subject_id, p.usage_date,
                p.allocation_id AS pool_allocation_id
            FROM split_pools AS p JOIN own USING (subject_id, usage_date, allocation_id)
            UNION
            SELECT DISTINCT l.split, l.subject_id, l.usage_date, l.pool_allocation_id
            FROM split_lineage AS l JOIN own ON own.subject_id = l.subject_id AND own.usage_date = l.usage_date
                AND own.allocation_id = l.pool_allocation_id
        )
        SELECT l.* FROM split_lineage AS l JOIN pools USING (split, subject_id, usage_date, pool_allocation_id)
        """,  # noqa: S608 - text of our own
        asked,
    )
    if lineage.is_empty():
        return (), versions.to_series().to_list()
    rows = shares_anew(lineage)
    who = published.frame("SELECT * FROM book.allocations").rename({"allocation_id": "receiver_allocation_id"})
    names = published.dimensions()
    currency = published.frame("SELECT subject_id, BillingCurrency FROM book.subjects")
    rows = rows.join(who, on="receiver_allocation_id", how="left").join(currency, on="subject_id", how="left")
    return _by_receiver(rows, names), versions.to_series().to_list()


def _by_receiver(rows: pl.DataFrame, names: Sequence[str]) -> tuple[Share, ...]:
    """Shares summed by split and receiver; of nodes divided by the hour only sums say something to a reader."""
    hourly = pl.col("hour").is_not_null()
    rows = rows.with_columns(
        pl.when(hourly).then(pl.lit("its use")).otherwise("weight").alias("weight"),
        pl.when(hourly).then(pl.lit("that of all, hour by hour")).otherwise("total_weight").alias("total_weight"),
    )
    moved = [pl.when(pl.col(f"{name}_rule") == pl.col("split")).then(name).alias(name) for name in names]
    key = ["split", "BillingCurrency", *names, "weight", "total_weight"]
    summed = rows.with_columns(moved).group_by(key).agg(known_sum("EffectiveCost"), known_sum("share")).sort(key)
    return tuple(
        Share(
            row["split"],
            {name: row[name] for name in names if row[name] is not None},
            row["weight"],
            row["total_weight"],
            row["BillingCurrency"],
            row["EffectiveCost"],
            row["share"],
        )
        for row in summed.iter_rows(named=True)
    )
