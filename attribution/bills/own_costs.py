"""Own costs: what no provider bills (labour, labelling, licences, own hardware), a row a month, from operators' CSVs.

The surprise: of a private row nothing is kept but its amount, in one sum with the file's other private rows of that
month, cost element and currency. Rejects and notices hold no text of such rows either.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import polars as pl

from attribution.bills.cells import NULL_WORDS, read_costs, read_text
from attribution.bills.charge_rows import Reading, to_batch
from attribution.bills.control import sum_files
from attribution.bills.deliveries import one_by_one
from attribution.bills.listing import Head, read_head
from attribution.bills.table_file import RawRows, open_table, raw_rows
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated, no_texts
from schemas.cell_checks import MISSING
from schemas.dimensions import COST_ELEMENTS, DIMENSIONS, fold, folds
from schemas.faults import Fault, InputError, missing_columns
from schemas.instants import parse_months
from schemas.money import COSTS, known_sum
from schemas.tagsets import canonical
from schemas.workspace import OWN_COSTS, Source

NAME = "own-costs"
READER_VERSION = 1

_REQUIRED = ("period", "cost_element", "amount", "currency", "description")
_COLUMNS = (*_REQUIRED, *DIMENSIONS, "private")
_ELEMENTS = {fold(name): name for name in COST_ELEMENTS}
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")
# FOCUS's own words, so that a rule or an export that asks for a category finds these costs too.
_CATEGORIES = {
    "compute": "Compute",
    "storage": "Storage",
    "network": "Networking",
    "database": "Databases",
    "observability": "Management and Governance",
    "migration": "Migration",
    "security": "Security",
}
_PRIVATE = "x_private"


def identify(head: Head) -> bool:  # noqa: ARG001 - the protocol's argument
    """Never by columns: own costs are what `[inputs] own_costs` names, in a source of that name."""
    return False


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """Each file is a delivery; all files together are the months they speak of."""
    return one_by_one(source, files, NAME, READER_VERSION, "parts"), []


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, a batch a file: one a row, and one for the private rows of a month, element and currency.

    Raises:
        UnfinishedFileError: the file was cut short.
        InputError: undecodable, or a column is missing.
    """
    source = delivery.source
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        for file in delivery.files:
            head = read_head(file, source)
            plan = _plan(head)
            table = open_table(head, Path(scratch), source.encoding)
            yield _batch(Reading(_whole(raw_rows(table, NULL_WORDS)), table, source), plan)


def stated(delivery: Delivery) -> Stated:
    """Rows and the sum of the amounts, which stands for all four costs, apart from `read`."""
    (file,) = delivery.files
    amount = _plan(read_head(file, delivery.source))["amount"]
    return sum_files(delivery, dict.fromkeys(COSTS, (amount,)))


def _plan(head: Head) -> dict[str, str]:
    """Contract's column -> the header's, which matches without regard to case, `-`, `_` and blanks."""
    known = {fold(name): name for name in _COLUMNS}
    named = [(known.get(fold(raw), raw), raw) for raw in head.columns]
    names = [name for name, _ in named]
    others = [raw for name, raw in named if name not in _COLUMNS]
    faults = [
        Fault(head.file.name, f'column "{name}" stands twice in the header')
        for name in _COLUMNS
        if names.count(name) > 1
    ]
    faults += missing_columns(head.file.name, [one for one in _REQUIRED if one not in names], head.columns, others)
    if faults:
        raise InputError(faults)
    return dict(named)


def _whole(batches: Iterable[RawRows]) -> RawRows:
    """All rows of a file as one, for private rows are summed over the file."""
    found = list(batches)
    return RawRows(
        found[0].head,
        pl.concat([one.frame for one in found]),
        pl.concat([one.numbers for one in found]),
        tuple(row for one in found for row in one.ragged),
        first=True,
    )


def _batch(reading: Reading, plan: dict[str, str]) -> Batch:
    frame, columns = reading.rows.frame, reading.columns
    reading.raw_names = plan
    cells = {name: _cell(frame.get_column(raw)) for name, raw in plan.items() if name}
    private = _read_private(reading, cells.get("private", reading.nulls(pl.String())))
    _read_amount(reading, frame.get_column(plan["amount"]), private)
    for name in ("period", "cost_element", "currency"):
        reading.fail(cells[name].is_null(), name, MISSING, None, required=True)
    _read_month(reading, cells["period"], private)
    code = cells["currency"].str.contains(r"^[A-Z]{3}$")
    reading.fail(~code, "currency", "a currency code such as USD", _shown(cells["currency"], private), required=True)
    element = folds(cells["cost_element"]).replace_strict(_ELEMENTS, default=None, return_dtype=pl.String)
    unknown = element.is_null() & cells["cost_element"].is_not_null()
    known = f"one of {', '.join(COST_ELEMENTS)}"
    reading.fail(unknown, "cost_element", known, _shown(cells["cost_element"], private), required=True)
    columns |= _constant(reading.height) | _described(element, private)
    columns["BillingCurrency"] = cells["currency"]
    columns["ChargeDescription"] = _shown(cells["description"], private)
    tags = _tags(cells)
    columns["Tags"] = _shown(tags, private)
    _tell_what_is_left_out(reading, private & tags.is_not_null())
    batch = to_batch(reading, {_PRIVATE: private}, dict.fromkeys(COSTS, (plan["amount"],)))
    batch.charges = _summed(batch.charges)
    batch.text_of = no_texts
    # A row of a wrong width may be a private one: which of its fields says so cannot be told.
    told = pl.when(pl.col("column") != "(row)").then(pl.col("value"))
    batch.refused = batch.refused.with_columns(told.alias("value"))
    return batch


def _cell(raw: pl.Series) -> pl.Series:
    """Text without blanks around it; null where nothing stands."""
    bare = read_text(raw).str.strip_chars()
    return bare.set((bare == "").fill_null(value=False), None)


def _shown(cells: pl.Series, private: pl.Series) -> pl.Series:
    """Cells that may be published."""
    return cells.set(private, None)


def _read_private(reading: Reading, cells: pl.Series) -> pl.Series:
    """Mask of private rows; a word that is none of ours may have been meant so."""
    word = cells.str.to_lowercase()
    private = (word.is_not_null() & ~word.is_in(_NO)).fill_null(value=False)
    reading.fail(private & ~word.is_in(_YES), "private", "true or false", None, required=True)
    return private


def _read_amount(reading: Reading, raw: pl.Series, private: pl.Series) -> None:
    amount, residual, bad, too_large = read_costs(raw, reading.source)
    for cost in COSTS:
        reading.columns[cost] = amount
        reading.residual[cost], reading.rejected[cost] = residual, too_large
    reading.fail(bad, "amount", "a plain number", _shown(read_text(raw), private), required=True)
    reading.fail(amount.is_null() & ~bad, "amount", MISSING, None, required=True)


def _read_month(reading: Reading, cells: pl.Series, private: pl.Series) -> None:
    """The calendar month as billing period and charge period."""
    month = parse_months(cells)
    unread = month.is_null() & cells.is_not_null()
    reading.fail(unread, "period", "a month, YYYY-MM", _shown(cells, private), required=True)
    for name in ("BillingPeriod", "ChargePeriod"):
        reading.columns[f"{name}Start"] = month
        reading.columns[f"{name}End"] = month.dt.offset_by("1mo")


def _constant(height: int) -> dict[str, pl.Series]:
    who = dict.fromkeys(("ServiceProviderName", "ProviderName", "PublisherName", "InvoiceIssuerName"), "Own costs")
    texts = {"BillingAccountId": OWN_COSTS, "BillingAccountName": "Own costs", **who}
    texts |= {"ChargeCategory": "Usage", "ChargeFrequency": "Usage-Based"}
    return {name: pl.Series([text]).new_from_index(0, height) for name, text in texts.items()}


def _described(element: pl.Series, private: pl.Series) -> dict[str, pl.Series]:
    """Service and meter of a cost element; the meter is the element as stated, and is taken for it later."""
    service = "Own " + element + pl.Series([""]).new_from_index(0, private.len()).set(private, " (private)")
    category = element.replace_strict(_CATEGORIES, default="Other", return_dtype=pl.String)
    return {"ServiceName": service, "ServiceCategory": category, "SkuMeter": element}


def _tags(cells: dict[str, pl.Series]) -> pl.Series:
    """Dimensions under their own names, and further columns under theirs."""
    named = {name: column for name, column in cells.items() if name in DIMENSIONS or name not in _COLUMNS}
    height = cells["period"].len()
    rows = zip(*named.values(), strict=True) if named else [()] * height
    texts = [canonical(dict(zip(named, row, strict=True))) for row in rows]
    return pl.Series("Tags", texts, dtype=pl.String)


def _tell_what_is_left_out(reading: Reading, named: pl.Series) -> None:
    """`named` marks private rows with tags. A footer is told without its text, which may be a private row's."""
    text = reading.table.copied
    if text and text.footer:
        reading.tell("footer", f"line {text.footer_line} is blank; what follows it was left out")
    if named.any():
        what = f"{named.sum()} private rows say whose they are, which is left out with all else but their sum"
        reading.tell("private_row_named", f"{what}; a rule or a split says whose that is")


def _summed(charges: pl.DataFrame) -> pl.DataFrame:
    """Private charges as one a month, cost element and currency, without a row to point at."""
    private = charges.filter(_PRIVATE)
    key = ("BillingPeriodStart", "SkuMeter", "BillingCurrency")
    rest = pl.exclude(*key, *COSTS, "row_number", _PRIVATE)
    sums = private.group_by(key, maintain_order=True).agg(
        rest.first(), *map(known_sum, COSTS), pl.lit(None, dtype=pl.Int64).alias("row_number")
    )
    public = charges.filter(~pl.col(_PRIVATE)).drop(_PRIVATE)
    return pl.concat([public, sums.select(public.columns)])
