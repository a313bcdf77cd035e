"""Columns of the legacy AWS report to FOCUS columns, and the rules by line item type that make the four costs."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.bills.aws_columns import INSTANTS, KEPT, KINDS, NETS, QUANTITIES, TEXTS, Columns
from attribution.bills.aws_services import service_category
from attribution.bills.cells import read_costs, read_instants, read_quantity, read_text
from attribution.bills.charge_rows import (
    Reading,
    check_ids,
    check_present,
    fill_service,
    footer_notice,
    settle_periods,
    to_batch,
)
from attribution.bills.table_file import OpenTable, RawRows
from attribution.bills.tag_text import TagTexts
from schemas.bills import Batch, Notice
from schemas.money import MONEY, sum_exactly
from schemas.workspace import Source

_COVERED, _NEGATION = "SavingsPlanCoveredUsage", "SavingsPlanNegation"
_PAID_ELSEWHERE = ("SavingsPlanRecurringFee", "SavingsPlanUpfrontFee", "RIFee")
_ZERO = Decimal(0)


def to_charges(rows: RawRows, table: OpenTable, source: Source, columns: Columns, tags: TagTexts) -> Batch:
    """Charges of one raw batch; money that later steps need stands beside them in columns that start with `__`."""
    reading = Reading(rows, table, source)
    footer_notice(reading)
    reading.raw_names = columns.raw_names()
    for name, raws in TEXTS.items():
        reading.columns[name] = _text(reading, columns, raws)
    kept = {name: _text(reading, columns, (raw,)) for name, raw in KEPT.items()}
    line_type = kept["x_LineItemType"].fill_null("")
    _instants(reading, columns)
    for name, raw in QUANTITIES.items():
        cells = _text(reading, columns, (raw,))
        reading.columns[name], bad = read_quantity(cells, source)
        reading.fail(bad, name, "a number", cells, required=False)
    reading.columns["Tags"] = tags.of_columns(rows.frame, columns.tags())
    _kinds(reading, columns, line_type, kept["x_ProductCode"])
    _commitment(reading, columns, line_type)
    beside = _costs(reading, columns, line_type)
    settle_periods(reading)
    fill_service(reading)
    check_ids(reading)
    check_present(reading)
    _net_out(reading, line_type)
    extras = {name: read_text(rows.frame.get_column(raw), null_words=False) for name, raw in columns.unmapped().items()}
    filled = {name: cells for name, cells in extras.items() if cells.null_count() < cells.len()}
    return to_batch(reading, kept | filled | beside, {"BilledCost": columns.present(NETS["BilledCost"])})


def _text(reading: Reading, columns: Columns, raws: tuple[str, ...]) -> pl.Series:
    """The first of the columns that is filled, row by row."""
    found = [read_text(reading.rows.frame.get_column(raw), null_words=False) for raw in columns.present(raws)]
    if not found:
        return reading.nulls(pl.String())
    first = found[0]
    return first if len(found) == 1 else pl.select(pl.coalesce(*found).alias(first.name)).to_series()


def _instants(reading: Reading, columns: Columns) -> None:
    for name, raw in INSTANTS.items():
        cells = _text(reading, columns, (raw,))
        reading.columns[name], bad = read_instants(cells, reading.source)
        reading.unread[name] = bad
        reading.fail(bad, name, "an instant, 1970 to 2199", cells, required=True)


def _kinds(reading: Reading, columns: Columns, line_type: pl.Series, code: pl.Series) -> None:
    """Category, frequency, class, service and pricing category of each line."""
    spot = _text(reading, columns, ("product/marketoption",))
    frame = pl.DataFrame({"type": line_type, "code": code, "meter": reading.columns["SkuMeter"], "spot": spot})
    kind = pl.col("type")
    discount = kind.str.ends_with("Discount")
    category = kind.replace_strict({name: one[0] for name, one in KINDS.items()}, default=None)
    frequency = kind.replace_strict({name: one[1] for name, one in KINDS.items()}, default="One-Time")
    is_spot = pl.col("meter").str.contains("SpotUsage").fill_null(value=False) | (pl.col("spot") == "Spot").fill_null(
        value=False
    )
    unknown = category.is_null() & ~discount & (kind != "")
    done = frame.select(
        ChargeCategory=pl.when(discount)
        .then(pl.lit("Adjustment"))
        .when(unknown)
        .then(pl.lit("Usage"))
        .otherwise(category),
        ChargeFrequency=frequency,
        ChargeClass=pl.when(kind == "Refund").then(pl.lit("Correction")),
        ServiceCategory=service_category(pl.col("code"), pl.col("meter")),
        PricingCategory=pl.when(kind.is_in([_COVERED, "DiscountedUsage"]))
        .then(pl.lit("Committed"))
        .when(is_spot)
        .then(pl.lit("Dynamic"))
        .when(category.is_in(["Usage", "Purchase"]))
        .then(pl.lit("Standard")),
        unknown=unknown,
    )
    reading.columns |= {name: done.get_column(name) for name in done.columns if name != "unknown"}
    strange = line_type.filter(done.get_column("unknown")).unique().sort().to_list()
    if strange:
        what = f"unknown line item types, kept as usage: {', '.join(strange)}"
        reading.notices.append(Notice("line_item_type_unknown", reading.rows.head.file.name, what))
    for name in ("ProviderName", "ServiceProviderName"):
        reading.columns[name] = pl.Series(["AWS"]).new_from_index(0, reading.height)


def _commitment(reading: Reading, columns: Columns, line_type: pl.Series) -> None:
    frame = pl.DataFrame(
        {
            "type": line_type,
            "plan": _text(reading, columns, ("savingsPlan/SavingsPlanArn",)),
            "reservation": _text(reading, columns, ("reservation/ReservationARN",)),
            "offering": _text(reading, columns, ("savingsPlan/OfferingType",)),
        }
    )
    by_plan = pl.col("type").str.starts_with("SavingsPlan")
    by_reservation = pl.col("type").is_in(["DiscountedUsage", "RIFee"]) | (
        (pl.col("type") == "Fee") & pl.col("reservation").is_not_null()
    )
    done = frame.select(
        CommitmentDiscountId=pl.when(by_plan).then("plan").when(by_reservation).then("reservation"),
        CommitmentDiscountCategory=pl.when(by_plan).then(pl.lit("Spend")).when(by_reservation).then(pl.lit("Usage")),
        CommitmentDiscountType=pl.when(by_plan)
        .then(pl.col("offering").fill_null("SavingsPlans"))
        .when(by_reservation)
        .then(pl.lit("Reserved Instance")),
        CommitmentDiscountStatus=pl.when(pl.col("type").is_in([_COVERED, "DiscountedUsage"])).then(pl.lit("Used")),
    )
    reading.columns |= {name: done.get_column(name) for name in done.columns}


def _costs(reading: Reading, columns: Columns, line_type: pl.Series) -> dict[str, pl.Series]:
    """The four costs; returns the raw money that the splitting of fees needs, under `__` names."""
    cells = _text(reading, columns, NETS["BilledCost"])
    billed, residual, bad, too_large = read_costs(cells, reading.source)
    reading.fail(bad, "BilledCost", "a plain number", cells, required=True)
    reading.residual["BilledCost"], reading.rejected["BilledCost"] = residual, too_large
    reading.as_billed["BilledCost"] = billed
    frame = pl.DataFrame(
        {
            "type": line_type,
            "billed": billed,
            "listed": _money(reading, columns, "ListCost", None),
            "plan": _money(reading, columns, "savings plan", line_type == _COVERED),
            "reservation": _money(reading, columns, "reservation", line_type == "DiscountedUsage"),
            "reserved": reading.columns["CommitmentDiscountId"].is_not_null(),
            "quantity": reading.columns["ConsumedQuantity"],
            "unit": reading.columns["ConsumedUnit"],
            "category": reading.columns["ChargeCategory"],
        }
    )
    done = frame.select(**_cost_rules(), **_quantity_rules())
    if columns.has_net:
        done = done.with_columns(ContractedCost=pl.lit(None, dtype=MONEY))
    reading.columns |= {name: done.get_column(name) for name in done.columns}
    return {
        "__commitment": _money(reading, columns, "commitment", line_type == "SavingsPlanRecurringFee"),
        "__used": _money(reading, columns, "used commitment", line_type == "SavingsPlanRecurringFee"),
        "__unused_upfront": _money(reading, columns, "unused upfront", line_type == "RIFee"),
        "__unused_recurring": _money(reading, columns, "unused recurring", line_type == "RIFee"),
    }


def _cost_rules() -> dict[str, pl.Expr]:
    """What each line item type is worth; contracted cost is list cost where no discount was agreed."""
    kind, zero = pl.col("type"), pl.lit(_ZERO, dtype=MONEY)
    negation = kind == _NEGATION
    paid_elsewhere = kind.is_in(_PAID_ELSEWHERE) | ((kind == "Fee") & pl.col("reserved"))
    cancels = kind.is_in([_COVERED, _NEGATION]) & pl.col("billed").is_not_null()
    listed = pl.when(negation).then(zero).otherwise("listed")
    return {
        "BilledCost": pl.when(cancels).then(zero).otherwise("billed"),
        "EffectiveCost": pl.when(kind == _COVERED)
        .then("plan")
        .when(negation | paid_elsewhere)
        .then(zero)
        .when(kind == "DiscountedUsage")
        .then("reservation")
        .otherwise("billed"),
        "ListCost": listed,
        "ContractedCost": listed,
    }


def _quantity_rules() -> dict[str, pl.Expr]:
    """Every line has a priced quantity, usage alone a consumed one; a negation has none of anything."""
    quantity = pl.when(pl.col("type") == _NEGATION).then(0.0).otherwise("quantity")
    used = pl.col("category") == "Usage"
    return {
        "PricingQuantity": quantity,
        "PricingUnit": pl.col("unit"),
        "ConsumedQuantity": pl.when(used).then(quantity),
        "ConsumedUnit": pl.when(used).then("unit"),
    }


def _net_out(reading: Reading, line_type: pl.Series) -> None:
    """What covered usage and its negation were billed: they cancel, and neither is in a charge."""
    cancelled = line_type.is_in([_COVERED, _NEGATION]) & ~reading.refusals.bad
    reading.netted["BilledCost"] = sum_exactly(reading.as_billed["BilledCost"].filter(cancelled))


def _money(reading: Reading, columns: Columns, what: str, where: pl.Series | None) -> pl.Series:
    """An optional amount, read only where it means something; unreadable cells are told and unknown."""
    cells = _text(reading, columns, NETS[what])
    if where is not None:
        cells = cells.set(~where, None)
    if cells.null_count() == cells.len():
        return reading.nulls(MONEY)
    amounts, _, bad, _ = read_costs(cells, reading.source)
    reading.fail(bad, columns.present(NETS[what])[0], "a plain number", cells, required=False)
    return amounts
