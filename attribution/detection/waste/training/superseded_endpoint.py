"""Endpoints that still serve a model after a later one of the same project and stage has taken over."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import ENDPOINTS
from attribution.detection.waste.standing import standing
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed endpoints; undetermined where the inventory does not tell from which run their model is."""
    runs = estate.inputs.runs
    told = (pl.DataFrame(schema={}) if runs is None else runs).lazy()
    made = told.select(source_id="run_id", of=pl.col("experiment"), made_at=pl.coalesce("ended_at", "started_at"))
    rows = standing(estate, ENDPOINTS).join(made, on="source_id", how="left")
    newer = rows.filter(estate.age_days("created_at") >= at["min_age_days"]).select(
        "project",
        "stage",
        "BillingCurrency",
        by="subject",
        by_run="source_id",
        by_made="made_at",
        by_since="created_at",
    )
    heirs = (
        rows.select("project", "stage", "BillingCurrency", "key", "made_at")
        .join(newer, on=["project", "stage", "BillingCurrency"])
        .filter(pl.col("by_made") > pl.col("made_at"))
        .sort("by_since", "by")
        .unique(["key", "BillingCurrency"], keep="first", maintain_order=True)
        .select("key", "BillingCurrency", "by", "by_run", "by_since")
    )
    return judged(
        rows.join(heirs, on=["key", "BillingCurrency"], how="left"),
        at,
        waste=pl.when(pl.col("made_at").is_not_null()).then(pl.col("by").is_not_null()),
        evidence=pl.coalesce(
            pl.format(
                "Serves {}, while {} has served {} of the same project and stage since {}; {}",
                "source_id",
                "by",
                "by_run",
                day("by_since"),
                "told_cost",
            ),
            pl.format("Serves {}; {}", pl.col("source_id").fill_null("an unknown model"), "told_cost"),
        ),
        confidence="medium",
        doubt=pl.lit("the inventory does not tell from which run its model is"),
    )


DETECTOR = Detector(
    name="superseded_endpoint",
    title="Endpoint of a superseded model",
    tier="training",
    needs=("resources.source_id", "runs"),
    thresholds={"min_age_days": Decimal(14)},
    meaning="Two billed endpoints of one project and stage serve models of two runs, and the one with the later run "
    "has been there for 14 days.",
    source="House rule.",
    action="Move the last callers, then delete the old endpoint.",
    risk="Old and new may be compared on purpose, or serve different callers.",
    rollback="Deploy the old model again; its checkpoint stays.",
    judge=judge,
)
