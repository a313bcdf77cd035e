"""Who used nodes: of each node and clock hour (or day, for measures of pods) the users and their weights.

Weights of one node and hour sum to the larger of what it has and what was used, so that overlapping jobs share.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from attribution.allocation.beside import Beside
from attribution.allocation.nodes.capacity import capacities
from attribution.allocation.nodes.hours import most_at_once, seconds_of, worked
from attribution.allocation.nodes.named import labelled, named_jobs, of, reserved_for
from attribution.rules import RuleBook, Split
from schemas.dimensions import IDLE
from schemas.inputs import NODE_STATES
from schemas.instants import INSTANT

_UNITS = pl.Int128()
_FULL = 10**12  # one GPU
_NODE_HOUR = ("resource_id", "hour")


@dataclass(frozen=True)
class Uses:
    """Uses of nodes.

    `rows`: resource_id, hour, job_id, kind, weight (whole units of 1e-12), and `of <dimension>` for each across.
    `capacity`: see `capacities`. `unbilled`: parts of jobs in hours without a charge: resource_id, hour, job_id, since,
    until, units. `jobs`: the jobs with their names.
    """

    rows: pl.DataFrame
    capacity: pl.DataFrame
    unbilled: pl.DataFrame
    jobs: pl.DataFrame


def job_uses(split: Split, hours: pl.DataFrame, nodes: pl.DataFrame, beside: Beside, book: RuleBook) -> Uses:
    """What jobs, and nobody, had of billed hours.

    Args:
        split: names the dimensions.
        hours: see `billed_hours`.
        nodes: the nodes' lines, for `capacities`.
        beside: jobs, pods, states of nodes, runs and the inventory.
        book: says where jobs name their dimensions.
    """
    jobs = named_jobs(beside, book).with_row_index("job")
    spans = hours.group_by(_NODE_HOUR).agg(pl.col("since").min().alias("from"), pl.col("until").max().alias("to"))
    ends = spans.group_by("resource_id").agg(pl.col("to").max().alias("until"))
    parts = worked(jobs, ends)
    had = seconds_of(parts, spans)
    values = [of(name) for name in split.across]
    named = had.select(*_NODE_HOUR, "job", "weight").join(jobs.select("job", "job_id", *values), on="job")
    used = named.group_by(*_NODE_HOUR, "job_id", *values).agg(pl.col("weight").sum()).filter(pl.col("weight") > 0)
    capacity = capacities(nodes, beside.resources, most_at_once(parts))
    states = reserved_for(beside.node_states, book)
    if split.idle != "owner":
        states = states.with_columns(pl.lit(IDLE).alias(one) for one in values)
    rest = _rest(spans, used, capacity, states, values)
    nobody = rest.with_columns(pl.lit(None, pl.String).alias("job_id"))
    rows = pl.concat(
        [used.with_columns(pl.lit("job").alias("kind")), nobody.select(*used.columns, "kind")], how="vertical"
    ).sort(*_NODE_HOUR, "job_id", *values, "kind", nulls_last=True)
    unbilled = parts.join(spans, on=_NODE_HOUR, how="anti").join(jobs.select("job", "job_id"), on="job")
    return Uses(rows, capacity, unbilled, jobs)


def _rest(
    spans: pl.DataFrame, used: pl.DataFrame, capacity: pl.DataFrame, states: pl.DataFrame, values: list[str]
) -> pl.DataFrame:
    """What nobody used of each hour, by why and for whom: rows (resource_id, hour, kind, values, weight)."""
    taken = used.group_by(_NODE_HOUR).agg(pl.col("weight").sum().alias("taken"))
    gpus = (pl.col("gpus").fill_null(0) * _FULL).round().cast(_UNITS)
    seconds = (pl.col("to") - pl.col("from")).dt.total_seconds().cast(_UNITS)
    all_of_it = spans.join(capacity, on="resource_id", how="left").join(taken, on=_NODE_HOUR, how="left")
    left = all_of_it.select(
        *_NODE_HOUR,
        gpus.alias("units"),
        (gpus * seconds - pl.col("taken").fill_null(0)).clip(lower_bound=0).alias("idle"),
        pl.col("taken").is_null().alias("unused"),
    )
    # Of an hour that has no GPU and no job something must be said all the same: it is idle.
    nothing = pl.col("unused") & (pl.col("idle") == 0)
    left = left.with_columns(pl.when(nothing).then(pl.lit(1, _UNITS)).otherwise("idle").alias("idle"))
    told = []
    for state in NODE_STATES:
        mine = _part_of(left, states.filter(pl.col("state") == state), spans, values)
        told.append(mine.with_columns(pl.lit(state.lower()).alias("kind")))
        gone = mine.group_by(_NODE_HOUR).agg(pl.col("weight").sum().alias("gone"))
        left = left.join(gone, on=_NODE_HOUR, how="left")
        left = left.with_columns((pl.col("idle") - pl.col("gone").fill_null(0)).alias("idle")).drop("gone")
    nobody = [pl.lit(IDLE).alias(one) for one in ("kind", *values)]
    rest = left.select(*_NODE_HOUR, *nobody, pl.col("idle").alias("weight"))
    return pl.concat([rest, *(one.select(rest.columns) for one in told)]).filter(pl.col("weight") > 0)


def _part_of(left: pl.DataFrame, states: pl.DataFrame, spans: pl.DataFrame, values: list[str]) -> pl.DataFrame:
    """What is left of hours that one state explains, by for whom; of more than that, the first names get theirs."""
    was = seconds_of(_spans_of(states, spans, values), spans)
    was = was.group_by(*_NODE_HOUR, *values).agg(pl.col("weight").sum().alias("seconds"))
    had = was.join(left, on=_NODE_HOUR).with_columns((pl.col("seconds") * pl.col("units")).alias("asked"))
    upto = had.sort(*_NODE_HOUR, *values).with_columns(pl.col("asked").cum_sum().over(_NODE_HOUR).alias("upto"))
    before = pl.min_horizontal("idle", pl.col("upto") - pl.col("asked"))
    weight = (pl.min_horizontal("idle", "upto") - before).cast(_UNITS)
    return upto.select(*_NODE_HOUR, *values, weight.alias("weight"))


def _spans_of(states: pl.DataFrame, spans: pl.DataFrame, values: list[str]) -> pl.DataFrame:
    """Times of one state, cut into hours; of times that overlap each moment counts once, for whom came first."""
    ends = spans.group_by("resource_id").agg(pl.col("to").max().alias("until"))
    known = states.join(ends, on="resource_id").with_columns(pl.coalesce("end", "until").alias("end"))
    # Who is named comes before nobody: a list without owners may tell the same reservation once more.
    unnamed = pl.sum_horizontal(pl.col(one) == IDLE for one in values).alias("unnamed")
    known = known.with_columns(unnamed).sort("resource_id", "start", "unnamed", *values, "end")
    before = pl.col("end").cum_max().shift(1).over("resource_id")
    apart = known.with_columns(pl.max_horizontal("start", before).alias("start")).with_row_index("job")
    one = apart.with_columns(pl.lit(1e-12).alias("gpus")).drop("until")
    return worked(one, ends).join(apart.select("job", *values), on="job")


def pod_uses(split: Split, usage: pl.DataFrame, book: RuleBook) -> pl.DataFrame:
    """What pods used of nodes by day, and what the export calls idle: the rows of `Uses`, `hour` a day's start."""
    mine = usage.filter(pl.col("measure") == split.measure)
    told = mine.hstack(labelled(mine, mine.get_column("usage_date"), split.across, book.dimensions))
    values = [of(name) for name in split.across]
    day = pl.col("usage_date").cast(pl.Datetime("us")).dt.replace_time_zone("UTC").cast(INSTANT)
    kind = pl.when(pl.col(values[0]) == IDLE).then(pl.lit(IDLE)).otherwise(pl.lit("job"))
    summed = told.group_by("resource_id", day.alias("hour"), *values).agg(pl.col("quantity").sum())
    weight = pl.col("quantity").to_physical().cast(_UNITS)
    rows = summed.select(
        *_NODE_HOUR, pl.lit(None, pl.String).alias("job_id"), *values, weight.alias("weight"), kind.alias("kind")
    )
    return rows.sort(*_NODE_HOUR, *values)
