"""Reads attribution.toml into a Workspace, naming every fault of the file at once.

Numbers come as decimals, never floats. Unknown words are faults, so that a typing error cannot switch off a source.
"""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from schemas import workspace as ws
from schemas.faults import Fault, InputError, suggest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

FILE = "attribution.toml"

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]*$")]


def _known_zone(zone: str) -> str:
    if zone not in available_timezones():
        message = f'"{zone}" is no time zone. {suggest(zone, available_timezones())}'
        raise ValueError(message)
    return zone


Zone = Annotated[str, BeforeValidator(_known_zone)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Source(_Table):
    name: Name
    path: str
    format: str = "auto"
    delivery: Literal["snapshot", "parts", "append"] | None = None
    encoding: str | None = None
    decimal: Literal[".", ","] = "."
    thousands: Literal["", ",", ".", " ", "'"] = ""
    date_format: str | None = None
    timezone: Zone = "UTC"
    effective: Literal["effective", "billed"] = "effective"


class _Inputs(_Table):
    tags: str | None = None
    resources: str | None = None
    utilization: str | None = None


class _Growth(_Table):
    threshold: Decimal | int = Decimal("0.30")
    minimum: Decimal | int = 100


class _Waste(_Table):
    min_age_days: int = 14
    coverage: Decimal | int = Decimal("0.80")
    minimum: Decimal | int = 1
    overrides: dict[str, dict[str, Decimal | int]] = Field(default_factory=dict)


class _Smtp(_Table):
    host: str
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password_env: str | None = None
    timeout: int = 30


class _Report(_Table):
    locale: Literal["en"] = "en"
    sender: str = "cost-attribution@localhost"
    recipients: dict[str, list[str]] = Field(default_factory=dict)
    smtp: _Smtp | None = None

    @field_validator("recipients")
    @classmethod
    def _addresses(cls, value: dict[str, list[str]]) -> dict[str, list[str]]:
        for owner, addresses in value.items():
            for address in addresses:
                if address.count("@") != 1 or any(letter.isspace() or letter in ",;<>" for letter in address):
                    message = f'"{address}" (of {owner}) is no mail address'
                    raise ValueError(message)
        return value


class _File(_Table):
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
    timezone: Zone = "UTC"
    store: str = "ledger"
    rules: str = "rules.toml"
    source: list[_Source] = Field(min_length=1)
    inputs: _Inputs = _Inputs()
    growth: _Growth = _Growth()
    waste: _Waste = _Waste()
    report: _Report = _Report()

    @field_validator("source")
    @classmethod
    def _named_once(cls, value: list[_Source]) -> list[_Source]:
        names = [source.name for source in value]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            message = f"two sources are called {', '.join(twice)}; a bill must know which one it came from"
            raise ValueError(message)
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
        raw = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(Fault(FILE, f"cannot be read as TOML: {error}")) from error
    try:
        stated = _File.model_validate(raw)
    except ValidationError as error:
        raise InputError([_fault(detail, raw) for detail in error.errors()]) from error
    return _workspace(root, stated)


def _workspace(root: Path, stated: _File) -> ws.Workspace:
    report = stated.report
    return ws.Workspace(
        root=root,
        currency=stated.currency,
        timezone=str(ZoneInfo(stated.timezone)),
        store=root / stated.store,
        rules=root / stated.rules,
        sources=tuple(ws.Source(**source.model_dump()) for source in stated.source),
        inputs=ws.Inputs(**stated.inputs.model_dump()),
        growth=ws.Growth(Decimal(stated.growth.threshold), Decimal(stated.growth.minimum)),
        waste=ws.Waste(
            stated.waste.min_age_days,
            Decimal(stated.waste.coverage),
            Decimal(stated.waste.minimum),
            {
                detector: {name: Decimal(value) for name, value in values.items()}
                for detector, values in stated.waste.overrides.items()
            },
        ),
        mail=ws.Mail(
            sender=report.sender,
            recipients={owner: tuple(addresses) for owner, addresses in report.recipients.items()},
            smtp=ws.Smtp(**report.smtp.model_dump()) if report.smtp else None,
        ),
        locale=report.locale,
    )


def _fault(detail: ErrorDetails, raw: dict[str, Any]) -> Fault:
    """A pydantic error in the words of the house."""
    place = _place(detail["loc"], raw)
    if detail["type"] == "extra_forbidden":
        word = str(detail["loc"][-1])
        known = _known(detail["loc"])
        return Fault(place, f'unknown setting "{word}"', ", ".join(known), suggest(word, known))
    if detail["type"] == "missing":
        return Fault(place, f'"{detail["loc"][-1]}" is missing')
    message = detail["msg"].removeprefix("Value error, ")
    return Fault(place, f'"{detail["loc"][-1]}" = {detail["input"]!r}: {message}')


def _place(loc: tuple[int | str, ...], raw: dict[str, Any]) -> str:
    """`attribution.toml: source "aws"` rather than `source.0`."""
    here: Any = raw
    words: list[str] = []
    for step in loc[:-1]:
        here = here[int(step)] if isinstance(here, list) else here.get(step) if isinstance(here, dict) else None
        if isinstance(step, int):
            name = here.get("name") if isinstance(here, dict) else None
            words[-1] += f' "{name}"' if name else f" number {step + 1}"
        else:
            words.append(str(step))
    return f"{FILE}: {'.'.join(words)}" if words else FILE


def _known(loc: tuple[int | str, ...]) -> list[str]:
    """The settings that exist where an unknown one stands."""
    model: type[BaseModel] = _File
    tables: dict[str, type[BaseModel]] = {
        "source": _Source,
        "inputs": _Inputs,
        "growth": _Growth,
        "waste": _Waste,
        "report": _Report,
        "smtp": _Smtp,
    }
    for step in loc[:-1]:
        model = tables.get(str(step), model)
    return sorted(model.model_fields)
