"""Buckets that are stored, month after month, and asked for nothing."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import day

_ASKED = ("bucket_requests", "transfer_internet", "transfer_regions")


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Buckets without requests in all that is billed; a source that bills requests of no bucket at all says nothing."""
    asked = estate.used.filter(pl.col("family").is_in(_ASKED))
    ever = asked.group_by("key").agg(pl.col("last").max().alias("last_asked"), pl.col("seen").any().alias("asked_now"))
    tells = estate.billed.join(
        estate.used.filter(pl.col("family") == "bucket_requests").select("key").unique(), on="key"
    )
    sources = tells.select("source", pl.lit(value=True).alias("tells_requests")).unique()
    rows = (
        estate.using(estate.metered("bucket_storage"), *_ASKED)
        .join(ever, on="key", how="left")
        .join(sources, on="source", how="left")
    )
    quiet_since = (pl.col("last_asked") + pl.duration(days=1)).fill_null(pl.col("metered_since"))
    quiet = (pl.col("last_mark") - quiet_since).dt.total_days() + 1
    unknown = pl.col("tells_requests").is_null() | pl.col("uses").is_null()
    asked_last = (
        pl.when(pl.col("last_asked").is_null())
        .then(pl.format("never requested in the bills since {}", day("metered_since")))
        .otherwise(pl.format("requested last on {}", day("last_asked")))
    )
    return judged(
        rows,
        at,
        waste=pl.when(pl.col("uses"))
        .then(NO)
        .when(unknown & (quiet >= at["days"]))
        .then(UNKNOWN)
        .otherwise(quiet >= at["days"]),
        evidence=pl.format("Bucket stored up to {}, {}; {}", day("last_mark"), asked_last, "told_cost"),
        confidence="medium",
        doubt=pl.lit("the bill does not tell requests of any bucket, or not how many, or leaves a meter blank"),
    )


DETECTOR = Detector(
    name="bucket_never_requested",
    title="Bucket that nobody asks for",
    tier="bill",
    needs=("costs.SkuMeter",),
    thresholds={"days": Decimal(60)},
    meaning="The bucket's storage is billed, and no request, retrieval or transfer of it for 60 days, in a source that "
    "bills requests of others.",
    source="House rule; providers bill each request, so a bucket without any was neither read, written nor listed.",
    action="Ask the owner; move it to an archive class, or delete it.",
    risk="Archives are meant to rest; reading from an archive class costs and takes hours.",
    rollback="Archive instead of deleting; keep versions for as long as somebody may come.",
    judge=judge,
)
