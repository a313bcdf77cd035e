"""What of all that can be explained was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from attribution.reports.period import Period, month_of
from flows.answering import explain_mail, mail_of
from flows.explaining.charge import explain_charge
from flows.explaining.costs import explain_cost
from flows.explaining.figure import explain_figure, explain_finding
from flows.explaining.resources import explain_resource
from flows.explaining.told import Told
from flows.terminal import AFTER_YEAR, FIRST_YEAR
from schemas.faults import Fault, InputError
from schemas.workspace import Workspace


def told_of(
    workspace: Workspace,
    *,
    resource: str | None,
    month: date | None,
    days: str | None,
    where: Sequence[str],
    finding: str | None,
    charge: str | None,
    cost: str | None,
) -> Told:
    """Explain the one thing that was named; arguments as the command has them.

    Raises:
        InputError: nothing was named, or two things; or it cannot be explained.
    """
    if sum((resource is not None, bool(where), finding is not None, charge is not None, cost is not None)) != 1:
        what = "name one thing: a resource, the reference of a mail, a cost, a charge, a finding, or a figure"
        raise InputError(Fault("explain", what, hint="See attribution explain --help."))
    if days is not None and (month is not None or not where):
        raise InputError(Fault("--days", "goes with --where, and without --month"))
    if where:
        period = month_of(month) if month else read_days(days) if days is not None else None
        return explain_figure(workspace, _cell(where), period)
    if finding is not None:
        return explain_finding(workspace, finding)
    if charge is not None:
        return explain_charge(workspace, *_place(charge))
    if cost is not None:
        return explain_cost(workspace, cost)
    if mail := mail_of(workspace.store, str(resource)):
        return explain_mail(workspace.store, mail)
    return explain_resource(workspace, str(resource), month)


def _cell(where: Sequence[str]) -> dict[str, list[str]]:
    """Columns with their values; one that is named again may have either value."""
    cell: dict[str, list[str]] = {}
    for one in where:
        name, equals, value = one.partition("=")
        if not equals:
            raise InputError(Fault("--where", f'"{one}" is no COLUMN=VALUE', hint="For example project=aurora-7b."))
        values = cell.setdefault(name, [])
        if value not in values:
            values.append(value)
    return cell


def read_days(text: str) -> Period:
    """Days written as 2026-10-03..2026-10-09, both ends included, or one day.

    Raises:
        InputError: they are none.
    """
    first, _, last = text.partition("..")
    try:
        days = Period(date.fromisoformat(first), date.fromisoformat(last or first))
    except ValueError as error:
        hint = "Write them as 2026-10-03..2026-10-09."
        raise InputError(Fault("--days", f'"{text}" are no days', hint=hint)) from error
    if not FIRST_YEAR <= days.first.year <= days.last.year < AFTER_YEAR:
        raise InputError(Fault("--days", f'"{text}" is outside the years {FIRST_YEAR} to {AFTER_YEAR - 1}'))
    return days


def _place(charge: str) -> tuple[str, int]:
    place, _, row = charge.rpartition(":")
    if not place or not (row.isascii() and row.isdigit()):
        hint = "FILE:ROW as in charges, for example bills/aws/october.csv:12."
        raise InputError(Fault("--charge", f'"{charge}" names no row', hint=hint))
    return place, int(row)
