"""Jobs with what they cost and whose they are: a job's share of each node it ran on, at the node's billed rate."""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.estate import Estate, once
from attribution.detection.waste.kinds import folded_word
from attribution.detection.waste.prices import by_node, payers, priced
from attribution.detection.waste.runs import told_cost
from schemas.dimensions import NOBODY, UNALLOCATED
from schemas.money import known_sum
from schemas.resource_ids import folded

LOST = ("FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "CANCELLED", "PREEMPTED", "BOOT_FAIL", "DEADLINE")


@once
def placed_jobs(estate: Estate) -> pl.LazyFrame:
    """One job x node: its columns, `node` (the key), `until` (its end, or now), `outcome` (the state in one word)."""
    jobs = estate.inputs.jobs
    if jobs is None:
        message = "a detector that needs jobs was run without them"
        raise TypeError(message)
    return jobs.lazy().with_columns(
        folded(pl.col("resource_id")).alias("node"),
        pl.col("end").fill_null(pl.lit(estate.as_of)).alias("until"),
        pl.col("state").str.to_uppercase().str.extract(r"^([A-Z_]+)").alias("outcome"),
    )


@once
def costed_jobs(estate: Estate) -> pl.LazyFrame:
    """One job x currency.

    Returns:
        `job_id`, `submit`, `start`, `end`, `until`, `outcome`, `name`, `user`, `partition`, `nodes`, `gpu_hours`,
        `word` (its experiment, folded), `key`, `subject`, `BillingCurrency`, `stake`, `month`, `told`, every dimension
        as the job says it, else as its nodes' costs have it.
    """
    rows = placed_jobs(estate)
    spans = rows.select(
        id=pl.concat_str("job_id", "node", separator="\x1f"), payer="node", start="start", end="until", gpus="gpus"
    )
    parts = priced(spans, payers(estate, by_node())).with_columns(
        pl.col("id").str.split("\x1f").list.first().alias("job_id")
    )
    costs = parts.group_by("job_id", "BillingCurrency").agg(known_sum("stake"))
    jobs = _one_each(rows)
    nodes = estate.billed.select(
        *(pl.col(name).alias(f"node_{name}") for name in estate.dimensions), "month", node="key"
    )
    whose = nodes.unique("node", keep="first", maintain_order=True)
    joined = (
        jobs.with_columns(pl.col("on").list.first().alias("node"))
        .join(costs, on="job_id", how="left")
        .join(whose, on="node", how="left")
    )
    filled = [
        (pl.col(name) if name in _STATED else pl.lit(None, pl.String)).fill_null(_somebody(f"node_{name}")).alias(name)
        for name in estate.dimensions
    ]
    return (
        joined.with_columns(*filled)
        .pipe(estate.with_dimensions)
        .with_columns(
            pl.format("job {}", "job_id").alias("key"),
            pl.col("job_id").alias("subject"),
            folded_word("experiment").alias("word"),
            told_cost("gpu_hours"),
        )
    )


_STATED = ("project", "stage", "experiment", "owner")


def _one_each(rows: pl.LazyFrame) -> pl.LazyFrame:
    """One job of all its nodes; whose it is as its own columns say, else as Slurm names account, job and user."""
    hours = (pl.col("until") - pl.col("start")).dt.total_seconds() / 3600 * pl.col("gpus")
    return (
        rows.with_columns(hours.alias("gpu_hours"))
        .group_by("job_id")
        .agg(
            pl.col("submit", "start").min(),
            pl.col("end", "until").max(),
            pl.col("outcome", "name", "user", "partition").drop_nulls().first(),
            pl.coalesce("project", "account").drop_nulls().first().alias("project"),
            pl.coalesce("experiment", "name").drop_nulls().first().alias("experiment"),
            pl.coalesce("owner", "user").drop_nulls().first().alias("owner"),
            pl.col("stage").drop_nulls().first(),
            pl.col("node").unique().sort().alias("on"),
            pl.col("node").n_unique().alias("nodes"),
            pl.col("gpu_hours").sum(),
        )
    )


def _somebody(name: str) -> pl.Expr:
    return pl.when(~pl.col(name).is_in(NOBODY)).then(pl.col(name)).otherwise(pl.lit(UNALLOCATED))


def known_until(estate: Estate) -> pl.LazyFrame:
    """One row: `through`, the last instant that the list of jobs tells anything of."""
    return placed_jobs(estate).select(
        pl.max_horizontal(pl.col("start").max(), pl.col("end").max(), pl.col("submit").max()).alias("through")
    )
