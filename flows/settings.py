"""Reads attribution.toml into a Workspace, naming every fault of the file at once.

Numbers come as decimals, never floats. Unknown words are faults, so that a typing error cannot switch off a source.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from attribution.bills import clock_of, generic_csv, own_costs
from attribution.rules import rule_files
from flows.stated_tables import (
    WASTE,
    Amount,
    Anomaly,
    Budget,
    Growth,
    Journal,
    Progress,
    Severity,
    Share,
    Smtp,
    Suppress,
    Text,
    Waste,
    Webhook,
)
from flows.stated_tables import Table as _Table
from flows.stated_values import (
    charge_column,
    currency_code,
    known_encoding,
    known_format,
    known_locale,
    known_zone,
    mail_address,
    one_or_more,
    refuse,
    source_name,
    whole_date_format,
)
from flows.wrong_settings import fault_of
from schemas import workspace as ws
from schemas.faults import Fault, InputError

FILE = "attribution.toml"


Zone = Annotated[str, BeforeValidator(known_zone)]
Address = Annotated[str, AfterValidator(mail_address)]


ChargeColumn = Annotated[str, AfterValidator(charge_column)]
Mapped = dict[ChargeColumn, Text]


class _Source(_Table):
    name: Annotated[str, AfterValidator(source_name), Field(min_length=1)]
    path: Text
    format: Annotated[str, AfterValidator(known_format)] = "auto"
    delivery: ws.Mode | None = None
    encoding: Annotated[str, AfterValidator(known_encoding)] | None = None
    decimal: Literal[".", ","] = "."
    thousands: Literal["", ",", ".", " ", "'"] = ""
    date_format: Annotated[str, AfterValidator(whole_date_format)] | None = None
    timezone: Zone | None = None
    effective: Literal["effective", "billed"] = "effective"
    shrink: Share | None = None
    reject_rows: Share | None = None
    reject_money: Share | None = None
    columns: Mapped = Field(default_factory=dict)
    constants: Mapped = Field(default_factory=dict)
    tags: dict[Text, Text] = Field(default_factory=dict)
    ends: Literal["after", "last"] = "after"

    @model_validator(mode="after")
    def _maps_all(self) -> Self:
        mapped = self.columns or self.constants or self.tags or self.ends != "after"
        if self.format == generic_csv.NAME:
            if faults := generic_csv.mapping_faults(self.columns, self.constants, self.tags):
                refuse(
                    "; ".join(faults), "Columns stand in [source.columns], values for all rows in [source.constants]."
                )
        elif mapped:
            refuse(f'maps columns, which only format = "{generic_csv.NAME}" reads')
        return self

    @model_validator(mode="after")
    def _two_marks(self) -> Self:
        if self.decimal == self.thousands:
            refuse("uses one mark as decimal and as thousands", 'State each, for example decimal = ",".')
        return self


class _Ingest(_Table):
    """What holds for each source that does not state it itself."""

    shrink: Share = ws.Source.shrink
    reject_rows: Share | None = None
    reject_money: Share | None = None


class _Inputs(_Table):
    tags: Text | None = None
    resources: Text | None = None
    utilization: Text | None = None
    jobs: Text | None = None
    own_costs: Text | None = None
    invoices: Text | None = None
    people: Text | None = None
    usage: Text | None = None
    runs: Text | None = None
    checkpoints: Text | None = None
    planned: Text | None = None
    rates: Text | None = None


class _Invoices(_Table):
    tolerance: Amount = ws.Invoices.tolerance


class _Retention(_Table):
    revisions: int = Field(default=ws.Retention.revisions, ge=1, le=10_000)


class _Report(_Table):
    locale: Annotated[str, AfterValidator(known_locale)] = "en"
    font: Text | None = None
    sender: Address = ws.Mail.sender
    reply_to: Address | None = None
    max_mails: int = Field(default=ws.Mail.max_mails, ge=1)
    recipients: dict[str, list[Address]] = Field(default_factory=dict)
    smtp: Smtp | None = None


class _File(_Table):
    currency: Annotated[str, AfterValidator(currency_code)]
    timezone: Zone = "UTC"
    store: Text = "ledger"
    rules: Annotated[list[Text], BeforeValidator(one_or_more)] = Field(default=["rules.toml"], min_length=1)
    source: list[_Source] = Field(min_length=1)
    ingest: _Ingest = _Ingest()
    inputs: _Inputs = _Inputs()
    growth: Growth = Growth()
    anomaly: Anomaly = Anomaly()
    waste: Waste = Waste()
    invoices: _Invoices = _Invoices()
    journal: Journal = Journal()
    budget: list[Budget] = Field(default_factory=list)
    progress: Progress = Progress()
    webhook: list[Webhook] = Field(default_factory=list)
    severity: Severity = Severity()
    suppress: list[Suppress] = Field(default_factory=list)
    retention: _Retention = _Retention()
    report: _Report = _Report()

    @field_validator("webhook")
    @classmethod
    def _hooks_named_once(cls, value: list[Webhook]) -> list[Webhook]:
        names = [one.name for one in value]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            refuse(f"holds two called {', '.join(twice)}", "What was sent is known by the name.")
        return value

    @field_validator("budget")
    @classmethod
    def _budgets_named_once(cls, value: list[Budget]) -> list[Budget]:
        names = [one.stated().name for one in value]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            refuse(f"holds two called {', '.join(twice)}", 'Give each a name of its own: name = "...".')
        return value

    @field_validator("source")
    @classmethod
    def _named_once(cls, value: list[_Source]) -> list[_Source]:
        names = [source.name for source in value]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            refuse(f"holds two called {', '.join(twice)}", "A bill must know which source it came from.")
        return value


def load_workspace(root: Path) -> ws.Workspace:
    """Read `attribution.toml` of a workspace.

    Raises:
        InputError: no such folder or file, bad TOML, or any number of wrong settings, all named.
    """
    path = root / FILE
    if not path.is_file():
        raise InputError(
            Fault(
                str(root), f"no {FILE} here", hint="Name a workspace with --workspace DIR, or `attribution init` one."
            )
        )
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InputError(Fault(FILE, f"not TOML: {error}")) from error
    except UnicodeDecodeError as error:
        raise InputError(Fault(FILE, "not UTF-8 text", hint="Save the file as UTF-8.")) from error
    except OSError as error:
        raise InputError(Fault(str(path), f"cannot be read: {error.strerror}")) from error
    try:
        stated = _File.model_validate(raw)
    except ValidationError as error:
        raise InputError([fault_of(detail, raw, FILE, _known) for detail in error.errors()]) from error
    return _workspace(root, stated)


def _workspace(root: Path, stated: _File) -> ws.Workspace:
    report = stated.report
    store = root / stated.store
    if root.resolve().is_relative_to(store.resolve()):
        # What the store does not know in its own folder it removes.
        hint = 'Name a folder of its own, for example store = "ledger".'
        raise InputError(
            Fault(FILE, f'store = "{stated.store}" is the workspace itself or a folder around it', hint=hint)
        )
    return ws.Workspace(
        root=root,
        currency=stated.currency,
        timezone=str(ZoneInfo(stated.timezone)),
        store=store,
        rules=rule_files(root, stated.rules),
        sources=tuple(_sources(stated)),
        inputs=ws.Inputs(**stated.inputs.model_dump()),
        growth=stated.growth.stated(),
        anomaly=ws.Anomaly(**stated.anomaly.model_dump()),
        waste=stated.waste.stated(),
        invoices=ws.Invoices(**stated.invoices.model_dump()),
        journal=ws.Journal(**(stated.journal.model_dump() | {"by": tuple(stated.journal.by)})),
        budgets=tuple(one.stated() for one in stated.budget),
        progress=ws.Progress(**stated.progress.model_dump()),
        webhooks=tuple(one.stated() for one in stated.webhook),
        severity=ws.Severity(**stated.severity.model_dump()),
        suppressions=tuple(ws.Suppression(**one.model_dump()) for one in stated.suppress),
        retention=ws.Retention(**stated.retention.model_dump()),
        mail=ws.Mail(
            sender=report.sender,
            reply_to=report.reply_to,
            max_mails=report.max_mails,
            recipients={owner: tuple(addresses) for owner, addresses in report.recipients.items()},
            smtp=ws.Smtp(**report.smtp.model_dump()) if report.smtp else None,
        ),
        locale=report.locale,
        font=report.font,
    )


def _sources(stated: _File) -> Iterator[ws.Source]:
    """The sources, and the one that own costs are; what one does not state itself holds as for all."""
    common = stated.ingest.model_dump(exclude_none=True)
    for source in stated.source:
        own = source.model_dump(exclude_none=True) | {"timezone": source.timezone or clock_of(source.format)}
        yield ws.Source(**(common | own))
    if stated.inputs.own_costs is not None:
        # Operators change these files themselves, so a fall is meant.
        mine = common | {"shrink": Decimal(1)}
        yield ws.Source(ws.OWN_COSTS, stated.inputs.own_costs, own_costs.NAME, **mine)


def _known(table: str) -> list[str]:
    """The settings of a table."""
    tables: dict[str, type[BaseModel]] = {
        "source": _Source,
        "ingest": _Ingest,
        "inputs": _Inputs,
        "growth": Growth,
        "anomaly": Anomaly,
        **WASTE,
        "invoices": _Invoices,
        "journal": Journal,
        "budget": Budget,
        "progress": Progress,
        "webhook": Webhook,
        "severity": Severity,
        "suppress": Suppress,
        "retention": _Retention,
        "report": _Report,
        "smtp": Smtp,
    }
    return sorted(tables.get(table, _File).model_fields)
