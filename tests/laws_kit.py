"""What the tests of the laws do with a world: run its night, read what it published, compare two tellings of it."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import duckdb
from laws_worlds import AS_OF, COSTS, World, write

from flows import steps
from flows.settings import load_workspace

MONEY = ", ".join(COSTS)
EXACT = Context(prec=400)
Row = tuple[Any, ...]

# What a store remembers of how it came to know what it knows, and handles that hold within one store only.
HISTORY = {
    "posted_run", "posted_at", "superseded_run", "superseded_at", "pruned_at", "bill_no", "state", "state_since",
    "first_seen", "last_seen", "seen", "until", "who", "why", "run", "cost_id",
}  # fmt: skip
VIEWS = (
    "bills", "charges", "costs", "monthly_costs", "coverage", "growth", "findings", "rejects", "held_back", "notices",
    "reconciliation", "bill_deliveries",
)  # fmt: skip
# Rows that are history themselves: bills that were replaced or emptied, deliveries that no longer count.
STILL = {
    "bills": "superseded_at IS NULL AND rows > 0",
    "findings": "seen <> 'gone'",
    "bill_deliveries": "state = 'counts'",
}


def run_night(root: Path) -> Path:
    """Run the nightly steps over a workspace; its store."""
    steps.nightly(load_workspace(root), AS_OF)
    return root / "ledger"


_OPEN: dict[Path, tuple[int, duckdb.DuckDBPyConnection]] = {}


class Nights:
    """Stores of worlds, each run once, in folders of their own."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="laws-"))
        self._count = 0
        self._run: dict[str, Path] = {}
        self._met: list[World] = []

    def folder(self) -> Path:
        """A new place for a workspace."""
        self._count += 1
        return self._folder / f"{self._count:03}"

    @property
    def seen(self) -> list[World]:
        """Worlds in the order in which they were met."""
        return self._met

    def number(self, world: World) -> int:
        """Which one it is, in the order in which worlds were met."""
        if world not in self._met:
            self._met.append(world)
        return self._met.index(world)

    def of(self, world: World) -> Path:
        """The store of a world; a world looked at before is not run again."""
        name = repr(world)
        if name not in self._run:
            self._run[name] = run_night(write(world, self.folder()))
        return self._run[name]

    def again(self, world: World) -> Path:
        """A copy of a world's workspace with its store, to do more to."""
        copied = self.folder()
        shutil.copytree(self.of(world).parent, copied)
        return copied

    def close(self) -> None:
        """Remove everything."""
        for _, con in _OPEN.values():
            con.close()
        _OPEN.clear()
        shutil.rmtree(self._folder)


def rows(store: Path, sql: str) -> list[Row]:
    """Rows of a query over the published file."""
    path = store / "costs.duckdb"
    inode, con = _OPEN.get(path, (0, None))
    if con is None or inode != path.stat().st_ino:  # a night renames a new file over the one that is open
        if con is not None:
            con.close()
        inode, con = _OPEN[path] = path.stat().st_ino, duckdb.connect(str(path), read_only=True)
    return con.execute(sql).fetchall()


def pick(store: Path, names: str, source: str, where: str = "true") -> list[Row]:
    """Columns of a published table, view or join, named as SQL names them."""
    return rows(store, f"SELECT {names} FROM {source} WHERE {where}")  # noqa: S608 - names of our own


def sums(store: Path, key: str, source: str, where: str = "true") -> dict[Row, tuple[Decimal | None, ...]]:
    """The four costs of a table summed here, in exact decimals, by the columns in `key`."""
    found = pick(store, f"{key}, {MONEY}", source, where)
    return totals(found, len(found[0]) - len(COSTS) if found else 0)


def columns(store: Path, view: str) -> list[str]:
    return [name for name, *_ in rows(store, f"DESCRIBE {view}")]


def published(store: Path, *, without: Iterable[str] = ()) -> dict[str, list[Row]]:
    """All that analysts see but history, in one order. `without`: further columns that may differ."""
    found = {}
    for view in VIEWS:
        names = [f'"{name}"' for name in columns(store, view) if name not in {*HISTORY, *without}]
        found[view] = sorted(pick(store, ", ".join(names), view, STILL.get(view, "true")), key=repr)
    return found


def total(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """The exact sum of what is known; None where nothing is."""
    known = [amount for amount in amounts if amount is not None]
    if not known:
        return None
    whole = Decimal(0)
    for amount in known:
        whole = EXACT.add(whole, amount)
    return whole


def totals(found: Iterable[Row], key: int) -> dict[Row, tuple[Decimal | None, ...]]:
    """Sums of all columns after the first `key`, by these."""
    groups: dict[Row, list[Sequence[Decimal | None]]] = defaultdict(list)
    for row in found:
        groups[row[:key]].append(row[key:])
    return {at: tuple(map(total, zip(*group, strict=True))) for at, group in groups.items()}
