"""The exact totals of the files as they lie there, in decimal, without the product."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import polars as pl
from starter import BROKEN

COSTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost")


def print_figures(folder: Path) -> None:
    """Print totals for every delivery, kind of row by kind of row."""
    for assembly in sorted({path.parent for path in (folder / "bills/aws").glob("*/*/*.csv.gz")}):
        _print_assembly(assembly)
    for path in sorted((folder / "bills/meridian").glob("*.parquet")):
        _print_parquet(path)
    _print_starter(folder / "bills/meridian/starter-2026-10.csv")
    _print_own_costs(sorted((folder / "own_costs").glob("*.csv")))


def _lines(assembly: Path) -> Iterator[dict[str, str]]:
    for path in sorted(assembly.glob("*.csv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as text:
            yield from csv.DictReader(text)


def _number(line: dict[str, str], column: str) -> Decimal:
    return Decimal(line[column] or 0)


def effective(line: dict[str, str]) -> Decimal:
    """The amortised cost of a line item, by the rules that FOCUS gives for this report."""
    match line["lineItem/LineItemType"]:
        case "SavingsPlanCoveredUsage":
            return _number(line, "savingsPlan/SavingsPlanEffectiveCost")
        case "SavingsPlanRecurringFee":
            return _number(line, "savingsPlan/TotalCommitmentToDate") - _number(line, "savingsPlan/UsedCommitment")
        case "SavingsPlanNegation":
            return Decimal(0)
        case "DiscountedUsage":
            return _number(line, "reservation/EffectiveCost")
        case "RIFee":
            upfront = _number(line, "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod")
            return upfront + _number(line, "reservation/UnusedRecurringFee")
        case _:
            return _number(line, "lineItem/UnblendedCost")


def _print_assembly(assembly: Path) -> None:
    rows = 0
    totals: defaultdict[str, list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0), Decimal(0)])
    for line in _lines(assembly):
        rows += 1
        for kind in (line["lineItem/LineItemType"], "total"):
            totals[kind][0] += 1
            totals[kind][1] += _number(line, "lineItem/UnblendedCost")
            totals[kind][2] += effective(line)
    print(f"\naws {assembly.parent.name} assembly {assembly.name}: {rows} rows")
    for kind, (count, unblended, amortised) in sorted(totals.items()):
        print(f"  {kind:24} {count:6} rows   UnblendedCost {unblended:>20f}   effective {amortised:>20f}")


def _print_parquet(path: Path) -> None:
    charges = pl.read_parquet(path)
    print(f"\nmeridian {path.name}: {charges.height} rows")
    for column in COSTS:
        total = sum((cost for cost in charges[column].to_list()), Decimal(0))
        print(f"  {column:24} {total:f}")
    for category, group in charges.group_by("ChargeCategory", maintain_order=True):
        total = sum((cost for cost in group["BilledCost"].to_list()), Decimal(0))
        print(f"  BilledCost of {category[0]!s:10} {group.height:6} rows   {total:f}")


def _print_starter(path: Path) -> None:
    columns = {column for _, column, _ in BROKEN}
    values = {value for _, _, value in BROKEN}
    with path.open(encoding="utf-8", newline="") as text:
        lines = list(csv.DictReader(text))
    good = [line for line in lines if not any(line[column] in values for column in columns)]
    print(f"\nmeridian {path.name}: {len(lines)} rows, {len(lines) - len(good)} of them broken")
    for column in COSTS:
        print(f"  {column:24} {sum((Decimal(line[column]) for line in good), Decimal(0)):f}   (good rows)")


def _print_own_costs(paths: list[Path]) -> None:
    totals: defaultdict[str, list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0)])
    for path in paths:
        with path.open(encoding="utf-8", newline="") as text:
            for line in csv.DictReader(text):
                totals[line["period"]][line["private"] == "yes"] += Decimal(line["amount"])
    print(f"\nown costs: {', '.join(path.name for path in paths)}")
    for month, (public, private) in sorted(totals.items()):
        print(f"  total {month}            {public + private:f}   of it in private rows {private:f}")
