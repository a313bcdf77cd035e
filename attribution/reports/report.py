"""The one Report record that every face prints; amounts are exact and rounded only when printed.

`None` as an amount is "unknown", which is not zero. A report never adds two currencies: all money lives in
a `Section`, one per currency; `Together` holds it once more, by stated rates. What only the report for all
may hold is in `Whole`, which an owner's lacks.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from attribution.reports.branch import Branch
from attribution.reports.period import Period, Spans
from schemas.bills import HeldBack

if TYPE_CHECKING:
    from attribution.reports.together import Together

Amount = Decimal | None


@dataclass(frozen=True)
class Comparison:
    """One cost and what it is compared with."""

    this: Amount
    before: Amount


@dataclass(frozen=True)
class Row:
    """One value of a dimension, EffectiveCost of four stretches of time; `billed` is BilledCost of the period.

    `weeks` is EffectiveCost of the eight weeks that end with the period, oldest first.
    """

    name: str
    this: Amount
    before: Amount
    month: Amount
    last_month: Amount
    billed: Amount
    weeks: tuple[Amount, ...] = ()


@dataclass(frozen=True)
class Table:
    """All values of one dimension, dearest first; the rows add up to the section's headline."""

    dimension: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class DayCost:
    """EffectiveCost of a project on a day; `provisional`: after the last complete day."""

    day: date
    project: str
    cost: Amount
    provisional: bool


@dataclass(frozen=True)
class StageMonth:
    """EffectiveCost of a stage in a month, or in the part of it known so far."""

    month: date
    stage: str
    cost: Amount
    partial: bool


@dataclass(frozen=True)
class Growth:
    """A subject's month against the month before; `percent` is by cost a day, None where there is no base.

    `effects` are what the change is made of (price, usage, new, vanished, mix), and sum to it.
    """

    subject: str
    month: date
    currency: str
    status: str
    cost: Amount
    previous: Amount
    change: Amount
    percent: Amount
    verdict: str | None
    note: str | None
    explained_by: str | None = None  # lower subjects that have the same growth and are told in its place
    kind: str = ""  # a dimension, service ..., or "project x stage"
    effects: tuple[tuple[str, Amount], ...] = ()

    @property
    def fired(self) -> bool:
        """Above the thresholds, and no other row says the same: somebody should look."""
        return self.verdict == "finding" and self.explained_by is None


@dataclass(frozen=True)
class Finding:
    """A finding, with the money at stake and its age in days on the day of the report."""

    kind: str
    subject: str
    verdict: str
    owner: str
    project: str
    cost: Amount
    currency: str | None
    confidence: str
    evidence: str
    state: str
    first_seen: date
    age: int
    tier: str | None = None  # None: it tells of no waste


@dataclass(frozen=True)
class Restatement:
    """A past month whose cost changed after it was kept first; `reported`: after it had stood in a report."""

    month: date
    project: str
    owner: str
    before: Amount
    after: Amount
    changed_on: date
    reported: bool


@dataclass(frozen=True)
class BillLine:
    """One bill as it was read: rows, and what it bills; a bill without rows has no currency and bills nothing."""

    source: str
    account: str  # BillingAccountId
    month: date
    rows: int
    currency: str | None
    billed: Amount
    state: str


@dataclass(frozen=True)
class InvoiceLine:
    """A bill, or one invoice of it, against what finance paid; `difference` is paid - billed."""

    source: str
    account: str  # BillingAccountId
    month: date
    invoice: str | None
    currency: str
    billed: Amount
    paid: Amount
    difference: Amount
    status: str  # matches, differs, no bill, no invoice
    refused_rows: int | None


@dataclass(frozen=True)
class Reconciled:
    """Total of one cost column over the bills' lines against the same of the attributed costs."""

    currency: str
    column: str
    lines: Decimal
    costs: Decimal
    pending: Decimal = Decimal(0)  # of `costs` what closed months hold back; the rest is what all other figures sum to


@dataclass(frozen=True)
class Coverage:
    """EffectiveCost of a stretch of time that has a known value in a dimension, and all of it."""

    dimension: str
    known: Amount
    total: Amount


@dataclass(frozen=True)
class BudgetLine:
    """One budget in its running period; `day`: when its line is or will be reached, None where it is not."""

    budget: str
    currency: str
    amount: Amount
    spent: Amount
    forecast: Amount
    status: str  # kept, warned, may breach, at risk, breached
    day: date | None

    @property
    def alarming(self) -> bool:
        """Somebody should look."""
        return self.status in ("at risk", "breached")


@dataclass(frozen=True)
class Whole:
    """What only the report for all holds, in one currency."""

    unallocated: Comparison
    unallocated_services: tuple[Row, ...]
    coverage: tuple[Coverage, ...]
    reconciled: tuple[Reconciled, ...]
    bills: tuple[BillLine, ...]
    invoices: tuple[InvoiceLine, ...] = ()


@dataclass(frozen=True)
class Section:
    """All that a report says in one currency."""

    currency: str
    cost: Comparison
    billed: Comparison
    month: Comparison
    last_month: Comparison
    unknown_rows: int  # cost rows of the period and the one before whose EffectiveCost is unknown
    tables: tuple[Table, ...]
    tree: tuple[Branch, ...]  # the cost down to resources; empty where those were not asked for
    daily: tuple[DayCost, ...]
    stages: tuple[StageMonth, ...]
    growth: tuple[Growth, ...]
    grew: tuple[Growth, ...]  # the three that grew most, each a money of its own
    idle: Comparison  # paid and unused; part of `cost`, as is the next
    undivided: Comparison  # serves many and was not divided
    budgets: tuple[BudgetLine, ...]
    findings: tuple[Finding, ...]  # of waste
    undetermined: tuple[Finding, ...]  # likely waste that lack of data left open
    remarks: tuple[Finding, ...]  # findings of other kinds: money that is not wasted, but wants a look
    waste: Amount  # each subject counted once, whatever was found about it; None: only unknown amounts
    restatements: tuple[Restatement, ...]
    whole: Whole | None


@dataclass(frozen=True)
class SourceMark:
    """How far a source's data is complete; `silent`: since before the days compared, so no bearing on them."""

    source: str
    complete_until: date
    silent: bool


@dataclass(frozen=True)
class Quality:
    """How far the figures can be trusted. An owner's holds no names of sources or files: those are others'."""

    complete_until: date | None
    provisional_days: tuple[date, ...]
    files_missing: bool
    watermarks: tuple[SourceMark, ...]
    held_back: tuple[HeldBack, ...]
    rejects: int | None


@dataclass(frozen=True)
class Whose:
    """Whose report it is: an owner's or a team's."""

    dimension: Literal["owner", "team"]
    name: str


@dataclass(frozen=True)
class Report:
    """One report, for one owner, for one team, or for all (`whose` None), in one language."""

    locale: str
    font: str | None  # of charts; None: what the machine has
    as_of: datetime
    whose: Whose | None
    spans: Spans
    monthly: bool  # own costs are in it, which count in whole months only
    sections: tuple[Section, ...]
    loose_findings: tuple[Finding, ...]  # findings that no currency belongs to
    quality: Quality
    together: Together | None = None  # where there are several currencies, and rates

    @property
    def period(self) -> Period:
        """The days the report is about."""
        return self.spans.period

    @property
    def partial(self) -> bool:
        """Whether days of the period are not complete yet."""
        until = self.quality.complete_until
        return until is not None and until < self.period.last

    @property
    def key(self) -> str:
        """Names the report in deliveries, whoever receives it."""
        return "all" if self.whose is None else f"{self.whose.dimension}={self.whose.name}"
