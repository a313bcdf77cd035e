"""What rules.toml says, as frozen records: rules, splits, accounts, dimensions, and the book of them all."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Literal

import polars as pl

from schemas.costs import OTHER_LIMIT_COLUMNS, SUBJECT_TEXT
from schemas.dimensions import fold

First = Literal["csv", "bill"]
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
class Take:
    """A value read off the money itself: a column, as conditions name it, and what of its text counts.

    The words work in this order, however they are written; what is blank then is no value.
    """

    column: str
    split: str = ""
    part: int = 1  # of what `split` cuts: 1 is the first, -1 the last
    regex: str = ""  # what its group holds, or all that it matches
    trim: str = ""  # letters taken off both ends; blanks always are
    lower: bool = False

    @property
    def plain(self) -> bool:
        """Whether the text counts as it stands."""
        return self == Take(self.column)

    @property
    def key(self) -> str:
        """The tag key it takes from; blank where it takes from another column."""
        return self.column.removeprefix(TAG) if self.column.startswith(TAG) else ""

    def __str__(self) -> str:
        words = [f'split "{self.split}" part {self.part}'] if self.split else []
        words += [f'{word} "{text}"' for word, text in (("regex", self.regex), ("trim", self.trim)) if text]
        words += ["lower"] if self.lower else []
        return f"{self.column} ({', '.join(words)})" if words else self.column


Values = tuple[str | Take, ...]
"""What a rule assigns: the first of these that has a value."""


@dataclass(frozen=True)
class Rule:
    """`[[rule]]`: money that meets `when` on a day in [since, until) belongs where `assign` says.

    A `default` rule is asked last, and only of what nobody has said: no rule, tag, parent or account.
    """

    name: str
    when: Condition
    assign: dict[str, Values]
    since: date | None = None
    until: date | None = None
    because: str = ""
    default: bool = False
    file: str = "rules.toml"


def takes(rule: Rule) -> tuple[Take, ...]:
    """Every column that a rule takes a value from."""
    return tuple(value for values in rule.assign.values() for value in values if isinstance(value, Take))


Idle = Literal["keep", "even", "use", "owner"]


@dataclass(frozen=True)
class Split:
    """`[[split]]`: money that meets `when` moves to others. `to` speaks of the first dimension in `across`.

    `by` is a key of SPLITS, or `jobs`. `inside`: dimensions that pool and receiver have in common. `of`: the
    receivers' rows whose ConsumedQuantity counts. `measure`: a CSV's path, or what of pods counts. `idle`: what
    becomes of what no job used.
    """

    name: str
    when: Condition
    across: tuple[str, ...]
    by: str
    to: tuple[str, ...] | None = None
    weights: dict[str, Decimal] = field(default_factory=dict)
    within: Literal["month", "day"] = "month"
    file: str = "rules.toml"
    inside: tuple[str, ...] = ()
    of: Condition | None = None
    measure: str | None = None
    idle: Idle = "keep"
    because: str = ""

    @property
    def of_nodes(self) -> bool:
        """Whether each node is divided among those that ran on it, rather than a sum among those that are there."""
        return self.by == "jobs" or (self.by == "usage" and self.of is None)


@dataclass(frozen=True)
class Alias:
    """A spelling that stands for a value on the days in [since, until) alone; `spelling` is folded."""

    spelling: str
    value: str
    since: date | None = None
    until: date | None = None

    def on(self, day: date) -> bool:
        """Whether it holds on a day."""
        return (self.since is None or self.since <= day) and (self.until is None or day < self.until)


@dataclass(frozen=True)
class Dimension:
    """`[dimension.<name>]`: tags in order of trust, and folded spelling -> canonical value.

    `first` is the source of tags that this dimension trusts first; None: as the workspace does. `dated` are the
    spellings that hold for a time; between two of their edges lies an edition of all spellings. `other_below`: values
    that carry less in a billing month are shown as `other`.
    """

    name: str
    takes: tuple[Take, ...]
    spellings: dict[str, str]
    first: First | None = None
    dated: tuple[Alias, ...] = ()
    other_below: Decimal | None = None

    @property
    def tags(self) -> tuple[str, ...]:
        """The tag keys, in order of trust."""
        return tuple(take.key for take in self.takes)

    @cached_property
    def editions(self) -> dict[date, dict[str, str]]:
        """First day of each edition -> its spellings; the first one holds since ever."""
        edges = {day for alias in self.dated for day in (alias.since, alias.until) if day}
        return {
            day: self.spellings | {alias.spelling: alias.value for alias in self.dated if alias.on(day)}
            for day in sorted({date.min, *edges})
        }

    def edition(self, day: date | None) -> date | None:
        """First day of the edition that holds on a day; None on an unknown day."""
        if day is None:
            return None
        edges = list(self.editions)
        return edges[bisect_right(edges, day) - 1]

    def field(self, edition: date) -> str:
        """What answers of an edition stand under."""
        return self.name if edition == date.min else f"{self.name} from {edition}"

    def canonical(self, value: str, edition: date | None = None) -> str:
        """The value as reports write it; an unknown value stays as written, stripped.

        Without an edition only the spellings count that hold at any time.
        """
        spellings = self.spellings if edition is None else self.editions[edition]
        return spellings.get(fold(value), value.strip())


@dataclass(frozen=True)
class RuleBook:
    """All that rules.toml says. `accounts`: account id -> dimension -> value. `digest` is the rule-set version.

    `jobs`: dimension -> where a job says it, in order of trust.
    """

    dimensions: dict[str, Dimension]
    rules: tuple[Rule, ...] = ()
    splits: tuple[Split, ...] = ()
    accounts: dict[str, dict[str, str]] = field(default_factory=dict)
    first: First = "csv"
    digest: str = ""
    jobs: dict[str, tuple[Take, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions, in the order in which tables show them."""
        return tuple(self.dimensions)

    @property
    def other_limits(self) -> pl.DataFrame:
        """Dimensions whose small values are shown as `other`: OTHER_LIMIT_COLUMNS."""
        rows = [(one.name, one.other_below) for one in self.dimensions.values() if one.other_below is not None]
        return pl.DataFrame(rows, schema=OTHER_LIMIT_COLUMNS, orient="row")

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Every question of every rule and split."""
        of = (split.of for split in self.splits if split.of is not None)
        conditions = (*(rule.when for rule in self.rules), *(split.when for split in self.splits), *of)
        return tuple(ask for condition in conditions for ask in asks(condition))

    @property
    def named(self) -> frozenset[str]:
        """Everything that rules and splits look at."""
        taken = {take.column for rule in self.rules for take in takes(rule)}
        return frozenset(taken | {ask.column for ask in self.asks})

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that rules look at beyond those every subject has: a reason to roll up again."""
        ours = {*SUBJECT_TEXT, *self.dimensions, *OURS}
        return tuple(sorted(name for name in self.named - ours if not name.startswith(TAG)))

    @property
    def tag_keys(self) -> tuple[str, ...]:
        """Tag keys that rules look at, as they write them."""
        return tuple(sorted(name.removeprefix(TAG) for name in self.named if name.startswith(TAG)))

    def first_of(self, field: str) -> tuple[First, First]:
        """The two sources of tags in the order in which a dimension, or a tag that conditions ask, trusts them."""
        dimension = self.dimensions.get(field)
        first = (dimension.first if dimension else None) or self.first
        return ("csv", "bill") if first == "csv" else ("bill", "csv")


TAG = "tag:"
DATES = ("usage_date", "billing_month")
OURS = ("source", "cost_element", *DATES)
