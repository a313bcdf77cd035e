"""Resources whose money nobody owns: billed, with neither a project nor an owner known."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.candidates import as_frame
from attribution.detection.waste.billing import billing
from attribution.detection.waste.inputs import Explanation, Thresholds, WasteInputs
from attribution.detection.wording import amount

if TYPE_CHECKING:
    import polars as pl

NAME = "untagged_resource"
NEEDS: tuple[str, ...] = ("resources_cost",)
THRESHOLDS = {"minimum": Decimal(1), "top": Decimal(100)}
EXPLANATION = Explanation(
    meaning="In the last complete month all of the resource's cost is unallocated, by project and by owner.",
    source="FinOps Foundation, capability Allocation: cost that carries no metadata.",
    action="Tag the resource in the register, or write a rule that names its account or service.",
    risk="None for running systems.",
)


def detect(inputs: WasteInputs, thresholds: Thresholds) -> pl.DataFrame:
    """Findings of the dearest such resources, at most `top` in each currency."""
    bills = [
        (bill.stake, bill)
        for same in billing(inputs).values()
        for bill in same
        if bill.unallocated and bill.stake is not None and bill.stake >= thresholds["minimum"]
    ]
    bills.sort(key=lambda one: (-one[0], one[1].resource))
    found, taken = [], Counter[str]()
    for stake, bill in bills:
        taken[bill.currency] += 1
        if taken[bill.currency] <= thresholds["top"]:
            what = f" ({bill.what})" if bill.what else ""
            evidence = (
                f"{amount(stake)} {bill.currency} in {bill.month:%Y-%m}{what} with neither project nor owner; "
                f"no rule, tag, parent or account names one."
            )
            found.append(bill.finding(NAME, evidence, "high"))
    return as_frame(found)
