"""Speed of the waste detectors: 200,000 resources of every kind, with inventory, measurements, jobs, runs, checkpoints.

    python benchmarks/waste_speed.py                    # puts its table into benchmarks/detection_waste.md
    python benchmarks/waste_speed.py --resources 20000 --each

Only detection is timed, from frames that are loaded already. Processor seconds are what counts: wall time is told too,
and on a machine that does other work it says little. `--each` prints what each detector took beside the others.
"""

from __future__ import annotations

import argparse
import sys
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent)]

from attribution.detection.waste import DETECTORS, WasteInputs, detect_waste  # noqa: E402
from attribution.detection.waste.detector import Thresholds  # noqa: E402
from attribution.detection.waste.estate import Estate  # noqa: E402
from schemas.detection import Watermark  # noqa: E402
from schemas.inputs import (  # noqa: E402
    CHECKPOINT_COLUMNS,
    JOB_COLUMNS,
    PEOPLE_COLUMNS,
    RESOURCE_COLUMNS,
    RUN_COLUMNS,
    TAG_COLUMNS,
)
from schemas.money import MONEY  # noqa: E402
from schemas.waste import meter_columns  # noqa: E402
from schemas.workspace import Waste  # noqa: E402

RESOURCES, SECONDS = 200_000, 20.0
DIMENSIONS = ("project", "stage", "experiment", "owner", "environment")
AS_OF = datetime(2026, 11, 10, 12, tzinfo=UTC)
MARK = Watermark(date(2026, 8, 1), date(2026, 11, 8))
MONTHS = ((date(2026, 8, 1), 31), (date(2026, 9, 1), 30), (date(2026, 10, 1), 31), (date(2026, 11, 1), 8))
EC2, VPC, S3 = "Amazon Elastic Compute Cloud", "Amazon Virtual Private Cloud", "Amazon Simple Storage Service"
# kind in the inventory, share, service, type on the bill, meter, unit, cost element, meter of use, metrics
KINDS = (
    ("instance", 0.20, EC2, "Compute Instance", "BoxUsage:m6i.xlarge", "Hrs", "compute", "DataTransfer-Regional-Bytes",
     ("cpu_percent", "network_bytes")),
    ("node", 0.05, EC2, "Compute Instance", "BoxUsage:p5.48xlarge", "Hrs", "compute", "DataTransfer-Regional-Bytes",
     ("gpu_percent", "gpu_memory_percent")),
    ("volume", 0.25, EC2, "Storage", "EBS:VolumeUsage.gp3", "GB-Mo", "storage", None, ("disk_ops",)),
    ("snapshot", 0.15, EC2, "Storage Snapshot", "EBS:SnapshotUsage", "GB-Mo", "storage", None, ()),
    ("bucket", 0.08, S3, "Storage", "TimedStorage-ByteHrs", "GB-Mo", "storage", "Requests-Tier1", ()),
    ("dataset", 0.04, S3, "Storage", "TimedStorage-INT-FA-ByteHrs", "GB-Mo", "storage", None, ()),
    ("loadbalancer", 0.04, "Elastic Load Balancing", "Load Balancer-Application", "LoadBalancerUsage", "Hrs", "network",
     "LCUUsage", ("requests",)),
    ("natgateway", 0.02, VPC, "NAT Gateway", "NatGateway-Hours", "Hrs", "network", "NatGateway-Bytes",
     ("network_bytes",)),
    ("address", 0.04, VPC, "VpcPublicIPv4Address", "PublicIPv4:InUseAddress", "Hrs", "network", None, ()),
    ("database", 0.03, "Amazon Relational Database Service", "Database Instance", "InstanceUsage:db.r6g.large", "Hrs",
     "database", None, ("cpu_percent", "connections")),
    ("endpoint", 0.02, "Amazon SageMaker", "Endpoint", "Host:ml.g5.xlarge", "Hrs", "compute", None, ("requests",)),
    ("notebook", 0.02, "Amazon SageMaker", "Notebook", "Notebk:ml.t3.medium", "Hrs", "compute", None, ("cpu_percent",)),
    ("networkinterface", 0.02, VPC, "Interface", "ENI-Hours", "Hrs", "network", None, ()),
    ("image", 0.01, EC2, "Image", "AMI", "GB-Mo", "storage", None, ()),
    ("cluster", 0.01, "Amazon EKS", "Cluster", "AmazonEKS-Hours", "Hrs", "compute", None, ()),
    ("loggroup", 0.02, "AmazonCloudWatch", "Log Group", "DataProcessing-Bytes", "GB", "observability", None, ()),
)  # fmt: skip
PARENTS = {
    "volume": "instance", "snapshot": "volume", "node": "cluster", "address": "instance",
    "networkinterface": "instance",
}  # fmt: skip
STATES = {"instance": "running", "node": "running", "volume": "in-use", "address": "in-use"}
METRIC_DAYS = 20
FAILS = 3


def world(resources: int) -> WasteInputs:
    """An estate of every kind; one thing in ten is idle, unattached or old, so that there is something to tell."""
    ids = {
        kind: pl.DataFrame({"n": pl.int_range(max(1, int(share * resources)), eager=True)}).select(
            "n", pl.format("{}-{}", pl.lit(kind), "n").alias("id")
        )
        for kind, share, *_ in KINDS
    }
    costs = [
        _meter(ids[kind], (service, on_bill, meter), unit, element)
        for kind, _, service, on_bill, meter, unit, element, *_ in KINDS
    ]
    costs += [
        _meter(ids[kind].filter(pl.col("n") % 10 != 0), (service, on_bill, used), "GB", "network")
        for kind, _, service, on_bill, _, _, _, used, _ in KINDS
        if used
    ]
    resources_frame = pl.concat([_things(kind, ids) for kind in ids])
    return WasteInputs(
        AS_OF, {"bench": MARK}, costs=pl.concat(costs), resources=resources_frame, dimensions=DIMENSIONS,
        tags=_tags(resources_frame), utilization=pl.concat([_metrics(ids[kind], names) for kind, *_, names in KINDS]),
        jobs=_jobs(ids["node"]), runs=_runs(resources // 20), checkpoints=_checkpoints(resources // 4, ids["bucket"]),
        people=_people(), inventory_day=date(2026, 11, 9),
    )  # fmt: skip


def _people() -> pl.DataFrame:
    """Twenty-five owners, of whom the first has left."""
    left = [date(2026, 9, 1), *([None] * 24)]
    rows = pl.DataFrame({"owner": [f"owner-{n}" for n in range(25)], "valid_to": left})
    return _filled(rows, PEOPLE_COLUMNS)


def _filled(rows: pl.DataFrame, schema: dict[str, pl.DataType]) -> pl.DataFrame:
    blank = [pl.lit(None, dtype).alias(name) for name, dtype in schema.items() if name not in rows.columns]
    return rows.with_columns(blank).select(pl.col(name).cast(dtype) for name, dtype in schema.items())


def _meter(ids: pl.DataFrame, sold: tuple[str, str, str], unit: str, element: str) -> pl.DataFrame:
    """A meter that is billed every day; `sold` is its service, its type and its own name."""
    service, kind, meter = sold
    frames = []
    for first, length in MONTHS:
        last = first + timedelta(days=length - 1)
        stated = {
            "source": "bench", "BillingCurrency": "USD", "stage": "pretraining", "environment": "research",
            "ServiceName": service, "ResourceType": kind, "SkuMeter": meter, "SkuId": meter, "RegionId": "us-east-1",
            "PricingCategory": "Standard", "ChargeCategory": "Usage", "ConsumedUnit": unit, "cost_element": element,
        }  # fmt: skip
        frames.append(ids.select(
            pl.col("id").alias("ResourceId"), pl.format("project-{}", pl.col("n") % 40).alias("project"),
            pl.format("account-{}", pl.col("n") % 7).alias("SubAccountId"),
            pl.format("exp-{}", pl.col("n") % 400).alias("experiment"),
            pl.format("owner-{}", pl.col("n") % 25).alias("owner"),
            *(pl.lit(value).alias(name) for name, value in stated.items()), pl.lit(first).alias("month"),
            pl.lit(f"{length * 3}.5").str.to_decimal(scale=12).cast(MONEY).alias("EffectiveCost"),
            pl.lit(length * 24.0).alias("ConsumedQuantity"), pl.lit(first).alias("first_day"),
            pl.lit(last).alias("last_day"), pl.lit(length, pl.Int32).alias("days"),
            pl.lit(length // 4, pl.Int32).alias("weekend_days"),
        ))  # fmt: skip
    return _filled(pl.concat(frames), meter_columns(DIMENSIONS))


def _things(kind: str, ids: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """The inventory of one kind; a tenth hangs on nothing."""
    rows, tenth = ids[kind], pl.col("n") % 10 == 0
    attached: pl.Expr = pl.lit(None, pl.String)
    if kind in PARENTS:
        parent = PARENTS[kind]
        attached = pl.when(~tenth).then(pl.format(f"{parent}-{{}}", pl.col("n") % ids[parent].height))
    state = pl.when(tenth).then(pl.lit("available")).otherwise(pl.lit(STATES.get(kind, "active")))
    return _filled(rows.select(
        pl.col("id").alias("resource_id"), pl.lit(kind).alias("resource_type"),
        (state if kind in {"volume", "address"} else pl.lit(STATES.get(kind, "active"))).alias("state"),
        attached.alias("attached_to"), pl.lit(datetime(2026, 5, 1, tzinfo=UTC)).alias("created_at"),
        pl.when(tenth).then(pl.lit(datetime(2026, 6, 1, tzinfo=UTC))).otherwise(AS_OF).alias("last_used_at"),
        pl.lit(8.0 if kind == "node" else 0.0).alias("gpus"), (100.0 + pl.col("n") % 5000).alias("size_gb"),
        pl.lit(80.0).alias("used_gb"), pl.lit("us-east-1").alias("region"),
        pl.format("{}-{}", pl.lit(f"team-{kind}"), pl.col("n") % 50_000).alias("name"), pl.lit(2.0).alias("targets"),
        pl.lit("keep-90").alias("lifecycle_policy"), pl.lit("hot").alias("storage_class"),
        pl.format("ami-{}", pl.col("n") % 100).alias("image_id"),
    ), RESOURCE_COLUMNS)  # fmt: skip


def _metrics(ids: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    days = pl.DataFrame({"date": [MARK.last_day - timedelta(days=n) for n in range(METRIC_DAYS)]})
    metrics = pl.DataFrame({"metric": list(names)}, schema={"metric": pl.String})
    idle = pl.when(pl.col("n") % 10 == 0).then(0.0).otherwise(9e9 if "network_bytes" in names else 60.0)
    rows = ids.join(days, how="cross").join(metrics, how="cross")
    return rows.select(pl.col("id").alias("resource_id"), "date", "metric", idle.alias("average"),
                       idle.alias("maximum"), pl.lit(None, pl.Int64).alias("samples"))  # fmt: skip


def _tags(things: pl.DataFrame) -> pl.DataFrame:
    """Three tags a resource."""
    numbered = things.select("resource_id").with_row_index("n")
    pairs = (("owner", "owner-{}", 25), ("project", "project-{}", 40), ("expiry", "2026-12-{}", 20))
    return pl.concat([
        _filled(numbered.select("resource_id", pl.lit(key).alias("key"),
                                pl.format(text, pl.col("n") % count + 10).alias("value")), TAG_COLUMNS)
        for key, text, count in pairs
    ])  # fmt: skip


def _jobs(nodes: pl.DataFrame) -> pl.DataFrame:
    """Ten jobs a node, one after another."""
    rows = nodes.join(pl.DataFrame({"k": range(10)}), how="cross")
    start = pl.lit(datetime(2026, 10, 1, tzinfo=UTC)) + pl.duration(days=pl.col("k") * 4)
    return _filled(rows.select(
        pl.format("job-{}-{}", "n", "k").alias("job_id"), pl.col("id").alias("resource_id"), start.alias("submit"),
        start.alias("start"), (start + pl.duration(days=3)).alias("end"), pl.lit(8.0).alias("gpus"),
        pl.when(pl.col("k") == FAILS).then(pl.lit("FAILED")).otherwise(pl.lit("COMPLETED")).alias("state"),
        pl.format("exp-{}", pl.col("n") % 400).alias("experiment"), pl.lit("train").alias("name"),
        pl.format("part-{}", pl.col("n") % 20).alias("partition"),
    ), JOB_COLUMNS)  # fmt: skip


def _runs(count: int) -> pl.DataFrame:
    rows = pl.DataFrame({"n": pl.int_range(count, eager=True)})
    start = pl.lit(datetime(2026, 10, 1, tzinfo=UTC)) + pl.duration(days=pl.col("n") % 30)
    status = pl.when(pl.col("n") % 10 == 0).then(pl.lit("failed")).otherwise(pl.lit("completed"))
    return _filled(rows.select(
        pl.format("run-{}", "n").alias("run_id"), pl.format("exp-{}", pl.col("n") % 400).alias("experiment"),
        pl.lit("pretraining").alias("stage"), pl.format("project-{}", pl.col("n") % 40).alias("project"),
        status.alias("status"), start.alias("started_at"), (start + pl.duration(days=3)).alias("ended_at"),
        (8.0 + pl.col("n") % 3 * 8).alias("gpus"), pl.lit(0.4).alias("mfu"), pl.lit(10**9).alias("tokens"),
        pl.format("c-{}", pl.col("n") % 1000).alias("config_hash"), pl.lit("d").alias("data_hash"),
        pl.lit("loss").alias("metric"), (pl.col("n") % 100 / 10).alias("metric_value"),
        pl.when(pl.col("n") % 50 == 0).then(pl.lit("debug")).otherwise(pl.lit("info")).alias("log_level"),
    ), {**RUN_COLUMNS, "log_level": pl.String()})  # fmt: skip


def _checkpoints(count: int, buckets: pl.DataFrame) -> pl.DataFrame:
    rows = pl.DataFrame({"n": pl.int_range(count, eager=True)})
    return _filled(rows.select(
        pl.format("s3://b/{}", "n").alias("uri"), pl.format("exp-{}", pl.col("n") % 400).alias("experiment"),
        pl.format("run-{}", pl.col("n") // 5).alias("run_id"), (pl.col("n") % 5).alias("step"),
        pl.lit(10**9).alias("size_bytes"), pl.lit(datetime(2026, 10, 1, tzinfo=UTC)).alias("created_at"),
        pl.format("bucket-{}", pl.col("n") % buckets.height).alias("resource_id"),
    ), CHECKPOINT_COLUMNS)  # fmt: skip


def each(inputs: WasteInputs) -> list[tuple[float, float, str]]:
    """Processor and wall seconds of each detector, in order; what the first one that asks for it computes is its."""
    estate, rows = Estate(inputs), []
    for one in DETECTORS:
        began, busy = time.perf_counter(), time.process_time()
        one.judge(estate, Thresholds(one, Waste()))
        rows.append((time.process_time() - busy, time.perf_counter() - began, one.name))
    return rows


BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--resources", type=int, default=RESOURCES)
    parser.add_argument("--each", action="store_true", help="print what each detector took, and write nothing")
    wanted = parser.parse_args()
    inputs = world(wanted.resources)
    if wanted.each:
        for cpu, wall, name in sorted(each(inputs), reverse=True):
            print(f"{cpu:7.2f} {wall:7.2f} {name}")
        return
    began, busy = time.perf_counter(), time.process_time()
    done = detect_waste(inputs, Waste())
    cpu, wall = time.process_time() - busy, time.perf_counter() - began
    counted = done.detectors
    ran, judged = counted.filter(pl.col("lacks").is_null())["kind"].n_unique(), counted["judged"].sum()
    names = ("resources", "costs", "utilization", "tags", "jobs", "runs", "checkpoints")
    sizes = {name: len(getattr(inputs, name)) for name in names}
    things = sizes.pop("resources")
    told = ", ".join(f"{count:,} rows of {name}" for name, count in sizes.items())
    text = (
        f"`python benchmarks/waste_speed.py`: {things:,} resources of {len(KINDS)} kinds with {told}; "
        f"{ran} of {len(DETECTORS)} detectors judged {judged:,} subjects and told {done.findings.height:,} findings in "
        f"{cpu:.1f} s of processor, on {pl.thread_pool_size()} threads {cpu / pl.thread_pool_size():.1f} s where "
        f"nothing else runs (goal {SECONDS:.0f} s); by the clock {wall:.1f} s on the machine as it was."
    )  # fmt: skip
    print(text)
    if wanted.resources == RESOURCES:
        _write(text)


def _write(text: str) -> None:
    """Put the section before that of the labels, in place of the former one."""
    page = HERE / "detection_waste.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2].lstrip("\n")
    if not rest:
        before, mark, labels = before.partition("<!-- labels")
        after = mark + labels
    page.write_text(f"{before.rstrip()}\n\n{BEGIN}\n## Speed\n\n{text}\n{END}\n\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
