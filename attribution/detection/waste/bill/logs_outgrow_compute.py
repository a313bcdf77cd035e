"""Logs and metrics whose cost grows faster than the machines that write them."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.bill.months import by_month
from attribution.detection.waste.detector import NO, UNKNOWN, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.standing import part
from attribution.detection.waste.telling import money, month, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Projects, by the cost of observability against that of compute, the last complete month to the one before."""
    usage = estate.meters.filter(pl.col("ChargeCategory") == "Usage")
    logs = by_month(estate, usage.filter(pl.col("cost_element") == "observability"), ["project"], months=1)
    work = by_month(estate, usage.filter(pl.col("cost_element") == "compute"), ["project"], months=1)
    on = ["project", "BillingCurrency", "source_group"]
    beside = work.select(*on, work_stake="stake", work_base="base", work_untold="untold")
    rows = logs.join(beside, on=on, how="left").with_columns(
        pl.format("project={}", "project").alias("subject"), pl.format("project={} logs", "project").alias("key")
    )
    rows = rows.with_columns(_ratio().alias("work_ratio"))
    # What the logs would cost, had they grown with the machines: never less than before.
    rows = rows.with_columns(part("base", pl.max_horizontal("work_ratio", pl.lit(1.0))).alias("fair"))
    beyond = pl.col("ratio") >= pl.max_horizontal(pl.col("work_ratio"), pl.lit(1.0)) * (1 + at["threshold"])
    more = pl.col("increase") >= at.money("minimum_increase")
    text = "Logs and metrics cost {} {} in {}, {} times as much as in {}, while compute went {} times"
    return judged(
        rows,
        at,
        waste=pl.when(pl.col("base").is_null() | (pl.col("base") <= 0))
        .then(NO)
        .when(pl.col("work_ratio").is_null() | pl.col("untold") | pl.col("work_untold"))
        .then(UNKNOWN)
        .otherwise(beyond & more),
        evidence=pl.format(
            text,
            money("stake").fill_null("an unknown amount of"),
            "BillingCurrency",
            month("month"),
            number("ratio", 2).fill_null("an unknown number of"),
            "base_months",
            number("work_ratio", 2).fill_null("an unknown number of"),
        ),
        confidence="medium",
        saving=pl.col("stake") - pl.col("fair"),
        doubt=pl.when(pl.col("work_ratio").is_null())
        .then(pl.lit("the project has no compute to set its logs against"))
        .otherwise(pl.lit("a part of the cost is unknown")),
    )


def _ratio() -> pl.Expr:
    before = pl.col("work_base").cast(pl.Float64)
    return pl.when(before > 0).then(pl.col("work_stake").cast(pl.Float64) / before)


DETECTOR = Detector(
    name="logs_outgrow_compute",
    title="Logs and metrics that outgrow compute",
    tier="bill",
    needs=("costs.cost_element",),
    thresholds={"threshold": Decimal("0.30"), "minimum_increase": Decimal(100)},
    meaning="In the last complete month a project's logs and metrics grew by 100 or more, and by 30 % more than its "
    "compute did. What is above the growth of compute is the saving.",
    source="House rule; debug logging left on, or a metric with a label a step, is the usual cause.",
    action="Lower the log level, drop labels that differ a step, sample, shorten retention.",
    risk="The line that would explain the next failure may be the one that is dropped.",
    rollback="Put the level back; what was not written is lost.",
    judge=judge,
)
