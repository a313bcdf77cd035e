"""What operators hand in beside the bills: tags, resources, utilization. Grain in each schema's name."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl

from schemas.instants import INSTANT
from schemas.money import MONEY

TAG_COLUMNS: dict[str, pl.DataType] = {
    "resource_id": pl.String(),
    "key": pl.String(),
    "value": pl.String(),
    "valid_from": pl.Date(),  # null: since ever
    "valid_to": pl.Date(),  # exclusive; null: until further notice
}
RESOURCE_COLUMNS: dict[str, pl.DataType] = {
    "resource_id": pl.String(),
    "resource_type": pl.String(),
    "state": pl.String(),
    "attached_to": pl.String(),
    "created_at": INSTANT,
    "last_used_at": INSTANT,
    "deleted_at": INSTANT,
    "size_gb": pl.Float64(),
    "gpus": pl.Float64(),
    "region": pl.String(),
    "account_id": pl.String(),
    "name": pl.String(),
}
METRICS = (
    "cpu_percent", "gpu_percent", "gpu_memory_percent", "network_bytes", "disk_ops", "connections", "requests",
)  # fmt: skip
UTILIZATION_COLUMNS: dict[str, pl.DataType] = {
    "resource_id": pl.String(),
    "date": pl.Date(),
    "metric": pl.String(),
    "average": pl.Float64(),
    "maximum": pl.Float64(),
    "samples": pl.Int64(),
}
INVOICE_COLUMNS: dict[str, pl.DataType] = {
    "source": pl.String(),
    "billing_account": pl.String(),
    "billing_month": pl.Date(),  # first day of the month
    "invoice_id": pl.String(),
    "currency": pl.String(),
    "amount": MONEY,
}
PEOPLE_COLUMNS: dict[str, pl.DataType] = {
    "owner": pl.String(),
    "team": pl.String(),
    "lead": pl.String(),  # an owner
    "email": pl.String(),
    "valid_from": pl.Date(),  # null: since ever
    "valid_to": pl.Date(),  # exclusive; null: until further notice
}

USAGE_MEASURES = ("gpu_hours", "cpu_core_hours", "memory_gib_hours", "storage_gib_hours")
USAGE_COLUMNS: dict[str, pl.DataType] = {
    "usage_date": pl.Date(),
    "resource_id": pl.String(),
    "node": pl.String(),  # name in the cluster; null where only the provider's id is told
    "namespace": pl.String(),
    "pod": pl.String(),
    "labels": pl.String(),  # canonical JSON
    "measure": pl.String(),
    "quantity": MONEY,  # no money, but as exact
}


def _not_negative() -> pa.Check:
    return pa.Check.ge(0, error="not_negative")


def _not_blank() -> pa.Check:
    return pa.Check.str_matches(r"\S", error="not_blank")


def _ends_after_start() -> pa.Check:
    return pa.Check(
        lambda data: data.lazyframe.select(pl.col("valid_to") > pl.col("valid_from")),
        error="valid_to: after_valid_from",
    )


Tags = pa.DataFrameSchema(
    {
        "resource_id": pa.Column(pl.String(), checks=[_not_blank()]),
        "key": pa.Column(pl.String(), checks=[_not_blank()]),
        "value": pa.Column(pl.String()),
        "valid_from": pa.Column(pl.Date(), nullable=True),
        "valid_to": pa.Column(pl.Date(), nullable=True),
    },
    checks=[_ends_after_start()],
    strict=True,
    name="Tags",
)
Resources = pa.DataFrameSchema(
    {
        "resource_id": pa.Column(pl.String(), checks=[_not_blank()]),
        "resource_type": pa.Column(pl.String(), checks=[_not_blank()]),
        **{
            name: pa.Column(dtype, nullable=True, checks=[_not_negative()] if dtype == pl.Float64() else [])
            for name, dtype in RESOURCE_COLUMNS.items()
            if name not in ("resource_id", "resource_type")
        },
    },
    strict=False,
    name="Resources",
)
Utilization = pa.DataFrameSchema(
    {
        "resource_id": pa.Column(pl.String(), checks=[_not_blank()]),
        "date": pa.Column(pl.Date()),
        "metric": pa.Column(pl.String(), checks=[pa.Check.isin(METRICS, error="known_metric")]),
        "average": pa.Column(pl.Float64(), checks=[_not_negative()]),
        "maximum": pa.Column(pl.Float64(), nullable=True, checks=[_not_negative()]),
        "samples": pa.Column(pl.Int64(), nullable=True, checks=[_not_negative()]),
    },
    strict=True,
    name="Utilization",
)
Invoices = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name == "invoice_id",
            checks=[pa.Check.str_matches(r"^[A-Z]{3}$", error="currency_code")] if name == "currency" else [],
        )
        for name, dtype in INVOICE_COLUMNS.items()
    },
    strict=True,
    name="Invoices",
)
People = pa.DataFrameSchema(
    {name: pa.Column(dtype, nullable=name != "owner") for name, dtype in PEOPLE_COLUMNS.items()},
    checks=[_ends_after_start()],
    strict=True,
    name="People",
)
Usage = pa.DataFrameSchema(
    {
        **{name: pa.Column(dtype, nullable=True) for name, dtype in USAGE_COLUMNS.items()},
        "usage_date": pa.Column(pl.Date()),
        "resource_id": pa.Column(pl.String(), checks=[_not_blank()]),
        "measure": pa.Column(pl.String(), checks=[pa.Check.isin(USAGE_MEASURES, error="known_measure")]),
        "quantity": pa.Column(
            MONEY,
            checks=[pa.Check(lambda data: data.lazyframe.select(pl.col(data.key) > 0), error="more_than_nothing")],
        ),
    },
    strict=True,
    name="Usage",
)
