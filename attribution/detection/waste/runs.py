"""Runs with what they cost and whose they are; and what a run that came to nothing lost.

The surprise: a run is priced by what its experiment's machines cost, for runs name no machines.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from attribution.detection.waste.billed import only
from attribution.detection.waste.detector import YES, Thresholds, judged
from attribution.detection.waste.estate import Estate, once
from attribution.detection.waste.kinds import folded_word
from attribution.detection.waste.prices import by_experiment, payers, priced
from attribution.detection.waste.standing import part
from attribution.detection.waste.telling import day, money, number
from schemas.dimensions import NOBODY, STAGES, UNALLOCATED, fold

FAILED = ("failed", "node_fail", "out_of_memory", "preempted")
ENDED_BADLY = (*FAILED, "cancelled", "timeout")
OVER = pl.col("status").is_in(("completed", *ENDED_BADLY)).fill_null(value=False)
"""Whether a run has ended, be it told when or not."""
DATA_STAGES = ("data-acquisition", "data-processing", "tokenizer")
_STAGE = {fold(word): code for code, words in STAGES.items() for word in (code, *words)}


@once
def costed_runs(estate: Estate) -> pl.LazyFrame:
    """One run x currency.

    Returns:
        The columns of runs; `word` (its experiment, folded), `until` (its end, or now while it goes on; null where it
        is over and nobody tells since when), `days`, `gpu_hours`, `key`, `subject`, `BillingCurrency`, `stake` (its
        whole cost; null: unknown), `month`, `told`, and every dimension: as its experiment's costs have them, else as
        the run says.
    """
    runs = estate.inputs.runs
    if runs is None:
        message = "a detector that needs runs was run without them"
        raise TypeError(message)
    length = pl.col("until") - pl.col("started_at")
    rows = (
        runs.lazy()
        .with_columns(
            folded_word("experiment").alias("word"),
            pl.coalesce("ended_at", pl.when(~OVER).then(pl.lit(estate.as_of))).alias("until"),
            folded_word("stage").replace_strict(_STAGE, default=None, return_dtype=pl.String).alias("stage_code"),
        )
        .with_columns((length.dt.total_seconds() / 86_400).alias("days"))
        .with_columns((pl.col("days") * 24 * pl.col("gpus")).alias("gpu_hours"))
    )
    spans = rows.select(id="run_id", payer="word", start="started_at", end="until", gpus="gpus")
    costs = priced(spans, payers(estate, by_experiment())).rename({"id": "run_id"})
    named = {"project": "run_project", "owner": "run_owner", "stage": "run_stage", "experiment": "run_experiment"}
    joined = rows.rename(named).join(costs, on="run_id", how="left").join(_whose(estate), on="word", how="left")
    return (
        joined.with_columns(*(_known(estate, name) for name in named))
        .with_columns(pl.col("stage_code").fill_null(pl.col("stage")))
        .pipe(estate.with_dimensions)
        .with_columns(
            pl.format("run {}", "run_id").alias("key"),
            pl.col("run_id").alias("subject"),
            told_cost("gpu_hours"),
        )
    )


def _known(estate: Estate, name: str) -> pl.Expr:
    """A dimension as costs have it; where they do not tell, as the run does."""
    if name not in estate.dimensions:
        return pl.col(f"run_{name}").alias(name)
    vague = pl.col(name).is_null() | pl.col(name).is_in(NOBODY)
    stated = pl.col(f"run_{name}").str.strip_chars()
    return (
        pl.when(vague).then(stated.fill_null(pl.col(name))).otherwise(pl.col(name)).fill_null(UNALLOCATED).alias(name)
    )


def _whose(estate: Estate) -> pl.LazyFrame:
    return (
        estate.meters.with_columns(by_experiment().alias("word"))
        .filter(pl.col("word").is_not_null())
        .group_by("word")
        .agg(*(only(name, YES) for name in estate.dimensions), pl.col("last_complete_month").max().alias("month"))
    )


def told_cost(hours: str) -> pl.Expr:
    """`1,234 GPU-hours, 5,678.90 USD`."""
    cost = pl.format("{} {}", money("stake"), "BillingCurrency").fill_null("cost unknown")
    return pl.format("{} GPU-hours, {}", number(hours).fill_null("unknown"), cost).alias("told")


def lately(estate: Estate, at: Thresholds, name: str = "window_days") -> pl.Expr:
    """A run that goes on, or ended within the days that a finding is told for; one that is over since when, is not."""
    return (pl.col("ended_at").is_null() & ~OVER) | estate.in_last(at[name], "ended_at")


def came_to_nothing(estate: Estate, at: Thresholds, statuses: Collection[str], how: str) -> pl.DataFrame:
    """Judge runs that ended lately by their status; what no checkpoint saved is the second figure.

    Args:
        estate: everything known.
        at: thresholds, of which `window_days` is asked.
        statuses: those that mean it came to nothing.
        how: the end of it in a word or two, for the sentence.
    """
    rows = costed_runs(estate).filter(pl.col("ended_at").is_not_null() & lately(estate, at))
    listed = estate.inputs.checkpoints
    if listed is None:
        rows = rows.with_columns(pl.lit(None, pl.Datetime("us", "UTC")).alias("saved_at"))
    else:
        last = listed.lazy().group_by("run_id").agg(pl.col("created_at").max().alias("saved_at"))
        rows = rows.join(last, on="run_id", how="left")
    since = pl.max_horizontal(pl.min_horizontal("saved_at", "ended_at"), "started_at")
    length = (pl.col("ended_at") - pl.col("started_at")).dt.total_seconds()
    share = pl.when(length > 0).then((pl.col("ended_at") - since).dt.total_seconds() / length).otherwise(0.0)
    rows = rows.with_columns(share.alias("lost")).with_columns(part("stake", pl.col("lost")).alias("lost_cost"))
    figure = pl.format(
        "{} GPU-hours, {}",
        number(pl.col("gpu_hours") * pl.col("lost")).fill_null("unknown"),
        pl.format("{} {}", money("lost_cost"), "BillingCurrency").fill_null("cost unknown"),
    )
    saved = (
        pl.lit("no list of checkpoints tells what was saved")
        if listed is None
        else pl.when(pl.col("saved_at").is_null())
        .then(pl.lit("it left no checkpoint, so all of it is lost"))
        .otherwise(pl.format("lost since its last checkpoint on {}: {}", day("saved_at"), figure))
    )
    return judged(
        rows,
        at,
        waste=pl.col("status").is_in(statuses),
        evidence=pl.format("Run {} on {} after {}; {}", pl.lit(how), day("ended_at"), "told", saved),
        doubt=pl.lit("its status was told in a word that nobody knows"),
    )


def done_again(
    estate: Estate,
    at: Thresholds,
    rows: pl.LazyFrame,
    same: list[str],
    *,
    evidence: str,
    where: str,
    doubt: str,
    confidence: str = "high",
) -> pl.DataFrame:
    """Judge completed runs of late by whether an earlier completed one was the same.

    Args:
        estate: everything known.
        at: thresholds, of which `window_days` is asked.
        rows: of `costed_runs`.
        same: columns that two runs of the same have in common; undetermined where one of them is null.
        evidence: a sentence with three places: the first such run, `where`, and the cost.
        where: a column that says where the other one is found.
        doubt: which of `same` may be missing, in words.
        confidence: of what is found.
    """
    done = rows.filter(pl.col("status") == "completed")
    first = (
        done.sort("started_at", "run_id")
        .group_by(same, maintain_order=True)
        .agg(pl.col("run_id").first().alias("original"))
    )
    return judged(
        done.join(first, on=same, how="left").filter(lately(estate, at)),
        at,
        waste=pl.col("original") != pl.col("run_id"),
        evidence=pl.format(evidence, pl.col("original").fill_null("an unknown run"), where, "told"),
        confidence=confidence,
        doubt=pl.lit(doubt),
    )
