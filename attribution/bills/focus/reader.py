"""FOCUS exports, versions 1.0 to 1.4: CSV, CSV.gz or Parquet.

Headers match without regard to case, since partners write camelCase; columns that FOCUS does not know are kept
under `x_` names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from attribution.bills.aws.manifest import group_files, of_data_export
from attribution.bills.azure.deliveries import of_runs
from attribution.bills.azure.manifest import has_manifest
from attribution.bills.cells import NULL_WORDS, read_costs, read_instants, read_quantity, read_text
from attribution.bills.charge_rows import Reading, extra_columns, footer_notice, settle, to_batch
from attribution.bills.control import sum_files
from attribution.bills.deliveries import one_by_one
from attribution.bills.listing import Head, read_head
from attribution.bills.styles import proven_styles
from attribution.bills.table_file import open_table, raw_rows
from attribution.bills.tag_text import TagTexts
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.charges import FOCUS_COLUMNS, REQUIRED
from schemas.faults import InputError, missing_columns
from schemas.instants import INSTANT
from schemas.money import COSTS, MONEY
from schemas.workspace import Source

NAME = "focus"
READER_VERSION = 1

_BY_FOLDED = {name.casefold(): name for name in FOCUS_COLUMNS}
# So few columns of FOCUS's own are in no other export.
_ENOUGH = 6
_SIGNS = ("billedcost", "effectivecost", "chargeperiodstart", "chargecategory", "billingperiodstart")


@dataclass(frozen=True)
class Plan:
    """Which raw column becomes which: FOCUS column -> raw, and `x_` column -> raw."""

    focus: dict[str, str]
    extras: dict[str, str]


def identify(head: Head) -> bool:
    """Whether the header is FOCUS's: most of its key columns and six or more of its names."""
    folded = {name.casefold() for name in head.columns}
    return len(folded & _BY_FOLDED.keys()) >= _ENOUGH and sum(sign in folded for sign in _SIGNS) * 2 > len(_SIGNS)


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """The parts of an AWS data export or of an Azure run are one delivery; of others each file, ordered by its path."""
    of_aws = [file for file in files if of_data_export(file)]
    left = [file for file in files if not of_data_export(file)]
    of_azure = set(filter(has_manifest, {file.path.parent for file in left}))
    others = [file for file in left if file.path.parent not in of_azure]
    made, held = group_files(source, of_aws, NAME, READER_VERSION)
    in_runs = [file for file in left if file.path.parent in of_azure]
    runs, more = of_runs(source, in_runs, NAME, READER_VERSION)
    made, held = [*made, *runs], [*held, *more]
    return [*made, *one_by_one(source, others, NAME, READER_VERSION)], held


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch.

    Raises:
        UnfinishedFileError: the file was cut short.
        InputError: undecodable, or a column is missing that no charge can lack.
    """
    tags = TagTexts()
    source = delivery.source
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        for file in delivery.files:
            head = read_head(file, source)
            table = open_table(head, Path(scratch), source.encoding)
            plan = _plan(table.head)
            styled = proven_styles(table, source, _raws(plan, INSTANT), _raws(plan, MONEY))
            for rows in raw_rows(table, NULL_WORDS):
                reading = Reading(rows, table, styled)
                footer_notice(reading)
                yield _batch(reading, plan, tags)


def stated(delivery: Delivery) -> Stated:
    """Rows and sums of the costs the files hold, apart from the reader."""
    costs = [cost for cost in COSTS if not (cost == "EffectiveCost" and delivery.source.effective == "billed")]
    return sum_files(delivery, {cost: (cost,) for cost in costs})


def _plan(head: Head) -> Plan:
    exact = {name: name for name in head.columns if name in FOCUS_COLUMNS}
    focus = dict(exact)
    others: list[str] = []
    for name in head.columns:
        target = _BY_FOLDED.get(name.casefold())
        if not target or focus.setdefault(target, name) != name:
            others.append(name)
    missing = [name for name in REQUIRED if name not in focus]
    if missing:
        unknown = [name for name in others if not name.casefold().startswith("x_")]
        raise InputError(missing_columns(head.file.name, missing, head.columns, unknown))
    return Plan(focus, extra_columns(others))


def _raws(plan: Plan, dtype: pl.DataType) -> list[str]:
    return [raw for name, raw in plan.focus.items() if FOCUS_COLUMNS[name] == dtype]


def _batch(reading: Reading, plan: Plan, tags: TagTexts) -> Batch:
    frame, columns = reading.rows.frame, reading.columns
    reading.raw_names = plan.focus
    for target, raw_name in plan.focus.items():
        raw = frame.get_column(raw_name)
        dtype = FOCUS_COLUMNS[target]
        if dtype == MONEY:
            _read_cost(reading, target, raw)
        elif dtype == INSTANT:
            columns[target], bad = read_instants(raw, reading.source)
            reading.unread[target] = bad
            reading.fail(bad, target, "an instant, 1970 to 2199", raw, required=True)
        elif target == "Tags":
            reading.read_tags(tags, raw)
        elif dtype == pl.String:
            columns[target] = _text(reading, raw)
        else:
            columns[target], bad = read_quantity(raw, reading.source)
            reading.fail(bad, target, "a number", raw, required=False)
    _fill_provider(reading)
    settle(reading)
    extras = {name: _text(reading, frame.get_column(raw)) for name, raw in plan.extras.items()}
    costs: dict[str, tuple[str, ...]] = {cost: (plan.focus[cost],) for cost in COSTS if cost in plan.focus}
    if reading.source.effective == "billed":
        columns["EffectiveCost"] = columns["BilledCost"]
        costs.pop("EffectiveCost", None)
    return to_batch(reading, extras, costs)


def _text(reading: Reading, raw: pl.Series) -> pl.Series:
    return raw if reading.table.csv else read_text(raw)  # cells of CSV that say NULL came as nulls


def _read_cost(reading: Reading, cost: str, raw: pl.Series) -> None:
    if cost == "EffectiveCost" and reading.source.effective == "billed":
        return
    reading.columns[cost], reading.residual[cost], bad, too_large = read_costs(raw, reading.source)
    reading.rejected[cost] = too_large
    reading.fail(bad, cost, "a plain number", raw, required=cost == "BilledCost")


def _fill_provider(reading: Reading) -> None:
    """FOCUS 1.4 renamed the provider's column; whichever is missing gets the other's value."""
    columns = reading.columns
    for name, other in (("ServiceProviderName", "ProviderName"), ("ProviderName", "ServiceProviderName")):
        if name not in columns and other in columns:
            columns[name] = columns[other]
