"""One bill that came in by two sources: a provider's own export and its FOCUS export, say. Both count, so it shows.

The surprise: two sources may rightly share a billing account, by project or region; only where they bill about the same
is it likely one bill.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.wording import amount, month
from schemas.money import EXACT, known_sum

if TYPE_CHECKING:
    import polars as pl

KIND = "bill_in_two_sources"
ALIKE = Decimal("0.01")
"""Apart by up to this share of the larger one, two bills are likely one: exports differ by rounding and late rows."""

_BILL = ["BillingAccountId", "billing_month", "BillingCurrency"]


def bills_in_two_sources(billed: pl.DataFrame) -> pl.DataFrame:
    """Report each account and month that two sources bill alike.

    Args:
        billed: BILLED_COLUMNS of the bills that count.

    Returns:
        Findings with the subject `<account> in YYYY-MM: <source> and <source>`; at stake is the smaller bill.
    """
    sums = billed.group_by("source", *_BILL).agg(known_sum("BilledCost")).drop_nulls("BilledCost")
    found = []
    for _, bills in sums.sort("source").group_by(_BILL, maintain_order=True):
        for one, other in combinations(bills.to_dicts(), 2):
            first, second = one["BilledCost"], other["BilledCost"]
            sizes = (first.copy_abs(), second.copy_abs())
            if not first or abs(EXACT.subtract(first, second)) > EXACT.multiply(ALIKE, max(sizes)):
                continue
            account, billed_in, currency = (one[name] for name in _BILL)
            found.append(
                Finding(
                    kind=KIND,
                    subject=f"{account} in {billed_in:%Y-%m}: {one['source']} and {other['source']}",
                    evidence=f"{one['source']} bills {amount(first)} {currency} and {other['source']} "
                    f"{amount(second)} {currency} for account {account} in {month(billed_in)}: if that is one bill, it "
                    "counts twice. Take one of the two out of attribution.toml.",
                    confidence="medium",
                    cost_at_stake=min(sizes),
                    currency=currency,
                    month=billed_in,
                )
            )
    return together(as_frame(found))
