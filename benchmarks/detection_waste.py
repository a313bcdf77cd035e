"""Waste detection measured: precision and recall on labelled cases, a month of healthy data, and its speed.

    python benchmarks/detection_waste.py               # writes benchmarks/detection_waste.md and .json
    python benchmarks/detection_waste.py --resources 20000

The labelled cases are those of tests/detection/cases_*.py: at least five that must fire and five near misses a
detector, on both sides of each threshold, and data that is missing. Here they all stand in one world, so that each
detector sees the subjects of all others too.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests" / "detection")]

from waste_cases import DIMENSIONS, Case, every_case, world_of  # noqa: E402

from attribution.detection.waste import DETECTORS, WasteInputs, detect_waste  # noqa: E402
from schemas.detection import Watermark  # noqa: E402
from schemas.inputs import RESOURCE_COLUMNS  # noqa: E402
from schemas.money import MONEY  # noqa: E402
from schemas.waste import meter_columns  # noqa: E402
from schemas.workspace import Waste  # noqa: E402

SECONDS = 20.0
RESOURCES = 200_000
AS_OF = datetime(2026, 11, 10, 12, tzinfo=UTC)
MARK = Watermark(date(2026, 8, 1), date(2026, 11, 8))
MONTHS = ((date(2026, 8, 1), 31), (date(2026, 9, 1), 30), (date(2026, 10, 1), 31), (date(2026, 11, 1), 8))
# service, type of resource, meter, family of its inventory, share of resources, hours
ESTATE = (
    ("Amazon Elastic Compute Cloud", "Compute Instance", "BoxUsage:m6i.large", "instance", 0.25, "Hrs", "compute"),
    ("Amazon Elastic Compute Cloud", "Compute Instance", "BoxUsage:p5.48xlarge", "instance", 0.05, "Hrs", "compute"),
    ("Amazon Elastic Compute Cloud", "Storage", "EBS:VolumeUsage.gp3", "volume", 0.35, "GB-Mo", "storage"),
    ("Amazon Elastic Compute Cloud", "Storage Snapshot", "EBS:SnapshotUsage", "snapshot", 0.20, "GB-Mo", "storage"),
    ("Amazon Simple Storage Service", "Storage", "TimedStorage-ByteHrs", "bucket", 0.10, "GB-Mo", "storage"),
    (
        "Elastic Load Balancing",
        "Load Balancer-Application",
        "LoadBalancerUsage",
        "balancer",
        0.05,
        "Hrs",
        "network",
    ),
)
USE = {"instance": "DataTransfer-Regional-Bytes", "bucket": "Requests-Tier1", "balancer": "LCUUsage"}


def quality(cases: list[Case]) -> list[dict[str, object]]:
    """One detector: how many of its labels it meets, alone and beside all others."""
    together = [case for case in cases if not case.alone]
    told = detect_waste(world_of(together), Waste()).findings
    said: dict[str, set[str]] = defaultdict(set)
    for kind, subject, verdict in told.select("kind", "subject", "verdict").iter_rows():
        said[kind].add(f"{verdict} {subject}")
    for case in cases:
        if case.alone:
            for kind, subject, verdict in (
                detect_waste(world_of([case]), Waste()).findings.select("kind", "subject", "verdict").iter_rows()
            ):
                said[kind].add(f"{verdict} {subject}")
    return [_score(kind, cases, said[kind]) for kind in sorted({case.kind for case in cases})]


def _score(kind: str, cases: list[Case], said: set[str]) -> dict[str, object]:
    mine = [case for case in cases if case.kind == kind]
    labels = Counter(case.label for case in mine)
    hits = {case.name: _verdict(case, said) for case in mine}
    right = sum(case.label == "waste" and hits[case.name] == "finding" for case in mine)
    wrong = sum(case.label != "waste" and hits[case.name] == "finding" for case in mine)
    open_right = sum(case.label == "undetermined" and hits[case.name] == "undetermined" for case in mine)
    return {
        "kind": kind, "must_fire": labels["waste"], "near_misses": labels["active"],
        "missing_data": labels["undetermined"], "precision": right / max(1, right + wrong),
        "recall": right / max(1, labels["waste"]), "undetermined_met": open_right,
    }  # fmt: skip


def _verdict(case: Case, said: set[str]) -> str:
    """What was said of the case's own subject; ids of things beside it hold its name too, and are not it."""
    mine = [one.split(" ", 1) for one in said if case.is_about(one.split(" ", 1)[1])]
    return mine[0][0] if mine else "active"


def healthy(resources: int) -> WasteInputs:
    """Machines that work, volumes that are mounted, buckets that are asked for: nothing to find, at any size."""
    numbers = pl.DataFrame({"n": pl.int_range(resources, eager=True)})
    bounds, frames, listed = 0.0, [], []
    for service, kind, meter, sort, share, unit, element in ESTATE:
        first, bounds = bounds, bounds + share
        here = numbers.filter(pl.col("n").is_between(int(first * resources), int(bounds * resources) - 1))
        ids = here.select(pl.format("{}-{}", pl.lit(sort), "n").alias("ResourceId"), "n")
        frames += [_meter(ids, service, kind, meter, unit=unit, element=element)]
        if sort in USE:
            frames += [
                _meter(ids, service, kind, USE[sort], unit="GB", element="storage" if sort == "bucket" else "network")
            ]
        # A volume hangs on a machine, a snapshot on a volume, each of its own part of the estate.
        parent = {"volume": "instance-{}", "snapshot": "volume-{}"}.get(sort)
        start, count = {"volume": (0.0, 0.30), "snapshot": (0.30, 0.35)}.get(sort, (0.0, 1.0))
        hung = pl.lit(int(start * resources)) + pl.col("n") % int(count * resources)
        listed.append(ids.select(
            pl.col("ResourceId").alias("resource_id"), pl.lit(sort).alias("resource_type"),
            pl.lit({"instance": "running", "volume": "in-use"}.get(sort, "active")).alias("state"),
            (pl.format(parent, hung) if parent else pl.lit(None, pl.String)).alias("attached_to"),
            pl.lit(datetime(2026, 5, 1, tzinfo=UTC)).alias("created_at"),
        ))  # fmt: skip
    costs = pl.concat(frames)
    things = pl.concat(listed)
    blank = [pl.lit(None, dtype).alias(name) for name, dtype in RESOURCE_COLUMNS.items() if name not in things.columns]
    return WasteInputs(
        AS_OF, {"bench": MARK}, costs=costs,
        resources=things.with_columns(blank).select(pl.col(n).cast(t) for n, t in RESOURCE_COLUMNS.items()),
        utilization=_load(things), dimensions=DIMENSIONS,
    )  # fmt: skip


def _meter(ids: pl.DataFrame, service: str, kind: str, meter: str, *, unit: str, element: str) -> pl.DataFrame:
    frames = []
    for first, length in MONTHS:
        last = first + timedelta(days=length - 1)
        weekends = sum((first + timedelta(days=n)).isoweekday() >= 6 for n in range(length))  # noqa: PLR2004
        stated = {
            "source": "bench", "BillingCurrency": "USD", "SubAccountId": "acct", "stage": "pretraining",
            "experiment": "run-1", "environment": "research", "ServiceName": service, "ResourceType": kind,
            "SkuMeter": meter, "ChargeCategory": "Usage", "ConsumedUnit": unit, "cost_element": element,
        }  # fmt: skip
        frames.append(ids.select(
            "ResourceId", pl.format("project-{}", pl.col("n") % 40).alias("project"),
            pl.format("owner-{}", pl.col("n") % 25).alias("owner"),
            *(pl.lit(value).alias(name) for name, value in stated.items()), pl.lit(first).alias("month"),
            pl.lit(f"{length * 3}.5").str.to_decimal(scale=12).cast(MONEY).alias("EffectiveCost"),
            pl.lit(length * 24.0).alias("ConsumedQuantity"), pl.lit(first).alias("first_day"),
            pl.lit(last).alias("last_day"), pl.lit(length, pl.Int32).alias("days"),
            pl.lit(weekends, pl.Int32).alias("weekend_days"),
        ))  # fmt: skip
    rows = pl.concat(frames)
    schema = meter_columns(DIMENSIONS)
    blank = [pl.lit(None, dtype).alias(name) for name, dtype in schema.items() if name not in rows.columns]
    return rows.with_columns(blank).select(pl.col(name).cast(dtype) for name, dtype in schema.items())


def _load(things: pl.DataFrame) -> pl.DataFrame:
    """Three metrics of every machine over twenty days, busy."""
    machines = things.filter(resource_type="instance").select("resource_id")
    days = pl.DataFrame({"date": [date(2026, 10, 20) + timedelta(days=n) for n in range(20)]})
    metrics = pl.DataFrame({"metric": ["cpu_percent", "gpu_percent", "network_bytes"], "average": [60.0, 70.0, 9e9]})
    rows = machines.join(days, how="cross").join(metrics, how="cross")
    return rows.with_columns(pl.col("average").alias("maximum"), pl.lit(None, pl.Int64).alias("samples"))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--resources", type=int, default=RESOURCES)
    wanted = parser.parse_args()
    scores = quality(list(every_case()))
    world = healthy(wanted.resources)
    started, busy = time.perf_counter(), time.process_time()
    done = detect_waste(world, Waste())
    seconds, cpu = time.perf_counter() - started, time.process_time() - busy
    wolf = done.findings.height
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    lines = [
        "# Waste detection, measured", "",
        "Labelled cases stand in `tests/detection/cases_*.py`; here all of them lie in one world.", "",
        "| detector | must fire | near misses | missing data | precision | recall | told as undetermined |",
        "|---|---|---|---|---|---|---|",
        *(f"| `{one['kind']}` | {one['must_fire']} | {one['near_misses']} | {one['missing_data']} | "
          f"{one['precision']:.3f} | {one['recall']:.3f} | {one['undetermined_met']} |" for one in scores), "",
        (f"A healthy estate of {wanted.resources:,} resources ({world.costs.height:,} metered rows, "
        f"{0 if world.utilization is None else world.utilization.height:,} measurements): {wolf} findings of "
        f"{len(DETECTORS)} detectors, in {seconds:.1f} s ({cpu:.1f} s of processor) on "
        f"{pl.thread_pool_size()} threads (goal {SECONDS:.0f} s "
        f"for 60 detectors), {peak:,} MiB at most."), "",
    ]  # fmt: skip
    print("\n".join(lines))
    page = HERE / "detection_waste.md"
    # The section of detection_labels.py follows, and stays.
    _, begin, labels = (page.read_text(encoding="utf-8") if page.exists() else "").partition("<!-- labels")
    page.write_text("\n".join(lines) + (f"\n{begin}{labels}" if begin else ""), encoding="utf-8")
    told = {"scores": scores, "seconds": seconds, "detectors": len(DETECTORS), "findings_of_healthy_data": wolf}
    (HERE / "detection_waste.json").write_text(json.dumps(told, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
