"""What of all that can be explained was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from flows.answering import explain_mail, mail_of
from flows.explaining.charge import explain_charge
from flows.explaining.costs import explain_cost
from flows.explaining.figure import explain_figure, explain_finding
from flows.explaining.resources import explain_resource
from flows.explaining.told import Told
from schemas.faults import Fault, InputError
from schemas.workspace import Workspace


def told_of(
    workspace: Workspace,
    *,
    resource: str | None,
    month: date | None,
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
    if where:
        return explain_figure(workspace, _cell(where), month)
    if finding is not None:
        return explain_finding(workspace, finding)
    if charge is not None:
        return explain_charge(workspace, *_place(charge))
    if cost is not None:
        return explain_cost(workspace, cost)
    if mail := mail_of(workspace.store, str(resource)):
        return explain_mail(workspace.store, mail)
    return explain_resource(workspace, str(resource), month)


def _cell(where: Sequence[str]) -> dict[str, str]:
    cell: dict[str, str] = {}
    for one in where:
        name, equals, value = one.partition("=")
        if not equals:
            raise InputError(Fault("--where", f'"{one}" is no COLUMN=VALUE', hint="For example project=aurora-7b."))
        if cell.get(name, value) != value:
            raise InputError(Fault("--where", f"{name} is named twice, and has two values"))
        cell[name] = value
    return cell


def _place(charge: str) -> tuple[str, int]:
    place, _, row = charge.rpartition(":")
    if not place or not (row.isascii() and row.isdigit()):
        hint = "FILE:ROW as in charges, for example bills/aws/october.csv:12."
        raise InputError(Fault("--charge", f'"{charge}" names no row', hint=hint))
    return place, int(row)
