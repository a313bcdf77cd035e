"""What is measured, one thing a process, so that its memory is its own; prints one line of JSON.

Every measure imports first and starts its clock then. Both peers are limited to the same two threads.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from by_hand import PEERS
from clock import Clock

import flows  # noqa: F401 - as every command does before polars comes, whose allocator it sets

THREADS = 2
_KIB = 1024


def copy(root: Path) -> dict[str, Any]:
    """A plain DuckDB COPY of all columns: the least that storing a bill can cost."""
    import duckdb  # noqa: PLC0415 - start-up is excluded

    target = root / "copy.parquet"
    con = duckdb.connect()
    con.execute(f"SET threads = {THREADS}; SET preserve_insertion_order = false")
    started, busy = time.perf_counter(), time.process_time()
    con.execute(
        f"COPY (SELECT * FROM '{root}/bills/*.parquet') TO '{target}' "
        "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)"
    )
    found = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy}
    target.unlink()
    return found


def scan(root: Path) -> dict[str, Any]:
    """DuckDB summing BilledCost by month, service and region: the least that looking at a bill can cost."""
    import duckdb  # noqa: PLC0415

    con = duckdb.connect()
    con.execute(f"SET threads = {THREADS}")
    started = time.perf_counter()
    groups = con.execute(
        f"""
        SELECT date_trunc('month', ChargePeriodStart), ServiceName, RegionId, sum(BilledCost)
        FROM '{root}/bills/*.parquet' GROUP BY ALL
        """
    ).fetchall()
    return {"seconds": time.perf_counter() - started, "groups": len(groups)}


def whole_path(root: Path) -> dict[str, Any]:
    """File -> validated charges -> lines -> costs, everything on; publishing after it, told apart."""
    import polars as pl  # noqa: PLC0415

    from attribution.ledger import publish  # noqa: PLC0415
    from flows import arrival, steps  # noqa: PLC0415
    from flows.running import running  # noqa: PLC0415
    from flows.settings import load_workspace  # noqa: PLC0415
    from schemas.check import check  # noqa: PLC0415
    from schemas.inputs import TAG_COLUMNS, Tags  # noqa: PLC0415

    check(pl.DataFrame(schema=TAG_COLUMNS), Tags)  # pandera looks for its back ends once a process: start-up
    workspace = load_workspace(root)
    shutil.rmtree(workspace.store, ignore_errors=True)
    with running(workspace, "bench") as run:
        clock = Clock()
        clock.watch_all()
        started, busy = time.perf_counter(), time.process_time()
        stated = steps.read_stated(workspace)
        arrival.ingest(run, stated.rules.columns)
        ingested, ingest_memory = time.perf_counter(), peak_mib()
        steps.attribute(run, stated)
        ended = time.perf_counter()
        seconds, cpu, memory = clock.stop(), time.process_time() - busy, peak_mib()
        publish(run.ledger)
        published = time.perf_counter()
    shutil.rmtree(workspace.store)
    return {
        "seconds": ended - started,
        "cpu": cpu,
        "ingest": ingested - started,
        "attribute": ended - ingested,
        "publish": published - ended,
        "ingest_peak_mib": ingest_memory,
        "steps": seconds,
        "peak_mib": memory,
        "counts": run.counts,
    }


def attributed_again(root: Path) -> dict[str, Any]:
    """From stored lines to kept costs once rules changed, at resource grain, with a hundred rules and a thousand."""
    import polars as pl  # noqa: PLC0415
    from world import rules  # noqa: PLC0415

    from attribution.rules import read_rules  # noqa: PLC0415
    from flows import arrival, steps  # noqa: PLC0415
    from flows.running import running  # noqa: PLC0415
    from flows.settings import load_workspace  # noqa: PLC0415
    from schemas.check import check  # noqa: PLC0415
    from schemas.inputs import TAG_COLUMNS, Tags  # noqa: PLC0415

    check(pl.DataFrame(schema=TAG_COLUMNS), Tags)
    workspace = load_workspace(root)
    shutil.rmtree(workspace.store, ignore_errors=True)
    found: dict[str, Any] = {}
    with running(workspace, "bench") as run:
        stated = steps.read_stated(workspace)
        arrival.ingest(run, stated.rules.columns)
        steps.attribute(run, stated)
        for count in (100, 1000):
            changed = steps.read_stated(workspace, read_rules(rules(count)))
            started = time.perf_counter()
            steps.attribute(run, changed)
            found[str(count)] = time.perf_counter() - started
    shutil.rmtree(workspace.store)
    return {"seconds": found["100"], "thousand": found["1000"]}


def charges_written(root: Path) -> dict[str, Any]:
    """File -> validated charges stored, proven and read back: what taking a bill in costs without rolling it up."""
    import polars as pl  # noqa: PLC0415

    from attribution.ledger import parts  # noqa: PLC0415
    from flows import arrival  # noqa: PLC0415
    from flows.running import running  # noqa: PLC0415
    from flows.settings import load_workspace  # noqa: PLC0415
    from schemas.check import check  # noqa: PLC0415
    from schemas.inputs import TAG_COLUMNS, Tags  # noqa: PLC0415

    check(pl.DataFrame(schema=TAG_COLUMNS), Tags)
    workspace = load_workspace(root)
    shutil.rmtree(workspace.store, ignore_errors=True)
    vars(parts).update(RollUpWriter=_NoRollUp, read_roll_up_back=lambda *_: None)
    with running(workspace, "bench") as run:
        started, busy = time.perf_counter(), time.process_time()
        arrival.ingest(run, ())
        found = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy, "peak_mib": peak_mib()}
    shutil.rmtree(workspace.store)
    return found


class _NoRollUp:
    """Stands in for the roll-up, which another measure has."""

    def __init__(self, folder: Path, *_: object) -> None:
        folder.mkdir()

    def write(self, _charges: object) -> None:
        """Nothing."""

    def finish(self) -> None:
        """Nothing."""


def csv_as_text(root: Path) -> dict[str, Any]:
    """Polars parsing the bill's csv.gz as text."""
    import polars as pl  # noqa: PLC0415

    file = csv_of(root)
    started, busy = time.perf_counter(), time.process_time()
    frame = pl.read_csv(file, infer_schema=False)
    return {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy, "rows": frame.height}


def csv_path(root: Path) -> dict[str, Any]:
    """Our reader on the same csv.gz: charges, checked, not stored; `control` is the control sum, told apart."""
    from attribution import bills  # noqa: PLC0415

    with gzip.open(csv_of(root), "rb") as text, tempfile.TemporaryDirectory() as scratch:
        short = Path(scratch) / "short.csv"
        short.write_bytes(b"".join(islice(text, 100)))
        _checked(Path(scratch), short.name)  # what pandera loads and polars starts is start-up
    delivery, found = _checked(root, "csv/*")
    started = time.perf_counter()
    bills.stated(delivery)
    return found | {"control": time.perf_counter() - started}


def _checked(root: Path, path: str) -> tuple[Any, dict[str, Any]]:
    """Read and check the one delivery there is."""
    from attribution import bills  # noqa: PLC0415
    from schemas.charges import Charges, without_blanks  # noqa: PLC0415
    from schemas.check import check  # noqa: PLC0415
    from schemas.workspace import Source  # noqa: PLC0415

    started, busy = time.perf_counter(), time.process_time()
    (delivery,) = bills.find(Source("bench", path), root).deliveries
    rows = sum(check(without_blanks(batch.charges), Charges).good.height for batch in bills.read(delivery))
    return delivery, {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy, "rows": rows}


def csv_of(root: Path) -> Path:
    """The bill as csv.gz, made once."""
    file = root / "csv" / "focus_2026-10.csv.gz"
    if not file.exists():
        import duckdb  # noqa: PLC0415

        file.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=root) as scratch:
            plain = Path(scratch) / "bill.csv"
            con = duckdb.connect()
            con.execute("SET TimeZone = 'UTC'")
            con.execute(
                f"""
                COPY (SELECT * REPLACE (
                    strftime(ChargePeriodStart, '%Y-%m-%dT%H:%M:%SZ') AS ChargePeriodStart,
                    strftime(ChargePeriodEnd, '%Y-%m-%dT%H:%M:%SZ') AS ChargePeriodEnd,
                    strftime(BillingPeriodStart, '%Y-%m-%dT%H:%M:%SZ') AS BillingPeriodStart,
                    strftime(BillingPeriodEnd, '%Y-%m-%dT%H:%M:%SZ') AS BillingPeriodEnd
                ) FROM '{root}/bills/*.parquet') TO '{plain}' (HEADER)
                """
            )
            with plain.open("rb") as text, gzip.open(file, "wb", compresslevel=6) as packed:
                shutil.copyfileobj(text, packed, 1 << 22)
    return file


def peak_mib() -> float:
    """The most memory that this process ever had resident."""
    status = Path("/proc/self/status")
    if status.exists():  # rusage would count the parent that this process was made from
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / _KIB
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / _KIB / (_KIB if sys.platform == "darwin" else 1)


MEASURES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "copy": copy,
    "scan": scan,
    "whole path": whole_path,
    "again": attributed_again,
    "charges": charges_written,
    "csv as text": csv_as_text,
    "csv read": csv_path,
    **PEERS,
}


def main() -> None:
    """Take one measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("measure", choices=MEASURES)
    parser.add_argument("root", type=Path)
    wanted = parser.parse_args()
    found = MEASURES[wanted.measure](wanted.root)
    print(json.dumps({"peak_mib": peak_mib()} | found))


if __name__ == "__main__":
    main()
