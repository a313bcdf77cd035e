"""Tables of attribution.toml that speak of findings: how severe they are, which are suppressed, what waste is."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from flows.stated_values import amount, as_override, detector_table, refuse, waste_override
from schemas import plans
from schemas import workspace as ws

Text = Annotated[str, StringConstraints(min_length=1)]
Amount = Annotated[Decimal, BeforeValidator(amount), Field(ge=0)]
Share = Annotated[Amount, Field(le=1)]


class Table(BaseModel):
    """A table that knows its settings and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Severity(Table):
    """`[severity]`."""

    critical: Amount = ws.Severity.critical
    high: Amount = ws.Severity.high
    medium: Amount = ws.Severity.medium

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if not self.critical >= self.high >= self.medium:
            refuse("must fall from critical over high to medium")
        return self


class Budget(BaseModel):
    """`[[budget]]`: its own settings, and every further one a dimension that its money must have."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, Text] = Field(init=False)
    amount: Annotated[Amount, Field(gt=0)]
    period: Literal["month", "quarter", "total"] = "month"
    warn_at: Share = plans.Budget.warn_at
    name: Text | None = None
    since: date | None = None
    responsible: Text | None = None

    @model_validator(mode="after")
    def _since_of_a_total(self) -> Self:
        if self.since and self.period != "total":
            refuse(f'has "since", which only period = "total" knows, not "{self.period}"')
        return self

    def stated(self) -> plans.Budget:
        """As the rooms below know it; named after its dimensions and period where it has no name."""
        dimensions = dict(self.model_extra or {})
        own = self.model_dump(include={"amount", "period", "warn_at", "since", "responsible"})
        made = plans.Budget(dimensions, name=self.name or "", **own)
        return made if made.name else replace(made, name=f"{made.words} {self.period}")


class Progress(Table):
    """`[progress]`."""

    days: int = Field(default=ws.Progress.days, ge=1)
    minimum: Amount = ws.Progress.minimum


class Smtp(Table):
    """`[report.smtp]`."""

    host: Text
    port: int = Field(default=ws.Smtp.port, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = ws.Smtp.security
    user: Text | None = None
    password_env: Text | None = None
    password_block: Text | None = None
    timeout: int = Field(default=30, ge=1)

    @model_validator(mode="after")
    def _password_too(self) -> Self:
        places = "password_env names the variable, or password_block the Secret block of Prefect, that holds it."
        if self.user and not (self.password_env or self.password_block):
            refuse("names a user and no place of the password", places)
        if self.password_env and self.password_block:
            refuse("names two places of the password", places)
        return self


class Webhook(Table):
    """`[[webhook]]`."""

    name: Text
    url: Text | None = None
    url_env: Text | None = None
    format: Literal["json", "slack"] = "json"
    secret_env: Text | None = None
    severity: Literal["low", "medium", "high", "critical"] = "low"
    kinds: list[Text] = Field(default_factory=list)
    owner: Text | None = None
    timeout: int = Field(default=30, ge=1)

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if (self.url is None) == (self.url_env is None):
            refuse("needs either url or url_env", "url_env names the variable that holds the address.")
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            refuse(f'url = "{self.url}" is no http or https address')
        return self

    def stated(self) -> ws.Webhook:
        """As the rooms below know it."""
        return ws.Webhook(**(self.model_dump() | {"kinds": tuple(self.kinds)}))


class Suppress(Table):
    """`[[suppress]]`."""

    because: Text
    until: date
    kind: Text | None = None
    subject: Text | None = None
    owner: Text | None = None
    project: Text | None = None

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not (self.kind or self.subject or self.owner or self.project):
            refuse("would suppress everything", "Name a kind, a subject, an owner or a project.")
        return self


class _WasteOverride(Table):
    """`[[waste.override]]`: dimension values, thresholds and detectors' tables side by side, told apart by value."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, Annotated[str | Decimal | dict[str, Decimal], BeforeValidator(waste_override)]] = (
        Field(init=False)
    )


_Sure = Literal["high", "medium", "low"]


class WastePlan(Table):
    """`[waste.plan]`."""

    grace_days: int = Field(default=ws.WastePlan.grace_days, ge=1)
    max_resources: int = Field(default=ws.WastePlan.max_resources, ge=1)
    max_percent: Annotated[Amount, Field(le=100)] = ws.WastePlan.max_percent
    protected_stages: list[Text] = Field(default_factory=lambda: list(ws.WastePlan.protected_stages))
    protected_tags: list[Text] = Field(default_factory=lambda: list(ws.WastePlan.protected_tags))
    confidence: list[_Sure] = ["high", "medium"]

    def stated(self) -> ws.WastePlan:
        """As the rooms below know it."""
        return ws.WastePlan(
            self.grace_days,
            self.max_resources,
            self.max_percent,
            tuple(self.protected_stages),
            tuple(self.protected_tags),
            tuple(self.confidence),
        )


class Waste(Table):
    """`[waste]`; every further table in it is a detector's."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, Annotated[dict[str, Amount], BeforeValidator(detector_table)]] = Field(init=False)
    min_age_days: int = Field(default=ws.Waste.min_age_days, ge=0)
    coverage: Share = ws.Waste.coverage
    minimum: Amount = ws.Waste.minimum
    silent_days: int = Field(default=ws.Waste.silent_days, ge=0)
    override: list[_WasteOverride] = Field(default_factory=list)
    plan: WastePlan = WastePlan()

    def stated(self) -> ws.Waste:
        """As the rooms below know it."""
        overrides = tuple(as_override(one.model_extra or {}) for one in self.override)
        own = dict(self.model_extra or {})
        return ws.Waste(
            self.min_age_days, self.coverage, self.minimum, self.silent_days, own, overrides, self.plan.stated()
        )


class _GrowthOverride(BaseModel):
    """Limits beside the values they are for; every other setting names a column."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, Text] = Field(init=False)
    threshold: Amount | None = None
    minimum: Amount | None = None

    @model_validator(mode="after")
    def _of_something(self) -> Self:
        if not self.model_extra or (self.threshold is None and self.minimum is None):
            refuse("needs a value and a limit", 'For example: project = "sandbox", threshold = 1.0.')
        return self


class Growth(Table):
    """[growth]: limits, further subjects, and limits of single values."""

    threshold: Amount = ws.Growth.threshold
    minimum: Amount = ws.Growth.minimum
    subjects: list[Annotated[list[Text], Field(min_length=1)]] = Field(default_factory=list)
    override: list[_GrowthOverride] = Field(default_factory=list)
    weekly: bool = False

    def stated(self) -> ws.Growth:
        """As the rooms below know it."""
        overrides = (ws.GrowthOverride(one.model_extra or {}, one.threshold, one.minimum) for one in self.override)
        return ws.Growth(self.threshold, self.minimum, tuple(map(tuple, self.subjects)), tuple(overrides), self.weekly)


class Anomaly(Table):
    """[anomaly]: the least excess of an episode."""

    minimum: Amount = ws.Anomaly.minimum


WASTE: dict[str, type[Table]] = {"waste": Waste, "plan": WastePlan}
"""Tables of waste by name, for messages that tell what may stand in them."""


CostElement = Literal["compute", "storage", "network", "database", "observability", "data", "labour", "operations",
                      "migration", "security", "other"]  # fmt: skip


class Journal(Table):
    """`[journal]`: accounts of the general ledger."""

    cost: Literal["BilledCost", "EffectiveCost"] = ws.Journal.cost
    debit: Text = ws.Journal.debit
    credit: Text = ws.Journal.credit
    debits: dict[CostElement, Text] = Field(default_factory=dict)
    by: list[Text] = Field(default_factory=lambda: list(ws.Journal.by))
