"""All series of a night judged: what each day should have cost, and episodes, those of one cause linked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from attribution.detection.causes import Grown, Name, explain
from attribution.detection.daily.baseline import SPREAD, expect
from attribution.detection.daily.episodes import PROVISIONAL, episodes, worth_telling
from attribution.detection.daily.findings import FEEDS
from attribution.detection.daily.series import daily_series, usage_by_day
from attribution.detection.sums import COLUMN_OF, Key, only
from schemas.check import verify
from schemas.detection import DAILY_BOUND_COLUMNS, EPISODE_COLUMNS, DailyBounds, Episodes, Watermark
from schemas.money import MONEY, SCALE

SHOWN = 100
"""Days whose bounds are kept beside what they cost."""

RECENT = 14
"""Days after its end for which an episode is still told."""

TOGETHER = timedelta(days=3)
"""Episodes that begin within so many days may be one cause."""


@dataclass(frozen=True)
class JudgedDays:
    """DAILY_BOUND_COLUMNS of the last days, and EPISODE_COLUMNS of all episodes there were."""

    bounds: pl.DataFrame
    episodes: pl.DataFrame


def judge_days(
    daily: pl.DataFrame,
    watermarks: Mapping[str, Watermark],
    subjects: Sequence[tuple[str, ...]],
    minimum: Decimal,
    long: pl.DataFrame,
) -> JudgedDays:
    """Judge every day of every subject.

    Args:
        daily: attributed daily costs, columns of `schemas.detection.daily_columns`.
        watermarks: each source's first day and last complete day.
        subjects: columns that make a subject together.
        minimum: least excess of an episode, in the currency of the costs.
        long: LONG_COLUMNS of usage that is billed for longer than a day; it makes no daily anomaly.
    """
    usage = usage_by_day(daily, watermarks, long)
    if usage.is_empty():
        return JudgedDays(pl.DataFrame(schema=DAILY_BOUND_COLUMNS), pl.DataFrame(schema=EPISODE_COLUMNS))
    names, days = daily_series(usage, subjects)
    told = expect(days)
    bounds = _bounds(names, told)
    found = worth_telling(_exact(names, bounds, episodes(told)), minimum)
    newest = max(mark.last_day for mark in watermarks.values())
    told_now = found.filter(pl.col("end") > newest - timedelta(days=RECENT))
    linked = {row["number"]: row for row in _linked(usage, told_now)}
    blank = {"owner": None, "project": None, "explained_by": None, "recent": False}
    rows = [row | linked.get(row["number"], blank) for row in found.iter_rows(named=True)]
    kept = pl.DataFrame(rows, schema={**found.schema, "owner": pl.String(), "project": pl.String(),
                                      "explained_by": pl.String(), "recent": pl.Boolean()})  # fmt: skip
    kept = kept.select(list(EPISODE_COLUMNS)).sort("kind", "subject", "BillingCurrency", "start", "shape")
    shown = bounds.filter(pl.col("usage_date") > newest - timedelta(days=SHOWN)).select(list(DAILY_BOUND_COLUMNS))
    return JudgedDays(verify(shown, DailyBounds, "daily bounds"), verify(kept, Episodes, "episodes"))


def _bounds(names: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Days as they are kept: exact cost, bounds to the cent, and what the day is called."""
    bounded = ("expected", "lower", "upper")
    last = pl.col("usage_date").max().over("series")
    status = (
        pl.when(pl.col("amount").is_null()).then(pl.lit("unknown"))
        .when(pl.col("expected").is_null()).then(pl.lit("not judged"))
        .when(pl.col("amount") > pl.col("upper")).then(pl.lit("above"))
        .when(pl.col("amount") < pl.col("lower")).then(pl.lit("below"))
        .otherwise(pl.lit("usual"))
    )  # fmt: skip
    frame = told.with_columns(
        status.alias("status"), (pl.col("usage_date") > last - pl.duration(days=PROVISIONAL)).alias("provisional")
    )
    exact = frame.with_columns(to_the_cent(frame.get_column(name)) for name in bounded)
    return exact.join(names, on="series").sort("series", "usage_date")


def to_the_cent(numbers: pl.Series) -> pl.Series:
    """Statistics as money: rounded to hundredths, so that no digits of a float are told."""
    cents = (numbers * 100).round().cast(pl.Int128)
    return (cents * pl.Series([10 ** (SCALE - 2)], dtype=pl.Int128)).reinterpret(dtype=MONEY).alias(numbers.name)


def _exact(names: pl.DataFrame, bounds: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Episodes with the exact money of their days."""
    days = bounds.select("series", "usage_date", "cost", pl.col("expected").alias("usual"))
    numbered = found.rename({"expected": "baseline"}).drop("amount", "excess").with_row_index("number")
    odd = numbered.select("number", "series", "peak", pl.col("odd").alias("usage_date")).explode("usage_date")
    within = odd.join(days, on=["series", "usage_date"])
    at_peak = pl.col("usage_date") == pl.col("peak")
    sums = within.group_by("number").agg(
        pl.col("cost").sum(),
        pl.col("cost").filter(at_peak).first().alias("peak_cost"),
        pl.col("usual").filter(at_peak).first().alias("peak_expected"),
    )
    return (
        numbered.with_columns(to_the_cent(numbered.get_column("baseline")).alias("expected"))
        .join(sums, on="number")
        .with_columns((pl.col("cost") - pl.col("expected")).alias("excess"))
        .join(names, on="series")
        .sort("number")
    )


def _linked(usage: pl.DataFrame, found: pl.DataFrame) -> list[dict[str, Any]]:
    """Whose money recent episodes are, and which of those that begin together are one cause."""
    rows: list[dict[str, Any]] = []
    silent = pl.col("shape") == "silence"
    # Of silences only feeds are told: a project's, which nobody hears of, must not stand for them.
    apart = pl.when(silent).then(pl.when(pl.col("kind").is_in(FEEDS)).then(2).otherwise(1)).otherwise(0)
    for currency, part in found.select("BillingCurrency", apart.alias("part")).unique().sort(pl.all()).iter_rows():
        mine = found.filter(pl.col("BillingCurrency") == currency, apart == part).sort("start", "number")
        cluster: list[dict[str, Any]] = []
        for row in mine.iter_rows(named=True):
            if cluster and row["start"] > cluster[0]["start"] + TOGETHER:
                rows += _one_cause(usage, cluster)
                cluster = []
            cluster.append(row)
        rows += _one_cause(usage, cluster)
    return rows


def _one_cause(usage: pl.DataFrame, cluster: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Link episodes by how much of one's excess lies in another; see causes.explain."""
    first, last = cluster[0]["start"], max(row["end"] for row in cluster)
    sign = -1 if cluster[0]["shape"] == "silence" else 1
    now, before = pl.col("usage_date") >= first, pl.col("usage_date") < first
    kinds = {row["number"]: tuple(row["kind"].split(" x ")) for row in cluster}
    columns = dict.fromkeys(COLUMN_OF.get(name, name) for kind in kinds.values() for name in kind)
    cost = pl.col("EffectiveCost")
    placed = (
        usage.filter(
            pl.col("usage_date").is_between(first - timedelta(days=SPREAD), last),
            pl.col("BillingCurrency") == cluster[0]["BillingCurrency"],
        )
        .group_by(list(dict.fromkeys((*columns, "owner", "project", "BillingCurrency", "source"))))
        .agg(cost.filter(now).sum().alias("cost"), cost.filter(before).sum().alias("previous_cost"))
        .with_columns(pl.lit(first).alias("month"))
    )
    fired: dict[Name, Grown] = {}
    told: dict[Name, dict[str, Any]] = {}
    for row in sorted(cluster, key=lambda one: abs(one["excess"])):  # of two in one series the larger one stands
        kind = kinds[row["number"]]
        keys = [COLUMN_OF.get(name, name) for name in kind]
        mine = placed.filter(pl.col(key) == value for key, value in zip(keys, row["values"], strict=True))
        moved = mine.filter(pl.any_horizontal(pl.col("cost", "previous_cost") != 0))
        name = Name(kind, Key(tuple(row["values"]), row["BillingCurrency"], first))
        owner, project = (only(moved.get_column(column).to_list()) for column in ("owner", "project"))
        fired[name] = Grown(Fraction(mine.get_column("cost").sum()), owner)
        told[name] = {"number": row["number"], "owner": owner, "project": project, "recent": True}
    days = (last - first).days + 1

    def rate(_source: str, _month: date, cost: int, previous: int) -> Fraction:
        return sign * (Fraction(cost, days) - Fraction(previous, SPREAD))

    causes = explain(placed, fired, rate)
    return [
        row | {"explained_by": "; ".join(cause.text for cause in causes[name]) if name in causes else None}
        for name, row in told.items()
    ]
