"""Data that is seldom read and lies on hot storage.

The surprise: the saving is told only where the same bills have colder storage to take a price from.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import BUCKETS, DATASETS, folded_word
from attribution.detection.waste.standing import part, read_things
from attribution.detection.waste.telling import day, number

_COLD = r"cold|cool|archive|infrequent|^ia$|ia$|nearline|coldline|glacier|归档|低频"
_LARGE = 1.0


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed datasets and buckets of kinds with a class; undetermined where class or last use of one is not told."""
    stores = read_things(estate, DATASETS | BUCKETS).with_columns(
        folded_word("storage_class").str.contains(_COLD).alias("cold"),
        (pl.col("stake").cast(pl.Float64) / pl.col("size_gb")).alias("rate"),
    )
    cheaper = (
        stores.filter(pl.col("cold") & (pl.col("size_gb") > _LARGE) & (pl.col("rate") > 0))
        .group_by("source", "BillingCurrency")
        .agg(pl.col("rate").min().alias("cold_rate"))
    )
    classed = pl.col("cold").is_not_null().any().over("sort_of")
    rows = stores.filter(classed).join(cheaper, on=["source", "BillingCurrency"], how="left")
    age = estate.age_days("last_used_at")
    lower = pl.when(pl.col("cold_rate") < pl.col("rate")).then(1 - pl.col("cold_rate") / pl.col("rate"))
    return judged(
        rows,
        at,
        waste=~pl.col("cold") & (age >= at["days"]) & (age < at["unread_days"]),
        evidence=pl.format(
            "{} on {} storage, last read on {}; {}",
            "resource_type",
            pl.col("storage_class").fill_null("unknown"),
            day("last_used_at").fill_null("an unknown day"),
            pl.when(lower.is_not_null())
            .then(
                pl.format(
                    "{}; colder storage was billed at {} instead of {} {} a GB and month",
                    "told_cost",
                    number("cold_rate", 4),
                    number("rate", 4),
                    "BillingCurrency",
                )
            )
            .otherwise("told_cost"),
        ),
        confidence="medium",
        saving=part("stake", lower),
        doubt=pl.when(pl.col("last_used_at").is_null())
        .then(pl.lit("the inventory does not tell when it was last read"))
        .otherwise(pl.lit("the inventory does not tell its storage_class")),
    )


DETECTOR = Detector(
    name="cold_data",
    title="Cold data on hot storage",
    tier="training",
    needs=("resources.storage_class", "resources.last_used_at"),
    uses=("resources.size_gb",),
    thresholds={"days": Decimal(30), "unread_days": Decimal(90)},
    meaning="A billed dataset or bucket is on a class of storage that is not cold, and was last read 30 to 90 days ago "
    "(longer ago it is unread_data's). Cold is a class with a word such as cold, cool, archive, infrequent, IA, "
    "nearline, glacier, 低频 or 归档 in it. Without a class it is undetermined where the inventory tells that of "
    "others of its kind. The saving is the difference to the cheapest colder storage on the same bills.",
    source="30 days as in the providers' own rules for seldom read objects.",
    action="Let a lifecycle rule move it to a colder class.",
    risk="Reading from cold classes costs extra and may take time.",
    rollback="Move it back; early moves may cost a minimum stay.",
    judge=judge,
)
