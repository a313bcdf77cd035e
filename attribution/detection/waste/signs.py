"""Signs that a machine works, from inputs that a workspace may or may not have: jobs on it, and its metrics."""

from __future__ import annotations

from datetime import date

import polars as pl

from attribution.detection.waste.estate import Estate
from schemas.resource_ids import folded

_SATURDAY = 6


def first_month(estate: Estate) -> date | None:
    """The earliest of the sources' last complete months: where windows begin."""
    first: date | None = estate.marks.select(pl.col("last_complete_month").min()).collect().item()
    return first


def with_jobs(estate: Estate) -> pl.LazyFrame:
    """Machines (`key`) that a job ran on since then, by the machine's id or its name: `worked`."""
    jobs = estate.inputs.jobs
    if jobs is None:
        return pl.LazyFrame(schema={"key": pl.String, "worked": pl.Boolean})
    ran = jobs.lazy().filter(pl.col("end").is_null() | (pl.col("end").dt.date() >= first_month(estate)))
    nodes = ran.select(folded(pl.col("resource_id")).alias("node"), pl.lit(value=True).alias("worked")).unique("node")
    by_id = nodes.rename({"node": "key"})
    if estate.inputs.resources is None:
        return by_id
    by_name = estate.listed.select("key", "name").join(nodes.rename({"node": "name"}), on="name").drop("name")
    return pl.concat([by_id, by_name]).unique("key")


def with_load(estate: Estate, percent: float, *, weekends: bool = False) -> pl.LazyFrame:
    """Machines (`key`) whose metrics reached a percentage on some day since then, or some weekend: `busy`."""
    utilization = estate.inputs.utilization
    if utilization is None:
        return pl.LazyFrame(schema={"key": pl.String, "busy": pl.Boolean})
    works = pl.col("metric").is_in(["gpu_percent", "cpu_percent", "gpu_memory_percent"])
    rows = utilization.lazy().filter(works & (pl.col("average") >= percent) & (pl.col("date") >= first_month(estate)))
    if weekends:
        rows = rows.filter(pl.col("date").dt.weekday() >= _SATURDAY)
    return rows.select(folded(pl.col("resource_id")).alias("key"), pl.lit(value=True).alias("busy")).unique("key")


def gpu_metrics(estate: Estate) -> pl.LazyFrame:
    """Machines (`key`) whose GPUs were measured on some day since then: `gpu_measured`."""
    utilization = estate.inputs.utilization
    if utilization is None:
        return pl.LazyFrame(schema={"key": pl.String, "gpu_measured": pl.Boolean})
    rows = utilization.lazy().filter((pl.col("metric") == "gpu_percent") & (pl.col("date") >= first_month(estate)))
    told = pl.lit(value=True).alias("gpu_measured")
    return rows.select(folded(pl.col("resource_id")).alias("key"), told).unique("key")
