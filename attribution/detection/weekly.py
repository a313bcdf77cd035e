"""Week over week: each complete week, Monday to Sunday, beside the week before; shown, and a finding only where asked.

The surprise: two weeks have the same weekdays and as many days, so nothing needs evening out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.causes import Grown, Name, explain
from attribution.detection.comparison import Comparison, compare
from attribution.detection.daily import LONG_COLUMNS
from attribution.detection.growth import SILENT, Subject, limits_of
from attribution.detection.sums import COLUMN_OF, place, sum_up
from attribution.detection.windows import WINDOW_COLUMNS, Compared, Windows
from attribution.detection.wording import amount, percentage, signed
from schemas.check import verify
from schemas.detection import EFFECTS, WEEKLY_COLUMNS, Watermark, WeeklyRows
from schemas.money import from_units
from schemas.workspace import OWN_COSTS, Growth

WEEKS = 13
"""Complete weeks that are shown: a quarter."""

KIND = "weekly_growth"
_WEEK = timedelta(days=7)
_WIDEST = 10**29


def week_windows(watermarks: Mapping[str, Watermark]) -> Windows:
    """Lay out the newest complete weeks and the weeks before them; a source counts where both are complete."""
    frame: list[tuple[str, date, date, date, date]] = []
    compared: dict[tuple[str, date], Compared] = {}
    daily = {source: mark for source, mark in watermarks.items() if source != OWN_COSTS}  # those come by the month
    sundays = [mark.last_day - timedelta(days=mark.last_day.isoweekday() % 7) for mark in daily.values()]
    newest = max(sundays, default=None)
    for source, mark in sorted(daily.items()):
        for back in range(WEEKS):
            if newest is None:
                break
            monday = newest - timedelta(days=6) - back * _WEEK
            if monday + timedelta(days=6) > mark.last_day or monday - _WEEK < mark.first_day:
                continue
            frame.append((source, monday, monday, monday, monday + timedelta(days=6)))
            frame.append((source, monday, monday - _WEEK, monday - _WEEK, monday - timedelta(days=1)))
            compared[source, monday] = Compared(7, 7)
    return Windows(pl.DataFrame(frame, schema=WINDOW_COLUMNS, orient="row"), compared, {})


def weekly_growth(
    daily: pl.DataFrame,
    watermarks: Mapping[str, Watermark],
    thresholds: Growth,
    subjects: Sequence[Subject],
    long: pl.DataFrame,
) -> pl.DataFrame:
    """Compare every subject's weeks, as `growth` compares months.

    Args:
        daily: attributed daily costs, columns of `schemas.detection.daily_columns`.
        watermarks: each source's first day and last complete day.
        thresholds: the fraction and the amount above which a week is marked.
        subjects: columns that make a subject together.
        long: LONG_COLUMNS of usage that is billed for longer than a day; it says nothing of a week.

    Returns:
        WEEKLY_COLUMNS, sorted by kind, subject, currency and week.
    """
    laid = week_windows(watermarks)
    short = daily.lazy().join(long.lazy(), on=list(LONG_COLUMNS), how="anti", nulls_equal=True)
    placed = place(short, laid, [COLUMN_OF.get(name, name) for one in subjects for name in one], every="1w")
    rows: dict[Name, dict[str, Any]] = {}
    fired: dict[Name, Grown] = {}
    for subject in subjects:
        for key, sums in sum_up(placed, subject).items():
            seen, name = compare(sums, laid, key.month), Name(subject, key)
            row = _row(name, seen)
            limits = limits_of(name, sums, thresholds, {})
            if not set(key.values) & set(SILENT) and _grew(seen, limits):
                row["verdict"] = "finding"
                fired[name] = Grown(seen.per_day + seen.previous_per_day, sums.owner)
            rows[name] = row | {"owner": sums.owner, "project": sums.project}
    for name, causes in explain(placed, fired, laid.change_a_day).items():
        rows[name]["explained_by"] = "; ".join(cause.text for cause in causes)
    found = list(rows.values())
    money = {"cost", "previous", "net", "previous_net", "change", *EFFECTS}
    frame = pl.DataFrame(
        [
            from_units([row[name] for row in found], name)
            if name in money
            else pl.Series(name, [row[name] for row in found], dtype=dtype)
            for name, dtype in WEEKLY_COLUMNS.items()
        ]
    )
    return verify(frame.sort("kind", "subject", "BillingCurrency", "week"), WeeklyRows, "weekly growth")


def _grew(seen: Comparison, limits: tuple[Fraction, Fraction]) -> bool:
    threshold, minimum = limits
    if seen.cost is None or seen.previous is None or seen.change < minimum or seen.previous_per_day < 0:
        return False
    return seen.previous_per_day == 0 or seen.ratio - 1 >= threshold


def _row(name: Name, seen: Comparison) -> dict[str, Any]:
    known = seen.cost is not None and seen.previous is not None
    effects = seen.effects() if known else dict.fromkeys(("change", *EFFECTS))
    shown = known and seen.previous_per_day > 0 and abs(seen.ratio) < _WIDEST
    return {
        "kind": " x ".join(name.columns),
        "subject": name.text,
        "week": name.key.month,
        "BillingCurrency": name.key.currency,
        "cost": seen.cost,
        "previous": seen.previous,
        "net": seen.net,
        "previous_net": seen.previous_net,
        **{effect: effects[effect] for effect in ("change", *EFFECTS)},
        "percent": Decimal(round((seen.ratio - 1) * 10**8)).scaleb(-6) if shown else None,
        "verdict": None,
        "explained_by": None,
    }


def weekly_findings(rows: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Causes of growth in the newest complete week that no finding tells already.

    Args:
        rows: WEEKLY_COLUMNS.
        told: findings of growth and of odd days.
    """
    newest = rows.get_column("week").max()
    known = set(told.select("subject", "BillingCurrency").iter_rows())
    fired = rows.filter(
        pl.col("week") == pl.lit(newest, pl.Date()), pl.col("verdict") == "finding", pl.col("explained_by").is_null()
    )
    return together(
        as_frame(
            Finding(
                kind=KIND,
                subject=row["subject"],
                evidence=f"{row['subject']} cost {amount(row['cost'])} {row['BillingCurrency']} in the week from "
                f"{row['week']}, {amount(row['previous'])} in the week before: {_rise(row)}.",
                cost_at_stake=row["change"],
                currency=row["BillingCurrency"],
                owner=row["owner"],
                project=row["project"],
                month=row["week"].replace(day=1),
            )
            for row in fired.iter_rows(named=True)
            if (row["subject"], row["BillingCurrency"]) not in known
        )
    )


def _rise(row: dict[str, Any]) -> str:
    change = f"{signed(row['change'])} {row['BillingCurrency']}"
    return change if row["percent"] is None else f"{percentage(row['percent'])}, {change}"
