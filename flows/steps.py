"""The order, said once and without Prefect: bills in, costs and findings out.

The flows wrap these steps as tasks, the command line calls them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar
from zoneinfo import ZoneInfo

import polars as pl

from attribution.allocation import Beside, broken, reconcile, resolve, split
from attribution.detection.windows import next_month
from attribution.inputs import InputFrames, digests, read_inputs
from attribution.ledger import publish as publish_ledger
from attribution.objects import fetch
from attribution.reports.nightly import NightlySummary
from attribution.rules import RuleBook, read_rules
from flows.arrival import Arrived, ingest
from flows.beside import beside_of, read_measures
from flows.judging import detect
from flows.mailing import Asked, Weekly, mail_reports
from flows.notifying import notify
from flows.people import with_teams
from flows.reporting import write_reports
from flows.running import Run, Watch, quiet, rollup_of, running
from flows.summary import summarize
from schemas.faults import Fault, InputError, LawBrokenError
from schemas.money import COSTS
from schemas.workspace import Workspace


@dataclass(frozen=True)
class Stated:
    """What the operators say: their rules, and what they hand in beside the bills."""

    rules: RuleBook
    inputs: InputFrames
    measures: dict[str, pl.DataFrame] = field(default_factory=dict)

    def beside(self, periods: Callable[[pl.Series], pl.DataFrame]) -> Beside:
        """What splits divide by; `periods` gives charges of resources by their own periods."""
        return beside_of(self.inputs, self.measures, periods)


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
    workspace: Workspace,
    as_of: datetime | None = None,
    watch: Watch = quiet,
    do: Do = directly,
    accept_shrink: Sequence[str] = (),
) -> NightlySummary:
    """Bills in, costs and findings out; the published file is replaced last. `accept_shrink`: see `ingest`.

    Raises:
        InputError: configuration or inputs are wrong; nothing changed.
        LawBrokenError: a cent is missing; nothing was published.
    """
    stated = do(read_stated)(workspace)
    with running(workspace, "nightly", as_of, watch, stated.rules.digest) as run:
        arrived = do(ingest)(run, stated.rules.columns, accept_shrink)
        do(attribute)(run, stated)
        do(detect)(run, stated.rules, stated.inputs)
        do(notify)(run)
        do(prune)(run)
        do(publish)(run)
        return do(summarize)(run, arrived)


def ingest_only(
    workspace: Workspace, as_of: datetime | None = None, watch: Watch = quiet, accept_shrink: Sequence[str] = ()
) -> Arrived:
    """Take in what is new and settle the bills, without attributing anything yet. `accept_shrink`: see `ingest`.

    Raises:
        InputError: configuration or a source is wrong.
    """
    rules = read_rules(workspace.rules, workspace.root)
    with running(workspace, "ingest", as_of, watch) as run:
        return ingest(run, rules.columns, accept_shrink)


def backfill(
    workspace: Workspace, first: date, last: date, watch: Watch = quiet, do: Do = directly
) -> tuple[NightlySummary, ...]:
    """What the nights of a range of months would have found, had they been run then.

    Bills are taken in and attributed once; then detection looks at each month's end in turn, so that findings have
    the age they would have; at last the night of now is run, and published.

    Args:
        workspace: the workspace.
        first: first day of the first month.
        last: first day of the last month.
        watch: told how far it is.
        do: how each step is carried out.

    Raises:
        InputError: the range is empty, or configuration or inputs are wrong.
    """
    if last < first:
        raise InputError(Fault("backfill", f"{first:%Y-%m} to {last:%Y-%m} is no range of months"))
    stated = do(read_stated)(workspace)
    summaries = []
    with running(workspace, "backfill", None, watch, stated.rules.digest) as run:
        arrived = do(ingest)(run, stated.rules.columns)
        do(attribute)(run, stated)
    for month in months(first, last):
        as_of = datetime.combine(next_month(month), time(6), ZoneInfo(workspace.timezone))
        with running(workspace, f"backfill {month:%Y-%m}", as_of, watch, stated.rules.digest) as run:
            do(detect)(run, stated.rules, stated.inputs)
            summaries.append(do(summarize)(run, arrived))
    with running(workspace, "backfill, up to now", None, watch, stated.rules.digest) as run:
        do(detect)(run, stated.rules, stated.inputs)
        do(publish)(run)
    return tuple(summaries)


def detect_again(workspace: Workspace, as_of: datetime | None = None, watch: Watch = quiet) -> int:
    """Detect anew over what the ledger keeps, with the inputs and limits of now; no bill is read.

    Returns:
        How many findings there are.

    Raises:
        InputError: nothing was attributed yet, or configuration or inputs are wrong.
    """
    stated = read_stated(workspace)
    with running(workspace, "detect", as_of, watch, stated.rules.digest) as run:
        if run.ledger.query("costs_kept").is_empty():
            hint = "Run `attribution run` first; findings are made of what it keeps."
            raise InputError(Fault("detect", "nothing was attributed yet, so there is nothing to judge", hint=hint))
        found = detect(run, stated.rules, stated.inputs)
        publish(run)
        return found.height


def months(first: date, last: date) -> Iterator[date]:
    """First days of the months from one to another, both included."""
    while first <= last:
        yield first
        first = next_month(first)


def weekly(
    workspace: Workspace,
    as_of: datetime | None = None,
    watch: Watch = quiet,
    do: Do = directly,
    asked: Asked | None = None,
) -> Weekly:
    """Reports of the last complete week from what the ledger keeps: pages, tables, mails; nothing is sent twice.

    Raises:
        InputError: nothing was attributed yet, or the mail server's settings are wrong.
    """
    asked = asked or Asked()
    command = "weekly --dry-run" if asked.dry_run else "weekly"
    with running(workspace, command, as_of, watch) as run:
        if run.ledger.query("costs_kept").is_empty():
            hint = "Run `attribution run` first; reports are made of what it keeps."
            raise InputError(Fault("weekly", "nothing was attributed yet, so there is nothing to report", hint=hint))
        reports = do(write_reports)(run, dry_run=asked.dry_run)
        done = do(mail_reports)(run, reports, asked)
        if not asked.dry_run:
            do(publish)(run)  # so that analysts see what was sent to whom
        return done


def read_stated(workspace: Workspace, rules: RuleBook | None = None) -> Stated:
    """Read rules and inputs.

    Args:
        workspace: whose.
        rules: other rules than the workspace's own.

    Raises:
        InputError: an object store cannot be read; or every fault of rules.toml, or of the inputs' files.
    """
    globs = [(f"[inputs] {name}", glob) for name, glob in asdict(workspace.inputs).items() if glob]
    fetch(globs, workspace.store, quiet)
    inputs = read_inputs(workspace.inputs, workspace.root, workspace.timezone, workspace.store)
    rules = rules or read_rules(workspace.rules, workspace.root)
    measures, rejects = read_measures(workspace, rules)
    return Stated(rules, replace(inputs, rejects=pl.concat([inputs.rejects, rejects])), measures)


def attribute(run: Run, stated: Stated) -> None:
    """Give every charge its dimensions, move what is shared, prove that nothing got lost, and keep it.

    Raises:
        LawBrokenError: costs and charges differ; both totals are named and the costs kept before stay.
    """
    inputs = stated.inputs
    rules = with_teams(stated.rules, inputs.people)
    rollup = rollup_of(run.workspace, rules.columns)
    run.watch("rolling up", 0, 4)
    run.ledger.roll_up(rollup)
    subjects = run.ledger.subjects(rollup)
    lines = run.ledger.lines(rollup).collect().rechunk()  # as one piece, which no later step copies to add a column
    run.watch("resolving", 1, 4)
    resolved = resolve(subjects, lines, inputs.tags, inputs.resources, rules)
    run.watch("splitting", 2, 4)
    beside = stated.beside(partial(run.ledger.charge_periods, rollup))
    divided = split(resolved, rules, beside)
    run.watch("reconciling", 3, 4)
    prove(run, reconcile(subjects, lines, divided.costs, divided.subjects))
    run.ledger.keep_costs(
        divided.costs, divided.subjects, divided.allocations, divided.lineage, pooled=divided.pooled,
        job_shares=divided.job_shares, run=run.number, inputs=digests(inputs),
    )  # fmt: skip
    run.ledger.keep_input_rejects(inputs.rejects)
    run.ledger.keep("usage", inputs.usage)
    run.ledger.keep("jobs", divided.jobs)
    run.ledger.keep("split_notices", divided.remarks)
    run.ledger.keep("other_limits", rules.other_limits)
    run.counts |= {"input_rejects": inputs.rejects.height, "lines": lines.height, "costs": divided.costs.height}
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
    run.ledger.keep("reconciliation", proof)


def prune(run: Run) -> None:
    """Remove charges of older revisions that neither a report nor the published file needs."""
    run.counts["parts_pruned"] = run.ledger.prune(run.workspace.retention.revisions, run.today, run.number)


def publish(run: Run) -> Path:
    """Replace the published file; it tells of this run as done, for the renaming is all that is left to do."""
    run.watch("publishing", 0, 1)
    run.end()
    path = publish_ledger(run.ledger)
    run.watch("published", 1, 1)
    return path
