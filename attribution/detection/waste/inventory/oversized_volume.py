"""Storage provisioned far beyond what it holds."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import DATABASES, VOLUMES
from attribution.detection.waste.standing import part, standing
from attribution.detection.waste.telling import number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed volumes of some size; undetermined where the space in use is unknown."""
    rows = (
        standing(estate, VOLUMES | DATABASES)
        .filter(pl.col("size_gb") >= at["size_gb"])
        .with_columns(
            (pl.col("used_gb") / pl.col("size_gb")).alias("share"),
            estate.age_days("created_at").fill_null(estate.days_since("first_day")).alias("age"),
        )
    )
    enough = pl.min_horizontal(pl.col("share") * (1 + at["headroom"]), 1)
    volume = ~pl.col("sort_of").is_in(DATABASES)  # what a database costs is not its disk alone
    return judged(
        rows,
        at,
        waste=(pl.col("share") <= at["used_share"]) & (pl.col("age") >= at["min_age_days"]),
        evidence=pl.format(
            "{} GB of {} GB used, {} %; {}",
            number("used_gb").fill_null("unknown"),
            number("size_gb"),
            number(pl.col("share") * 100).fill_null("unknown"),
            "told_cost",
        ),
        saving=pl.when(volume).then(part("stake", 1 - enough)),
        doubt=pl.lit("the inventory does not tell how much of it is used"),
    )


DETECTOR = Detector(
    name="oversized_volume",
    title="Storage provisioned far beyond use",
    tier="inventory",
    needs=("resources.used_gb", "resources.size_gb"),
    thresholds={
        "used_share": Decimal("0.30"),
        "size_gb": Decimal(100),
        "headroom": Decimal("0.30"),
        "min_age_days": Decimal(14),
    },
    meaning="At most 30 % of a billed volume of 100 GB or more is used. The saving leaves 30 % of headroom over what "
    "is used.",
    source="House rule; Kubecost warns of disks of which less than 20 % is used.",
    action="Make a smaller volume, copy the data, and swap the two.",
    risk="Volumes shrink only by copying, and small ones may be slower where speed is sold by size.",
    rollback="Keep the old volume as a snapshot until the new one has proved itself.",
    judge=judge,
)
