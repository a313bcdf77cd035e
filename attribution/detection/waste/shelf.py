"""Checkpoints on the shelf: which of them retention keeps, and what each costs a month.

The surprise: a checkpoint's cost is its share of all checkpoint bytes of its bucket, whatever else lies there.
"""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.detector import Thresholds
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.runs import costed_runs
from attribution.detection.waste.telling import money, month, number
from schemas.inputs import RUN_COLUMNS
from schemas.money import MONEY
from schemas.resource_ids import folded

LESS_IS_BETTER = r"(?i)loss|perplexity|\bppl\b|error|\bwer\b|\bbpb\b"


def shelved(estate: Estate, at: Thresholds) -> pl.LazyFrame:
    """One checkpoint x currency of its bucket.

    Args:
        estate: everything known.
        at: thresholds, of which `keep_last` and `keep_best` are asked.

    Returns:
        The columns of checkpoints, those of its run (`status`, `metric`), `kept` (by retention), `cost` of the last
        complete month (null: unknown), `store` (the bucket's key), `month`, and every dimension.
    """
    checkpoints = estate.inputs.checkpoints
    if checkpoints is None:
        message = "a detector that needs checkpoints was run without them"
        raise TypeError(message)
    told = ["run_id", "status", "metric", *estate.dimensions]
    none = pl.LazyFrame(schema={**RUN_COLUMNS, **dict.fromkeys(told, pl.String)}).select(told)
    runs = none if estate.inputs.runs is None else costed_runs(estate).unique("run_id").select(told)
    rows = (
        checkpoints.lazy()
        .rename({"experiment": "of_experiment"})
        .with_columns(folded(pl.col("resource_id")).alias("store"), pl.col("run_id").fill_null("").alias("of_run"))
        .join(runs, on="run_id", how="left")
        .with_columns(pl.col("experiment").fill_null(pl.col("of_experiment")))
        .pipe(estate.with_dimensions)
    )
    bucket = estate.billed.select("BillingCurrency", "stake", "month", "recent", store="key")
    total = pl.col("size_bytes").cast(pl.Int128).sum().over("store", "BillingCurrency")
    cost = pl.when(total > 0).then(
        pl.col("stake").to_physical().cast(pl.Int128) * pl.col("size_bytes").cast(pl.Int128) // total
    )
    return (
        _kept(rows, at).join(bucket, on="store", how="left").with_columns(cost.reinterpret(dtype=MONEY).alias("cost"))
    )


def _kept(rows: pl.LazyFrame, at: Thresholds) -> pl.LazyFrame:
    """Mark what is kept per run: the last by step, the best by its metric, and what is pinned.

    Where the metric has no name, the least and the greatest values are both kept.
    """
    group = ["of_experiment", "of_run"]
    newest = pl.col("step").rank("ordinal", descending=True).over(group)
    low = pl.col("metric_value").rank("ordinal").over(group)
    high = pl.col("metric_value").rank("ordinal", descending=True).over(group)
    less = pl.col("metric").str.contains(LESS_IS_BETTER)
    best = (less.fill_null(value=True) & (low <= at["keep_best"])) | (
        ~less.fill_null(value=False) & (high <= at["keep_best"])
    )
    kept = (newest <= at["keep_last"]) | best.fill_null(value=False) | pl.col("pinned").fill_null(value=False)
    return rows.sort(*group, "step", "uri").with_columns(kept.alias("kept"))


def by_run(rows: pl.LazyFrame, estate: Estate, over: pl.Expr) -> pl.LazyFrame:
    """Sum checkpoints to one run x bucket x currency.

    Args:
        rows: as `shelved` gives them.
        estate: everything known.
        over: which checkpoints are too many.

    Returns:
        `count` and `over`, `over_bytes`, `stake` (of those too many; of all where none is), `subject` the run, `key`,
        `within` the bucket, `held` (bytes and money in words), and every dimension.
    """
    group = ["of_experiment", "of_run", "store", "BillingCurrency"]
    whole = pl.col("cost").to_physical().cast(pl.Int128)
    return (
        rows.with_columns(over.fill_null(value=False).alias("over"))
        .group_by(group)
        .agg(
            pl.len().alias("count"),
            pl.col("over").sum().alias("too_many"),
            pl.col("size_bytes").filter("over").sum().alias("over_bytes"),
            pl.when(~pl.col("cost").is_null().any())
            .then(pl.when(pl.col("over").any()).then(whole.filter("over").sum()).otherwise(whole.sum()))
            .alias("stake"),
            pl.col("month", "recent", "resource_id", "status", *estate.dimensions).first(),
        )
        .with_columns(
            pl.col("stake").cast(pl.Int128).reinterpret(dtype=MONEY),
            pl.when(pl.col("of_run") != "").then("of_run").otherwise("of_experiment").alias("subject"),
        )
        .with_columns(
            pl.format("checkpoints of {} in {}", "subject", pl.col("store").fill_null("")).alias("key"),
            pl.col("store").alias("within"),
        )
        .with_columns(
            pl.format(
                "{} GB in {}, {} in {}",
                number(pl.col("over_bytes") / 1e9, 1),
                pl.col("resource_id").fill_null("an untold place"),
                pl.format("{} {}", money("stake"), "BillingCurrency").fill_null("cost unknown"),
                month("month").fill_null("the last month"),
            ).alias("held")
        )
    )
