"""Long runs that log as if somebody were looking for a fault: logs cost, and slow the run down.

The surprise: `log_level` is a column of runs that nobody needs to have, so most workspaces lack it.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.prices import by_experiment
from attribution.detection.waste.runs import costed_runs, lately
from attribution.detection.waste.telling import money, month
from schemas.money import known_sum

_WORDS = ("debug", "trace", "verbose", "all", "10", "5")


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Long runs; at stake is what their experiment paid for logs and metrics, without which no blank level is told."""
    logs = (
        estate.meters.filter(
            (pl.col("cost_element") == "observability") & (pl.col("month") == pl.col("last_complete_month"))
        )
        .group_by(by_experiment().alias("word"), "BillingCurrency")
        .agg(known_sum("EffectiveCost").alias("logs"))
    )
    rows = (
        costed_runs(estate)
        .with_columns(pl.col("log_level").is_not_null().any().over("project").alias("levels"))
        .filter((pl.col("days") * 24 >= at["hours"]) & lately(estate, at))
        .join(logs, on=["word", "BillingCurrency"], how="left")
        .filter(pl.col("log_level").is_not_null() | (pl.col("levels") & pl.col("logs").is_not_null()))
        .with_columns(pl.col("logs").alias("stake"))
    )
    cost = pl.format("{} {} in {}", money("logs"), "BillingCurrency", month("month")).fill_null("unknown")
    return judged(
        rows,
        at,
        waste=pl.col("log_level").str.strip_chars().str.to_lowercase().is_in(_WORDS),
        evidence=pl.format(
            "Logs at level {} over {} days; what its experiment pays for logs and metrics: {}",
            pl.col("log_level").fill_null("unknown"),
            pl.col("days").round(1),
            cost,
        ),
        doubt=pl.lit("the runs tell no log_level of it"),
    )


DETECTOR = Detector(
    name="debug_logging",
    title="Debug logging in a long run",
    tier="training",
    needs=("runs.log_level",),
    thresholds={"hours": Decimal(24), "window_days": Decimal(31)},
    meaning="A run of 24 hours or longer, going on or ended in the last 31 days, logs at the level debug, trace or "
    "verbose by the optional column log_level of runs. The cost is what its experiment paid for logs and metrics in "
    "the last complete month, and is not the run's. A run without a level is undetermined where its experiment paid "
    "for logs and other runs of its project tell a level; else nothing is said of it.",
    source="House rule.",
    action="Set the level to info at the next restart.",
    risk="Whoever looks for a fault may need it.",
    rollback="Set the level back.",
    judge=judge,
    wasted=False,
)
