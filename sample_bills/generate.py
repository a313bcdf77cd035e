"""Write the data files of the sample workspace: bills, tags, inventory, utilization, own costs, usage, jobs, runs.

    python sample_bills/generate.py                 # over the committed files: no difference
    python sample_bills/generate.py --out elsewhere # the same files somewhere else
    python sample_bills/generate.py --figures       # the exact totals, read back from the files

The files depend on the seed in world.py and on nothing else: no clock, no machine, no network.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import attic
import aws_estate
import leftovers
import meridian_estate
import world
from aws_fees import line_items, october_as_of_the_21st
from cluster import allocations
from cur import write_assembly
from figures import print_figures
from inputs import inventory_aws, inventory_leftovers, inventory_meridian, tags_long, tags_wide, utilization
from meridian import charges, frame
from office import invoices, labelling, people, people_and_tools, planned
from slurm import sacct
from starter import starter_csv
from training import checkpoints, runs

HERE = Path(__file__).resolve().parent
ASSEMBLIES = {
    "2026-08": "1c9e4a72-0000-4000-8000-5b0d7f3a6e81",
    "2026-09": "2d0f5b83-0000-4000-8000-6c1e804b7f92",
    "2026-10": "4f217da5-0000-4000-8000-8e30a26d91b4",
    "2026-11": "50328eb6-0000-4000-8000-9f41b37ea2c5",
}
OLDER_OCTOBER = "3e106c94-0000-4000-8000-7d2f915c80a3"
TWO_FILES = "2026-09"


def write_aws(folder: Path) -> None:
    """Four months, September in two files, October twice."""
    for month in world.MONTHS:
        rows = line_items(month, random.Random(f"{world.SEED} aws {month.label}"))
        parts = 2 if month.label == TWO_FILES else 1
        write_assembly(folder, month, ASSEMBLIES[month.label], rows, current=True, parts=parts)
    rows = october_as_of_the_21st(random.Random(f"{world.SEED} aws october, older"))
    write_assembly(folder, world.MONTHS[2], OLDER_OCTOBER, rows, current=False)


def write_meridian(folder: Path) -> None:
    """A Parquet file a month, and the starter account's CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for month in world.MONTHS:
        rows = charges(month, random.Random(f"{world.SEED} meridian {month.label}"))
        frame(rows).write_parquet(folder / f"meridian-{month.label}.parquet", compression="zstd", compression_level=9)
    _write(folder / "starter-2026-10.csv", starter_csv())
    frame(attic.attic_charges()).write_parquet(
        folder / "attic-2026-10.parquet", compression="zstd", compression_level=9
    )


def write_inputs(folder: Path) -> None:
    """Tags, inventory, utilization, own costs, invoices, people, usage of a node and its jobs."""
    rng = random.Random(f"{world.SEED} utilization")
    _write(folder / "tags/handovers.csv", tags_long())
    _write(folder / "tags/register.csv", tags_wide())
    _write(folder / "inventory/aws.csv", inventory_aws())
    _write(folder / "inventory/leftovers.csv", inventory_leftovers())
    _write(folder / "inventory/meridian.csv", inventory_meridian())
    _write(folder / "utilization/aws.csv", utilization(aws_estate.NODES, aws_estate.DATABASE, rng))
    apart = random.Random(f"{world.SEED} utilization of leftovers")
    _write(folder / "utilization/leftovers.csv", utilization(leftovers.NODES, None, apart))
    nodes = (*meridian_estate.NODES, meridian_estate.STARTER_NODE)
    _write(folder / "utilization/meridian.csv", utilization(nodes, meridian_estate.DATABASE, rng))
    _write(folder / "own_costs/labelling.csv", labelling())
    _write(folder / "own_costs/people-and-tools.csv", people_and_tools())
    _write(folder / "invoices.csv", invoices())
    _write(folder / "people.csv", people())
    _write(folder / "planned.csv", planned())
    _write(folder / "usage/sandbox.json", allocations())
    _write(folder / "jobs/slurm.txt", sacct())
    _write(folder / "runs/runs.csv", runs())
    _write(folder / "checkpoints/checkpoints.csv", checkpoints())
    write_attic(folder)


def write_attic(folder: Path) -> None:
    """What was left in one small account, in files of its own."""
    _write(folder / "tags/attic.csv", attic.attic_tags())
    _write(folder / "inventory/attic.csv", attic.attic_inventory())
    _write(folder / "utilization/attic.csv", attic.attic_utilization())
    _write(folder / "runs/attic.csv", attic.attic_runs())
    _write(folder / "jobs/attic.txt", attic.attic_jobs())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    """Write the files, or print what is in them."""
    parser = argparse.ArgumentParser(description="Write the data files of the sample workspace.")
    parser.add_argument("--out", type=Path, default=HERE, help="the folder to write to (default: this one)")
    parser.add_argument("--figures", action="store_true", help="print the exact totals of the files, write nothing")
    arguments = parser.parse_args()
    if arguments.figures:
        print_figures(arguments.out)
        return
    write_aws(arguments.out / "bills/aws")
    write_meridian(arguments.out / "bills/meridian")
    write_inputs(arguments.out)


if __name__ == "__main__":
    main()
