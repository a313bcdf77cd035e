"""`attribution ingest --dry-run`: what would be read, refused, held back and changed, with nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from attribution.ledger import Ledger, scratch_ledger
from attribution.rules import read_rules
from flows.arrival import Arrived, ingest
from flows.questions import as_table
from flows.running import Watch, noting, quiet
from schemas.bills import by_reason
from schemas.words import counted
from schemas.workspace import Workspace

_BILL = ["source", "BillingAccountId", "billing_month", "BillingCurrency"]


@dataclass(frozen=True)
class Preview:
    """What an ingest would do.

    Attributes:
        arrived: what it would take in.
        read: one delivery that would be read: source, name, rows, and how many values would be refused.
        changed: one bill and currency that would change: rows and BilledCost before and after, null where the bill
            has none.
    """

    arrived: Arrived
    read: pl.DataFrame
    changed: pl.DataFrame


def preview(
    workspace: Workspace, as_of: datetime | None = None, watch: Watch = quiet, accept_shrink: Sequence[str] = ()
) -> Preview:
    """Take in what is new, on a copy of the ledger that is thrown away.

    Raises:
        InputError: configuration or a source is wrong, or somebody is writing the store for long.
        LawBrokenError: a delivery's own total is not what would be stored, rejected and rounded.
    """
    rules = read_rules(workspace.rules, workspace.root)
    with scratch_ledger(workspace.store, on_wait=lambda message: watch(message, 0, 0)) as ledger:
        before = _totals(ledger)
        with noting(ledger, workspace, "ingest --dry-run", as_of, watch=watch) as run:
            arrived = ingest(run, rules.columns, accept_shrink)
        both = before.join(_totals(ledger), on=_BILL, how="full", coalesce=True, validate="1:1", suffix="_after")
        differ = [pl.col(name).ne_missing(pl.col(f"{name}_after")) for name in ("rows", "BilledCost")]
        changed = both.filter(pl.any_horizontal(differ))
        return Preview(arrived, _read(ledger, run.number), changed.sort(_BILL))


def _totals(ledger: Ledger) -> pl.DataFrame:
    return ledger.frame(
        """
        SELECT source, BillingAccountId, billing_month, BillingCurrency, rows, stored_BilledCost AS BilledCost
        FROM main.bills WHERE superseded_run IS NULL AND BillingCurrency IS NOT NULL
        """
    )


def _read(ledger: Ledger, run: int) -> pl.DataFrame:
    return ledger.query("deliveries_read").filter(pl.col("posted_run") == run).drop("posted_run")


def preview_data(found: Preview) -> dict[str, object]:
    """A preview for scripts."""
    return {"read": found.read, "held_back": found.arrived.settled.held_back, "changed": found.changed}


def shown(found: Preview) -> RenderableType:
    """A preview for the terminal."""
    parts: list[RenderableType] = [Text(f"{counted(found.read.height, 'delivery', 'deliveries')} would be read")]
    if found.read.height:
        parts.append(as_table(found.read))
    held = by_reason(found.arrived.settled.held_back)
    parts += [Text(f"held back  {one.source}  {one.name}: {one.reason}") for one in held]
    parts.append(Text("Bills that would change" if found.changed.height else "No bill would change"))
    if found.changed.height:
        parts.append(as_table(found.changed))
    return Group(*parts, Text("Nothing was changed."))
