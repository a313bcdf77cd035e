"""Machines for development or test that run at night and over weekends, when nobody develops."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.meters import HOURS
from attribution.detection.waste.signs import gpu_metrics, with_load
from attribution.detection.waste.telling import money, month, number
from schemas.money import MONEY, known_sum

_ENVIRONMENTS = r"(?i)^(dev|devel|development|test|testing|qa|staging|stage|sandbox|playground|开发|测试)([-_ ].*)?$"
_WEEK = 168


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Machines whose environment is one of people at desks, by hours a day and days of the last complete month."""
    hours = _hours(estate)
    load = with_load(estate, float(at.most("busy_percent")), weekends=True)
    machines = estate.billed.join(hours, on=["key", "BillingCurrency"])
    known = gpu_metrics(estate)
    rows = (
        machines.join(load, on="key", how="left")
        .join(known, on="key", how="left")
        .with_columns((pl.col("hours") / pl.col("run_days")).alias("a_day"), pl.col("machine_cost").alias("stake"))
    )
    free = (_WEEK - at["office_hours"]).cast(pl.Int128)
    saved = (pl.col("machine_cost").to_physical().cast(pl.Int128) * free // _WEEK).reinterpret(dtype=MONEY)
    always = (pl.col("a_day") >= at["hours_a_day"]) & (pl.col("run_weekends") >= at["weekend_days"])
    text = "Machine of environment {}: {} hours on {} days of {}, {} of them Saturdays and Sundays; {}"
    return judged(
        rows,
        at,
        waste=pl.when(pl.col("busy").fill_null(value=False) | (pl.col("run_weekends") < at["weekend_days"]))
        .then(NO)
        .when(pl.col("gpu") & pl.col("gpu_measured").is_null())
        .then(UNKNOWN)
        .otherwise(always),
        evidence=pl.format(
            text,
            "environment",
            number("hours").fill_null("an unknown number of"),
            "run_days",
            month("month"),
            "run_weekends",
            pl.format("its hours cost {} {}", money("machine_cost"), "BillingCurrency").fill_null(
                "its cost is unknown"
            ),
        ),
        confidence="medium",
        saving=saved,
        doubt=pl.when(pl.col("gpu") & pl.col("gpu_measured").is_null())
        .then(pl.lit("a machine with GPUs may be training, and nothing measured them"))
        .otherwise(pl.lit("the bill does not tell its hours")),
    )


def _hours(estate: Estate) -> pl.LazyFrame:
    """Machines of such environments: hours, cost and days of the last complete month."""
    in_month = pl.col("month") == pl.col("last_complete_month")
    return (
        estate.meters.filter((pl.col("family") == "machine") & pl.col("key").is_not_null() & in_month)
        .filter((pl.col("ChargeCategory") == "Usage") & pl.col("environment").str.contains(_ENVIRONMENTS))
        .group_by("key", "BillingCurrency")
        .agg(
            known_sum("ConsumedQuantity", pl.col("ConsumedUnit").str.contains(HOURS)).alias("hours"),
            known_sum("EffectiveCost").alias("machine_cost"),
            pl.col("days").max().alias("run_days"),
            pl.col("weekend_days").max().alias("run_weekends"),
            pl.col("gpu").any(),
        )
    )


DETECTOR = Detector(
    name="dev_nights_and_weekends",
    title="Development machine running nights and weekends",
    tier="bill",
    needs=("costs.environment", "costs.SkuMeter"),
    thresholds={
        "hours_a_day": Decimal(20),
        "weekend_days": Decimal(6),
        "office_hours": Decimal(60),
        "busy_percent": Decimal(10),
    },
    uses=("utilization.average",),
    meaning="The dimension `environment` calls the machine one for development, test, staging or a sandbox, and in the "
    "last complete month it ran 20 hours a day or more on its days, six or more of them Saturdays and Sundays, with no "
    "load of 10 % seen on a weekend; one with GPUs is judged only where they are "
    "measured. The saving is what lies outside 60 office hours of a week's 168.",
    source="AWS Instance Scheduler and Azure DevTest Labs, whose default schedules are office hours.",
    action="Put a schedule on it that stops it at night and at weekends.",
    risk="A training run or a nightly test may use these hours; a stopped machine loses its local disks.",
    rollback="Take the schedule off.",
    judge=judge,
)
