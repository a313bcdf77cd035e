"""What a workspace states: sources, inputs, thresholds. Plain records; `flows/settings.py` reads them from TOML."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Literal

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


@dataclass(frozen=True)
class Inputs:
    """Globs of the other CSVs, relative to the workspace; each optional."""

    tags: str | None = None
    resources: str | None = None
    utilization: str | None = None


@dataclass(frozen=True)
class Growth:
    """When month-over-month growth is a finding."""

    threshold: Decimal = Decimal("0.30")
    minimum: Decimal = Decimal(100)


@dataclass(frozen=True)
class Waste:
    """Thresholds of the waste detectors; `overrides` holds `detector name -> {threshold: value}`."""

    min_age_days: int = 14
    coverage: Decimal = Decimal("0.80")
    minimum: Decimal = Decimal(1)
    overrides: dict[str, dict[str, Decimal]] = field(default_factory=dict)


@dataclass(frozen=True)
class Smtp:
    """A mail server; the password comes from the environment variable named here, never from a file."""

    host: str
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password_env: str | None = None
    timeout: float = 30.0


ALL = "all"
"""Recipients under this name get the report for all; no owner may be called so."""


@dataclass(frozen=True)
class Mail:
    """Who gets whose report, and how."""

    sender: str = "cost-attribution@localhost"
    recipients: dict[str, tuple[str, ...]] = field(default_factory=dict)
    smtp: Smtp | None = None


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
    waste: Waste = Waste()
    mail: Mail = Mail()
    locale: str = "en"
    rules: Path = Path("rules.toml")
