"""Columns of an AWS report to FOCUS columns; what each line is worth stands in `aws_costs`."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from attribution.bills.aws.columns import INSTANTS, KEPT, KINDS, NETS, QUANTITIES, SPLITS, TEXTS, Columns
from attribution.bills.aws.costs import COVERED, net_out, read_line_costs
from attribution.bills.aws.maps import lay_flat, tag_texts
from attribution.bills.aws.services import service_category
from attribution.bills.cells import read_instants, read_quantity, read_text
from attribution.bills.charge_rows import Reading, footer_notice, settle, to_batch
from attribution.bills.table_file import OpenTable, RawRows
from attribution.bills.tag_text import TagTexts
from schemas.bills import Batch
from schemas.workspace import Source

# Its companies in different countries; a marketplace's sellers have other names.
_AWS_ITSELF = r"^(Amazon|AWS)\b"


def to_charges(rows: RawRows, table: OpenTable, source: Source, tags: TagTexts) -> Batch:
    """Charges of one raw batch; money that later steps need stands beside them in columns that start with `__`."""
    frame, unread = lay_flat(rows.frame)
    columns = Columns(tuple(frame.columns))
    reading = Reading(replace(rows, frame=frame), table, source)
    footer_notice(reading)
    reading.raw_names = columns.raw_names()
    for name, bad in unread.items():
        reading.fail(bad, name, "a JSON object", rows.frame.get_column(name), required=False)
    for name, raws in TEXTS.items():
        reading.columns[name] = columns.text(frame, *raws)
    kept = {name: columns.text(frame, raw) for name, raw in KEPT.items()}
    weights = {name: columns.text(frame, raw) for name, raw in SPLITS.items()}
    line_type = kept["x_LineItemType"].fill_null("")
    _instants(reading, columns)
    for name, raw in QUANTITIES.items():
        cells = columns.text(frame, raw)
        reading.columns[name], bad = read_quantity(cells, source)
        reading.fail(bad, name, "a number", cells, required=False)
    _tags(reading, columns, tags)
    _kinds(reading, columns, line_type, kept["x_ProductCode"])
    _commitment(reading, columns, line_type)
    beside = read_line_costs(reading, columns, line_type, weights["x_SplitParentResourceId"].is_not_null())
    settle(reading)
    net_out(reading, line_type)
    extras = {name: read_text(frame.get_column(raw), null_words=False) for name, raw in columns.extras().items()}
    filled = {name: cells for name, cells in (weights | extras).items() if cells.null_count() < cells.len()}
    return to_batch(reading, kept | filled | beside, {"BilledCost": columns.present(NETS["BilledCost"])})


def _instants(reading: Reading, columns: Columns) -> None:
    for name, raw in INSTANTS.items():
        found = columns.find(raw)
        cells = reading.rows.frame.get_column(found) if found else reading.nulls(pl.String())
        reading.columns[name], bad = read_instants(cells, reading.source)
        reading.unread[name] = bad
        reading.fail(bad, name, "an instant, 1970 to 2199", cells, required=True)


def _tags(reading: Reading, columns: Columns, tags: TagTexts) -> None:
    sets = tag_texts(reading.rows.frame, columns.tags(), columns.tag_maps())
    if sets is None:
        reading.columns["Tags"] = reading.nulls(pl.String())
        return
    reading.raw_names["Tags"] = ", ".join(columns.tag_maps())
    reading.read_tags(tags, sets)


def _kinds(reading: Reading, columns: Columns, line_type: pl.Series, code: pl.Series) -> None:
    """Category, frequency, class, service and pricing category of each line."""
    spot = columns.text(reading.rows.frame, "product/marketoption")
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
        PricingCategory=pl.when(kind.is_in([COVERED, "DiscountedUsage"]))
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
        reading.tell("charge_type_unknown", what)
    # Which company of AWS writes the invoice stays beside; for FOCUS only a third party would be another issuer.
    for name in ("ProviderName", "ServiceProviderName", "InvoiceIssuerName"):
        reading.columns[name] = pl.Series(["AWS"]).new_from_index(0, reading.height)
    seller = columns.text(reading.rows.frame, "lineItem/LegalEntity")
    reading.columns["PublisherName"] = seller.set(seller.str.contains(_AWS_ITSELF), "AWS")


def _commitment(reading: Reading, columns: Columns, line_type: pl.Series) -> None:
    frame = pl.DataFrame(
        {
            "type": line_type,
            "plan": columns.text(reading.rows.frame, "savingsPlan/SavingsPlanArn"),
            "reservation": columns.text(reading.rows.frame, "reservation/ReservationARN"),
            "offering": columns.text(reading.rows.frame, "savingsPlan/OfferingType"),
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
        CommitmentDiscountStatus=pl.when(pl.col("type").is_in([COVERED, "DiscountedUsage"])).then(pl.lit("Used")),
    )
    reading.columns |= {name: done.get_column(name) for name in done.columns}
