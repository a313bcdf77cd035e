"""Gates for scripts: what must not stand open, in one line each, such as `growth>20%` or `severity>=high`.

A gate is `WHAT`, or `WHAT>LIMIT`, or `WHAT>=LIMIT`. WHAT is a kind of finding, `any` for all kinds, `severity`, or
`total`, which is the money at stake of all. A limit is an amount, in the currency of each finding; for `growth` a
percentage, too; for `severity` a level. Findings count that are open or reopened and no mere suspicion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import ge, gt
from pathlib import Path

import polars as pl

from attribution.ledger import Published, read_published
from schemas.faults import Fault, InputError, suggest
from schemas.findings import ACTIVE, KINDS, SEVERITIES
from schemas.money import read_money

_GATE = re.compile(r"\s*([a-z_]+)\s*(?:(>=?)\s*(.+?)\s*)?")
_WORDS = ("any", "severity", "total")
_LEVELS = tuple(level for level in reversed(SEVERITIES) if level != "unknown")
_HINT = "For example growth>20%, idle_by_utilization, budget_breached>0, severity>=high, total>10000."


@dataclass(frozen=True)
class Gate:
    """One condition under which a script is to stop; `limit` None asks for any finding at all."""

    text: str
    what: str
    above: Callable[[Decimal, Decimal], bool] = gt
    limit: Decimal | None = None
    percent: bool = False


def read_gates(texts: Sequence[str]) -> tuple[Gate, ...]:
    """Read gates as they are written.

    Raises:
        InputError: every gate that cannot be read.
    """
    gates: list[Gate] = []
    faults: list[Fault] = []
    for text in texts:
        try:
            gates.append(_read(text))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return tuple(gates)


def _read(text: str) -> Gate:
    found = _GATE.fullmatch(text)
    if not found:
        raise InputError(Fault("--fail-on", f'"{text}" is no gate', hint=_HINT))
    what, sign, limit = found.groups()
    above = ge if sign == ">=" else gt
    if limit is None:
        if what in ("severity", "total"):
            raise InputError(Fault("--fail-on", f'"{text}" names no limit', hint=_HINT))
        return Gate(text, what)
    if what == "severity":
        if limit not in _LEVELS:
            raise InputError(Fault("--fail-on", f'"{text}": "{limit}" is no severity', ", ".join(_LEVELS)))
        return Gate(text, what, above, Decimal(_LEVELS.index(limit)))
    percent = limit.endswith("%") and what not in {*KINDS, *_WORDS} - {"growth"}
    (number,) = read_money(pl.Series([limit.removesuffix("%").strip() if percent else limit]))[0].to_list()
    if number is None:
        raise InputError(Fault("--fail-on", f'"{text}": "{limit}" is no amount', hint=_HINT))
    return Gate(text, what, above, Decimal(number), percent)


def check_gates(store: Path, gates: Sequence[Gate]) -> list[str]:
    """One line for each gate that does not hold: the gate, and what stands above it.

    Raises:
        InputError: a gate names a kind that there never was, nor a detector of.
    """
    with read_published(store) as published:
        _check_kinds(published, gates)
        return _failing(published, gates)


def _check_kinds(published: Published, gates: Sequence[Gate]) -> None:
    known = published.frame("SELECT kind FROM main.findings UNION SELECT kind FROM main.detectors ORDER BY 1")
    kinds = sorted({*known.get_column("kind"), *KINDS})
    faults = [
        Fault("--fail-on", f'"{gate.text}": nothing is called "{gate.what}"', ", ".join((*_WORDS, *kinds)),
              suggest(gate.what, kinds))
        for gate in gates
        if gate.what not in (*_WORDS, *kinds)
    ]  # fmt: skip
    if faults:
        raise InputError(faults)


def _failing(published: Published, gates: Sequence[Gate]) -> list[str]:
    found = published.frame(
        """
        SELECT kind, subject, month, cost_at_stake, BillingCurrency, severity FROM main.findings
        WHERE list_contains(?, state) AND verdict = 'finding' ORDER BY cost_at_stake DESC NULLS LAST, kind, subject
        """,
        [list(ACTIVE)],
    )
    grown = published.frame(
        "SELECT subject, month, BillingCurrency, percent FROM main.growth WHERE percent IS NOT NULL"
    )
    return [line for gate in gates if (line := _line(gate, found, grown))]


def _line(gate: Gate, found: pl.DataFrame, grown: pl.DataFrame) -> str | None:
    if gate.what == "total":
        sums = found.group_by("BillingCurrency").agg(pl.col("cost_at_stake").sum()).drop_nulls().sort("BillingCurrency")
        limit = gate.limit or Decimal(0)
        over = [f"{cost:,.2f} {code}" for code, cost in sums.rows() if gate.above(cost, limit)]
        return f"{gate.text}: {', '.join(over)} at stake" if over else None
    rows = found if gate.what in ("any", "severity") else found.filter(pl.col("kind") == gate.what)
    if gate.percent:
        rows = rows.join(grown, on=["subject", "month", "BillingCurrency"], how="left", nulls_equal=True)
    names = [row["subject"] for row in rows.to_dicts() if _stands(gate, row)]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004 - enough to find them
    return f"{gate.text}: {', '.join(names[:3])}{more}" if names else None


def _stands(gate: Gate, row: dict[str, object]) -> bool:
    if gate.limit is None:
        return True
    if gate.what == "severity":
        level = str(row["severity"])
        return level in _LEVELS and gate.above(Decimal(_LEVELS.index(level)), gate.limit)
    value = row["percent" if gate.percent else "cost_at_stake"]
    return isinstance(value, Decimal) and gate.above(value, gate.limit)
