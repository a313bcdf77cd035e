"""What rules.toml says, as frozen records: rules, splits, accounts, dimensions, and the book of them all."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal

from schemas.costs import SUBJECT_TEXT
from schemas.dimensions import fold

Argument = str | bool | date | tuple[str, ...] | tuple[date, ...]


@dataclass(frozen=True)
class Ask:
    """One word said of one column: `ServiceName`, `glob`, `Amazon*`. `word` is a key of CONDITIONS."""

    column: str
    word: str
    argument: Argument


@dataclass(frozen=True)
class All:
    """True where every part is; what stands side by side in a table is meant so."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """True where one part is."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    """True where the part is not; a column without a value is not equal to anything."""

    part: Condition


Condition = Ask | All | AnyOf | Not


def asks(condition: Condition) -> tuple[Ask, ...]:
    """Every question inside a condition."""
    if isinstance(condition, Ask):
        return (condition,)
    if isinstance(condition, Not):
        return asks(condition.part)
    return tuple(ask for part in condition.parts for ask in asks(part))


@dataclass(frozen=True)
class Rule:
    """`[[rule]]`: money that meets `when` on a day in [since, until) belongs where `assign` says."""

    name: str
    when: Condition
    assign: dict[str, str]
    since: date | None = None
    until: date | None = None
    because: str = ""


@dataclass(frozen=True)
class Split:
    """`[[split]]`: money that meets `when` moves to others. `to` speaks of the first dimension in `across`."""

    name: str
    when: Condition
    across: tuple[str, ...]
    by: str
    to: tuple[str, ...] | None = None
    weights: dict[str, Decimal] = field(default_factory=dict)
    within: Literal["month", "day"] = "month"


@dataclass(frozen=True)
class Dimension:
    """`[dimension.<name>]`: tag keys in order of trust, and folded spelling -> canonical value."""

    name: str
    tags: tuple[str, ...]
    spellings: dict[str, str]

    def canonical(self, value: str) -> str:
        """The value as reports write it; an unknown value stays as written, stripped."""
        return self.spellings.get(fold(value), value.strip())


@dataclass(frozen=True)
class RuleBook:
    """All that rules.toml says. `accounts`: account id -> dimension -> value. `digest` is the rule-set version."""

    dimensions: dict[str, Dimension]
    rules: tuple[Rule, ...] = ()
    splits: tuple[Split, ...] = ()
    accounts: dict[str, dict[str, str]] = field(default_factory=dict)
    first: Literal["csv", "bill"] = "csv"
    digest: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions, in the order in which tables show them."""
        return tuple(self.dimensions)

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Every question of every rule and split."""
        conditions = (*(rule.when for rule in self.rules), *(split.when for split in self.splits))
        return tuple(ask for condition in conditions for ask in asks(condition))

    @property
    def columns(self) -> tuple[str, ...]:
        """Charge columns that conditions name beyond those every subject has: a reason to roll up again."""
        ours = {*SUBJECT_TEXT, *self.dimensions, *OURS}
        named = {ask.column for ask in self.asks}
        return tuple(sorted(name for name in named - ours if not name.startswith(TAG)))

    @property
    def tag_keys(self) -> tuple[str, ...]:
        """Tag keys that conditions name, as they write them."""
        named = {ask.column for ask in self.asks}
        return tuple(sorted(name.removeprefix(TAG) for name in named if name.startswith(TAG)))


TAG = "tag:"
DATES = ("usage_date", "billing_month")
OURS = ("source", "cost_element", *DATES)
