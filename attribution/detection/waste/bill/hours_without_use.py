"""What is paid by the hour and used by nothing: one way of judging for gateways and balancers."""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.detector import Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import day


def judge_hours(
    estate: Estate, at: Thresholds, *, what: str, hours: tuple[str, ...], use: tuple[str, ...], used: str
) -> pl.DataFrame:
    """Judge resources that some families bill by the hour, by whether others bill their use.

    Confidence is high where the same source bills the use of another resource, so that its absence says something.

    Args:
        estate: everything known.
        at: thresholds, of which `min_age_days` is asked.
        what: the kind of resource, as evidence names it.
        hours: families that are paid by the hour.
        use: families that only use makes.
        used: what is missing, in words.
    """
    rows = estate.using(estate.metered(*hours), *use)
    sources = estate.billed.join(estate.metered(*use).select("key", "BillingCurrency"), on=["key", "BillingCurrency"])
    elsewhere = sources.select("source", pl.lit(value=True).alias("tells_use")).unique()
    age = (pl.col("last_mark") - pl.col("metered_since")).dt.total_days() + 1
    old = (age >= at["min_age_days"]).fill_null(value=False)
    return judged(
        rows.join(elsewhere, on="source", how="left"),
        at,
        waste=old & ~pl.col("uses"),
        evidence=pl.format(
            "{} billed by the hour on {} days from {} to {}, without any {}; {}",
            pl.lit(what),
            "metered_days",
            day("month"),
            day("last_mark"),
            pl.lit(used),
            "told_cost",
        ),
        confidence=pl.when(pl.col("tells_use")).then(pl.lit("high")).otherwise(pl.lit("medium")),
        doubt=pl.lit("the bill does not tell how much it is used, or leaves a meter blank"),
    )
