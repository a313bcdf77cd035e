"""The order, said once and without Prefect: bills in, costs and findings out.

The flows wrap these steps as tasks, the command line calls them as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import ParamSpec, Protocol, TypeVar

import polars as pl

from attribution.allocation import broken, reconcile, resolve, split
from attribution.inputs import InputFrames, read_inputs
from attribution.ledger import RollUp, publish
from attribution.reports.nightly import NightlySummary
from attribution.rules import RuleBook, read_rules
from flows.arrival import ingest
from flows.judging import detect
from flows.mailing import Weekly, mail_reports, write_reports
from flows.running import Run, Watch, quiet, running
from flows.summary import summarize
from schemas.faults import LawBrokenError
from schemas.money import COSTS
from schemas.workspace import Workspace


@dataclass(frozen=True)
class Stated:
    """What the operators say: their rules, and what they hand in beside the bills."""

    rules: RuleBook
    inputs: InputFrames


P = ParamSpec("P")
R = TypeVar("R")


class Do(Protocol):
    """How a step is carried out: as it is, or as a task of a flow."""

    def __call__(self, step: Callable[P, R], /) -> Callable[P, R]:
        """The step, ready to be called."""


def directly(step: Callable[P, R], /) -> Callable[P, R]:
    """A step as it is."""
    return step


def nightly(
    workspace: Workspace, as_of: datetime | None = None, watch: Watch = quiet, do: Do = directly
) -> NightlySummary:
    """Bills in, costs and findings out; the published file is replaced last.

    Raises:
        InputError: configuration or inputs are wrong; nothing changed.
        LawBrokenError: a cent is missing; nothing was published.
    """
    stated = do(read_stated)(workspace)
    with running(workspace, "nightly", as_of, watch) as run:
        arrived = do(ingest)(run, stated.rules.columns)
        do(attribute)(run, stated)
        do(detect)(run, stated.rules, stated.inputs)
        do(publish)(run.ledger)
        return do(summarize)(run, arrived)


def weekly(workspace: Workspace, as_of: datetime | None = None, watch: Watch = quiet, do: Do = directly) -> Weekly:
    """Reports of the last complete week from what the ledger keeps: pages, CSV files, mails; nothing is sent twice.

    Raises:
        InputError: nothing was attributed yet, or the mail server's settings are wrong.
    """
    with running(workspace, "weekly", as_of, watch) as run:
        reports = do(write_reports)(run)
        return do(mail_reports)(run, reports)


def read_stated(workspace: Workspace) -> Stated:
    """Read rules and inputs.

    Raises:
        InputError: every fault of rules.toml, or of the inputs' files.
    """
    return Stated(read_rules(workspace.rules), read_inputs(workspace.inputs, workspace.root, workspace.timezone))


def attribute(run: Run, stated: Stated) -> None:
    """Give every charge its dimensions, move what is shared, prove that nothing got lost, and keep it.

    Raises:
        LawBrokenError: costs and charges differ; both totals are named and the costs kept before stay.
    """
    rules, inputs = stated.rules, stated.inputs
    rollup = RollUp(run.workspace.timezone, rules.columns)
    run.watch("rolling up", 0, 4)
    run.ledger.roll_up(rollup)
    subjects = run.ledger.subjects(rollup)
    lines = run.ledger.lines(rollup).collect()
    run.watch("resolving", 1, 4)
    resolved = resolve(subjects, lines, inputs.tags, inputs.resources, rules)
    run.watch("splitting", 2, 4)
    divided = split(resolved, rules)
    run.watch("reconciling", 3, 4)
    prove(run, reconcile(subjects, lines, divided.costs, divided.subjects))
    run.ledger.keep_costs(divided.costs, divided.subjects, divided.allocations, divided.lineage, pooled=divided.pooled, run=run.number)
    run.counts |= {"lines": lines.height, "costs": divided.costs.height}
    run.watch("attributed", 4, 4)


def prove(run: Run, proof: pl.DataFrame) -> None:
    """Σ costs = Σ cost lines = Σ charges, for every bill, currency and cost column; the proof is kept.

    Args:
        run: the run in progress.
        proof: what `reconcile` gave.

    Raises:
        LawBrokenError: with the totals that differ.
    """
    key = ["bill_no", "BillingCurrency", "column"]
    charges = run.ledger.bill_sums().unpivot(on=list(COSTS), index=key[:2], variable_name=key[2], value_name="charges")
    both = charges.join(proof, on=key, how="full", coalesce=True, validate="1:1")
    apart = pl.concat(
        [
            both.filter(pl.col("charges").ne_missing(pl.col("before"))).select(*key, "charges", "before"),
            broken(proof).select(*key, charges="before", before="after"),
        ]
    )
    if apart.height:
        message = f"costs do not sum to the charges, nothing was kept: {apart.head(5).rows()}"
        raise LawBrokenError(message)
    run.ledger.keep_reconciliation(proof)
