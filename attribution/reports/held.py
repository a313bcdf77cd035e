"""What closed months hold back: as it was reported, and as it would be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from attribution.reports import figures
from attribution.reports.text_tables import add_row, plain_table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attribution.reports.report import Amount


@dataclass(frozen=True)
class Pending:
    """EffectiveCost of a dimension's value in a closed month, as reported and as it would be, and what differed."""

    month: date
    currency: str
    dimension: str
    value: str
    reported: Amount
    computed: Amount
    why: str


@dataclass(frozen=True)
class ClosedMonth:
    """One cost column of a closed month: what was reported, and what its bills charge now."""

    month: date
    currency: str
    column: str
    reported: Amount
    charged: Amount


def closed_table(rows: tuple[ClosedMonth, ...]) -> RenderableType:
    """One line a month and cost column: as reported + held back = charges now."""
    table = plain_table("Total of", "closed month", "as reported", "charges now", "held back", texts=2)
    for row in rows:
        add_row(
            table,
            f"{row.column} {row.currency}",
            figures.month(row.month),
            figures.money(row.reported, row.currency),
            figures.money(row.charged, row.currency),
            figures.change(row.charged, row.reported, row.currency),
        )
    return table


def pending_table(rows: tuple[Pending, ...], most: int) -> RenderableType:
    """Whose the costs would be; what has no line of its own is summed by currency, so that differences add up."""
    table = plain_table("What", "closed month", "why", "reported", "would be", "difference", texts=3)
    for row in rows[:most]:
        add_row(
            table,
            figures.label(row.value if row.dimension == "project" else f"{row.dimension}={row.value}", 32),
            figures.month(row.month),
            figures.label(row.why, 24),
            figures.money(row.reported, row.currency),
            figures.money(row.computed, row.currency),
            figures.change(row.computed, row.reported, row.currency),
        )
    for code in dict.fromkeys(row.currency for row in rows[most:]):
        rest = [row for row in rows[most:] if row.currency == code]
        reported, computed = (figures.total(getattr(row, side) for row in rest) for side in ("reported", "computed"))
        add_row(
            table,
            f"and {len(rest)} more, {code}",
            *["", ""],
            figures.money(reported, code),
            figures.money(computed, code),
            figures.change(computed, reported, code),
            style="dim",
        )
    return table
