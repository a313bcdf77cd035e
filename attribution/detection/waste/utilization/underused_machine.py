"""Machines that do little and of whose family the bills have no smaller size."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.machines import IDLE, running
from attribution.detection.waste.quiet import below, quiet_sentence, sure, too_few
from attribution.detection.waste.sizes import sized


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Machines without GPUs that are not idle, and that `oversized_machine` cannot name a size for."""
    known = sized(estate).filter(pl.col("smaller").is_not_null()).select("key", "BillingCurrency")
    rows = running(estate, at).filter(~pl.col("gpu") & ~pl.col("idle").fill_null(value=False))
    return judged(
        rows.filter(pl.col("BillingCurrency").is_not_null()).join(known, on=["key", "BillingCurrency"], how="anti"),
        at,
        waste=below("cpu_percent", at, "used_percent"),
        evidence=quiet_sentence("Machine", "cpu_percent", at),
        confidence=sure("medium", "cpu_percent"),
        doubt=too_few("cpu_percent", at),
    )


DETECTOR = Detector(
    name="underused_machine",
    title="Machine that does little",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.gpus", "resources.created_at"),
    thresholds=IDLE | {"used_percent": Decimal(20)},
    meaning="A machine without GPUs is not idle, its processor stayed below 20 % on average and at peak on every "
    "observed day of the last 14, and the bills have no smaller size of its family to name.",
    source="20 % as in Steampipe's thrifty checks, which look at averages alone.",
    action="Put its work together with another's, or look for a smaller size.",
    risk="Memory may be what it is needed for.",
    rollback="Move the work back.",
    judge=judge,
    wasted=False,
)
