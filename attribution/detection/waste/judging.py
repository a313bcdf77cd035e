"""Runs the table of detectors: what each judged becomes findings, and a count of its work.

The surprise: of what could not be judged only the dearest is told; all of it is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from attribution.detection.candidates import fingerprints
from attribution.detection.waste.detector import COMMON, Detector, Thresholds
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.inputs import WasteInputs
from attribution.detection.waste.savings import saved_once
from schemas.faults import Fault, InputError, suggest
from schemas.findings import FINDING_COLUMNS
from schemas.money import known_sum
from schemas.waste import DETECTOR_COLUMNS, JUDGED_COLUMNS, RESULTS
from schemas.workspace import Waste

_FIRST = {result: place for place, result in enumerate(("waste", "undetermined", "active"))}
UNDETERMINED_SHOWN = 50
"""Undetermined findings of one detector and currency that are told one by one, the dearest; all are counted."""


@dataclass(frozen=True)
class Judged:
    """What one run's detectors found. `findings` has FINDING_COLUMNS, `detectors` DETECTOR_COLUMNS."""

    findings: pl.DataFrame
    detectors: pl.DataFrame


def judge_all(detectors: Sequence[Detector], inputs: WasteInputs, waste: Waste) -> Judged:
    """Run detectors over one estate.

    Args:
        detectors: which; of two with one saving the earlier one carries it.
        inputs: the frames and clocks of this run.
        waste: the workspace's thresholds.

    Returns:
        Findings, of which no two save the same money, and what each detector judged.

    Raises:
        InputError: a threshold is set that no detector has.
    """
    faults = override_faults(detectors, waste, inputs.dimensions)
    if faults:
        raise InputError(faults)
    estate = Estate(inputs, waste.silent_days)
    lacking = {one.name: one.lacks(estate) for one in detectors}
    judgements = [_judge(one, estate, waste) for one in detectors if not lacking[one.name]]
    rows = pl.concat([pl.DataFrame(schema=JUDGED_COLUMNS), *judgements])
    rows = saved_once(rows, detectors)
    return Judged(_findings(rows, detectors), _counted(rows, detectors, lacking))


def override_faults(
    detectors: Iterable[Detector], waste: Waste, dimensions: Sequence[str], where: str = "attribution.toml: [waste]"
) -> tuple[Fault, ...]:
    """Every threshold that is set for an unknown detector, an unknown threshold, or an unknown dimension."""
    known = {one.name: [*COMMON, *one.thresholds] for one in detectors}
    general = sorted({name for names in known.values() for name in names})
    faults = list(_faults(waste.detectors, known, where))
    for number, one in enumerate(waste.overrides, start=1):
        here = f"{where} override number {number}"
        faults += _faults(one.detectors, known, here)
        faults += [
            Fault(here, f'unknown threshold "{name}"', ", ".join(general), suggest(name, general))
            for name in one.general
            if name not in general
        ]
        faults += [
            Fault(here, f'unknown dimension "{name}"', ", ".join(dimensions), suggest(name, dimensions))
            for name in one.dimensions
            if name not in dimensions
        ]
        if not one.dimensions:
            faults.append(Fault(here, "names no dimension", ", ".join(dimensions), 'For example project = "x".'))
    return tuple(faults)


def _faults(stated: Mapping[str, Mapping[str, Decimal]], known: dict[str, list[str]], where: str) -> Iterator[Fault]:
    for name, values in stated.items():
        if name not in known:
            yield Fault(where, f'unknown detector "{name}"', ", ".join(known), suggest(name, known))
            continue
        for threshold in values:
            if threshold not in known[name]:
                hint = suggest(threshold, known[name])
                yield Fault(where, f'unknown threshold "{threshold}" of {name}', ", ".join(known[name]), hint)


def _judge(detector: Detector, estate: Estate, waste: Waste) -> pl.DataFrame:
    """One detector's judgements, one a subject and currency.

    Sources may end in different months, and a project has one judgement in each: waste speaks first, then the dearest.
    """
    at = Thresholds(detector, waste)
    weight = pl.col("result").replace_strict(_FIRST, return_dtype=pl.Int8)
    rows = (
        detector.judge(estate, at)
        .with_columns(pl.lit(detector.name).alias("kind"))
        .sort(weight, "cost_at_stake", "month", descending=[False, True, True], nulls_last=True)
        .unique(["subject", "BillingCurrency"], keep="first", maintain_order=True)
    )
    blank = [pl.lit(None, dtype).alias(name) for name, dtype in JUDGED_COLUMNS.items() if name not in rows.columns]
    return rows.with_columns(blank).select(pl.col(name).cast(dtype) for name, dtype in JUDGED_COLUMNS.items())


def _findings(rows: pl.DataFrame, detectors: Sequence[Detector]) -> pl.DataFrame:
    """Waste, and the dearest of what could not be judged."""
    tiers = pl.DataFrame(
        [(one.name, one.tier if one.wasted else None) for one in detectors],
        schema={"kind": pl.String, "tier": pl.String},
        orient="row",
    )
    unsure = pl.col("result") == "undetermined"
    place = unsure.cum_sum().over("kind", "BillingCurrency")
    found = (
        rows.filter(pl.col("result") != "active")
        .sort("cost_at_stake", "subject", descending=[True, False], nulls_last=True)
        .filter(~unsure | (place <= UNDETERMINED_SHOWN))
        .join(tiers, on="kind", how="left")
        .with_columns(pl.when(unsure).then(pl.lit("undetermined")).otherwise(pl.lit("finding")).alias("verdict"))
    )
    named = found.with_columns(fingerprints(found))
    return named.select(pl.col(name).cast(dtype) for name, dtype in FINDING_COLUMNS.items()).sort(
        "kind", "subject", "BillingCurrency"
    )


def _counted(rows: pl.DataFrame, detectors: Sequence[Detector], lacking: dict[str, tuple[str, ...]]) -> pl.DataFrame:
    """One detector x currency; a detector that judged nothing has one row all the same."""
    about = pl.DataFrame(
        [(one.name, one.tier, ", ".join(lacking[one.name]) or None) for one in detectors],
        schema={"kind": pl.String, "tier": pl.String, "lacks": pl.String},
        orient="row",
    ).with_row_index("place")
    waste = pl.col("result") == "waste"
    counts = rows.group_by("kind", "BillingCurrency").agg(
        pl.len().alias("judged"),
        *((pl.col("result") == result).sum().alias(result) for result in RESULTS),
        known_sum("cost_at_stake", waste),
        known_sum("saving", waste),
    )
    return (
        about.join(counts, on="kind", how="left")
        .sort("place", "BillingCurrency")
        .select(pl.col(name).cast(dtype) for name, dtype in DETECTOR_COLUMNS.items())
    )
