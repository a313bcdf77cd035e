"""`attribution rules`: what the rules do, and what a change of them would do, asked of the published charges.

Nothing is written to the store; a run that is writing is never waited for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import polars as pl

from attribution.allocation import Divided, Resolved, resolve, split
from attribution.allocation.review import Caught, Proposal, Remark, answered, caught, lint, moved, propose
from attribution.ledger import RolledUp, read_published
from attribution.rules import RuleBook, read_rules
from flows.beside import read_measures
from flows.people import with_teams
from flows.running import rollup_of
from flows.steps import Stated, read_stated
from schemas.faults import Fault, InputError, suggest
from schemas.workspace import Workspace

_PEOPLE = "people.csv"


@dataclass(frozen=True)
class Coverage:
    """What each rule caught: see `Caught.by_rule` and `answered`; and proposals for the largest sources of nobody's.

    `first` and `last` are the days of the lines that were looked at, None where there are none.
    """

    rules: pl.DataFrame
    answers: pl.DataFrame
    proposals: tuple[Proposal, ...]
    first: date | None
    last: date | None


@dataclass(frozen=True)
class Charges:
    """What was billed, for trying rules on, with what operators hand in beside."""

    billed: RolledUp
    stated: Stated

    def caught(self, month: date | None = None) -> Caught:
        """What the rules say of them."""
        only = None if month is None else pl.col("usage_date").dt.truncate("1mo") == month
        return caught(self._resolved(self.stated).evidence, self.billed.lines, only)

    def divided(self, stated: Stated | None = None) -> Divided:
        """Costs after all splits, of these rules or of others."""
        stated = stated or self.stated
        rules = with_teams(stated.rules, stated.inputs.people)
        return split(self._resolved(stated), rules, stated.beside(self.billed.periods))

    def _resolved(self, stated: Stated) -> Resolved:
        inputs = stated.inputs
        rules = with_teams(stated.rules, inputs.people)
        return resolve(self.billed.subjects, self.billed.lines, inputs.tags, inputs.resources, rules)


@contextmanager
def _charges(workspace: Workspace, stated: Stated, *others: Stated) -> Iterator[Charges]:
    """The charges of the published bills, rolled up for all rules at once."""
    columns = {name for one in (stated, *others) for name in one.rules.columns}
    with (
        read_published(workspace.store) as published,
        published.rolled_up(rollup_of(workspace, tuple(sorted(columns)))) as billed,
    ):
        yield Charges(billed, stated)


def lint_rules(workspace: Workspace) -> list[Remark]:
    """Look at every rule and split of a workspace.

    Raises:
        InputError: the rules cannot be read, or nothing is published.
    """
    stated = read_stated(workspace)
    with _charges(workspace, stated) as charges:
        found = charges.caught()
        try:
            divided = charges.divided()
        except InputError as error:
            circles = [Remark("circle", fault.where, fault.what, fault.hint) for fault in error.faults]
            return [*_of_files(lint(found, None)), *circles]
    return _of_files(lint(found, divided))


def _of_files(remarks: list[Remark]) -> list[Remark]:
    """Remarks on what somebody wrote as a rule; people without money of a team are none."""
    return [one for one in remarks if not one.where.startswith(_PEOPLE)]


def cover(workspace: Workspace, dimension: str, month: date | None, most: int) -> Coverage:
    """What each rule caught, and what to do about the rest.

    Raises:
        InputError: the rules cannot be read, nothing is published, or there is no such dimension.
    """
    stated = read_stated(workspace)
    names = stated.rules.names
    if dimension not in names:
        raise InputError(
            Fault("--dimension", f'no dimension "{dimension}"', ", ".join(names), suggest(dimension, names))
        )
    with _charges(workspace, stated) as charges:
        found = charges.caught(month)
        days = charges.billed.lines.get_column("usage_date")
    if month is not None:
        days = days.filter(days.dt.truncate("1mo") == month)
    proposals = propose(found, stated.inputs.tags, dimension, most)
    first, last = (days.min(), days.max())
    assert first is None or isinstance(first, date)  # noqa: S101 - polars types a minimum as anything
    assert last is None or isinstance(last, date)  # noqa: S101 - as above
    rules = found.by_rule().filter(pl.col("file") != _PEOPLE)
    return Coverage(rules, answered(found), tuple(proposals), first, last)


def compare(workspace: Workspace, old: Path, new: Path | None) -> pl.DataFrame:
    """What other rules would move, see `moved`.

    Args:
        workspace: whose charges.
        old: a file of rules, or a folder of them.
        new: another one; the workspace's own rules unless given.

    Raises:
        InputError: rules cannot be read, with the faults of both sides; or nothing is published.
    """
    before = _book(old)
    after = _book(new) if new is not None else read_rules(workspace.rules, workspace.root)
    now = read_stated(workspace, before)
    then = replace(now, rules=after, measures=read_measures(workspace, after)[0])
    with _charges(workspace, now, then) as charges:
        names = tuple(dict.fromkeys((*before.names, *after.names)))
        return moved(charges.divided(), charges.divided(then), names)


def _book(path: Path) -> RuleBook:
    """The rules of a file, or of all files of a folder by name; messages call them as they were called.

    Raises:
        InputError: there is none, or every fault of them.
    """
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not files:
        raise InputError(Fault(str(path), "this folder holds no file of rules", hint="Their names end in .toml."))
    return read_rules(files, Path())
