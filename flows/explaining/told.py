"""What every explanation ends in: lines to read, the same as plain data, and the charges at the bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from attribution.ledger import Published, RollUp
from attribution.reports.figures import label
from attribution.rules import RuleBook
from flows.plain_data import as_json_text
from schemas.costs import SUBJECT_TEXT
from schemas.money import COSTS, shortest
from schemas.words import counted

SHOWN = 12


@dataclass(frozen=True)
class Told:
    """An explanation: lines to read, the same as plain data."""

    lines: tuple[str, ...]
    data: dict[str, Any]

    def as_text(self) -> str:
        """For reading: plain letters, whatever a tag holds."""
        return "\n".join(label(line) if line else "" for line in self.lines)

    def as_json(self) -> str:
        """For scripts; money is text."""
        return as_json_text(self.data)


def stale(versions: Sequence[str | None], rules: RuleBook, what: str) -> tuple[str, ...]:
    """A word of warning where the rules are no longer those of the costs."""
    if set(versions) <= {rules.digest}:
        return ()
    return (f"The rules changed since these costs were made: {what}", "")


def reasons(rules: RuleBook) -> dict[str, str]:
    """Why rules and splits say what they say, in the words of who wrote them."""
    told = {one.name: one.because for one in rules.rules} | {one.name: one.because for one in rules.splits}
    return {name: words for name, words in told.items() if words}


def because(name: str | None, known: dict[str, str]) -> str:
    """The end of a line about a rule."""
    return f"; because {known[name]}" if name in known else ""


def answer_lines(row: dict[str, Any], dimensions: Sequence[str], known: dict[str, str]) -> list[str]:
    """Each dimension of a row with its method and rule, and why that rule says so."""
    return [f"  {name} = {row[name]}  ({said_by(row, name, known)})" for name in dimensions]


def said_by(row: dict[str, Any], dimension: str, known: dict[str, str]) -> str:
    """How a dimension of a row was found: method, rule, and why that rule says so."""
    rule = row[f"{dimension}_rule"]
    return f"{row[f'{dimension}_method']}: {rule or 'nobody said anything'}{because(rule, known)}"


def amounts(row: dict[str, Any]) -> str:
    """BilledCost and EffectiveCost of a row, with the currency."""
    told = ", ".join(f"{name} {or_unknown(row[name])}" for name in COSTS[:2])
    return f"{told} {row['BillingCurrency']}"


def behind(published: Published, costs: pl.DataFrame, rollup: RollUp) -> pl.DataFrame:
    """Charges that the largest of some costs were rolled up from, each once."""
    frames = []
    asked = [name for name in SUBJECT_TEXT if name in costs.columns]
    same = " AND ".join(f'"{name}" IS NOT DISTINCT FROM ?' for name in asked)
    largest = costs.select("bill_id", "usage_date", *asked).unique(maintain_order=True).head(SHOWN)
    for bill_id, day, *values in largest.iter_rows():
        frames.append(charges(published, f"bill_id = ? AND {same}", [bill_id, *values], rollup.day() == day))
    return pl.concat(frames) if frames else charges(published, "false", [], pl.lit(value=True))


def charges(published: Published, where: str, params: list[Any], day: pl.Expr) -> pl.DataFrame:
    """Charges that SQL finds and whose usage date, which is a rule of the roll-up, is the one asked for."""
    rows = published.frame(
        f"""
        SELECT source, bill_id, file, row_number, ChargePeriodStart, ChargePeriodEnd, ChargeCategory, ServiceName,
            ChargeDescription, BilledCost, EffectiveCost, BillingCurrency
        FROM charges WHERE {where} ORDER BY bill_id, file, row_number
        """,  # noqa: S608 - conditions of our own, values are parameters
        params,
    )
    return rows.filter(day).drop("source", "ChargePeriodEnd")


def charge_lines(found: pl.DataFrame) -> list[str]:
    """Charges for reading, the first few."""
    lines = ["", f"{counted(found.height, 'charge')}:"]
    lines += [
        f"  {one['file']} {row_text(one['row_number'])}: "
        f"{one['ChargePeriodStart']:%Y-%m-%d %H:%M} {one['ChargeCategory']}, {amounts(one)}"
        for one in found.head(SHOWN).iter_rows(named=True)
    ]
    if found.height > SHOWN:
        lines.append(f"  ... and {found.height - SHOWN} more (--json shows all)")
    return lines


def row_text(number: int | None) -> str:
    """Where in its file a charge stands."""
    return "private rows" if number is None else f"row {number}"


def or_unknown(amount: Any) -> str:  # noqa: ANN401 - a Decimal or nothing
    """All digits of an amount that say something."""
    return "unknown" if amount is None else shortest(amount)
