"""Nights over two years: how long each step takes, what a night costs in which one month changed, and who can read.

    python benchmarks/months.py [--months 24] [--rows 215000]

Makes a company whose charges hardly roll up, so that about five million cost lines are kept; runs a whole night, a
night without news, one in which the last month's bill came anew, and one while another process asks the published file
without pause; then the weekly reports. Prints a table and writes months.json beside it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from multiprocessing.synchronize import Event as Done
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import duckdb
from measures import peak_mib
from rich.console import Console
from rich.table import Table
from world import World, bill_sql, make

from attribution.detection.windows import month_of, next_month
from flows import steps
from flows.settings import load_workspace

HERE = Path(__file__).parent
LATE_STEPS = ("detect", "notify", "publish", "summarize", "write_reports")
"""What comes after attribution: within LIMIT seconds over two years."""
LIMIT = 150
ASKED = "SELECT date_trunc('month', usage_date), project, sum(EffectiveCost) FROM costs GROUP BY ALL"
P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Night:
    """Seconds of each step of a run."""

    seconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, step: Callable[P, R], /) -> Callable[P, R]:
        """The step, timed."""

        def timed(*args: P.args, **kwargs: P.kwargs) -> R:
            started = time.perf_counter()
            try:
                return step(*args, **kwargs)
            finally:
                name = step.__name__
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

        return timed

    @property
    def whole(self) -> float:
        """All steps."""
        return sum(self.seconds.values())


def company(data: Path, months: int, rows: int) -> tuple[World, list[date]]:
    """A bill for each of the months before November 2026."""
    world = make(data, rows, "R")
    days = [date(2026, 10, 1)]
    while len(days) < months:
        days.insert(0, month_of(days[0] - timedelta(days=1)))
    con = duckdb.connect()
    con.execute("SET threads = 2; SET TimeZone = 'UTC'")
    for number, month in enumerate(days):
        file = world.root / "bills" / f"focus_{month:%Y-%m}.parquet"
        if not file.exists() or month == days[-1]:  # the last one was changed by the run before
            con.execute(bill_sql(world, file, month, 1 + number / 50))
    return world, days


@contextmanager
def readers(published: Path) -> Iterator[dict[str, Any]]:
    """Another process that opens the published file and asks it, again and again, until the block ends."""
    context = multiprocessing.get_context("spawn")
    done, found = context.Event(), context.Queue()
    other = context.Process(target=_ask, args=(published, done, found))
    other.start()
    told: dict[str, Any] = {}
    yield told
    done.set()
    told |= found.get()
    other.join()


def _ask(published: Path, done: Done, found: Any) -> None:  # noqa: ANN401 - a queue of that context
    slowest, asked, errors = 0.0, 0, []
    while not done.is_set():
        started = time.perf_counter()
        try:
            with duckdb.connect(str(published), read_only=True) as con:
                rows = con.execute(ASKED).fetchall()
            errors += [] if rows else ["no rows"]
        except duckdb.Error as error:
            errors.append(str(error))
        slowest, asked = max(slowest, time.perf_counter() - started), asked + 1
    found.put({"asked": asked, "errors": errors[:3], "failed": len(errors), "slowest": slowest})


def measure(world: World, months: list[date]) -> dict[str, Any]:
    """The nights and the weekly reports."""
    workspace = load_workspace(world.root)
    shutil.rmtree(workspace.store, ignore_errors=True)
    as_of = datetime.combine(next_month(months[-1]) + timedelta(days=1), datetime.min.time(), UTC)
    nights: dict[str, Night] = {name: Night() for name in ("all new", "nothing new", "one month", "readers", "weekly")}
    steps.nightly(workspace, as_of, do=nights["all new"])
    steps.nightly(workspace, as_of, do=nights["nothing new"])
    con = duckdb.connect()
    con.execute("SET threads = 2; SET TimeZone = 'UTC'")
    con.execute(bill_sql(world, world.root / "bills" / f"focus_{months[-1]:%Y-%m}.parquet", months[-1], 2))
    con.close()
    steps.nightly(workspace, as_of, do=nights["one month"])
    published = workspace.store / "costs.duckdb"
    with readers(published) as told:
        steps.nightly(workspace, as_of, do=nights["readers"])
    steps.weekly(workspace, as_of, do=nights["weekly"])
    with duckdb.connect(str(published), read_only=True) as con:
        kept = con.execute("SELECT count(*), count(DISTINCT usage_date) FROM costs").fetchone()
    late = {name: sum(night.seconds.get(step, 0.0) for step in LATE_STEPS) for name, night in nights.items()}
    return {
        "months": len(months),
        "costs": kept[0] if kept else 0,
        "nights": {name: night.seconds for name, night in nights.items()},
        "one month of all": nights["one month"].whole / nights["all new"].whole,
        "detection, reports, publishing": late["all new"] + late["weekly"],
        "readers": told,
        "peak_mib": peak_mib(),
    }


def show(found: dict[str, Any]) -> None:
    """Print the seconds of each step in each night."""
    table = Table(title=f"{found['months']} months, {found['costs']:,} costs; seconds")
    table.add_column("step")
    nights: dict[str, dict[str, float]] = found["nights"]
    for name in nights:
        table.add_column(name, justify="right")
    for step in dict.fromkeys(step for night in nights.values() for step in night):
        table.add_row(step, *(f"{night[step]:.1f}" if step in night else "" for night in nights.values()))
    table.add_section()
    table.add_row("all", *(f"{sum(night.values()):.1f}" for night in nights.values()))
    console = Console()
    console.print(table)
    readers = found["readers"]
    console.print(
        f"one month changed: {found['one month of all']:.2f} of a whole night; detection, reports and publishing "
        f"{found['detection, reports, publishing']:.0f} s (at most {LIMIT}); peak {found['peak_mib']:,.0f} MiB"
    )
    console.print(
        f"beside a night without news: {readers['asked']} readers, {readers['failed']} failed, the slowest "
        f"took {readers['slowest']:.2f} s {readers['errors'] or ''}"
    )


def main() -> None:
    """Make the data, measure, print."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--months", type=int, default=24)
    asked.add_argument("--rows", type=int, default=215_000, help="charges of a month (default: %(default)s)")
    given = asked.parse_args()
    found = measure(*company(HERE / "data" / "months", given.months, given.rows))
    show(found)
    (HERE / "months.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if found["readers"]["failed"]:
        sys.exit("a reader failed")


if __name__ == "__main__":
    main()
