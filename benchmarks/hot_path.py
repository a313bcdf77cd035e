"""`make bench`: how long bills take from file to attributed costs, as multiples of two limits taken in the same run.

*copy* is a plain DuckDB COPY of the bill, *scan* DuckDB summing it; see measures.py. Pure measurement: nothing
fails here because a machine is slow, and with --against only what became slower beside a copy of the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from by_hand import PEERS
from clock import SEAMS
from rich.console import Console
from rich.table import Table
from world import RULES, World, make

HERE = Path(__file__).parent
MEASURES = ("copy", "scan", "whole path", "again")
CSV_MEASURES = ("csv as text", "csv read")
WORSE = 1.5
Measured = dict[str, list[dict[str, Any]]]


def measure(world: World, repeat: int, *, csv: bool, peers: bool) -> Measured:
    """Take every measure `repeat` times, in turn, so that a noisy minute falls on all of them."""
    names = MEASURES + (CSV_MEASURES if csv else ()) + (_peers() if peers else ())
    found: Measured = {name: [] for name in names}
    for _ in range(repeat):
        for name in names:
            told = subprocess.run(  # noqa: S603 - our own script
                [sys.executable, str(HERE / "measures.py"), name, str(world.root)],
                capture_output=True,
                text=True,
                check=False,
                cwd=HERE.parent,
                env=os.environ | {"PYTHONPATH": str(HERE.parent)},
            )
            if told.returncode:
                sys.exit(f"{name} failed:\n{told.stderr}")
            found[name].append(json.loads(told.stdout))
    return found


def summary(world: World, found: Measured) -> dict[str, Any]:
    """The middle run of each measure, its multiples of the limits, and where the time went."""
    middle = {name: _middle(runs) for name, runs in found.items()}
    copy, scan, whole, again = (middle[name] for name in MEASURES)
    return {
        "shape": world.shape,
        "rows": world.rows,
        "rules": RULES,
        "copy_seconds": copy["seconds"],
        "scan_seconds": scan["seconds"],
        "whole_seconds": whole["seconds"],
        "times_copy": whole["seconds"] / copy["seconds"],
        "times_copy_of_cpu": whole["cpu"] / copy["cpu"],
        "attribute_times_scan": whole["attribute"] / scan["seconds"],
        "again_times_scan": again["seconds"] / scan["seconds"],
        "thousand_rules_times_hundred": again["thousand"] / again["seconds"],
        "peak_mib": whole["peak_mib"],
        "measures": middle,
        "all_seconds": {name: [run["seconds"] for run in runs] for name, runs in found.items()},
        "machine": {
            "cores": os.cpu_count(),
            "load_before": os.getloadavg()[0],
            "python": platform.python_version(),
            **{name: version(name) for name in ("polars", "duckdb", "pyarrow", "pandera")},
        },
    }


def _peers() -> tuple[str, ...]:
    """Those whose library is installed: pandas comes with the explorer alone."""
    return tuple(name for name in PEERS if "pandas" not in name or find_spec("pandas"))


def _middle(runs: list[dict[str, Any]]) -> dict[str, Any]:
    middle = statistics.median_low(run["seconds"] for run in runs)
    return next(run for run in runs if run["seconds"] == middle)


def show(found: dict[str, Any], console: Console) -> None:
    """Print one table: the limits, every step, the whole."""
    whole = found["measures"]["whole path"]
    copy, scan = found["copy_seconds"], found["scan_seconds"]
    counts = whole["counts"]
    title = f"{found['shape']}, {found['rows']:,} rows -> {counts['lines']:,} lines, {counts['costs']:,} costs"
    table = Table(title=title, title_justify="left")
    table.add_column("step")
    for column in ("seconds", "x copy", "x scan", "peak MiB"):
        table.add_column(column, justify="right")

    def row(name: str, seconds: float, peak: float | None = None, style: str = "") -> None:
        memory = "" if peak is None else f"{peak:,.0f}"
        table.add_row(name, f"{seconds:.2f}", f"{seconds / copy:.2f}", f"{seconds / scan:.1f}", memory, style=style)

    row("copy (limit)", copy, found["measures"]["copy"]["peak_mib"])
    row("scan (limit)", scan, found["measures"]["scan"]["peak_mib"])
    table.add_section()
    for step in dict.fromkeys([*(step for step, _, _ in SEAMS), "rest"]):
        row(step, whole["steps"][step])
    table.add_section()
    row("ingest", whole["ingest"])
    row("attribute", whole["attribute"])
    row("whole path", whole["seconds"], whole["peak_mib"], "bold")
    row("publish, not counted", whole["publish"])
    again = found["measures"]["again"]
    row("attribute again, 100 rules", again["seconds"], again["peak_mib"])
    row("attribute again, 1000 rules", again["thousand"])
    for name in PEERS:
        if name in found["measures"]:
            row(name, found["measures"][name]["seconds"], found["measures"][name]["peak_mib"])
    console.print(table)
    machine = found["machine"]
    console.print(
        f"whole path = {found['times_copy']:.2f}x copy (of CPU seconds {found['times_copy_of_cpu']:.2f}x); "
        f"{machine['cores']} cores, load before {machine['load_before']:.1f}, polars {machine['polars']}, "
        f"DuckDB {machine['duckdb']}"
    )
    if "csv read" in found["measures"]:
        text, read = (found["measures"][name] for name in CSV_MEASURES)
        console.print(
            f"csv.gz: read and checked {read['seconds']:.2f} s = {read['seconds'] / text['seconds']:.2f}x polars "
            f"parsing it as text ({text['seconds']:.2f} s); control sum {read['control']:.2f} s (beside the reader)"
        )


def worse(results: list[dict[str, Any]], committed: list[dict[str, Any]]) -> list[str]:
    """What takes more than WORSE times the committed multiple of a copy, of CPU seconds, which other work shifts least.

    A shape and size that was never committed cannot be compared, and ends the program.
    """
    known = {(one["shape"], one["rows"]): one["times_copy_of_cpu"] for one in committed}
    told = []
    for one in results:
        before, now = known.get((one["shape"], one["rows"])), one["times_copy_of_cpu"]
        if before is None:
            there = ", ".join(f"{shape} of {rows:,} rows" for shape, rows in known)
            sys.exit(f"no figures of {one['shape']}, {one['rows']:,} rows to compare with; there are {there}")
        if now > WORSE * before:
            told.append(f"{one['shape']}, {one['rows']:,} rows: {now:.2f}x copy, {before:.2f}x is committed")
    return told


def main() -> None:
    """Make the data, measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="charges in the bill (default: %(default)s)")
    parser.add_argument("--shape", choices=("R", "H", "both"), default="both", help="R scattered, H hourly")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each measure; the middle one counts")
    parser.add_argument("--csv", action="store_true", help="measure a csv.gz of the same bill too")
    parser.add_argument("--peers", action="store_true", help="measure what an analyst writes by hand, too")
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument("--against", type=Path, help="figures of an earlier --json; 1.5 times as slow ends with code 1")
    wanted = parser.parse_args()
    console = Console()
    results = []
    for shape in ("R", "H") if wanted.shape == "both" else (wanted.shape,):
        console.print(f"[dim]making {shape}, {wanted.rows:,} rows ...[/dim]")
        world = make(HERE / "data", wanted.rows, shape)
        found = summary(world, measure(world, max(1, wanted.repeat), csv=wanted.csv, peers=wanted.peers))
        show(found, console)
        results.append(found)
        if wanted.json:
            wanted.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    if wanted.against and (told := worse(results, json.loads(wanted.against.read_text(encoding="utf-8")))):
        sys.exit("slower than it was:\n" + "\n".join(told))


if __name__ == "__main__":
    main()
