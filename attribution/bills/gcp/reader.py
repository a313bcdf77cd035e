"""Google Cloud billing exports of BigQuery, standard and detailed: Parquet, JSON lines or flattened CSV.

The surprise: the invoice's month turns over in Pacific time and late usage comes on a later invoice, so the month of
a row is what the row says and never follows from its usage. `cost` is before credits (see `credits`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import polars as pl

from attribution.bills.cells import read_costs
from attribution.bills.charge_rows import Reading, ragged_cells
from attribution.bills.control_sums import nested_amounts
from attribution.bills.deliveries import by_shards
from attribution.bills.flat import Layout, RawColumns, categorize, has, issued_by, read_flat, sum_flat
from attribution.bills.gcp.credits import AMOUNT, Credits, read_credits, with_grants
from attribution.bills.gcp.labels import SCHEMES, Labels
from attribution.bills.listing import Head
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.money import add
from schemas.workspace import Source

NAME = "gcp"
READER_VERSION = 1

# Names whose words would put them elsewhere.
_SERVICES = {
    "cloud dns": "Networking",
    "cloud armor": "Security",
    "cloud build": "Developer Tools",
    "kubernetes engine": "Compute",
    "memorystore": "Databases",
    "vertex ai": "AI and Machine Learning",
    "support": "Other",
}
LAYOUT = Layout(
    costs={"BilledCost": ("cost",), "ListCost": ("cost_at_list",)},
    texts={
        "AvailabilityZone": ("location.zone",),
        "BillingAccountId": ("billing_account_id",),
        "BillingCurrency": ("currency",),
        "ChargeDescription": ("adjustment_info.description", "sku.description"),
        "CommitmentDiscountId": ("subscription.instance_id",),
        "ConsumedUnit": ("usage.unit",),
        "PricingUnit": ("usage.pricing_unit",),
        "PublisherName": ("seller_name",),
        "RegionId": ("location.region", "location.location"),
        "ResourceId": ("resource.global_name", "resource.name"),
        "ResourceName": ("resource.name",),
        "ServiceName": ("service.description",),
        "SkuId": ("sku.id",),
        "SkuMeter": ("sku.description",),
        "SubAccountId": ("project.id",),
        "SubAccountName": ("project.name",),
    },
    instants={"ChargePeriodStart": ("usage_start_time",), "ChargePeriodEnd": ("usage_end_time",)},
    quantities={
        "ConsumedQuantity": ("usage.amount",),
        "ContractedUnitPrice": ("price.effective_price_default", "price.effective_price"),
        "ListUnitPrice": ("price.list_price",),
        "PricingQuantity": ("usage.amount_in_pricing_units",),
    },
    kept={
        "x_invoice_month": ("invoice.month",),
        "x_cost_type": ("cost_type",),
        "x_export_time": ("export_time",),
        "x_adjustment_type": ("adjustment_info.type",),
        "x_credits": ("credits",),
    },
    constants=issued_by("Google Cloud"),
    required=("BilledCost", "BillingAccountId", "BillingCurrency", "ChargePeriodStart", "ChargePeriodEnd",
              "x_invoice_month", "x_credits"),
    services=_SERVICES,
    structs=("service", "sku", "project", "location", "usage", "invoice", "price", "resource", "adjustment_info",
             "subscription", "consumption_model"),
)  # fmt: skip

_KINDS: dict[str, tuple[str, str, str | None]] = {
    "regular": ("Usage", "Usage-Based", None),
    "tax": ("Tax", "One-Time", None),
    "adjustment": ("Adjustment", "One-Time", None),
    "roundingerror": ("Adjustment", "One-Time", None),
}
_CONTRACTED = "cost_at_effective_price_default"
_ZONE = "America/Los_Angeles"
_MONTH = r"^([0-9]{4})-?(0[1-9]|1[0-2])$"


def identify(head: Head) -> bool:
    """Whether the header has a cost, its usage and the month of an invoice, nested or laid flat."""
    return has(head, "cost", "currency", "usage_start_time") and (has(head, "invoice") or has(head, "invoice.month"))


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """Numbered pieces of one export are one delivery; how exports belong together only the source can state."""
    return by_shards(source, files, NAME, READER_VERSION)


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch; errors as `read_flat` has them."""
    labels = Labels()
    grants: list[pl.DataFrame] = []
    numbers: list[pl.Series] = []

    def finish(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:
        _months(reading, kept["x_invoice_month"])
        given = _costs(reading, columns, kept)
        _kinds(reading, kept, given)
        _tell_of_cost_types(reading, columns)
        reading.columns["Tags"] = labels.read(reading, columns)
        grants.append(given.grants)
        numbers.append(reading.rows.numbers)

    for batch in read_flat(delivery, LAYOUT, finish, _own):
        yield replace(batch, charges=with_grants(batch.charges, grants.pop(), numbers.pop()))


def stated(delivery: Delivery) -> Stated:
    """Rows and the sum of `cost` and of all credits, apart from the reader."""
    return sum_flat(delivery, LAYOUT, {"BilledCost": ("credits", AMOUNT)})


def _own(columns: RawColumns) -> frozenset[str]:
    return frozenset(columns.present((*SCHEMES, _CONTRACTED)))


def _months(reading: Reading, written: pl.Series) -> None:
    """The billing period from the month of the invoice; no other column tells it."""
    month = written.str.extract_groups(_MONTH)
    start = (month.struct[0] + "-" + month.struct[1] + "-01").str.to_datetime("%Y-%m-%d", time_unit="us")
    local = start.dt.replace_time_zone(_ZONE)
    reading.columns["BillingPeriodStart"] = local.dt.convert_time_zone("UTC")
    reading.columns["BillingPeriodEnd"] = local.dt.offset_by("1mo").dt.convert_time_zone("UTC")
    reading.raw_names["BillingPeriodStart"] = "invoice.month"
    reading.unread["BillingPeriodStart"] = reading.unread["BillingPeriodEnd"] = start.is_null()
    reading.fail(start.is_null(), "BillingPeriodStart", "a month, YYYYMM", written, required=True)


def _costs(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> Credits:
    """Costs net of the credits that are a price; all credits count in the file's own total."""
    (raw,) = columns.present(("credits",))
    given = read_credits(reading.rows.frame.get_column(raw))
    reading.fail(given.unread, "x_credits", "a list of credits with amounts", kept["x_credits"], required=True)
    cost = reading.columns["BilledCost"]
    reading.columns["BilledCost"] = cost + given.sum(given.prices)
    reading.as_billed["BilledCost"] = cost.fill_null(Decimal(0)) + given.sum(given.lines)
    astray = [
        Decimal(amount) for cell in ragged_cells(reading, (raw,)) for amount in nested_amounts(cell or "", AMOUNT)
    ]
    for sums, more in ((reading.residual, (given.residual,)), (reading.rejected, (given.lost, *astray))):
        sums["BilledCost"] = add(sums["BilledCost"], *more)
    kept["x_credits"] = kept["x_credits"].set(~given.any(given.prices), None)
    reading.columns["ContractedCost"] = _contracted(reading, columns, cost)
    return given


def _contracted(reading: Reading, columns: RawColumns, cost: pl.Series) -> pl.Series:
    """The cost at the prices of the contract, before commitments: a column of its own in newer exports."""
    if not columns.present((_CONTRACTED,)):
        return cost
    cells = columns.text(reading.rows.frame, _CONTRACTED)
    amounts, _, bad, _ = read_costs(cells, reading.source)
    reading.raw_names["ContractedCost"] = _CONTRACTED
    reading.fail(bad, "ContractedCost", "a plain number", cells, required=False)
    return amounts.zip_with(cells.is_not_null(), cost)


def _kinds(reading: Reading, kept: dict[str, pl.Series], given: Credits) -> None:
    categorize(reading, kept["x_cost_type"], _KINDS, "cost types")
    done = reading.columns
    frame = pl.DataFrame(
        {
            "category": done["ChargeCategory"],
            "frequency": done["ChargeFrequency"],
            "meter": done["SkuMeter"],
            "adjusted": kept["x_adjustment_type"],
            "covered": given.any(given.committed),
        }
    )
    used = pl.col("category") == "Usage"
    fee = used & pl.col("meter").str.contains(r"(?i)\bcommitment\b").fill_null(value=False)
    spot = pl.col("meter").str.contains(r"(?i)\b(spot|preemptible)\b").fill_null(value=False)
    told = frame.select(
        ChargeCategory=pl.when(fee).then(pl.lit("Purchase")).otherwise("category"),
        ChargeFrequency=pl.when(fee).then(pl.lit("Recurring")).otherwise("frequency"),
        ChargeClass=pl.when(pl.col("adjusted").str.ends_with("_CORRECTION")).then(pl.lit("Correction")),
        PricingCategory=pl.when(used & ~fee & pl.col("covered"))
        .then(pl.lit("Committed"))
        .when(used & ~fee & spot)
        .then(pl.lit("Dynamic"))
        .when(used)
        .then(pl.lit("Standard")),
    )
    done |= {name: told.get_column(name) for name in told.columns}
    usage = done["ChargeCategory"] == "Usage"
    for name in ("ConsumedQuantity", "ConsumedUnit"):
        done[name] = done[name].set(~usage, None)
    # //compute.googleapis.com/projects/p/zones/z/instances/123
    done["ResourceType"] = reading.get("ResourceId").str.extract(r"/([A-Za-z_]+)/[^/]+$")


def _tell_of_cost_types(reading: Reading, columns: RawColumns) -> None:
    if reading.rows.first and not columns.present(("cost_type",)):
        what = "the file has no column cost_type, so tax and adjustments count as usage"
        reading.tell("charge_type_unknown", what)
