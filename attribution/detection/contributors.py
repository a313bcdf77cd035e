"""Which resources a subject's growth comes from: the five largest, and one row of all others, so that they sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any

import polars as pl

from attribution.detection.sums import COLUMN_OF, PLACES, UNKNOWN_VALUE
from attribution.detection.windows import Windows, windows
from schemas.check import verify
from schemas.detection import CONTRIBUTOR_COLUMNS, Contributors, Watermark
from schemas.money import from_units, to_units

LARGEST = 5

_FINDING = ["kind", "subject", "month", "BillingCurrency"]
_RESOURCE = ["ResourceId", "ServiceName"]


def compared_days(daily: pl.DataFrame, watermarks: Mapping[str, Watermark], grown: pl.DataFrame) -> Windows:
    """The days that were compared for the causes of growth, as growth itself lays them out.

    Args:
        daily: attributed daily costs.
        watermarks: each source's first day and last complete day.
        grown: GrowthRows.
    """
    months = daily.select("source", pl.col("usage_date").dt.month_start().alias("month")).unique()
    laid = windows(watermarks, {(source, month) for source, month in months.iter_rows()})
    asked = _causes(grown).get_column("month").unique()
    return Windows(laid.frame.filter(pl.col("month").is_in(asked.to_list())), laid.compared, laid.notes)


def contributors(grown: pl.DataFrame, usage: pl.DataFrame, laid: Windows) -> pl.DataFrame:
    """Name the resources behind each cause of growth.

    Args:
        grown: GrowthRows.
        usage: usage by resource over the days of `laid`: month, source, BillingCurrency, the columns subjects are made
            of, ResourceId, ResourceName, ServiceName, `cost`, `previous`.
        laid: what `compared_days` gave.

    Returns:
        CONTRIBUTOR_COLUMNS: up to five resources a cause, and what all others make, weekdays evened out among it.
    """
    causes = _causes(grown)
    places = [pl.col(name).fill_null(UNKNOWN_VALUE) for name in PLACES if name in usage.columns]
    found = []
    for (kind,), mine in causes.group_by("kind", maintain_order=True):
        names = str(kind).split(" x ")
        words = [pl.format(f"{name}={{}}", pl.col(COLUMN_OF.get(name, name))) for name in names]
        told = usage.with_columns(places).with_columns(
            pl.concat_str(words, separator=" ").alias("subject"), pl.lit(kind).alias("kind")
        )
        found.append(
            told.join(mine.select(*_FINDING, "change", "days"), on=_FINDING)
            .group_by([*_FINDING, "change", "days", *_RESOURCE, "source"])
            .agg(pl.col("ResourceName").min(), pl.col("cost", "previous").sum())
        )
    rows = [row for part in found for row in _rows(part, laid)]
    money = ("cost", "previous", "change")
    frame = pl.DataFrame(
        [
            from_units([row[name] for row in rows], name)
            if name in money
            else pl.Series(name, [row[name] for row in rows], dtype=dtype)
            for name, dtype in CONTRIBUTOR_COLUMNS.items()
        ]
    )
    return verify(frame.sort([*_FINDING, "rank"]), Contributors, "contributors of growth")


def _causes(grown: pl.DataFrame) -> pl.DataFrame:
    """Rows that are findings of their own in the newest two months."""
    newest = grown.get_column("month").unique().sort(descending=True).head(2).to_list()
    fired = (pl.col("verdict") == "finding") & pl.col("explained_by").is_null()
    return grown.filter(fired, pl.col("month").is_in(newest)).sort(_FINDING)


def _rows(part: pl.DataFrame, laid: Windows) -> Iterator[dict[str, Any]]:
    """Each cause's resources in order, then the rest of its change."""
    for _, mine in part.group_by(_FINDING, maintain_order=True):
        resources: dict[tuple[Any, ...], dict[str, Any]] = {}
        for row in mine.sort(*_RESOURCE, "source").iter_rows(named=True):
            one = resources.setdefault(
                tuple(row[name] for name in _RESOURCE),
                {**{name: row[name] for name in (*_FINDING, *_RESOURCE, "ResourceName")}, "exact": Fraction(0)}
                | {"cost": 0, "previous": 0},
            )
            cost, previous = to_units(row["cost"]), to_units(row["previous"])
            one["exact"] += laid.change_a_day(row["source"], row["month"], cost, previous) * row["days"]
            one |= {"cost": one["cost"] + cost, "previous": one["previous"] + previous}
        ordered = sorted(resources.values(), key=lambda one: (-one["exact"], *(str(one[name]) for name in _RESOURCE)))
        largest, others = ordered[:LARGEST], ordered[LARGEST:]
        for rank, one in enumerate(largest, 1):
            yield {**one, "rank": rank, "change": round(one["exact"])}
        whole = to_units(mine.item(0, "change"))
        yield {
            **dict.fromkeys((*_RESOURCE, "ResourceName")),
            **{name: largest[0][name] for name in _FINDING},
            "rank": LARGEST + 1,
            "cost": sum(one["cost"] for one in others),
            "previous": sum(one["previous"] for one in others),
            "change": whole - sum(round(one["exact"]) for one in largest),
        }


def named_in(parts: pl.DataFrame) -> dict[tuple[str, str, date, str], list[tuple[str, Any]]]:
    """Cause (kind, subject, month, currency) -> its resources that rose, by name, with what each added."""
    named: dict[tuple[str, str, date, str], list[tuple[str, Any]]] = {}
    risen = parts.filter(pl.col("change") > 0, pl.col("ResourceId").is_not_null())
    for row in risen.sort([*_FINDING, "rank"]).iter_rows(named=True):
        key = (row["kind"], row["subject"], row["month"], row["BillingCurrency"])
        named.setdefault(key, []).append((row["ResourceId"], row["change"]))
    return named
