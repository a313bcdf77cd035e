"""Datasets and intermediate products that nobody has read for long."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import BUCKETS, DATASETS
from attribution.detection.waste.standing import read_things
from attribution.detection.waste.telling import day, maybe, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed datasets and buckets; undetermined where their last use is not told."""
    return judged(
        read_things(estate, DATASETS | BUCKETS),
        at,
        waste=estate.age_days("last_used_at") >= at["days"],
        evidence=pl.format(
            "{}{} last read on {}; {}",
            "resource_type",
            maybe(" of {} GB", number("size_gb")),
            day("last_used_at").fill_null("an unknown day"),
            "told_cost",
        ),
        confidence="medium",
        doubt=pl.lit("the inventory does not tell when it was last read"),
    )


DETECTOR = Detector(
    name="unread_data",
    title="Data that nobody reads",
    tier="training",
    needs=("resources.last_used_at",),
    uses=("resources.size_gb",),
    thresholds={"days": Decimal(90)},
    meaning="A billed dataset, intermediate product or bucket was last read 90 days ago or more.",
    source="90 days as in Steampipe's thrifty checks of stale tables.",
    action="Move it to archive storage; delete what can be made again from its source.",
    risk="Some data must be kept by law or licence, and archives take hours to read.",
    rollback="Archive instead of delete.",
    judge=judge,
)
