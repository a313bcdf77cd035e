"""The attic: a small account at Meridian where things were left, one for each way of leaving them.

Each is found by a detector of the inventory, of utilization, or of jobs and runs. All of it is small, lies in files of
its own, and depends on no random number, so that nothing else of the sample moves with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

import tagging
from inputs import Line, table
from meridian import SERVICES, Row, Service, Usage, hours_from, usage_row
from world import END_OF_DATA, MONTHS, Lived, Tags, instant

ACCOUNT: Row = {
    "BillingAccountId": "MC-0017-3306",
    "BillingAccountName": "Quillhaven Labs (attic)",
    "InvoiceId": "MI-202610-3306",
    "SubAccountName": "attic",
}
LAB = "000917"
MACHINE = Service("Meridian Machines", "Compute", "Virtual Machines", "Machine", "Hours")
EDGE = Service("Meridian Edge", "Networking", "Network Infrastructure", "Edge", "Hours")
MODEL = Service("Meridian Inference", "AI and Machine Learning", "Generative AI", "Endpoint", "Hours")
VAULT = Service("Meridian Vault", "Security", "Secret Management", "Secret", "Hours")
DISK, SHELF, GRID, BASE = (SERVICES[name] for name in ("block", "object", "kubernetes", "postgres"))
WREN = tagging.tagged("wren-probe,sft,wren-1,kofi,research,platform")
FINCH = tagging.tagged("finch-tts,serving,finch-voice,kofi,research,platform")
METRICS_FROM = date(2026, 10, 20)


@dataclass(frozen=True)
class _Thing:
    """A row of the inventory; `billed` is its service, meter, and list price an hour or a GB and month (none: free)."""

    name: str
    kind: str
    billed: tuple[Service, str, str] | None = None
    listed: dict[str, str] = field(default_factory=dict)
    tags: Tags = field(default_factory=lambda: WREN)
    measured: dict[str, str] = field(default_factory=dict)


def _machine(name: str, size: str, price: str, gpus: int, *, on: str = "", **measured: str) -> _Thing:
    listed = {"state": "running", "gpus": str(gpus), "attached_to": on}
    return _Thing(name, "instance", (MACHINE, f"machine {size}", price), listed, measured=measured)


def _edge(name: str, kind: str, targets: str, **measured: str) -> _Thing:
    return _Thing(name, kind, (EDGE, f"{kind}, small", "0.003"), {"targets": targets}, measured=measured)


def _data(name: str, title: str, size: str, last_used: str, *, kept: str = "hot") -> _Thing:
    price = "0.018" if kept == "hot" else "0.004"
    listed = {"name": title, "size_gb": size, "last_used_at": last_used, "storage_class": kept}
    return _Thing(name, "dataset", (SHELF, f"Object storage, {kept}", price), listed)


def _model(name: str, targets: str, run: str, requests: str = "") -> _Thing:
    listed = {"targets": targets, "source_id": run}
    measured = {"requests": requests} if requests else {}
    return _Thing(name, "endpoint", (MODEL, "Endpoint, small", "0.003"), listed, FINCH, measured)


def _disk(name: str, size: str, used: str, ops: str) -> _Thing:
    listed = {"state": "in-use", "attached_to": "att-node-04", "size_gb": size, "used_gb": used}
    return _Thing(name, "volume", (DISK, "NVMe volume", "0.05"), listed, measured={"disk_ops": ops})


def _base(name: str, size: str, price: str, connections: str, cpu: str) -> _Thing:
    measured = {"connections": connections, "cpu_percent": cpu}
    return _Thing(name, "database", (BASE, f"Postgres {size}", price), {"state": "active"}, measured=measured)


_THINGS = (
    _Thing("att-ip-01", "address", (EDGE, "Address", "0.003"), {"state": "unassociated"}),
    _Thing("att-nic-01", "network-interface", None, {"state": "available"}),
    _Thing("att-snap-01", "snapshot", (DISK, "Volume copy", "0.03"), {"source_id": "att-vol-01",
           "attached_to": "att-vol-01", "size_gb": "100", "created_at": "2026-07-01T00:00:00Z"}),
    _Thing("att-snap-02", "snapshot", None, {"source_id": "att-vol-01", "created_at": "2026-10-20T00:00:00Z"}),
    _disk("att-vol-01", "200", "24", "5100"),
    _disk("att-vol-02", "100", "88", "0"),
    _edge("att-lb-01", "load-balancer", "0"),
    _edge("att-lb-02", "load-balancer", "2", requests="0"),
    _edge("att-gw-01", "gateway", "0"),
    _edge("att-gw-02", "gateway", "1", network_bytes="210"),
    _Thing("att-k8s-01", "cluster", (GRID, "Managed control plane, small", "0.01"), {"targets": "0"}),
    _Thing("att-k8s-02", "cluster", (GRID, "Managed control plane, small", "0.01")),
    _model("att-ep-01", "0", ""),
    _model("att-ep-02", "1", "f-1", "0"),
    _model("att-ep-03", "1", "f-2", "940"),
    _Thing("att-img-01", "image", None, {"created_at": "2026-02-02T00:00:00Z", "size_gb": "40"}),
    _Thing("att-img-02", "image", None, {"created_at": "2026-02-02T00:00:00Z", "size_gb": "40"}),
    _Thing("att-tpl-01", "launch-template", None, {"image_id": "att-img-02"}),
    _data("att-data-01", "corpus-sample", "600", "2026-10-25T00:00:00Z"),
    _data("att-data-02", "corpus-sample-copy", "600", "2026-07-10T00:00:00Z"),
    _data("att-data-03", "interview-audio", "400", "2026-09-20T00:00:00Z"),
    _data("att-data-04", "interview-raw", "900", "2026-10-01T00:00:00Z", kept="archive"),
    _Thing("att-key-01", "secret", (VAULT, "Secret", "0.003"), {"last_used_at": "2026-06-01T00:00:00Z"}),
    _Thing("att-bucket-01", "bucket", (SHELF, "Object storage, hot", "0.018"), {"size_gb": "3600",
           "lifecycle_policy": "none", "last_used_at": "2026-11-03T00:00:00Z"}),
    _Thing("att-tmp-01", "instance", (MACHINE, "machine lab-1x", "0.01"), {"state": "running", "gpus": "0"},
           measured={"cpu_percent": "61", "network_bytes": "91000000"}),
    _base("att-pg-01", "pg-2x", "0.01", "0", "2.1"),
    _base("att-pg-02", "pg-4x", "0.02", "37", "14.0"),
    _base("att-pg-03", "pg-2x", "0.01", "52", "66.0"),
    _Thing("att-nb-01", "notebook", (MACHINE, "notebook", "0.01"), {"state": "running", "gpus": "0"},
           measured={"cpu_percent": "1.2"}),
    _machine("att-node-03", "gpu-1x", "0.01", 1, on="att-k8s-02", gpu_percent="0.2", gpu_memory_percent="0.5"),
    _machine("att-node-04", "cpu-8x", "0.02", 0, cpu_percent="21", network_bytes="80000000"),
    _machine("att-node-05", "cpu-4x", "0.01", 0, cpu_percent="78", network_bytes="80000000"),
    _machine("att-node-06", "lab-1x", "0.01", 1, gpu_percent="19", gpu_memory_percent="31"),
    _Thing("att-res-01", "capacity-reservation", (MACHINE, "held capacity", "0.01"), {"state": "active"}),
    _machine("att-node-07", "gpu-1x", "0.01", 1, on="att-res-01", gpu_percent="0.1", gpu_memory_percent="0.4"),
    _machine("att-lab-01", "lab-1x", "0.01", 1, gpu_percent="55", gpu_memory_percent="71"),
    _machine("att-lab-02", "lab-1x", "0.01", 1, gpu_percent="1.1", gpu_memory_percent="64"),
    _machine("att-lab-03", "lab-1x", "0.01", 1),
)  # fmt: skip
_MACHINES = ("instance", "notebook", "capacity-reservation")


def _whose(one: _Thing) -> Tags:
    """The machines are the probe's, the rest is data-foundry's, and one is tagged by the register alone."""
    if one.name == "att-tmp-01":
        return {}
    return one.tags if one.kind in _MACHINES or one.tags is FINCH else tagging.DATA


_LIVES = {one.name: Lived(one.name, LAB, tags=_whose(one), start=MONTHS[2].first) for one in _THINGS}


def attic_charges() -> Iterator[Row]:
    """October of the account, a row a day of everything that is billed."""
    october = MONTHS[2]
    for one in _THINGS:
        if one.billed is None:
            continue
        service, meter, price = one.billed
        stored = service.unit == "GB-Months"
        whole = Decimal(one.listed["size_gb"]) / october.length if stored else Decimal(24)
        usage = Usage(meter, whole.quantize(Decimal("1E-6")), Decimal(price))
        for day in october.days():
            span = hours_from(instant(day), 24)
            yield usage_row(october, service, _LIVES[one.name], span, usage) | ACCOUNT


_COLUMNS = (
    *("state", "attached_to", "created_at", "last_used_at", "size_gb", "gpus", "name", "source_id", "image_id"),
    *("targets", "used_gb", "lifecycle_policy", "storage_class"),
)


def attic_inventory() -> str:
    """Everything in the attic, with the columns that a larger inventory may have."""
    plain = {"created_at": "2026-07-20T00:00:00Z"}
    header = ("resource_id", "resource_type", *_COLUMNS, "region", "account_id")
    rows = [(one, plain | {"name": one.name} | one.listed) for one in _THINGS]
    return table(
        header,
        [(one.name, one.kind, *(row.get(name, "") for name in _COLUMNS), "no-north-1", LAB) for one, row in rows],
    )


def attic_utilization() -> str:
    """The same figures each day, from October 20 on."""
    days = [METRICS_FROM + timedelta(days=number) for number in range((END_OF_DATA - METRICS_FROM).days)]
    lines: list[Line] = [
        (one.name, day.isoformat(), metric, value, value, "")
        for one in _THINGS
        for day in days
        for metric, value in one.measured.items()
    ]
    return table(("resource_id", "date", "metric", "average", "maximum", "samples"), lines)


def attic_tags() -> str:
    """What the register says of the one machine that outlived its owner's stay."""
    of = {"project": "wren-probe", "owner": "lena", "expires-on": "2026-09-30"}
    lines: list[Line] = [("att-tmp-01", key, value, "2026-08-01", "") for key, value in of.items()]
    return table(("resource_id", "key", "value", "valid_from", "valid_to"), lines)


# run, experiment, project, stage, status, start and end, GPUs, tokens, mfu, hashes, metric value, log level
_RUNS = (
    ("f-1", "finch-voice", "finch-tts", "sft", "COMPLETED", "08-01", "08-20", "1", "", "", "cf df", "0.61", ""),
    ("f-2", "finch-voice", "finch-tts", "sft", "COMPLETED", "08-21", "08-28", "1", "", "", "cg df", "0.66", ""),
    ("d-1", "crawl-26b", "data-foundry", "data-prep", "COMPLETED", "10-03", "10-04", "8", "", "", "cd dd", "", ""),
    ("d-2", "crawl-26b", "data-foundry", "data-prep", "COMPLETED", "10-09", "10-10", "8", "", "", "cd dd", "", ""),
    ("w-0", "wren-0", "wren-probe", "sft", "COMPLETED", "10-02", "10-08", "1", "", "", "c0 d0", "", ""),
    ("w-1", "wren-1", "wren-probe", "sft", "FAILED", "10-09", "10-13", "1", "", "", "c1 d1", "", "info"),
    ("w-2", "wren-1", "wren-probe", "sft", "CANCELLED", "10-13", "10-17", "1", "", "", "c2 d1", "", "info"),
    ("w-3", "wren-1", "wren-probe", "sft", "TIMEOUT", "10-17", "10-20", "1", "", "", "c3 d1", "", "info"),
    ("w-4", "wren-1", "wren-probe", "sft", "COMPLETED", "10-20", "10-24", "1", "96000000", "0.12", "c4 d1", "0.51",
     "info"),
    ("w-5", "wren-1", "wren-probe", "sft", "COMPLETED", "10-24", "10-26", "4", "96000000", "0.33", "c5 d1", "0.52",
     "info"),
    ("w-6", "wren-1", "wren-probe", "sft", "COMPLETED", "10-26", "10-31", "1", "", "", "c6 d1", "0.55", "debug"),
)  # fmt: skip


def attic_runs() -> str:
    """Small runs, one for each way to come to little."""
    header = (
        *("run_id", "experiment", "project", "stage", "owner", "status", "started_at", "ended_at", "gpus", "tokens"),
        *("mfu", "config_hash", "data_hash", "metric", "metric_value", "log_level"),
    )
    lines: list[Line] = []
    for run, experiment, project, stage, status, start, end, gpus, tokens, mfu, hashes, value, level in _RUNS:
        times = tuple(f"2026-{day}T00:00:00Z" for day in (start, end))
        counted = (gpus, tokens, mfu, *hashes.split())
        scored = ("win_rate" if value else "", value, level)
        lines.append((run, experiment, project, stage, "kofi", status, *times, *counted, *scored))
    return table(header, lines)


# job, name, account, partition, state, GPUs, node, start, end
_JOBS = (
    ("5101", "shards", "data-foundry", "data", "FAILED", 8, "mrd-data-02", "10-12T01:00:00", "10-12T01:20:00"),
    ("5102", "shards", "data-foundry", "data", "FAILED", 8, "mrd-data-02", "10-12T03:00:00", "10-12T03:25:00"),
    ("5103", "shards", "data-foundry", "data", "FAILED", 8, "mrd-data-02", "10-12T05:00:00", "10-12T05:15:00"),
    ("5110", "session", "wren-probe", "lab", "COMPLETED", 1, "att-lab-02", "10-20T00:00:00", "11-03T00:00:00"),
    ("5120", "old-eval", "wren-probe", "attic", "COMPLETED", 1, "att-lab-03", "10-03T00:00:00", "10-04T00:00:00"),
)


def attic_jobs() -> str:
    """What Slurm ran in the attic, as `sacct --parsable2` tells it."""
    header = "JobID|JobName|User|Account|Partition|State|Submit|Start|End|AllocTRES|NodeList"
    lines = [
        f"{job}|{name}|kofi|{account}|{part}|{state}|2026-{start}|2026-{start}|2026-{end}|gres/gpu={gpus},node=1|{node}"
        for job, name, account, part, state, gpus, node, start, end in _JOBS
    ]
    return "\n".join((header, *lines)) + "\n"
