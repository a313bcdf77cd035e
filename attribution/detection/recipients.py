"""Recipients of reports whose money nobody has, most often a mistyped name; and money of owners who left."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.wording import amount
from schemas.faults import suggest
from schemas.money import known_sum


def unknown_recipients(recipients: Collection[str], owners: Collection[str]) -> pl.DataFrame:
    """Report each name in [report.recipients] that no cost has as its owner.

    Args:
        recipients: the names, without that of the report for all.
        owners: every owner of a cost.
    """
    return together(
        as_frame(
            Finding(
                kind="recipient_without_cost",
                subject=f"owner={name}",
                evidence=f"No cost has the owner {name} of [report.recipients]. {suggest(name, owners)}".strip(),
            )
            for name in recipients
            if name not in owners
        )
    )


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
