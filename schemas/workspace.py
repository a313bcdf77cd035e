"""What a workspace states: sources, inputs, thresholds. Plain records; `flows/settings.py` reads them from TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Literal

from schemas.plans import Budget

Mode = Literal["snapshot", "parts", "append"]


@dataclass(frozen=True)
class Source:
    """One stream of bills, and all that its files cannot tell themselves."""

    name: str
    path: str  # a glob relative to the workspace
    format: str = "auto"
    delivery: Mode | None = None
    encoding: str | None = None
    decimal: str = "."
    thousands: str = ""
    date_format: str | None = None
    timezone: str = "UTC"  # of instants written without a zone
    effective: Literal["effective", "billed"] = "effective"  # what to use where EffectiveCost is never filled
    shrink: Decimal = Decimal("0.2")  # share of rows or money by which a bill may fall without being asked about
    reject_rows: Decimal | None = None  # share of a delivery's rows above which refused ones hold it back
    reject_money: Decimal | None = None  # the same of its BilledCost
    # Of bills whose columns the source maps itself: charge column -> raw column, charge column -> its value, tag key
    # -> raw column, and whether the end of a period is written as the moment after it or as its last day.
    columns: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    ends: Literal["after", "last"] = "after"

    @property
    def mapping(self) -> str:
        """All of the source's own mapping as one text that differs when it does; blank where it maps nothing."""
        stated = {"columns": self.columns, "constants": self.constants, "tags": self.tags}
        filled = {name: dict(sorted(table.items())) for name, table in stated.items() if table}
        return json.dumps([self.ends, filled]) if filled else ""


@dataclass(frozen=True)
class Inputs:
    """Globs of the other CSVs, relative to the workspace; each optional."""

    tags: str | None = None
    resources: str | None = None
    utilization: str | None = None
    jobs: str | None = None
    own_costs: str | None = None
    invoices: str | None = None
    people: str | None = None
    usage: str | None = None
    runs: str | None = None
    checkpoints: str | None = None
    planned: str | None = None
    rates: str | None = None


@dataclass(frozen=True)
class GrowthOverride:
    """Other limits for subjects that have these values; None is the common limit."""

    when: Mapping[str, str]
    threshold: Decimal | None = None
    minimum: Decimal | None = None


@dataclass(frozen=True)
class Growth:
    """When month-over-month growth is a finding, and what it is told about beyond the default subjects."""

    threshold: Decimal = Decimal("0.30")
    minimum: Decimal = Decimal(100)
    subjects: tuple[tuple[str, ...], ...] = ()
    overrides: tuple[GrowthOverride, ...] = ()
    weekly: bool = False  # whether a week over the week before may be a finding, too


@dataclass(frozen=True)
class Anomaly:
    """When days that cost more than expected are a finding: with so much excess in all."""

    minimum: Decimal = Decimal(100)


@dataclass(frozen=True)
class WasteOverride:
    """Thresholds of what has some dimension values: for every detector that knows them, and by detector."""

    dimensions: dict[str, str]
    general: dict[str, Decimal] = field(default_factory=dict)
    detectors: dict[str, dict[str, Decimal]] = field(default_factory=dict)


@dataclass(frozen=True)
class WastePlan:
    """How findings of waste come onto the reclaim plan, and what never does."""

    grace_days: int = 7  # between the warning and the day it is due
    max_resources: int = 20  # of a kind
    max_percent: Decimal = Decimal(10)  # of what a kind judged
    protected_stages: tuple[str, ...] = ("serving",)
    protected_tags: tuple[str, ...] = ("protected", "do-not-delete")  # keys; a value of no or false protects nothing
    confidence: tuple[str, ...] = ("high", "medium")


@dataclass(frozen=True)
class Waste:
    """Thresholds of the waste detectors: for all, by `detector name -> {threshold: value}`, and by dimension value."""

    min_age_days: int = 14
    coverage: Decimal = Decimal("0.80")
    minimum: Decimal = Decimal(1)
    silent_days: int = 14  # billed last so many days before its source's last complete day, a thing may still cost
    detectors: dict[str, dict[str, Decimal]] = field(default_factory=dict)
    overrides: tuple[WasteOverride, ...] = ()  # the first that fits a row wins
    plan: WastePlan = WastePlan()


@dataclass(frozen=True)
class Severity:
    """Money at stake a month, in the workspace's currency, from which on a finding is so severe; below, it is low."""

    critical: Decimal = Decimal(10_000)
    high: Decimal = Decimal(1_000)
    medium: Decimal = Decimal(100)


@dataclass(frozen=True)
class Progress:
    """Days without a step or checkpoint that an experiment may cost money, and the money below which nobody asks."""

    days: int = 3
    minimum: Decimal = Decimal(100)


@dataclass(frozen=True)
class Webhook:
    """Where new findings go by HTTP. Address and secret may come from environment variables, never from the ledger."""

    name: str
    url: str | None = None
    url_env: str | None = None
    format: Literal["json", "slack"] = "json"
    secret_env: str | None = None
    severity: Literal["low", "medium", "high", "critical"] = "low"
    kinds: tuple[str, ...] = ()  # none: all
    owner: str | None = None
    timeout: float = 30.0


@dataclass(frozen=True)
class Suppression:
    """Findings that nobody need hear of for a while. `subject` is a glob; what is None does not matter."""

    because: str
    until: date  # the first day on which they speak again
    kind: str | None = None
    subject: str | None = None
    owner: str | None = None
    project: str | None = None


@dataclass(frozen=True)
class Invoices:
    """What is no difference between an invoice and its bill: so much, in the invoice's currency."""

    tolerance: Decimal = Decimal("0.01")


@dataclass(frozen=True)
class Retention:
    """How many of the newest revisions of a bill keep their charges while its month is not over."""

    revisions: int = 7


@dataclass(frozen=True)
class Smtp:
    """A mail server; the password comes from the environment or the Prefect block named here, never from a file."""

    host: str
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password_env: str | None = None
    password_block: str | None = None
    timeout: float = 30.0


OWN_COSTS = "own_costs"
"""The source that `[inputs] own_costs` makes, and its billing account; no other source may be called so."""

ALL = "all"
"""Recipients under this name get the report for all; no owner may be called so."""


@dataclass(frozen=True)
class Mail:
    """Who gets whose report, and how; `reply_to` is where answers go, to `sender` unless stated."""

    sender: str = "cost-attribution@localhost"
    reply_to: str | None = None
    max_mails: int = 500  # of one run
    recipients: dict[str, tuple[str, ...]] = field(default_factory=dict)
    smtp: Smtp | None = None


@dataclass(frozen=True)
class Journal:
    """Accounts of the general ledger: `debits` by cost element, `debit` for all others; `by`: dimensions of a line."""

    cost: Literal["BilledCost", "EffectiveCost"] = "BilledCost"
    debit: str = "cloud costs"
    credit: str = "payables"
    debits: dict[str, str] = field(default_factory=dict)
    by: tuple[str, ...] = ("project",)


@dataclass(frozen=True)
class Workspace:
    """A folder that is one company's setup."""

    root: Path
    currency: str
    timezone: str
    store: Path
    sources: tuple[Source, ...]
    inputs: Inputs = Inputs()
    growth: Growth = Growth()
    anomaly: Anomaly = Anomaly()
    waste: Waste = Waste()
    invoices: Invoices = Invoices()
    journal: Journal = Journal()
    budgets: tuple[Budget, ...] = ()
    progress: Progress = Progress()
    webhooks: tuple[Webhook, ...] = ()
    severity: Severity = Severity()
    suppressions: tuple[Suppression, ...] = ()
    retention: Retention = Retention()
    mail: Mail = Mail()
    locale: str = "en"
    font: str | None = None  # of charts in reports
    rules: tuple[Path, ...] = (Path("rules.toml"),)  # in the order in which they are asked
