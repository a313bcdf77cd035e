"""Databricks: `system.billing.usage` priced by `system.billing.list_prices`, both exported to files of one source.

The surprise: the usage has no money. What is billed here is usage times list price, exactly; the invoice may be lower
by what was agreed. Retractions have negative quantities, so that they net what they take back.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import polars as pl

from attribution.bills.cells import plain_number, read_quantity
from attribution.bills.charge_rows import Reading
from attribution.bills.databricks.control import sum_priced
from attribution.bills.databricks.prices import is_prices, prices_at, read_prices
from attribution.bills.deliveries import one_by_one
from attribution.bills.flat import Layout, RawColumns, has, issued_by, read_flat
from attribution.bills.listing import Head, read_head
from attribution.bills.tag_text import TagTexts
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.money import EXACT, LARGEST, MONEY, NUMBER, UNIT, add
from schemas.workspace import Source

NAME = "databricks"
READER_VERSION = 1

# What a usage row is of, the steadiest first: the cluster of a job lives for one run.
_RESOURCES = {
    "endpoint_id": ("serving endpoint", "endpoint_name"),
    "warehouse_id": ("sql warehouse", ""),
    "job_id": ("job", "job_name"),
    "dlt_pipeline_id": ("pipeline", ""),
    "app_id": ("app", "app_name"),
    "database_instance_id": ("database instance", ""),
    "cluster_id": ("cluster", ""),
    "notebook_id": ("notebook", "notebook_path"),
    "instance_pool_id": ("instance pool", ""),
}
_CATEGORIES = {
    "AI and Machine Learning": ("AI", "AGENT", "FINE_TUNING", "FOUNDATION", "MODEL", "SERVING", "TRAINING", "VECTOR"),
    "Databases": ("DATABASE", "LAKEBASE", "ONLINE_TABLES"),
    "Storage": ("STORAGE",),
    "Networking": ("NETWORKING",),
}
LAYOUT = Layout(
    costs={},
    texts={
        "BillingAccountId": ("account_id",),
        "ConsumedUnit": ("usage_unit",),
        "HostProviderName": ("cloud",),
        "PricingUnit": ("usage_unit",),
        "SkuId": ("sku_name",),
        "SkuMeter": ("sku_name",),
        "SubAccountId": ("workspace_id",),
    },
    instants={"ChargePeriodStart": ("usage_start_time",), "ChargePeriodEnd": ("usage_end_time",)},
    kept={
        "x_record_id": ("record_id",),
        "x_record_type": ("record_type",),
        "x_billing_origin_product": ("billing_origin_product",),
        "x_usage_quantity": ("usage_quantity",),
    },
    constants={
        "ChargeCategory": "Usage",
        "ChargeFrequency": "Usage-Based",
        "PricingCategory": "Standard",
        **issued_by("Databricks"),
    },
    required=(
        "BillingAccountId",
        "HostProviderName",
        "SkuId",
        "ChargePeriodStart",
        "ChargePeriodEnd",
        "x_usage_quantity",
    ),
    structs=("usage_metadata", "identity_metadata", "product_features"),
)


def identify(head: Head) -> bool:
    """Whether a file has usage of SKUs, or their prices."""
    return is_prices(head) or has(head, "sku_name", "usage_quantity", "usage_start_time", "workspace_id")


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """Each usage file is a delivery; all prices of the source are read with each, and change what it is."""
    prices = tuple(file for file in files if is_prices(read_head(file, source)))
    usage = [file for file in files if file not in prices]
    if not prices or not usage:
        reason = (
            "there is no export of system.billing.list_prices in this source, so the usage has no price"
            if usage
            else "there are prices and no usage in this source"
        )
        return [], [HeldBack(source.name, file.name, reason) for file in files]
    return one_by_one(source, usage, NAME, READER_VERSION, beside=prices), []


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch; errors as `read_flat` and `read_prices` have them."""
    tags = TagTexts()
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        prices = read_prices(delivery.beside, delivery.source, Path(scratch))

    def finish(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:
        frame = reading.rows.frame
        _price(reading, prices, kept["x_usage_quantity"])
        _resource(reading, columns)
        reading.columns["ServiceName"] = "Databricks " + kept["x_billing_origin_product"].fill_null("usage")
        reading.columns["ServiceCategory"] = _category(kept["x_billing_origin_product"])
        corrected = kept["x_record_type"].is_in(["RETRACTION", "RESTATEMENT"]).fill_null(value=False)
        reading.columns["ChargeClass"] = reading.nulls(pl.String()).set(corrected, "Correction")
        raw = columns.find("custom_tags")
        if raw:
            reading.raw_names["Tags"] = raw
            reading.read_tags(tags, columns.text(frame, raw))

    yield from read_flat(delivery, LAYOUT, finish, lambda columns: frozenset(columns.present(("custom_tags",))))


def stated(delivery: Delivery) -> Stated:
    """Rows and the sums of usage times price, apart from the reader."""
    return sum_priced(delivery)


def _price(reading: Reading, prices: pl.DataFrame, written: pl.Series) -> None:
    """Costs of each row, and the currency of its price; a row without a price is refused."""
    source, done = reading.source, reading.columns
    done["ConsumedQuantity"], bad = read_quantity(written, source)
    done["PricingQuantity"] = done["ConsumedQuantity"]
    reading.fail(bad | written.is_null(), "x_usage_quantity", "a plain number", written, required=True)
    found = prices_at(prices, reading.get("SkuId"), reading.get("HostProviderName"), reading.get("ChargePeriodStart"))
    done["BillingCurrency"] = found.get_column("currency")
    none = found.get_column("effective").is_null() & reading.get("ChargePeriodStart").is_not_null()
    check = "a list price of its SKU on its cloud at its start, in one currency"
    reading.fail(none, "SkuId", check, reading.get("SkuId"), required=True)
    quantity = plain_number(written, source)
    quantity = quantity.set(~quantity.str.contains(NUMBER).fill_null(value=True), None)
    for cost, price in (("BilledCost", "effective"), ("ListCost", "listed")):
        amounts, residual, too_large = times(quantity, found.get_column(price))
        done[cost] = reading.as_billed[cost] = amounts
        reading.residual[cost], reading.rejected[cost] = residual, too_large
        large = amounts.is_null() & quantity.is_not_null() & found.get_column(price).is_not_null()
        reading.fail(large, "x_usage_quantity", "an amount of money", written, required=True)
    done["ListUnitPrice"] = found.get_column("listed").cast(pl.Float64)


def times(quantities: pl.Series, prices: pl.Series) -> tuple[pl.Series, Decimal, Decimal]:
    """Quantity times price, both as number text, exactly and then half-even to 12 places.

    Returns:
        The amounts, null where one of the two is; what rounding cut; and the sum of products too large to be money.
    """
    pairs = pl.DataFrame({"quantity": quantities, "price": prices})
    distinct = pairs.drop_nulls().group_by("quantity", "price").len()
    amounts: list[Decimal | None] = []
    residual = too_large = Decimal(0)
    for quantity, price, count in distinct.iter_rows():
        exact = EXACT.multiply(Decimal(quantity), Decimal(price))
        kept = exact.quantize(UNIT, rounding=ROUND_HALF_EVEN, context=EXACT)
        if abs(kept) < LARGEST:
            amounts.append(kept)
            residual = add(residual, EXACT.multiply(EXACT.subtract(exact, kept), Decimal(count)))
        else:
            amounts.append(None)
            too_large = add(too_large, EXACT.multiply(exact, Decimal(count)))
    priced = distinct.with_columns(pl.Series("amount", amounts, dtype=MONEY))
    joined = pairs.join(priced, on=["quantity", "price"], how="left", maintain_order="left")
    return joined.get_column("amount"), residual, too_large


def _resource(reading: Reading, columns: RawColumns) -> None:
    """What the row is of, from `usage_metadata`: a struct, columns of its own, or JSON text."""
    frame = reading.rows.frame
    text = columns.text(frame, "usage_metadata")

    def inside(name: str) -> pl.Series:
        flat = columns.text(frame, f"usage_metadata.{name}")
        return flat.zip_with(flat.is_not_null(), text.str.json_path_match(f"$.{name}"))

    ids, types, names = (reading.nulls(pl.String()) for _ in range(3))
    for key, (kind, name) in _RESOURCES.items():
        here = inside(key)
        mine = ids.is_null() & here.is_not_null()
        if mine.any():
            ids = ids.zip_with(~mine, here)
            types = types.set(mine, kind)
            names = names.zip_with(~mine, inside(name)) if name else names
    reading.columns |= {"ResourceId": ids, "ResourceType": types, "ResourceName": names}


def _category(products: pl.Series) -> pl.Series:
    def told(product: str) -> str:
        words = f"_{product}_"
        return next(
            (name for name, marks in _CATEGORIES.items() if any(f"_{one}_" in words for one in marks)), "Analytics"
        )

    known = {product: told(product) for product in products.drop_nulls().unique().to_list()}
    return products.replace_strict(known, default="Analytics", return_dtype=pl.String)
