"""Flat bills: one table, a row a charge, columns that map to FOCUS columns by a table.

A provider's module states its `Layout` and one function, `finish`, for what a table cannot say: categories, costs
that follow from other columns, tags. Everything else is the same for all: text first, exact money, refused rows with
their place, and every column that maps nowhere kept under an `x_` name. EffectiveCost and ServiceCategory that
neither gives are BilledCost and what the service's name tells.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from attribution.bills.cells import read_costs, read_instants, read_months, read_quantity, read_text
from attribution.bills.charge_rows import Reading, extra_columns, footer_notice, settle, to_batch
from attribution.bills.control import sum_files
from attribution.bills.control_sums import Inner
from attribution.bills.listing import Head, read_head
from attribution.bills.services import service_category
from attribution.bills.styles import proven_styles
from attribution.bills.table_file import open_table, raw_rows
from schemas.bills import Batch, Delivery, Stated
from schemas.faults import InputError, missing_columns

Raws = tuple[str, ...]
"""Raw columns that may hold one thing, best first; in each row the first that is filled counts."""

_MARKS = re.compile(r"[\s_\-./]+")
# Translated headers keep the name behind the translation: "Kosten (Cost)".
_TRANSLATED = re.compile(r"\(([A-Za-z][A-Za-z0-9_]*)\)\s*$")


@dataclass(frozen=True)
class Layout:
    """How a provider's table maps to charges.

    `texts`, `instants`, `quantities`, `costs`: charge column -> raw columns. `kept`: `x_` column -> raw columns that
    `finish` reads. `constants`: charge column -> its value where no raw column gives one. `required`: charge columns
    of which a file must have a raw column. `tags`: tag key -> raw column, which a file must have too. `null_words`:
    cells that mean "no value". `placeholders`: texts that mean it too, but could be an amount in another column.
    `structs`: nested columns (Parquet, JSON lines) that are laid flat first. `services`: names of services in
    lower case whose category their words would put wrong.
    """

    costs: Mapping[str, Raws]
    texts: Mapping[str, Raws]
    instants: Mapping[str, Raws]
    quantities: Mapping[str, Raws] = field(default_factory=dict)
    kept: Mapping[str, Raws] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ("BilledCost",)
    tags: Mapping[str, str] = field(default_factory=dict)
    null_words: tuple[str, ...] = ()
    structs: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()
    services: Mapping[str, str] = field(default_factory=dict)

    @property
    def mapped(self) -> Mapping[str, Raws]:
        """Every column that is read -> its raw columns."""
        return {**self.texts, **self.instants, **self.quantities, **self.costs, **self.kept}


class RawColumns:
    """Raw columns of one file, found without regard to case, blanks and the marks between words.

    A translated header is found by the name that ends it in brackets, unless another column has that name outright.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        translated = {folded(found[1]): name for name in reversed(names) if (found := _TRANSLATED.search(name))}
        self._folded = translated | {folded(name): name for name in reversed(names)}

    def find(self, name: str) -> str | None:
        """A column as the file writes it, or None; of several that differ by case or marks the one named so."""
        return name if name in self.names else self._folded.get(folded(name))

    def present(self, raws: Raws) -> Raws:
        """Those of the columns that the file has, best first and once each."""
        return tuple(dict.fromkeys(found for found in map(self.find, raws) if found))

    def all_of(self, mapped: Mapping[str, Raws]) -> Raws:
        """Every raw column that the file has of a part of a layout."""
        return self.present(tuple(raw for raws in mapped.values() for raw in raws))

    def text(self, frame: pl.DataFrame, *raws: str, blanks: tuple[str, ...] = ()) -> pl.Series:
        """The first of the columns that is filled, row by row; nulls where the file has none of them.

        Args:
            frame: rows of the file.
            raws: columns that may hold it, best first.
            blanks: texts that count as empty.
        """
        found = [_blanked(read_text(frame.get_column(raw), null_words=False), blanks) for raw in self.present(raws)]
        if not found:
            return pl.Series([None], dtype=pl.String).new_from_index(0, frame.height)
        return found[0] if len(found) == 1 else pl.select(pl.coalesce(*found)).to_series()

    def unmapped(self, layout: Layout, but: frozenset[str] = frozenset()) -> dict[str, str]:
        """`x_` name -> raw column, of those that the layout does not map; `but` are read by the provider's module."""
        read = (*layout.mapped.values(), tuple(layout.tags.values()))
        taken = {found for raws in read for found in self.present(raws)} | but
        return extra_columns([name for name in self.names if name not in taken], layout.kept)


Finish = Callable[[Reading, RawColumns, dict[str, pl.Series]], None]
"""Fills what the table cannot: it adds to `reading.columns`, and to the `x_` columns given last."""


def folded(name: str) -> str:
    """A column's name without case, blanks and marks between words."""
    return _MARKS.sub("", name.casefold())


def _blanked(text: pl.Series, blanks: tuple[str, ...]) -> pl.Series:
    empty = text.is_in(pl.Series(blanks, dtype=pl.String).implode()) if blanks else None
    return text if empty is None or not empty.any() else text.set(empty.fill_null(value=False), None)


def issued_by(provider: str) -> dict[str, str]:
    """Constants of a bill that one company provides, sells and invoices."""
    return dict.fromkeys(("ProviderName", "ServiceProviderName", "InvoiceIssuerName"), provider)


def has(head: Head, *names: str) -> bool:
    """Whether a file has all of these columns."""
    columns = RawColumns(head.columns)
    return all(columns.find(name) for name in names)


def read_flat(
    delivery: Delivery, layout: Layout, finish: Finish, own: Callable[[RawColumns], frozenset[str]] | None = None
) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch.

    Args:
        delivery: its files are all of this layout.
        layout: the provider's table.
        finish: called once a batch, after the table was applied and before rows are checked.
        own: raw columns that `finish` turns into something (tag columns), so that they are not kept a second time.

    Raises:
        UnfinishedFileError: a file was cut short.
        InputError: undecodable, or a column is missing that no charge can lack.
    """
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        for file in delivery.files:
            head = read_head(file, delivery.source)
            table = open_table(head, Path(scratch), delivery.source.encoding, layout.structs)
            columns = RawColumns(table.head.columns)
            _complain(table.head, columns, layout)
            extras = columns.unmapped(layout, own(columns) if own else frozenset())
            source = proven_styles(table, delivery.source, *map(columns.all_of, (layout.instants, layout.costs)))
            for rows in raw_rows(table, layout.null_words):
                reading = Reading(rows, table, source)
                yield _batch(reading, columns, layout, finish, extras)


def sum_flat(delivery: Delivery, layout: Layout, inner: Inner | None = None) -> Stated:
    """Rows and sums of the costs the files state, apart from the reader; only the columns' names are found alike.

    Args:
        delivery: what `read_flat` reads.
        layout: the provider's table.
        inner: amounts within lists, which are added.
    """

    def wanted(names: tuple[str, ...]) -> dict[str, Raws]:
        columns = RawColumns(names)
        return {cost: columns.present(raws) for cost, raws in layout.costs.items()}

    return sum_files(delivery, wanted, inner, layout.null_words)


def _complain(head: Head, columns: RawColumns, layout: Layout) -> None:
    needed = [*(layout.mapped[name] for name in layout.required), *((raw,) for raw in layout.tags.values())]
    missing = [raws for raws in dict.fromkeys(needed) if not columns.present(raws)]
    if missing:
        raise InputError(missing_columns(head.file.name, [raws[0] for raws in missing], head.columns))


def _batch(reading: Reading, columns: RawColumns, layout: Layout, finish: Finish, extras: Mapping[str, str]) -> Batch:
    frame = reading.rows.frame
    footer_notice(reading)
    reading.blanks += layout.null_words
    reading.raw_names = {name: next(iter(columns.present(raws)), raws[0]) for name, raws in layout.mapped.items()}
    for name, raws in layout.texts.items():
        reading.columns[name] = columns.text(frame, *raws, blanks=layout.placeholders)
    kept = {name: columns.text(frame, *raws) for name, raws in layout.kept.items()}
    _read_instants(reading, columns, layout)
    _read_numbers(reading, columns, layout)
    for name, value in layout.constants.items():
        reading.columns[name] = reading.get(name).fill_null(value)
    finish(reading, columns, kept)
    # Where a bill has one price, what was billed is also what it is worth.
    reading.columns.setdefault("EffectiveCost", reading.get("BilledCost"))
    if "ServiceCategory" not in reading.columns:
        reading.columns["ServiceCategory"] = service_category(reading.get("ServiceName"), layout.services)
    settle(reading)
    beside = {name: read_text(frame.get_column(raw), null_words=False) for name, raw in extras.items()}
    filled = {name: cells for name, cells in (kept | beside).items() if cells.null_count() < cells.len()}
    stated = {cost: columns.present(raws) for cost, raws in layout.costs.items()}
    # A cost that `finish` made of other columns has no column of its own.
    made: dict[str, Raws] = {cost: () for cost in reading.as_billed if cost not in stated}
    return to_batch(reading, filled, made | {cost: raws for cost, raws in stated.items() if raws})


def _read_instants(reading: Reading, columns: RawColumns, layout: Layout) -> None:
    for name, raws in layout.instants.items():
        present = columns.present(raws)
        if not present:
            continue
        cells = reading.rows.frame.get_column(present[0]) if len(present) == 1 else None
        if cells is None or cells.dtype == pl.String:
            cells = columns.text(reading.rows.frame, *raws)
        read, check = (
            (read_months, "a month, 1970 to 2199")
            if name == "BillingPeriodStart"
            else (read_instants, "an instant, 1970 to 2199")
        )
        reading.columns[name], bad = read(cells, reading.source)
        reading.unread[name] = bad
        reading.fail(bad, name, check, cells, required=True)


def _read_numbers(reading: Reading, columns: RawColumns, layout: Layout) -> None:
    frame = reading.rows.frame
    for name, raws in layout.quantities.items():
        cells = columns.text(frame, *raws)
        reading.columns[name], bad = read_quantity(cells, reading.source)
        reading.fail(bad, name, "a number", cells, required=False)
    # A row without its money is none, whichever cost the layout takes it for.
    money = "BilledCost" if "BilledCost" in layout.costs else next(iter(layout.costs), None)
    for cost, raws in layout.costs.items():
        if not columns.present(raws):
            continue
        cells = columns.text(frame, *raws, blanks=reading.blanks)
        amounts, reading.residual[cost], bad, reading.rejected[cost] = read_costs(cells, reading.source)
        reading.columns[cost] = reading.as_billed[cost] = amounts
        reading.fail(bad, cost, "a plain number", cells, required=cost == money)


def categorize(reading: Reading, kinds: pl.Series, table: Mapping[str, tuple[str, str, str | None]], what: str) -> None:
    """Set category, frequency and class from a provider's own word for a row; a word not known is kept as usage.

    Args:
        reading: gets ChargeCategory, ChargeFrequency and ChargeClass.
        kinds: the provider's word of each row; blank is usage.
        table: word without case and marks -> category, frequency, class.
        what: what the words are called, for the notice about unknown ones.
    """
    words = kinds.fill_null("")
    plain = {word: folded(word) for word in words.unique().to_list()}
    names = ("ChargeCategory", "ChargeFrequency", "ChargeClass")
    for at, name in enumerate(names):
        values = {word: table.get(key, ("Usage", "Usage-Based", None))[at] for word, key in plain.items()}
        reading.columns[name] = words.replace_strict(values, return_dtype=pl.String)
    strange = sorted(word for word, key in plain.items() if key and key not in table)
    if strange:
        told = f"unknown {what}, kept as usage: {', '.join(strange)}"
        reading.tell("charge_type_unknown", told)
