"""A generated company of any size: a FOCUS bill, tag CSV, inventory, rules. The same size gives the same files.

Every value is a function of its row's number, through a hash, so that DuckDB writes ten million rows in a minute
and nothing depends on threads.
"""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

import duckdb

Shape = Literal["R", "H"]

DAYS = 30
HOURS_A_DAY = 20
"""Of the 24 hours an H resource is billed for these, so that a day rolls up 20 to 1."""
TAGSETS_A_MILLION = 8_000
RESOURCES = 200_000
RULES = 50
PROJECTS = ("atlas-7b", "orion-70b", "lyra-3b", "vega-moe", "data-foundry", "platform")
STAGES = ("data-processing", "pretraining", "sft", "evaluation", "serving")
OWNERS = ("mira", "tomas", "ines", "kofi")
# service, category, meter
SERVICES = (
    ("Elastic Compute", "Compute", "GPU node hours"),
    ("Elastic Compute", "Compute", "CPU node hours"),
    ("Block Storage", "Storage", "EBS:VolumeUsage"),
    ("Object Storage", "Storage", "TimedStorage"),
    ("Elastic File System", "Storage", "Capacity storage"),
    ("Load Balancer", "Networking", "Load balancer hours"),
    ("Virtual Network", "Networking", "NAT gateway"),
    ("Managed PostgreSQL", "Databases", "Instance hours"),
    ("Managed Kafka", "Integration", "Broker hours"),
    ("CloudWatch", "Management and Governance", "Metrics"),
    ("SageMaker", "AI and Machine Learning", "Notebook hours"),
    ("Premium Support", "Other", "Support"),
)
REGIONS = ("eu-north-1", "eu-west-1", "us-east-1", "us-east-2", "us-west-2", "ap-south-1", "ap-east-1", "sa-east-1")
ACCOUNTS = 40
BAD_EVERY = 50_000
"""One row in so many has a category that FOCUS does not know, so that rejects are at work too."""


@dataclass(frozen=True)
class World:
    """Where a generated company lies, and how large it is."""

    root: Path
    rows: int
    shape: Shape

    @property
    def bill(self) -> Path:
        """The Parquet bill."""
        return self.root / "bills" / "focus_2026-10.parquet"

    @property
    def resources(self) -> int:
        """R: 200k resources for a million rows and more. H: one for every 600 rows, an hour each."""
        if self.shape == "H":
            return max(1, self.rows // (DAYS * HOURS_A_DAY))
        return min(RESOURCES, max(1, self.rows // 5))

    @property
    def tagsets(self) -> int:
        """Distinct tag sets: 80k for ten million rows."""
        return max(10, self.rows * TAGSETS_A_MILLION // 1_000_000)


def make(data: Path, rows: int, shape: Shape) -> World:
    """Write a company, unless it is there already.

    Args:
        data: folder of all generated data.
        rows: charges in the bill.
        shape: `R`, scattered over days, hardly rolls up; `H`, hourly and long-lived, rolls up about 20 to 1.
    """
    world = World(data / f"{shape}-{rows}", rows, shape)
    done = world.root / "done"
    if done.exists():
        return world
    for folder in ("bills", "tags", "inventory"):
        (world.root / folder).mkdir(parents=True, exist_ok=True)
    (world.root / "attribution.toml").write_text(_WORKSPACE, encoding="utf-8")
    (world.root / "rules.toml").write_text(rules(), encoding="utf-8")
    con = duckdb.connect()
    con.execute("SET threads = 2; SET TimeZone = 'UTC'; SET preserve_insertion_order = true")
    con.execute(bill_sql(world, world.bill))
    con.close()
    _write_inventory(world)
    _write_tags(world)
    done.touch()
    return world


_WORKSPACE = """\
currency = "USD"
timezone = "UTC"

[[source]]
name = "bench"
path = "bills/*"

[inputs]
tags      = "tags/*.csv"
resources = "inventory/*.csv"
"""


def _listed(values: tuple[str, ...]) -> str:
    return "[" + ", ".join(f"'{value}'" for value in values) + "]"


def _place(world: World) -> str:
    """SQL of a row's resource `r` and hour of the month `h`."""
    if world.shape == "R":
        return f"""(hash(hash(i) + 1) % {world.resources})::INT AS r, (hash(hash(i) + 2) % {DAYS * 24})::INT AS h"""
    # A stride without a common divisor visits every (resource, day, hour) once, in scattered order.
    scattered = f"(i * 7368787 % {world.rows})"
    hour = f"{scattered} // {world.resources}"
    return f"""({scattered} % {world.resources})::INT AS r,
        (({hour}) // {HOURS_A_DAY} * 24 + ({hour}) % {HOURS_A_DAY})::INT AS h"""


def bill_sql(world: World, file: Path, month: date = date(2026, 10, 1), factor: float = 1) -> str:
    """The COPY that writes a month's bill: 31 columns, costs as DOUBLE, as AWS exports them, times a factor."""
    after = (month + timedelta(days=31)).replace(day=1)
    services = [_listed(tuple(one[at] for one in SERVICES)) for at in range(3)]
    meters = 3 if world.shape == "R" else 1
    # Nodes that live all month run one experiment after the other.
    epoch = "14" if world.shape == "R" else "14 + h // 144"
    return f"""
COPY (
    WITH placed AS (SELECT i, {_place(world)} FROM range({world.rows}) AS t(i)),
    about AS (
        SELECT *,
            (hash(hash(r) + 11) % {len(SERVICES)})::INT AS s,
            (hash(hash(r) + 12) % {len(REGIONS)})::INT AS g,
            (hash(hash(r) + 13) % {ACCOUNTS})::INT AS a,
            (hash(hash(r) + {epoch}) % {world.tagsets})::INT AS t,
            hash(hash(r) + 15) % 10 AS untagged,
            (hash(hash(i) + 3) % {meters})::INT AS m,
            round((hash(hash(i) + 4) % 100000000) / 1e7 + 0.0000000417 * (hash(hash(i) + 5) % 1000), 10)
                * {factor} AS amount,
            round((hash(hash(i) + 6) % 100000) / 1000, 3) AS quantity,
            TIMESTAMPTZ '{month} 00:00:00+00' + to_hours(h) AS began
        FROM placed
    )
    SELECT
        amount AS BilledCost,
        '100200300400' AS BillingAccountId,
        'Bench Labs' AS BillingAccountName,
        'USD' AS BillingCurrency,
        TIMESTAMPTZ '{after} 00:00:00+00' AS BillingPeriodEnd,
        TIMESTAMPTZ '{month} 00:00:00+00' AS BillingPeriodStart,
        CASE WHEN i % {BAD_EVERY} = {BAD_EVERY // 2} THEN 'Usages' ELSE 'Usage' END AS ChargeCategory,
        {services[2]}[s + 1] || ' in ' || {_listed(REGIONS)}[g + 1] || ', tier ' || m AS ChargeDescription,
        'Usage-Based' AS ChargeFrequency,
        began + INTERVAL 1 HOUR AS ChargePeriodEnd,
        began AS ChargePeriodStart,
        quantity AS ConsumedQuantity,
        'Hours' AS ConsumedUnit,
        round(amount * 1.02, 10) AS ContractedCost,
        round(amount * 0.9, 10) AS EffectiveCost,
        'Bench Cloud' AS InvoiceIssuerName,
        round(amount * 1.1, 10) AS ListCost,
        CASE WHEN hash(hash(r) + 16) % 20 = 0 THEN 'Dynamic' ELSE 'Standard' END AS PricingCategory,
        quantity AS PricingQuantity,
        'Hours' AS PricingUnit,
        'Bench Cloud' AS ProviderName,
        {_listed(REGIONS)}[g + 1] AS RegionId,
        'res-' || lpad(r::VARCHAR, 8, '0') || '-' || substr(md5(r::VARCHAR), 1, 9) AS ResourceId,
        'node ' || r AS ResourceName,
        {services[1]}[s + 1] AS ServiceCategory,
        {services[0]}[s + 1] AS ServiceName,
        'SKU' || lpad((s * 100 + g * 10 + m)::VARCHAR, 6, '0') AS SkuId,
        {services[2]}[s + 1] AS SkuMeter,
        'acc-' || lpad(a::VARCHAR, 4, '0') AS SubAccountId,
        'account ' || a AS SubAccountName,
        CASE WHEN untagged > 0 THEN
            '{{"Project":"' || {_listed(PROJECTS)}[t % {len(PROJECTS)} + 1]
            || '","stage":"' || {_listed(STAGES)}[t // {len(PROJECTS)} % {len(STAGES)} + 1]
            || '","owner":"' || {_listed(OWNERS)}[t % {len(OWNERS)} + 1]
            || '","experiment":"run-' || t % 997
            || '","pod":"worker-' || t || '"}}'
        END AS Tags
    FROM about
) TO '{file}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)
"""


def _resources(world: World) -> list[str]:
    rows = duckdb.execute(
        "SELECT 'res-' || lpad(r::VARCHAR, 8, '0') || '-' || substr(md5(r::VARCHAR), 1, 9) FROM range($n) AS t(r)",
        {"n": world.resources},
    ).fetchall()
    return [name for (name,) in rows]


def _write_inventory(world: World) -> None:
    """Every fourth resource is attached to another one; parents are every fortieth."""
    names = _resources(world)
    with (world.root / "inventory" / "resources.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["resource_id", "resource_type", "state", "attached_to"])
        for number, name in enumerate(names):
            if number % 40 == 0:
                writer.writerow([name, "instance", "running", ""])
            elif number % 4 == 1:
                writer.writerow([name, "volume", "in-use", names[number // 40 * 40]])


def _write_tags(world: World) -> None:
    """Every tenth resource is in the register; half of those change hands in the middle of the month."""
    draw = random.Random(7)
    with (world.root / "tags" / "register.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["resource_id", "key", "value", "valid_from", "valid_to"])
        for name in _resources(world)[::10]:
            change = f"2026-10-{draw.randint(5, 25):02}" if draw.random() < 1 / 2 else ""
            writer.writerow([name, "project", draw.choice(PROJECTS), "", change])
            if change:
                writer.writerow([name, "project", draw.choice(PROJECTS), change, ""])


def rules(count: int = RULES) -> str:
    """Rules of every kind of condition, and two splits."""
    lines = [
        "[[rule]]",
        'name = "support is shared"',
        'when = { ServiceName = { glob = "*Support*" } }',
        'assign = { project = "shared", stage = "iteration", experiment = "all", owner = "kofi" }',
        "[[rule]]",
        'name = "monitoring is pooled"',
        'when = { ServiceName = "CloudWatch", "tag:project" = { missing = true } }',
        'assign = { project = "monitoring", stage = "iteration", experiment = "all", owner = "kofi" }',
    ]
    kinds = (
        'SubAccountId = "acc-{n:04}", PricingCategory = "Dynamic"',
        'ResourceId = {{ glob = "res-{n:04}*7" }}, ServiceCategory = "Storage"',
        'ResourceId = {{ regex = "^res-0000{n:02}.*[a-f]$" }}',
        '"tag:experiment" = "run-{n}"',
        '"tag:pod" = {{ glob = "worker-{n}?" }}',
        'SkuId = {{ any_of = ["SKU{n:06}", "SKU{n:05}1"] }}, RegionId = {{ not = "eu-west-1" }}',
        'any = [ {{ ResourceName = "node {n}" }}, {{ ResourceName = "node {n}1" }} ], SkuId = {{ present = true }}',
        'cost_element = "network", SubAccountId = "acc-{n:04}"',
    )
    for number in range(2, count):
        assign = f'project = "{PROJECTS[number % len(PROJECTS)]}"'
        if number % 3 == 0:
            assign += f', stage = "{STAGES[number % len(STAGES)]}", owner = "{OWNERS[number % len(OWNERS)]}"'
        when = kinds[number % len(kinds)].format(n=number)
        lines += ["[[rule]]", f'name = "rule {number}"', f"when = {{ {when} }}", f"assign = {{ {assign} }}"]
    lines += [
        "[[split]]",
        'name = "support follows cost"',
        'when = { project = "shared" }',
        'across = ["project"]',
        'by = "cost"',
        "[[split]]",
        'name = "monitoring by agreement"',
        'when = { project = "monitoring" }',
        'across = ["project"]',
        'by = "fixed"',
        'weights = { "atlas-7b" = 60, "orion-70b" = 40 }',
    ]
    return "\n".join(lines) + "\n"
