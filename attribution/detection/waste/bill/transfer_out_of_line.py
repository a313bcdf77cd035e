"""Data that leaves for the internet or another region, far above what it used to and above what the work grew."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.bill.months import by_month
from attribution.detection.waste.detector import NO, UNKNOWN, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import money, month, number

_KINDS = {"transfer_internet": "to the internet", "transfer_regions": "to other regions"}


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Projects x kind of transfer, by cost a day in the last complete month against three months before at most."""
    costs = estate.meters.filter(pl.col("ChargeCategory") == "Usage").with_columns(
        pl.when(pl.col("family").is_in(list(_KINDS))).then("family").alias("way"),
        (pl.col("cost_element") == "compute").alias("work"),
    )
    moved = by_month(estate, costs.filter(pl.col("way").is_not_null()), ["project", "way"], months=3)
    work = by_month(estate, costs.filter("work"), ["project"], months=3)
    rows = moved.join(
        work.select("project", "BillingCurrency", "source_group", pl.col("ratio").alias("work_ratio")),
        on=["project", "BillingCurrency", "source_group"],
        how="left",
    ).with_columns(
        pl.format("project={} transfer={}", "project", pl.col("way").str.strip_prefix("transfer_")).alias("subject")
    )
    rows = rows.with_columns(pl.col("subject").alias("key"))
    grew = pl.col("ratio") >= at["ratio"]
    beyond = (pl.col("ratio") > pl.col("work_ratio")).fill_null(value=True)
    more = pl.col("increase") >= at.money("minimum_increase")
    said = pl.col("way").replace_strict(_KINDS, default=None)
    text = "Transfer {} cost {} {} in {}, {} times as much a day as in {} ({} {} a month of that length)"
    return judged(
        rows,
        at,
        waste=pl.when(pl.col("base").is_null())
        .then(NO)
        .when(pl.col("untold"))
        .then(UNKNOWN)
        .otherwise(grew & beyond & more),
        evidence=pl.format(
            text,
            said,
            money("stake").fill_null("an unknown amount of"),
            "BillingCurrency",
            month("month"),
            number("ratio", 1).fill_null("unknown"),
            "base_months",
            money("base").fill_null("unknown"),
            "BillingCurrency",
        ),
        confidence="medium",
        saving=pl.col("increase"),
        doubt=pl.lit("a part of the cost is unknown"),
    )


DETECTOR = Detector(
    name="transfer_out_of_line",
    title="Transfer out of line with its past",
    tier="bill",
    needs=("costs.SkuMeter",),
    thresholds={"ratio": Decimal(2), "minimum_increase": Decimal(100)},
    meaning="A project's transfer to the internet, or to other regions, costs at least twice as much a day as in the "
    "months before (three at most), by 100 or more, and grew faster than its compute. What is above it is the saving.",
    source="House rule; training data and checkpoints in another region than the machines are the usual cause.",
    action="Put data and machines into one region, use a private endpoint, or mirror once.",
    risk="Copies for safety leave the region on purpose; a release or a migration moves much once.",
    rollback="Put the old route back.",
    judge=judge,
)
