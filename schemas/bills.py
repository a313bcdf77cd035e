"""Bills: what was delivered, what became of it. Files, deliveries, parts and refused rows.

A *delivery* is the smallest set of files that must be read together (one file, or the parts of one manifest).
A *part* is what one delivery holds of one bill (source, billing account, billing period). A bill's revision
is the set of parts that count now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl

from schemas.check import pa
from schemas.plain_copies import PlainCopies
from schemas.text_file import PlainText, plain_text
from schemas.workspace import Mode, Source


@dataclass(frozen=True)
class BillFile:
    """One delivered file. `name` is relative to the workspace, with `/`; `digest` is the SHA-256 of its bytes.

    `copies`: where its plain text is shared by all who read it; None where each makes its own.
    `modified`: when it was last written, in nanoseconds, as seen before its bytes were read; it tells within one run
    whether somebody writes it meanwhile, and orders nothing.
    """

    path: Path
    name: str
    digest: str
    size: int
    copies: PlainCopies | None = field(default=None, compare=False, repr=False)
    modified: int = field(default=0, compare=False, repr=False)

    @property
    def file_id(self) -> str:
        """Short name of the content, as kept on each charge."""
        return self.digest[:16]

    def plain_text(self, scratch: Path, encoding: str | None) -> PlainText:
        """The file's plain text, shared or a copy in `scratch`.

        Raises:
            InputError: as `schemas.text_file.plain_text`.
        """
        if self.copies:
            return self.copies.of(self.path, self.name, encoding)
        return plain_text(self.path, self.name, scratch / f"{self.file_id}.csv", encoding)

    def leave(self, text: PlainText | None) -> None:
        """Be done with the plain text, if there was one, so that it lies on disk for no longer than it is read."""
        if self.copies:
            self.copies.leave(self.path)
        elif text:
            text.path.unlink()


@dataclass(frozen=True, order=True)
class BillKey:
    """Which bill: one source's, one billing account's, one billing month (its first day)."""

    source: str
    billing_account: str
    billing_month: date


@dataclass(frozen=True)
class Delivery:
    """Files that are read together.

    `digest` names the content together with all that changes how it is read (reader, the source's statements).
    `order_key` sorts snapshots of one bill where manifest or path tells (run id, date); None where nothing does.
    `current` is True or False where a manifest says which delivery counts, None where none speaks.
    `mode`: how the provider's layout says that deliveries of one bill belong together; what the source states wins.
    `empty_keys`: the bills that the delivery speaks of when it holds no row (a header-only file), where known.
    `roles`: what each of `files` is, in their order, where a reader tells files apart.
    `rows`: how many data rows a manifest says there are, None where none speaks.
    `beside`: files that are read with these and belong to others too (price lists); `digest` names them as well.
    """

    source: Source
    reader: str
    files: tuple[BillFile, ...]
    digest: str
    order_key: str | None = None
    current: bool | None = None
    empty_keys: tuple[BillKey, ...] = ()
    mode: Mode | None = None
    roles: tuple[str, ...] = ()
    rows: int | None = None
    beside: tuple[BillFile, ...] = ()

    @property
    def name(self) -> str:
        """What messages call it: the first file, and how many more."""
        more = f" (+{len(self.files) - 1} more)" if len(self.files) > 1 else ""
        return f"{self.files[0].name}{more}"


_NAMED = 3


@dataclass(frozen=True)
class HeldBack:
    """A file or delivery that counts for nothing, and why. `kind`: of the finding that it is, where it is one."""

    source: str
    name: str
    reason: str
    kind: str | None = None


def by_reason(held: Iterable[HeldBack]) -> list[HeldBack]:
    """For people: what is held back of a source for one reason as one, named by the first few."""
    found: dict[tuple[str, str, str | None], list[str]] = {}
    for one in held:
        found.setdefault((one.source, one.reason, one.kind), []).append(one.name)
    return [HeldBack(source, _first_few(names), reason, kind) for (source, reason, kind), names in found.items()]


def _first_few(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


@dataclass
class Totals:
    """What a delivery's files say themselves and what was made of it, by cost column. All exact.

    `stated` is summed apart from the reader, over the raw file; it lacks columns the file does not have.
    stated = stored + residual + rejected + netted, column by column, is the law of the door.
    `netted`: billed amounts that the mapping cancels against each other (savings-plan negations).
    """

    rows: int = 0
    stated: dict[str, Decimal] = field(default_factory=dict)
    stored: dict[str, Decimal] = field(default_factory=dict)
    residual: dict[str, Decimal] = field(default_factory=dict)
    rejected: dict[str, Decimal] = field(default_factory=dict)
    netted: dict[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True)
class PeriodState:
    """What a provider says of one billing period: `status` is open or closed; `updated`: when it said so."""

    source: str
    start: datetime
    issuer: str | None
    status: str
    updated: datetime | None


@dataclass(frozen=True)
class Found:
    """What a source has now: deliveries that can be read, what was held back, what is said of billing periods."""

    deliveries: tuple[Delivery, ...]
    held_back: tuple[HeldBack, ...]
    periods: tuple[PeriodState, ...] = ()


@dataclass(frozen=True)
class Notice:
    """Something the reader had to decide and somebody should know: what, about what, in one sentence."""

    kind: str
    subject: str
    sentence: str
    amount: Decimal | None = None
    currency: str | None = None


def no_texts(_file_id: str, _lines: list[int]) -> dict[int, str]:
    """The texts of a reader that cannot or must not tell any."""
    return {}


@dataclass
class Batch:
    """Some rows of a delivery as charges, not yet validated, and all that did not become one.

    `charges` has every CHARGE_COLUMNS in order, then `x_` text columns. `refused` has REJECT_COLUMNS; a row
    refused there is not in `charges`. Money, by cost column: `residual` is what rounding cut from all rows read,
    `rejected` the readable money of refused rows, `netted` what the mapping cancels. `rows` counts data rows
    of the files. While the delivery is being read, `line_of(file_id, row_numbers)` tells physical lines, and
    `text_of(file_id, lines)` the rows on them as written, where the reader can tell.
    """

    charges: pl.DataFrame
    refused: pl.DataFrame
    rows: int
    source: str
    files: dict[str, str]  # file_id -> file name
    line_of: Callable[[str, list[int]], list[int]]
    residual: dict[str, Decimal] = field(default_factory=dict)
    rejected: dict[str, Decimal] = field(default_factory=dict)
    netted: dict[str, Decimal] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    text_of: Callable[[str, list[int]], dict[int, str]] = no_texts


@dataclass(frozen=True)
class Stated:
    """A delivery's files summed apart from the reader: rows, exact totals, and values that are no number."""

    rows: int
    totals: dict[str, Decimal]
    unreadable: dict[str, int] = field(default_factory=dict)


ROW_REFUSED = "row refused"
VALUE_UNKNOWN = "value unknown"
"""What became of a row with a bad value: it was left out, or it was kept with a null in that place."""

REJECT_COLUMNS: dict[str, pl.DataType] = {
    "source": pl.String(),
    "file": pl.String(),
    "line": pl.Int64(),
    "column": pl.String(),
    "check": pl.String(),
    "value": pl.String(),
    "outcome": pl.String(),
}


def no_rejects() -> pl.DataFrame:
    """An empty frame of rejects."""
    return pl.DataFrame(schema=REJECT_COLUMNS)


Rejects = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name in ("line", "value"),
            checks=[pa.Check.isin((ROW_REFUSED, VALUE_UNKNOWN))] if name == "outcome" else [],
        )
        for name, dtype in REJECT_COLUMNS.items()
    },
    strict=True,
    name="Rejects",
)
