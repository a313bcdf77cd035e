"""Whether the next smaller size would do: by peaks scaled to it, and at the rates that the bills have."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, YES, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import MACHINES
from attribution.detection.waste.machines import GPU, has_gpus
from attribution.detection.waste.observed import WINDOW
from attribution.detection.waste.quiet import below, sure, watched
from attribution.detection.waste.sizes import sized
from attribution.detection.waste.standing import part
from attribution.detection.waste.telling import day, number

FIT = WINDOW | {"fit_percent": Decimal(80), "idle_percent": Decimal(5)}
"""Thresholds of every detector that asks for a smaller size."""


def rightsized(estate: Estate, at: Thresholds, sorts: Collection[str], what: str, traffic: str) -> pl.DataFrame:
    """Judge things that have a smaller size; those known to be idle altogether are another detector's.

    Args:
        estate: everything known.
        at: thresholds: those of FIT, and one of the name of `traffic`.
        sorts: kinds of resources, folded.
        what: the kind in a word, for the sentence.
        traffic: the metric that shows work beside a quiet processor.
    """
    rows = (
        watched(estate, at, sorts, "cpu_percent", *GPU)
        .join(sized(estate), on=["key", "BillingCurrency"])
        .filter(pl.col("smaller").is_not_null())
        .with_columns(has_gpus().alias("gpu") if set(sorts) <= MACHINES else pl.lit(value=False).alias("gpu"))
    )
    growth = pl.col("units") / pl.col("smaller_units")
    fits = {name: _fits(name, at, growth) for name in ("cpu_percent", *GPU)}
    gpu = pl.col("gpu")
    resting = below("cpu_percent", at, "idle_percent") & below(traffic, at)
    idle = pl.when(gpu).then(below("gpu_percent", at, "idle_percent")).otherwise(resting.fill_null(value=False))
    peak = pl.when(gpu).then(_highest("gpu_percent")).otherwise(_highest("cpu_percent"))
    return judged(
        rows,
        at,
        waste=~idle & pl.when(gpu).then(fits[GPU[0]] & fits[GPU[1]]).otherwise(fits["cpu_percent"]),
        evidence=pl.format(
            "{} of size {}, {} days up to {}: at most {} % at peak; {} would do, at {} instead of {} {} an hour as "
            "billed; {}",
            pl.lit(what),
            "size",
            at["window_days"].cast(pl.Int64),
            day("window_end"),
            number(peak, 1).fill_null("unknown"),
            "smaller",
            number("smaller_rate", 4),
            number("rate", 4),
            "BillingCurrency",
            "told_cost",
        ),
        confidence=pl.when(gpu).then(sure("medium", *GPU)).otherwise(sure("medium", "cpu_percent")),
        saving=part("stake", 1 - pl.col("smaller_rate") / pl.col("rate")),
        doubt=pl.lit("its use was not measured on enough days"),
    )


def _highest(metric: str) -> pl.Expr:
    return pl.max_horizontal(metric, f"{metric}_peak")


def _fits(metric: str, at: Thresholds, growth: pl.Expr) -> pl.Expr:
    """Whether the peak, scaled to the smaller size, stays within what may be filled; null where unknown."""
    too_much = (_highest(metric) * growth > at["fit_percent"]).fill_null(value=False)
    known = pl.col(f"{metric}_days") >= at["coverage"] * at["window_days"]
    return pl.when(too_much).then(NO).when(known).then(YES)
