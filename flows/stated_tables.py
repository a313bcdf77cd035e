"""Tables of attribution.toml that speak of findings: how severe they are, which are suppressed."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from flows.stated_values import amount, refuse
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
