"""Who hears of whose money: names nobody has, owners nobody writes to, owners who left, and what readers dispute."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.windows import month_of, previous_month
from attribution.detection.wording import amount
from schemas.dimensions import NOBODY, UNALLOCATED
from schemas.faults import suggest
from schemas.money import MONEY, known_sum


def unknown_recipients(recipients: Collection[str], owners: Collection[str]) -> pl.DataFrame:
    """Report each name in [report.recipients] that no cost has as its owner or team.

    Args:
        recipients: the names, without that of the report for all.
        owners: every owner and team of a cost.
    """
    return together(
        as_frame(
            Finding(
                kind="recipient_without_cost",
                subject=f"owner={name}",
                evidence=f"No cost has the owner or team {name} of [report.recipients]. "
                f"{suggest(name, owners)}".strip(),
            )
            for name in recipients
            if name not in owners
        )
    )


def owners_without_recipient(daily: pl.DataFrame, heard: Collection[str], today: date) -> pl.DataFrame:
    """Report each owner with money since the last month began whose report nobody receives.

    Args:
        daily: attributed daily costs.
        heard: owners whose report, or whose team's, somebody receives, and those who left.
        today: the run's date.
    """
    last = previous_month(month_of(today))
    recent = daily.filter(pl.col("usage_date") >= last, ~pl.col("owner").is_in([*heard, *NOBODY]))
    return together(
        as_frame(
            Finding(
                kind="owner_without_recipient",
                subject=f"owner={owner}",
                evidence=f"Nobody receives the report of {owner}. "
                "State an address in people.csv or [report.recipients].",
                cost_at_stake=cost,
                currency=currency,
                owner=owner,
            )
            for owner, currency, cost in _last_month(recent, ["owner"], today).iter_rows()
            if cost != 0
        )
    )


def disputed_costs(daily: pl.DataFrame, disputes: pl.DataFrame, today: date) -> pl.DataFrame:
    """Report each open answer to a report: what its reader says is not theirs, for whoever tends the rules.

    Args:
        daily: attributed daily costs.
        disputes: open ones: dispute, report (`dimension=value` or `all`), subject (`dimension=value`), says.
        today: the run's date.
    """
    return together(as_frame(one for row in disputes.iter_rows(named=True) for one in _disputed(daily, row, today)))


def _disputed(daily: pl.DataFrame, row: dict[str, str], today: date) -> Iterator[Finding]:
    conditions = [part.partition("=")[::2] for part in (row["report"], row["subject"]) if "=" in part]
    known = [pl.col(name) == value for name, value in conditions if name in daily.columns]
    sums = _last_month(daily.filter(known), [], today)
    owner = dict(conditions).get("owner", UNALLOCATED)
    for currency, cost in sums.iter_rows() if sums.height else ((None, None),):
        yield Finding(
            kind="disputed_cost",
            subject=row["subject"],
            evidence=f"Dispute {row['dispute']}: the reader of the report for {row['report']} says: {row['says']}",
            cost_at_stake=cost,
            currency=currency,
            owner=owner,
        )


def _last_month(daily: pl.DataFrame, by: list[str], today: date) -> pl.DataFrame:
    """EffectiveCost of the month before, 0 where there was none then, by these columns and currency."""
    first, end = previous_month(month_of(today)), month_of(today)
    inside = pl.col("usage_date").is_between(first, end - timedelta(days=1))
    costs = daily.with_columns(pl.when(inside).then("EffectiveCost").otherwise(0).cast(MONEY).alias("EffectiveCost"))
    return costs.group_by(*by, "BillingCurrency").agg(known_sum("EffectiveCost")).sort(*by, "BillingCurrency")


def owners_who_left(daily: pl.DataFrame, left: Mapping[str, tuple[date, str | None]]) -> pl.DataFrame:
    """Report each owner who left and whose name still gets money.

    Args:
        daily: attributed daily costs.
        left: owner -> the first day without them, and who was their lead.
    """
    return together(as_frame(_left(daily, left)))


def _left(daily: pl.DataFrame, left: Mapping[str, tuple[date, str | None]]) -> Iterator[Finding]:
    for owner, (since, lead) in left.items():
        later = daily.filter(pl.col("owner") == owner, pl.col("usage_date") >= since)
        sums = later.group_by("BillingCurrency").agg(
            known_sum("EffectiveCost"), pl.col("usage_date").max().alias("last")
        )
        for currency, cost, last in sums.filter(pl.col("EffectiveCost") != 0).iter_rows():
            whose = (
                f"{lead}, who was their lead, may know whose it is now." if lead else "Nobody is stated as their lead."
            )
            yield Finding(
                kind="owner_left",
                subject=f"owner={owner}",
                evidence=f"{owner} left on {since}; {amount(cost)} {currency} since then, up to {last}, still goes to "
                f"that name, and nobody receives its report. {whose}",
                cost_at_stake=cost,
                currency=currency,
                owner=owner,
            )
