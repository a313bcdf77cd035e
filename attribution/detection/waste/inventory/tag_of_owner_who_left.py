"""Resources whose tag names somebody who has left: nobody reads their report, and nobody will end them."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.tagged import billed_with, in_force, register
from attribution.detection.waste.telling import day, maybe
from schemas.inputs import PEOPLE_COLUMNS


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed resources with an owner in the register; undetermined where no list of people knows that owner."""
    people = estate.inputs.people
    stated = (pl.DataFrame(schema=PEOPLE_COLUMNS) if people is None else people).lazy()
    last = (
        stated.sort("valid_to", nulls_last=True)
        .group_by(pl.col("owner").str.to_lowercase().alias("who"), maintain_order=True)
        .agg(pl.col("valid_to", "lead").last())
    )
    owners = register(estate).filter((pl.col("word") == "owner") & in_force(pl.lit(estate.today)))
    named = owners.select("key", "subject", pl.col("value").str.strip_chars().alias("named")).unique("key", keep="last")
    rows = (
        billed_with(estate, named)
        .with_columns(pl.col("named").str.to_lowercase().alias("who"))
        .join(last.with_columns(pl.lit(value=True).alias("stated")), on="who", how="inner")
    )
    gone = (pl.col("valid_to").is_not_null() & (estate.days_since("valid_to") >= at["days"])).fill_null(value=False)
    return judged(
        rows,
        at,
        waste=gone,
        evidence=pl.format(
            "Tagged to {}, who left on {}{}; {}",
            "named",
            day("valid_to").fill_null("an unknown day"),
            maybe("; {}, their lead, may know whose it is now", "lead"),
            "told_cost",
        ),
    )


DETECTOR = Detector(
    name="tag_of_owner_who_left",
    title="Tagged to somebody who left",
    tier="inventory",
    needs=("tags", "people.valid_to"),
    uses=("people.lead",),
    thresholds={"days": Decimal(0)},
    meaning="The tag in force today names an owner whose last row in people.csv has ended, and the resource is billed.",
    source="House rule.",
    action="Ask their lead whose it is now, and correct the tag; what nobody claims can go.",
    risk="None in correcting the tag.",
    rollback="Take the new tag back.",
    judge=judge,
    wasted=False,
)
