"""Findings as people meet them: listed, shown with their history, acknowledged, snoozed, resolved.

Asked of the published file; what people say is noted in the ledger and published at once.
"""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

import polars as pl

from attribution.ledger import Action, append_actions, open_ledger, publish
from attribution.reports.figures import label
from flows.questions import ask
from schemas.faults import Fault, InputError, suggest
from schemas.findings import STATES
from schemas.workspace import Workspace

_STANDING = ("open", "reopened", "acknowledged")
_SEEN = ("new", "still", "gone")
_EVIDENCE = 54  # letters of it in a list
_FEWEST = 4  # letters of an id that name a finding


def list_findings(store: Path, kind: str | None, state: str) -> pl.DataFrame:
    """Findings, most money first.

    Args:
        store: the workspace's.
        kind: only of this kind.
        state: one of STATES; new, still or gone; `standing`, which is open, reopened and acknowledged; or `every`.

    Raises:
        InputError: no finding is of that kind.
    """
    rows = ask(
        store,
        f"""
        SELECT left(fingerprint, 8) AS id, kind, subject, owner, cost_at_stake, BillingCurrency, severity, state, until,
            seen, first_seen, confidence, verdict, evidence
        FROM findings WHERE ($1 IS NULL OR kind = $1) AND ({_condition(state)})
        ORDER BY cost_at_stake DESC NULLS LAST, kind, subject
        """,  # noqa: S608 - words of ours
        (kind,),
    )
    kinds = ask(store, "SELECT DISTINCT kind FROM findings ORDER BY kind").to_series().to_list()
    if kind is not None and kind not in kinds:
        raise InputError(Fault("--kind", f'no finding of kind "{kind}"', ", ".join(kinds), suggest(kind, kinds)))
    return rows


def in_short(rows: pl.DataFrame) -> pl.DataFrame:
    """What of a list fits on a screen; money with two decimals, for the eye alone.

    No measurement, no verdict: how severe the money would be is not said of what could not be judged.
    """
    judged = pl.when(pl.col("verdict") == "undetermined").then("verdict").otherwise("severity")
    return rows.select(
        "id",
        "kind",
        "subject",
        "owner",
        pl.col("cost_at_stake").round(2),
        pl.col("BillingCurrency").alias("currency"),
        judged.alias("severity"),
        "state",
        "first_seen",
        pl.col("evidence").map_elements(lambda text: label(text, _EVIDENCE), return_dtype=pl.String),
    )


def _condition(state: str) -> str:
    if state == "every":
        return "true"
    if state in _SEEN:
        return f"seen = '{state}'"
    states = _STANDING if state == "standing" else (state,)
    return f"state IN ({', '.join(repr(one) for one in states)})"


def quiet_findings(store: Path) -> str:
    """How many findings a list of the standing ones leaves out, in words; blank where there are none."""
    rows = ask(
        store, "SELECT state, count(*) FROM findings WHERE state IN ('snoozed', 'planned', 'suppressed') GROUP BY ALL"
    )
    counts = dict(rows.iter_rows())
    return ", ".join(f"{counts[state]} {state}" for state in STATES if state in counts)


def finding_named(store: Path, name: str) -> str:
    """The fingerprint of a finding.

    Args:
        store: the workspace's.
        name: the first letters of its id, at least four, or its whole subject where one finding alone has it.

    Raises:
        InputError: it names none, or several.
    """
    rows = ask(
        store,
        """
        SELECT fingerprint, kind, subject FROM findings
        WHERE subject = $1 OR (length($1) >= $2 AND starts_with(fingerprint, $1)) ORDER BY seen = 'gone', kind
        """,
        (name, _FEWEST),
    )
    if rows.height == 1:
        return str(rows.item(0, 0))
    if rows.is_empty():
        subjects = ask(store, "SELECT DISTINCT subject FROM findings").to_series().to_list()
        hint = suggest(name, subjects) or "See attribution findings for ids and subjects."
        raise InputError(Fault("findings", f'no finding "{name}"', hint=hint))
    several = ", ".join(f"{fingerprint[:8]} ({kind})" for fingerprint, kind, _ in rows.rows())
    raise InputError(Fault("findings", f'"{name}" names several findings', several, "Name one by its id."))


def finding_and_history(store: Path, name: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One finding with all its columns, and what was said of it, oldest first.

    Raises:
        InputError: it names none, or several.
    """
    fingerprint = finding_named(store, name)
    found = ask(store, "SELECT * FROM findings WHERE fingerprint = ?", (fingerprint,))
    said = ask(
        store,
        "SELECT said_at, action, until, who, why FROM finding_actions WHERE fingerprint = ? ORDER BY action_no",
        (fingerprint,),
    )
    return found, said


def act(workspace: Workspace, names: Sequence[str], action: Action, at: datetime) -> pl.DataFrame:
    """Note what somebody says of findings, publish it, and tell how they stand now.

    Raises:
        InputError: a name that names none or several, nobody who says it, or no reason; nothing is noted then.
    """
    if not action.why.strip() or not action.who.strip():
        raise InputError(Fault("--why" if action.who.strip() else "--who", "is blank", hint="The log keeps both."))
    fingerprints: list[str] = []
    faults: list[Fault] = []
    for name in names:
        try:
            fingerprints.append(finding_named(workspace.store, name))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    with open_ledger(workspace.store) as ledger:
        append_actions(ledger, fingerprints, action, at)
        publish(ledger)
    return ask(
        workspace.store,
        """
        SELECT left(fingerprint, 8) AS id, kind, subject, state, until, who, why FROM findings
        WHERE list_contains(?, fingerprint) ORDER BY kind, subject
        """,
        (fingerprints,),
    )


def read_day(text: str, after: date) -> date:
    """`--until`: a day to come.

    Raises:
        InputError: it is none, or not after the run's day.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise InputError(Fault("--until", f'"{text}" is no day', hint="Write it as 2026-12-01.")) from error
    if day <= after:
        raise InputError(Fault("--until", f"{day} is not after {after}", hint="The finding speaks again on that day."))
    return day


def somebody() -> str:
    """Whoever is logged in; blank where nobody can tell."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
