"""Month-over-month growth: one row a subject, month and currency, judged on usage before credits.

The surprise: every figure of a verdict is a fraction of whole numbers; rounding happens once, after the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from attribution.detection.causes import Grown, Name, explain
from attribution.detection.comparison import Comparison, Money, compare
from attribution.detection.sums import COLUMN_OF, PLACES, Key, Sums, place, sum_up
from attribution.detection.weekdays import evened
from attribution.detection.windows import Windows, previous_month, windows
from attribution.detection.worth import Worth
from schemas.check import verify
from schemas.detection import EFFECTS, GROWTH_COLUMNS, GrowthRows, Watermark
from schemas.dimensions import DIMENSIONS, IDLE, SHARED, TAG_CONFLICT, UNALLOCATED
from schemas.faults import Fault, InputError, LawBrokenError, suggest
from schemas.money import from_units, to_units
from schemas.workspace import Growth

SILENT = (SHARED, IDLE, TAG_CONFLICT)
"""Subjects that are shown but never reported: `shared` nets to zero, and the others have detectors of their own."""

Subject = tuple[str, ...]
_WIDEST = 10**29  # a ratio beyond it has no place in PERCENT; the verdict does not need one


def subjects_of(dimensions: Sequence[str] = DIMENSIONS, *more: Subject) -> tuple[Subject, ...]:
    """What growth is told about: each dimension, `service` and `cost_element` alone, project x stage, and `more`."""
    single = tuple((name,) for name in (*dimensions, "service", "cost_element"))
    return tuple(dict.fromkeys((*single, ("project", "stage"), *more)))


def check_subjects(thresholds: Growth, dimensions: Sequence[str] = DIMENSIONS) -> tuple[str, ...]:
    """The columns of a bill that subjects and overrides name beyond those that daily costs always have.

    Raises:
        InputError: a name that is no dimension and none of the words for columns.
    """
    known = (*dimensions, *COLUMN_OF, "cost_element")
    named = dict.fromkeys(name for subject in thresholds.subjects for name in subject)
    named |= dict.fromkeys(name for one in thresholds.overrides for name in one.when)
    faults = [
        Fault("attribution.toml: growth", f'nothing is called "{name}"', ", ".join(known), suggest(name, known))
        for name in named
        if name not in known
    ]
    if faults:
        raise InputError(faults)
    return tuple(COLUMN_OF[name] for name in named if COLUMN_OF.get(name) in PLACES)


def growth(
    daily: pl.DataFrame | pl.LazyFrame,
    watermarks: Mapping[str, Watermark],
    thresholds: Growth,
    subjects: Sequence[Subject] | None = None,
    minimums: Mapping[str, Decimal] | None = None,
    *,
    worth: Worth | None = None,
) -> pl.DataFrame:
    """Compare every subject's months.

    Args:
        daily: attributed daily costs after splits, columns of `schemas.detection.daily_columns`.
        watermarks: each source of `daily` -> first day of data and last complete day.
        thresholds: the fraction and the amount above which growth is a finding.
        subjects: column names (`service` is ServiceName) that make a subject together; default `subjects_of()`.
        minimums: currency -> the minimum in that currency; `thresholds.minimum` for the others.
        worth: the workspace's currency, and the months' rates into it; a minimum counts by them where there is one.

    Returns:
        GrowthRows, sorted by kind, subject, currency and month. A subject has a row where it has a charge in the
        days compared, on either side; one that comes back after a month away is `new` again.

    Raises:
        LawBrokenError: `daily` names a source that `watermarks` does not.
    """
    costs = daily.lazy()
    with_data = _months_with_data(costs, watermarks)
    laid = windows(watermarks, with_data)
    based = {month for (_, month), days in laid.compared.items() if days.previous_days}
    judging = _Judging(laid, thresholds, minimums or {}, based, worth or Worth())
    wanted = tuple(subjects if subjects is not None else subjects_of())
    placed = place(costs, laid, [COLUMN_OF.get(name, name) for subject in wanted for name in subject])
    for subject in wanted:
        sums = sum_up(placed, subject)
        even = evened(costs, laid, subject)
        compared = {key: compare(found, laid, key.month, even.get(key)) for key, found in sums.items()}
        judging.add(subject, sums, compared)
    rows = judging.rows
    for name, causes in explain(placed, judging.fired, laid.change_a_day).items():
        rows[name]["explained_by"] = "; ".join(cause.text for cause in causes)
    frame = _frame(list(rows.values())).sort("kind", "subject", "BillingCurrency", "month")
    return verify(frame, GrowthRows, "growth")


@dataclass
class _Judging:
    """Rows of all subjects so far, and which of them grew above the limits; `based` are months that have a base."""

    laid: Windows
    thresholds: Growth
    minimums: Mapping[str, Decimal]
    based: AbstractSet[date]
    worth: Worth
    rows: dict[Name, dict[str, Any]] = field(default_factory=dict)
    fired: dict[Name, Grown] = field(default_factory=dict)

    def add(self, subject: Subject, sums: Mapping[Key, Sums], compared: Mapping[Key, Comparison]) -> None:
        """Judge one kind of subject."""
        costly = _costly_months(compared)
        # Where nothing has a value in a dimension it tells nobody apart.
        unused = {key.values for key in compared} == {(UNALLOCATED,)}
        for key, seen in compared.items():
            name = Name(subject, key)
            months = costly.get((key.values, key.currency), set())
            rate = self.worth.rate(key.currency, key.month) or Fraction(1)
            limits = limits_of(name, sums[key], self.thresholds, self.minimums, rate)
            common = limits_of(name, sums[key], replace(self.thresholds, overrides=()), self.minimums, rate)
            judged = _judge(key, seen, months, limits, based=key.month in self.based)
            excused = limits != common and _judge(key, seen, months, common, based=key.month in self.based).verdict
            if unused:
                judged, excused = replace(judged, verdict=None), None
            notes = _notes(key, sums, judged, self.laid)
            money = _row(seen, judged)
            self.rows[name] = {**_named(name, sums[key]), **money, "note": notes, "explained_by": None}
            self.rows[name] |= self.worth.bridge(key.currency, key.month, seen, money["change"])
            if judged.verdict or excused == "finding":
                doubt = judged.verdict == "undetermined"
                self.fired[name] = Grown(seen.per_day + seen.previous_per_day, sums[key].owner, doubt)


def limits_of(
    name: Name, sums: Sums, thresholds: Growth, minimums: Mapping[str, Decimal], rate: Fraction = Fraction(1)
) -> tuple[Fraction, Fraction]:
    """Threshold and minimum of a subject: of the overrides that fit it the one with most values, else the last.

    The minimum is divided by the rate, so that it counts in the currency of the costs.
    """
    values = {"owner": sums.owner, "project": sums.project} | dict(zip(name.columns, name.key.values, strict=True))
    threshold, minimum = thresholds.threshold, minimums.get(name.key.currency, thresholds.minimum)
    for one in sorted(thresholds.overrides, key=lambda override: len(override.when)):
        if one.when.items() <= values.items():
            threshold = threshold if one.threshold is None else one.threshold
            minimum = minimum if one.minimum is None else one.minimum
    return Fraction(threshold), to_units(minimum) / rate


def _months_with_data(costs: pl.LazyFrame, watermarks: Mapping[str, Watermark]) -> set[tuple[str, date]]:
    months = costs.select("source", pl.col("usage_date").dt.month_start().alias("month")).unique().collect()
    unknown = set(months.get_column("source").to_list()) - set(watermarks)
    if unknown:
        message = f"growth: costs of {sorted(map(str, unknown))} have no watermark"
        raise LawBrokenError(message)
    return {(source, month) for source, month in months.iter_rows()}


@dataclass(frozen=True)
class _Judged:
    status: str
    verdict: str | None
    note: str | None


def _costly_months(compared: Mapping[Key, Comparison]) -> dict[tuple[tuple[str, ...], str], set[date]]:
    """Months in which a subject had any cost over all complete days, or one that is unknown."""
    months: dict[tuple[tuple[str, ...], str], set[date]] = {}
    for key, found in compared.items():
        if found.cost != 0:
            months.setdefault((key.values, key.currency), set()).add(key.month)
    return months


def _judge(
    key: Key, seen: Comparison, costly: AbstractSet[date], limits: tuple[Fraction, Fraction], *, based: bool
) -> _Judged:
    """Say what happened to a subject, and whether anybody must hear of it; `limits` are threshold and minimum."""
    if seen.cost is None or (based and seen.previous is None):
        return _Judged("unknown", None, None)
    if not based:
        return _Judged("first", None, None)
    threshold, minimum = limits
    status = _status(seen, away=seen.previous == 0 and previous_month(key.month) not in costly)
    verdict = None
    if status == "new" and seen.cost >= minimum:
        verdict = "finding"
    elif status == "grew" and seen.change >= minimum:
        if seen.previous_per_day <= 0:
            verdict = "undetermined"
        elif seen.ratio - 1 >= threshold:
            verdict = "finding"
    reported = not set(key.values) & set(SILENT)
    return _Judged(status, verdict if reported else None, _history(key, seen, costly, status))


def _status(seen: Comparison, *, away: bool) -> str:
    if seen.cost == 0 and seen.previous == 0:
        return "no_cost"
    if seen.cost == 0 and seen.previous_per_day > 0:
        return "vanished"
    if away and seen.per_day > 0:
        return "new"
    if seen.change == 0:
        return "steady"
    return "grew" if seen.change > 0 else "fell"


def _history(key: Key, seen: Comparison, costly: AbstractSet[date], status: str) -> str | None:
    """What the months before say of a subject that has no base in the days compared."""
    if status == "grew" and seen.previous == 0:
        return f"its cost of {previous_month(key.month):%Y-%m} came after the days compared"
    before = [month for month in costly if month < key.month]
    return f"returned: its last cost was in {max(before):%Y-%m}" if before and status == "new" else None


def _notes(key: Key, sums: Mapping[Key, Sums], judged: _Judged, laid: Windows) -> str | None:
    """What weakens the comparison: sources without a base, or left out though the month before had cost of them."""
    before = sums.get(key._replace(month=previous_month(key.month)))
    sources = sums[key].sources.keys() | (before.sources.keys() if before else set())
    compared = () if judged.status == "first" else sorted(sources)
    notes = [laid.notes[source, key.month] for source in compared if (source, key.month) in laid.notes]
    if sums[key].partly_unknown:
        notes.append("part of the cost is unknown")
    if judged.note:
        notes.append(judged.note)
    return "; ".join(notes) or None


def _named(name: Name, sums: Sums) -> dict[str, Any]:
    return {
        "kind": " x ".join(name.columns),
        "subject": name.text,
        "month": name.key.month,
        "BillingCurrency": name.key.currency,
        "owner": sums.owner,
        "project": sums.project,
    }


def _row(seen: Comparison, judged: _Judged) -> dict[str, Any]:
    known = judged.status not in ("first", "unknown")
    based = judged.status != "first"
    money: Money = {
        "cost": seen.cost,
        "previous": seen.previous if based else None,
        "net": seen.net,
        "previous_net": seen.previous_net if based else None,
        "per_day": None if seen.cost is None else round(seen.per_day),
        "previous_per_day": None if seen.previous is None or not based else round(seen.previous_per_day),
        **(seen.effects() if known else dict.fromkeys(("change", *EFFECTS, "weekday_adjustment"))),
    }
    shown = known and seen.previous_per_day > 0 and abs(seen.ratio) < _WIDEST
    return {
        "days": seen.days,
        "previous_days": seen.previous_days if based else None,
        **money,
        "percent": Decimal(round((seen.ratio - 1) * 10**8)).scaleb(-6) if shown else None,
        "status": judged.status,
        "verdict": judged.verdict,
    }


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    money = {"cost", "previous", "net", "previous_net", "per_day", "previous_per_day", "change"}
    money |= {*EFFECTS, "weekday_adjustment", "currency_effect", "converted_change"}
    columns = [
        from_units([row[name] for row in rows], name)
        if name in money
        else pl.Series(name, [row[name] for row in rows], dtype=dtype)
        for name, dtype in GROWTH_COLUMNS.items()
    ]
    return pl.DataFrame(columns)
