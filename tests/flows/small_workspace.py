"""A workspace of a few FOCUS rows, made in a test's own folder, and the command run on it in this process."""

from __future__ import annotations

import csv
import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from attribution.ledger import read_published
from flows import cli, questions, terminal

AS_OF = "2026-11-05T06:00:00Z"
TOML = """
currency = "USD"
[[source]]
name = "cloud"
path = "bills/*"
"""
RULES = """
[dimension.project]
tags = ["project"]
[dimension.owner]
tags = ["owner"]
"""
COLUMNS = (
    "BillingAccountId", "SubAccountId", "BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart",
    "ChargePeriodEnd", "ChargeCategory", "ChargeDescription", "ServiceName", "ServiceCategory", "ResourceId",
    "ResourceType", "SkuId", "BilledCost", "EffectiveCost", "ListCost", "ContractedCost", "BillingCurrency", "Tags",
)  # fmt: skip


def charge(day: str = "2026-10-03", cost: str = "10.5", **cells: str) -> dict[str, str]:
    """One day's charge of `i-1`, project atlas, owner mira; `cells` replace its columns."""
    first = date.fromisoformat(day)
    month = first.replace(day=1)
    tags = {"project": cells.pop("project", "atlas"), "owner": cells.pop("owner", "mira")}
    return {
        "BillingAccountId": "0012",
        "SubAccountId": "000745",
        "BillingPeriodStart": f"{month}T00:00:00Z",
        "BillingPeriodEnd": f"{(month + timedelta(days=32)).replace(day=1)}T00:00:00Z",
        "ChargePeriodStart": f"{first}T00:00:00Z",
        "ChargePeriodEnd": f"{first + timedelta(days=1)}T00:00:00Z",
        "ChargeCategory": "Usage",
        "ChargeDescription": "node hours",
        "ServiceName": "Nodes",
        "ServiceCategory": "Compute",
        "ResourceId": "i-1",
        "ResourceType": "Instance",
        "SkuId": "sku-1",
        "BilledCost": cost,
        "EffectiveCost": cost,
        "ListCost": "12",
        "ContractedCost": "11",
        "BillingCurrency": "USD",
        "Tags": json.dumps({key: value for key, value in tags.items() if value}),
        **cells,
    }


def bill_text(rows: list[dict[str, str]], without: str = "") -> str:
    """Rows as FOCUS CSV, with all columns but one."""
    sink = io.StringIO()
    writer = csv.DictWriter(sink, [name for name in COLUMNS if name != without], extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return sink.getvalue()


def workspace(root: Path, rows: list[dict[str, str]] | None = None, toml: str = TOML, rules: str = RULES) -> Path:
    """Write a workspace whose one bill holds these rows."""
    (root / "bills").mkdir(parents=True, exist_ok=True)
    (root / "attribution.toml").write_text(toml, encoding="utf-8")
    (root / "rules.toml").write_text(rules, encoding="utf-8")
    bill = [charge(), charge("2026-10-20", "200", ResourceId="i-2", project="orion", owner="tomas")]
    (root / "bills" / "october.csv").write_text(bill_text(bill if rows is None else rows), encoding="utf-8")
    return root


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def attribution(*words: str | Path) -> Ended:
    """Run the command in this process, as `attribution WORDS` would run it, with output that is no terminal."""
    out, err = io.StringIO(), io.StringIO()
    before = terminal.terminal, terminal.wide, terminal.messages, questions.terminal, questions.wide, sys.argv
    terminal.terminal = questions.terminal = Console(file=out, width=100, highlight=False, emoji=False)
    terminal.wide = questions.wide = Console(file=out, width=240, highlight=False, emoji=False)
    terminal.messages = Console(file=err, width=400, highlight=False, emoji=False)
    sys.argv = ["attribution", *map(str, words)]
    code: Any = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            cli.main()
    except SystemExit as left:
        code = left.code
    finally:
        (terminal.terminal, terminal.wide, terminal.messages, questions.terminal, questions.wide, sys.argv) = before
    return Ended(code or 0, out.getvalue(), err.getvalue())


_OF_THE_RUN = (
    "run", "posted_run", "superseded_run", "posted_at", "superseded_at", "pruned_at", "ended_at", "started_at",
)  # fmt: skip


def published(root: Path, *without: str) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of every published view but some, without what names the run they came from."""
    with read_published(root / "ledger") as file:
        names = file.frame("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").to_series().to_list()
        told = {}
        for name in set(names) - {"runs", *without}:
            rows = file.frame(f'SELECT * FROM "{name}"')  # noqa: S608 - a view of ours
            kept = rows.select(pl.exclude(*_OF_THE_RUN, "filename"))
            told[name] = sorted(kept.rows(), key=repr)
    return told
