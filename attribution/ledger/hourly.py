"""Charges of some resources by their own periods, read from the stored charges: what jobs divide by the hour.

A charge is found again by all that its subject says, so nothing about hours has to be stored beside the lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from attribution.ledger.disk import charges_folder
from attribution.ledger.lines import counting_parts, subject_id, subjects_of
from attribution.ledger.rollup import RollUp, subject_text
from schemas.charges import columns_of
from schemas.costs import PERIOD_COLUMNS, SUBJECT_TEXT
from schemas.money import COSTS, known_sum

if TYPE_CHECKING:
    import duckdb

_PERIOD = ("ChargePeriodStart", "ChargePeriodEnd")


def charge_periods(con: duckdb.DuckDBPyConnection, store: Path, rollup: RollUp, resources: pl.Series) -> pl.DataFrame:
    """One row a subject, usage_date and charge period: PERIOD_COLUMNS.

    Args:
        con: a database that knows the parts.
        store: where their files lie.
        rollup: how they are rolled up.
        resources: the ResourceIds wanted.
    """
    return periods_in(counting_parts(con, rollup), store, rollup, resources)


def periods_in(parts: pl.DataFrame, store: Path, rollup: RollUp, resources: pl.Series) -> pl.DataFrame:
    """The same of some parts, which are rolled up so in a store."""
    wanted = resources.unique().implode()
    text = [*SUBJECT_TEXT, *rollup.extra]
    frames = []
    for part in parts.to_dicts():
        mine = subjects_of(store, part).filter(pl.col("ResourceId").is_in(wanted)).collect()
        if mine.is_empty():
            continue
        for file in sorted((charges_folder(store) / part["part_id"]).glob("charges-*.parquet")):
            stored = pl.scan_parquet(file)
            if "ResourceId" not in stored.collect_schema():  # columns without any value are left out
                continue
            charges = stored.filter(pl.col("ResourceId").is_in(wanted)).collect()
            told = subject_text(charges, rollup.extra).hstack(
                charges.select(
                    rollup.day_of(part["source"]).alias("usage_date"),
                    *columns_of(charges, (*_PERIOD, *COSTS, "SkuPriceDetails")),
                )
            )
            frames.append(
                told.join(mine, on=text, how="inner", nulls_equal=True)
                .with_columns(subject_id(part["part_no"]))
                .group_by("subject_id", "usage_date", *_PERIOD)
                .agg(*(known_sum(name) for name in COSTS), pl.col("SkuPriceDetails").drop_nulls().first())
            )
    keys = ["subject_id", "usage_date", *_PERIOD]
    summed = pl.concat([pl.DataFrame(schema=PERIOD_COLUMNS), *frames]).group_by(keys)
    return summed.agg(*(known_sum(name) for name in COSTS), pl.col("SkuPriceDetails").first()).sort(keys)
