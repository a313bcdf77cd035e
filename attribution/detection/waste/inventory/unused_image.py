"""Machine images that nothing starts from.

The surprise: a launch template counts as use, running or not, for short-lived jobs start from it.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import IMAGES, MACHINES, TEMPLATES
from attribution.detection.waste.standing import standing
from attribution.detection.waste.telling import day, maybe, number
from schemas.resource_ids import folded


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Images, billed or not: often only the snapshots that they hold are billed."""
    by = estate.listed.filter(pl.col("sort_of").is_in(MACHINES | TEMPLATES))
    users = (
        pl.concat([by.select(key=folded(pl.col(name))) for name in ("image_id", "source_id", "attached_to")])
        .drop_nulls()
        .unique()
        .with_columns(pl.lit(value=True).alias("used"))
    )
    templates = by.select(pl.col("sort_of").is_in(TEMPLATES).any()).collect().item()
    rows = standing(estate, IMAGES, billed=False).join(users, on="key", how="left")
    kept = pl.col("used").fill_null(value=False) | pl.col("managed_by").is_not_null()
    return judged(
        rows,
        at,
        waste=~kept & (pl.col("age") >= at["days"]),
        evidence=pl.format(
            "Image{} that no machine and no launch template names, unused since {}; {}",
            maybe(" of {} GB", number("size_gb")),
            day("since").fill_null("an unknown day"),
            "told_cost",
        ),
        confidence="medium" if templates else "low",
        doubt=pl.lit("its age is unknown"),
    )


DETECTOR = Detector(
    name="unused_image",
    title="Machine image that nothing starts from",
    tier="inventory",
    needs=("resources.image_id",),
    uses=("resources.created_at", "resources.last_used_at", "resources.managed_by"),
    thresholds={"days": Decimal(90)},
    meaning="An image was made and last used 90 days ago or more, and neither a machine nor a launch template, in "
    "whatever state, names it, be it billed or not. Without a last use the day it was made counts alone. What a tool "
    "keeps (`managed_by`) is spared.",
    source="GCP Recommender asks for 15 days and Steampipe's checks for 90; use by launch templates is a house rule.",
    action="Deregister the image, then delete its snapshots.",
    risk="Scripts may start it by name.",
    rollback="Disable it first and wait; a disabled image can be enabled again as long as its snapshots stay.",
    judge=judge,
)
