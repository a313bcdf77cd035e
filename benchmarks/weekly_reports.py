"""How long all weekly reports take: 200 leads, 5,000 experiments, a page, tables, a spreadsheet and a mail each.

Run it: `python benchmarks/weekly_reports.py [LEADS]`. It prints a table and writes weekly_reports.json beside it.
Then how long a page of 500 experiments takes to open in Chromium, where there is one.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
from playwright.sync_api import sync_playwright

from attribution.reports.build import build_report
from attribution.reports.frames import DAILY_COLUMNS, REPORT_FINDING_COLUMNS, RESOURCE_COLUMNS, ReportFrames
from attribution.reports.mail import build_mail
from attribution.reports.page import render_page
from attribution.reports.period import Period
from attribution.reports.tables_csv import tables
from attribution.reports.workbook import render_workbook
from schemas.detection import Watermark
from schemas.workspace import Mail

LEADS, EXPERIMENTS, DAYS = 200, 5_000, 92
LIMIT = 180
OPENED, OPENS_WITHIN, RESOURCES = 500, 3, 5
WEEK = Period(date(2026, 10, 26), date(2026, 11, 1))
STAGES = ("pretraining", "sft", "evaluation", "serving", "data-processing", "rl-alignment")
SERVICES = ("GPU nodes", "Volumes", "Object storage", "Network")


def frames(experiments: int = EXPERIMENTS) -> ReportFrames:
    """Costs of every experiment on every day, each on five resources, and a finding of waste for each tenth."""
    draw = random.Random(11)
    last = date(2026, 11, 4)
    days = pl.DataFrame({"usage_date": [last - timedelta(days=n) for n in range(DAYS)]})
    named = pl.DataFrame(
        [
            {
                "BillingCurrency": "USD",
                "project": f"project-{n % 400:03}",
                "stage": STAGES[n % len(STAGES)],
                "experiment": f"experiment-{n:04}",
                "owner": f"lead-{n % LEADS:03}",
                "ServiceName": SERVICES[n % len(SERVICES)],
                "cost_element": "compute",
                "part": (part := Decimal(draw.randint(20, 180_000)).scaleb(-2)),
                "EffectiveCost": part * RESOURCES,
                "monthly": False,
            }
            for n in range(experiments)
        ],
        schema={
            **{name: dtype for name, dtype in DAILY_COLUMNS.items() if name not in ("usage_date", "BilledCost")},
            "part": DAILY_COLUMNS["EffectiveCost"],
        },
    )
    every = named.join(days, how="cross").with_columns(BilledCost="EffectiveCost")
    daily = every.select(list(DAILY_COLUMNS))
    found = pl.DataFrame(
        [
            {"fingerprint": f"{n}", "kind": "idle_by_utilization", "subject": f"node-{n:04}", "verdict": "finding",
             "owner": f"lead-{n % LEADS:03}", "project": f"project-{n % 400:03}", "cost_at_stake": Decimal(n),
             "BillingCurrency": "USD", "confidence": "high", "evidence": "GPU below 3 % on 29 of 31 days.",
             "tier": "utilization", "state": "open", "first_seen": last, "last_seen": last}
            for n in range(0, experiments, 10)
        ],
        schema=REPORT_FINDING_COLUMNS,
    )  # fmt: skip
    compared = every.filter(pl.col("usage_date").is_between(WEEK.before().first, WEEK.last))
    resources = compared.join(pl.DataFrame({"n": [str(n) for n in range(RESOURCES)]}), how="cross").with_columns(
        ResourceId=pl.concat_str("experiment", pl.lit("-node-"), "n"),
        ResourceName=pl.lit(None, pl.String),
        EffectiveCost="part",
    )
    marks = {"cloud": Watermark(last - timedelta(days=DAYS), last)}
    return ReportFrames(
        datetime(2026, 11, 5, 6, tzinfo=UTC), daily, found, watermarks=marks, currency="USD",
        resources=resources.select(list(RESOURCE_COLUMNS)),
    )  # fmt: skip


def opening() -> tuple[int, list[float]]:
    """Bytes of a page of 500 experiments, and the seconds it took to open five times, its script run, at each."""
    page = render_page(build_report(frames(OPENED), WEEK))
    browser = shutil.which("chromium")
    if browser is None:
        return len(page.encode()), []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        window = play.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        seconds = []
        for _ in range(5):
            begun = time.perf_counter()
            window.goto(file.as_uri())
            window.wait_for_selector("html.ready")
            seconds.append(round(time.perf_counter() - begun, 3))
    return len(page.encode()), seconds


def main() -> None:
    """Render the report for all and those of the leads, and say what took how long."""
    leads = int(sys.argv[1]) if len(sys.argv) > 1 else LEADS
    whole = frames()
    spent = dict.fromkeys(("build", "page", "csv", "spreadsheet", "mail"), 0.0)
    begun = time.perf_counter()

    def timed(what: str, started: float) -> float:
        now = time.perf_counter()
        spent[what] += now - started
        return now

    for owner in (None, *(f"lead-{n:03}" for n in range(leads))):
        at = time.perf_counter()
        report = build_report(whole, WEEK, owner)
        at = timed("build", at)
        render_page(report)
        at = timed("page", at)
        tables(report)
        at = timed("csv", at)
        render_workbook(report)
        at = timed("spreadsheet", at)
        build_mail(report, Mail("costs@example.com"), "lead@example.com").as_bytes()
        timed("mail", at)
    total = time.perf_counter() - begun
    for what, seconds in spent.items():
        print(f"{what:12} {seconds:8.1f} s")
    print(f"{'all':12} {total:8.1f} s for {leads} leads and {EXPERIMENTS:,} experiments; at most {LIMIT} s")
    size, opened = opening()
    print(f"a page of {OPENED} experiments, {size:,} bytes: opened in {opened or '?'} s; at most {OPENS_WITHIN} s")
    page = {"experiments": OPENED, "bytes": size, "opened": opened, "limit": OPENS_WITHIN}
    told = {"leads": leads, "experiments": EXPERIMENTS, "seconds": {**spent, "all": total}, "limit": LIMIT}
    (Path(__file__).parent / "weekly_reports.json").write_text(
        json.dumps({**told, "page": page}, indent=2), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
