"""Small services that nothing has used for long: keys, secrets, queues, registries, log groups."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import KEEPERS, MINOR
from attribution.detection.waste.standing import read_things
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed ones; undetermined where their last use is not told."""
    return judged(
        read_things(estate, MINOR | KEEPERS),
        at,
        waste=estate.age_days("last_used_at") >= at["days"],
        evidence=pl.format(
            "{} last used on {}; {}", "resource_type", day("last_used_at").fill_null("an unknown day"), "told_cost"
        ),
        confidence="medium",
        doubt=pl.lit("the inventory does not tell its last use"),
    )


DETECTOR = Detector(
    name="disused_service",
    title="Key, queue, registry or log group out of use",
    tier="inventory",
    needs=("resources.last_used_at",),
    thresholds={"days": Decimal(90)},
    meaning="A billed secret, key, queue, zone, registry or log group was last used 90 days ago or more.",
    source="90 days as in Steampipe's thrifty checks of secrets and log streams.",
    action="Delete it, or let it expire.",
    risk="Keys that are used once a year encrypt what is needed then: what they encrypted is lost with them.",
    rollback="Schedule the deletion with the longest waiting time that the provider gives, and cancel it if asked.",
    judge=judge,
)
