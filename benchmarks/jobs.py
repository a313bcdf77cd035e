"""A month of a cluster: how long it takes to divide it among its jobs once the bill is in.

64 nodes of eight GPUs billed by the hour, 20,000 jobs that overlap, are requeued, and are cut by the month's ends.
Prints a table, checks that jobs and idle sum to the bill, and writes JSON where asked.

    python benchmarks/jobs.py --json jobs.json
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from flows import arrival, steps
from flows.running import running
from flows.settings import load_workspace

MONTH = datetime(2026, 10, 1, tzinfo=UTC)
HOURS = 744
PROJECTS = ("atlas-7b", "borealis-30b", "kestrel-reward", "data-foundry", "sandbox")
WORKSPACE = """
currency = "USD"
timezone = "UTC"
store = "ledger"
[[source]]
name = "cluster"
path = "bills/*.parquet"
[inputs]
resources = "inventory.csv"
jobs = "jobs/*"
"""
RULES = """
[[split]]
name   = "cluster by GPU time"
when   = { ServiceName = "GPU Nodes" }
across = ["project", "stage", "experiment", "owner"]
by     = "jobs"
idle   = "keep"
"""


def make(root: Path, nodes: int, jobs: int, rng: random.Random) -> Decimal:
    """Write the workspace; what its bill sums to."""
    for folder in ("bills", "jobs"):
        (root / folder).mkdir()
    (root / "attribution.toml").write_text(WORKSPACE, encoding="utf-8")
    (root / "rules.toml").write_text(RULES, encoding="utf-8")
    names = [f"gpu{number:03}" for number in range(1, nodes + 1)]
    inventory = ["resource_id,resource_type,gpus,name", *(f"i-{name},node,8,{name}" for name in names)]
    (root / "inventory.csv").write_text("\n".join(inventory) + "\n", encoding="utf-8")
    rows = list(_charges(names, rng))
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(root / "bills/cluster.parquet")
    lines = ["JobID|JobName|User|Account|State|Start|End|AllocTRES|NodeList", *_jobs(names, jobs, rng)]
    (root / "jobs/sacct.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum((row["EffectiveCost"] for row in rows), Decimal(0))


def _charges(names: list[str], rng: random.Random) -> Iterator[dict[str, Any]]:
    for name in names:
        for hour in range(HOURS):
            start = MONTH + timedelta(hours=hour)
            price = Decimal(rng.choice((983_100_000, 621_455_321, 611_200_007))).scaleb(-7)
            yield {
                "BillingAccountId": "c-1", "BillingCurrency": "USD", "ServiceName": "GPU Nodes",
                "ServiceCategory": "Compute", "ChargeCategory": "Usage", "ResourceId": f"i-{name}",
                "SkuId": "h100-8x", "BillingPeriodStart": MONTH, "BillingPeriodEnd": MONTH + timedelta(days=31),
                "ChargePeriodStart": start, "ChargePeriodEnd": start + timedelta(hours=1),
                "BilledCost": price, "EffectiveCost": price, "ListCost": price * 2, "ContractedCost": price,
                "ConsumedQuantity": 1.0, "ConsumedUnit": "Hours",
            }  # fmt: skip


def _jobs(names: list[str], jobs: int, rng: random.Random) -> Iterator[str]:
    """A tenth on several nodes, a twentieth requeued once; some began before the month, some go on after it."""
    for number in range(jobs):
        many = rng.choice((1,) * 9 + (4,))
        at = rng.randrange(len(names))
        nodes = [names[(at + step) % len(names)] for step in range(many)]
        gpus = 8 * many if many > 1 else rng.choice((1, 1, 2, 4, 8))
        start = MONTH + timedelta(seconds=rng.randrange(-86_400, HOURS * 3600))
        project = rng.choice(PROJECTS)
        runs = 2 if rng.random() < 1 / 20 else 1
        for run in range(runs):
            end = start + timedelta(seconds=rng.choice((600, 7200, 40_000)) + rng.randrange(3600))
            state = "REQUEUED" if run < runs - 1 else rng.choice(("COMPLETED", "COMPLETED", "FAILED", "TIMEOUT"))
            node = ",".join(nodes)
            yield (
                f"{number}|{project}-{number % 40}|u{number % 30}|{project}|{state}|{start:%Y-%m-%dT%H:%M:%S}|"
                f"{end:%Y-%m-%dT%H:%M:%S}|cpu=8,gres/gpu={gpus},node={many}|{node}"
            )
            start = end + timedelta(seconds=90)


def measure(root: Path, bill: Decimal) -> dict[str, Any]:
    """Take the bill in, then attribute it; the seconds of each, and whether all of it was divided."""
    workspace = load_workspace(root)
    with running(workspace, "bench") as run:
        started = time.perf_counter()
        stated = steps.read_stated(workspace)
        read = time.perf_counter() - started
        arrival.ingest(run, stated.rules.columns)
        ingested, busy = time.perf_counter(), time.process_time()
        steps.attribute(run, stated)
        attributed, worked = time.perf_counter() - ingested, time.process_time() - busy
        found = run.ledger.frame(
            "SELECT kind = 'job' AS used, sum(EffectiveCost) AS cost, sum(gpu_hours) AS hours, count(*) AS rows "
            "FROM book.job_shares GROUP BY ALL ORDER BY ALL"
        )
        lineage = run.ledger.frame("SELECT count(*) FROM book.split_lineage").item()
        costs = run.ledger.frame("SELECT sum(EffectiveCost) FROM costs").item()
    whole = sum(found.get_column("cost"), Decimal(0))
    if not whole == bill == costs:
        sys.exit(f"jobs and idle sum to {whole}, costs to {costs}, the bill to {bill}")
    return {
        "charges": run.counts["lines"],
        "read jobs": read,
        "divide and keep": attributed,
        "of it CPU": worked,
        "shares": lineage,
        "job cost": str(found.filter("used").get_column("cost").sum()),
        "idle cost": str(found.filter(~pl.col("used")).get_column("cost").sum()),
    }


def main() -> None:
    """Make the month, measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=64, help="nodes of eight GPUs (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=20_000, help="jobs in the month (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write all figures here")
    wanted = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="attribution-jobs-"))
    try:
        bill = make(root, wanted.nodes, wanted.jobs, random.Random(64))
        found = measure(root, bill)
    finally:
        shutil.rmtree(root)
    table = Table(title=f"{wanted.nodes} nodes, {wanted.jobs:,} jobs, one month", header_style="bold")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in found.items():
        table.add_row(
            name, f"{value:,.2f} s" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        )
    Console().print(table)
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
