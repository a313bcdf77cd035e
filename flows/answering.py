"""Answers to a mail: what its reference stands for, what its reader says is not theirs, what was done about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from attribution.ledger import (
    Answered,
    Ledger,
    Published,
    keep_dispute,
    open_ledger,
    publish,
    read_published,
    settle_dispute,
)
from attribution.ledger import query as ask_published
from attribution.reports.mail import as_reference
from flows.explaining.told import Told
from flows.plain_data import plain_rows
from flows.questions import ask
from flows.running import now
from schemas.faults import Fault, InputError, suggest
from schemas.workspace import ALL, Workspace

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
_SHOWN = 30
_SAID_IN = ("project", "stage", "experiment")


@dataclass(frozen=True)
class SentMail:
    """A mail that a reference stands for; `first` and `last` are days as text."""

    reference: str
    report: str
    period: str
    recipient: str
    state: str

    @property
    def days(self) -> list[str]:
        """First and last day of its report."""
        return self.period.split("..")

    @property
    def whose(self) -> tuple[str, str] | None:
        """Dimension and value whose report it is; None where it is the one for all."""
        if self.report == ALL:
            return None
        dimension, _, value = self.report.partition("=")
        return dimension, value


def mail_of(store: Path, text: str) -> SentMail | None:
    """The mail that a reference stands for; None where the text is no reference that this store gave."""
    reference = as_reference(text)
    if reference is None:
        return None
    rows = ask_published(
        store,
        "SELECT reference, report, period, recipient, state FROM main.deliveries WHERE reference = ?",
        [reference],
    )
    return SentMail(*rows.row(0)) if rows.height else None


def explain_mail(store: Path, mail: SentMail) -> Told:
    """What stood in a mail, by who said that it belongs there, as the published file has it now."""
    with read_published(store) as published:
        rows = _costs(published, mail)
    lines = [
        f"{mail.reference}: report for {mail.report}, {mail.period}, to {mail.recipient} ({mail.state})",
        "EffectiveCost of these days as it is now, and what gave it this owner:",
    ]
    for row in rows.head(_SHOWN).iter_rows(named=True):
        what = row["ResourceId"] or row["ServiceName"]
        where = ", ".join(f"{name}={row[name]}" for name in _SAID_IN)
        why = f"{row['method']}: {row['rule'] or 'nobody said anything'}"
        lines.append(f"  {_or_unknown(row['EffectiveCost'])} {row['BillingCurrency']}  {what}  {where}  ({why})")
    if rows.height > _SHOWN:
        lines.append(f"  ... and {rows.height - _SHOWN} more (--json shows all)")
    lines += [
        "",
        "Further: attribution explain RESOURCE",
        f'To record an answer: attribution dispute {mail.reference} experiment=NAME --says "..."',
    ]
    data = {"reference": mail.reference, "report": mail.report, "period": mail.period, "state": mail.state}
    return Told(tuple(lines), data | {"costs": plain_rows(rows)})


def _or_unknown(amount: Any) -> str:  # noqa: ANN401 - a Decimal or nothing
    return "unknown" if amount is None else f"{amount:,.2f}"


def _costs(published: Published, mail: SentMail) -> pl.DataFrame:
    """Costs of a mail by project, stage, experiment, resource, and what decided whose they are; dearest first."""
    dimension, value = mail.whose or ("owner", None)
    known = published.frame("SELECT column_name FROM (DESCRIBE main.costs)").to_series().to_list()
    if f"{dimension}_method" not in known:
        raise InputError(Fault(mail.reference, f"the costs have no dimension {dimension} any more"))
    return published.frame(
        f"""
        SELECT project, stage, experiment, ResourceId, ServiceName, "{dimension}_method" AS method,
            "{dimension}_rule" AS rule, BillingCurrency, sum(EffectiveCost) AS EffectiveCost
        FROM main.costs
        WHERE usage_date BETWEEN CAST($first AS DATE) AND CAST($last AS DATE)
            AND ($value IS NULL OR "{dimension}" = $value)
        GROUP BY ALL ORDER BY sum(EffectiveCost) DESC NULLS LAST, project, stage, experiment, ResourceId, ServiceName
        """,  # noqa: S608 - a dimension that is known
        {"first": mail.days[0], "last": mail.days[1], "value": value},
    )


def record_answer(workspace: Workspace, reference: str, subject: str, says: str) -> int:
    """Keep what a reader says is not theirs; its number.

    Args:
        workspace: whose store.
        reference: as the mail names it.
        subject: `dimension=value`, one that stood in that report.
        says: the reader's words.

    Raises:
        InputError: no such reference, or nothing of this subject stood in the report.
    """
    mail = mail_of(workspace.store, reference)
    if mail is None:
        hint = "It stands at the end of the mail, for example K3QF7-MZX2A."
        raise InputError(Fault("dispute", f'no mail has the reference "{reference}"', hint=hint))
    dimension, _, value = subject.partition("=")
    with read_published(workspace.store) as published:
        rows = _costs(published, mail)
    if dimension not in (*_SAID_IN, "ResourceId"):
        known = ", ".join(f"{name}=" for name in (*_SAID_IN, "ResourceId"))
        raise InputError(Fault("dispute", f'"{subject}" does not say what is meant', known))
    values = sorted(set(rows.get_column(dimension).drop_nulls()))
    if value not in values:
        what = f"nothing of {subject} stood in the report for {mail.report}, {mail.period}"
        raise InputError(Fault("dispute", what, hint=suggest(value, values)))
    answered = Answered(mail.reference, mail.report, mail.period, subject, says or "not mine")
    return _kept(workspace, lambda ledger: keep_dispute(ledger, answered, now()))


def settle_answer(workspace: Workspace, dispute: int, answer: str) -> None:
    """Close a dispute with what was done about it.

    Raises:
        InputError: it is not open, or nothing says what was done.
    """
    if not answer:
        raise InputError(Fault("dispute", "say what was done about it", hint='--says "rule added for eval-nightly"'))
    if not _kept(workspace, lambda ledger: settle_dispute(ledger, dispute, answer, now())):
        raise InputError(Fault("dispute", f"no dispute {dispute} is open", hint="`attribution dispute` lists them."))


def _kept(workspace: Workspace, change: Callable[[Ledger], T]) -> T:
    """Change the ledger, and publish, so that everybody sees it at once."""
    with open_ledger(workspace.store) as ledger:
        done = change(ledger)
        publish(ledger)
    return done


def open_disputes(store: Path) -> pl.DataFrame:
    """Disputes that are open, oldest first."""
    return ask(
        store,
        """
        SELECT dispute, reference, report, period, subject, says, recorded_at FROM disputes
        WHERE state = 'open' ORDER BY dispute
        """,
    )
