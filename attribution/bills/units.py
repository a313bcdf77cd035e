"""Units that name a block: a quantity of 3 "10K" is 30000, one of 3 "100 Hours" is 300 hours."""

from __future__ import annotations

import re

import polars as pl

_BLOCK = re.compile(r"^(\d+(?:\.\d+)?)\s*([KMB](?![A-Za-z]))?\s*(.*)$")
_SIZES = {"K": 1e3, "M": 1e6, "B": 1e9}
# What a unit without a name counts.
_COUNTED = "Units"
# One name a unit, so that quantities billed by the hour and by the hundred hours can be added.
_PLURALS = {
    name.lower(): f"{name}s" for name in ("Second", "Minute", "Hour", "Day", "Week", "Month", "Year", "Unit", "GB Hour")
}


def blocks(units: pl.Series) -> tuple[pl.Series, pl.Series]:
    """How many single units each block unit holds, and the name of the single unit.

    Args:
        units: as billed; the work is done once a distinct unit. One that names no number is itself, times one.
    """
    read = {unit: _read(unit) for unit in units.drop_nulls().unique().to_list()}
    if not read:
        return units.cast(pl.Float64), units.cast(pl.String)
    sizes = units.replace_strict({unit: size for unit, (size, _) in read.items()}, return_dtype=pl.Float64)
    names = units.replace_strict({unit: name for unit, (_, name) in read.items()}, return_dtype=pl.String)
    return sizes, names


def _read(unit: str) -> tuple[float, str]:
    found = _BLOCK.match(unit.strip())
    if not found:
        return 1.0, unit
    number, multiple, name = found.groups()
    single = name.strip()
    if not single or single.startswith("/"):
        single = f"{_COUNTED}{single}"
    return float(number) * _SIZES.get(multiple or "", 1.0), _PLURALS.get(single.lower(), single)
