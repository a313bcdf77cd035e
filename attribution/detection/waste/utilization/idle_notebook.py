"""Notebooks left open: they run day and night, and somebody works in them for an hour, if at all."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import NOTEBOOKS
from attribution.detection.waste.observed import WINDOW
from attribution.detection.waste.quiet import below, quiet_sentence, sure, too_few, watched


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed notebooks; one with GPUs must show them idle too."""
    gpus = (pl.col("gpus") > 0).fill_null(value=False) | (pl.col("gpu_percent_days") > 0)
    quiet = below("cpu_percent", at) & pl.when(gpus).then(below("gpu_percent", at)).otherwise(pl.lit(value=True))
    asked = below("connections", at)
    return judged(
        watched(estate, at, NOTEBOOKS, "cpu_percent"),
        at,
        waste=quiet & asked.fill_null(value=True),
        evidence=quiet_sentence("Notebook", "cpu_percent", at),
        confidence=sure(pl.when(asked).then(pl.lit("high")).otherwise(pl.lit("medium")), "cpu_percent", "gpu_percent"),
        doubt=pl.when(below("cpu_percent", at).is_null())
        .then(too_few("cpu_percent", at))
        .otherwise(too_few("gpu_percent", at)),
    )


DETECTOR = Detector(
    name="idle_notebook",
    title="Notebook left open",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.gpus", "resources.state", "resources.created_at"),
    thresholds=WINDOW | {"cpu_percent": Decimal(5), "gpu_percent": Decimal(5), "connections": Decimal(1)},
    meaning="On every observed day of the last 14 the processor of a billed notebook, and its GPUs if it has any, "
    "stayed below 5 % on average and at peak, and nobody connected, where that is measured.",
    source="CleanCloud's checks of notebooks without activity; the thresholds are this project's own.",
    action="Stop it, and let it stop by itself after an hour without use.",
    risk="What is only in its memory is lost.",
    rollback="Start it again; its disk stays.",
    judge=judge,
)
