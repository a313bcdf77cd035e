"""Fees of AWS commitments as two charges: the purchase, and what of it nobody used.

Where the export leaves the commitment columns blank, the unused part is the fee less the effective cost of the usage
it covered in the billing period: by plan where the ARN tells, else by payer account, never below zero. That is known
only at the end of the delivery, so those rows come last.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import polars as pl

from schemas.bills import Batch, Notice
from schemas.charges import CHARGE_COLUMNS
from schemas.money import MONEY, add, from_units, shortest, split_units, sum_exactly, to_units

_ASIDE = "__"
_KEYS = ("BillingAccountId", "BillingPeriodStart", "BillingCurrency")
_ZERO = Decimal(0)
# A bill (account, period, currency) and the ARN of a plan, where the rows tell it.
_Plan = tuple[tuple[object, ...], str | None]


class Commitments:
    """What one delivery says of its savings plans and reservations, gathered over its batches."""

    def __init__(self) -> None:
        self._covered: dict[_Plan, Decimal] = {}
        self._unknown: set[_Plan] = set()
        self._fees: list[pl.DataFrame] = []

    def split_fees(self, batch: Batch) -> Batch:
        """A batch with the unused parts that its rows state; fees that do not state theirs are kept in mind."""
        charges = batch.charges
        line_type = pl.col("x_LineItemType")
        self._cover(charges.filter(line_type == "SavingsPlanCoveredUsage"), "EffectiveCost", 1)
        plans = charges.filter(line_type == "SavingsPlanRecurringFee")
        states = pl.col("__commitment").is_not_null() & pl.col("__used").is_not_null()
        stating = plans.filter(states).with_columns(unused=pl.col("__commitment") - pl.col("__used"))
        self._cover(stating, "__used", -1)
        if stating.height < plans.height:
            self._fees.append(plans.filter(~states))
        reserved = charges.filter(line_type == "RIFee")
        parts = [pl.col("__unused_upfront"), pl.col("__unused_recurring")]
        telling = reserved.filter(pl.any_horizontal(part.is_not_null() for part in parts))
        telling = telling.with_columns(unused=parts[0].fill_null(_ZERO) + parts[1].fill_null(_ZERO))
        silent = reserved.height - telling.height
        if silent:
            what = f"{silent} reservation fees do not say what was unused; that part of their effective cost is unknown"
            batch.notices.append(Notice("unused_commitment_unknown", next(iter(batch.files.values())), what))
        unused = [_as_unused(fees.filter(pl.col("unused") > 0)) for fees in (stating, telling)]
        return replace(batch, charges=pl.concat([_without_asides(charges), *unused]))

    def waits_for(self, file_id: str) -> bool:
        """Whether a fee of that file is still to be split."""
        return any((fees.get_column("file_id") == file_id).any() for fees in self._fees)

    def derive(self) -> tuple[pl.DataFrame, list[Notice]]:
        """The unused charges of fees that did not state theirs, and a notice for each commitment."""
        made: list[pl.DataFrame] = [pl.DataFrame(schema=CHARGE_COLUMNS)]
        notices: list[Notice] = []
        if self._fees:
            fees = pl.concat(self._fees, how="diagonal")
            by_plan = fees.partition_by(*_KEYS, "CommitmentDiscountId", maintain_order=True)
            own = {_plan_of(rows) for rows in by_plan}
            for rows in by_plan:
                unused, notice = self._derive(rows, own)
                made.append(unused)
                notices.append(notice)
        return pl.concat(made, how="diagonal"), notices

    def _cover(self, rows: pl.DataFrame, amount: str, sign: int) -> None:
        """Add (or take back) usage covered by each plan."""
        for group in rows.partition_by(*_KEYS, "CommitmentDiscountId"):
            plan, amounts = _plan_of(group), group.get_column(amount)
            self._covered[plan] = add(self._covered.get(plan, _ZERO), sign * sum_exactly(amounts))
            if amounts.null_count():
                self._unknown.add(plan)

    def _derive(self, fees: pl.DataFrame, own: set[_Plan]) -> tuple[pl.DataFrame, Notice]:
        bill, arn = _plan_of(fees)
        # A fee without an ARN covers all usage of its bill but that of plans which have fees of their own.
        plans = [
            plan
            for plan in self._covered
            if plan[0] == bill and (plan[1] == arn if arn else plan == (bill, arn) or plan not in own)
        ]
        fee = sum_exactly(fees.get_column("BilledCost"))
        covered = add(*(self._covered[plan] for plan in plans))
        known = not any(plan in self._unknown for plan in plans)
        # What nobody used is no more than what was paid, whatever corrections the usage has.
        unused = max(min(add(fee, -covered), fee), _ZERO) if known else None
        shares: list[int | None] = [None if unused is None else 0] * fees.height
        if unused:
            weights = [to_units(amount) for amount in fees.get_column("BilledCost").to_list()]
            shares = list(split_units(to_units(unused), weights))
        split = fees.with_columns(from_units(shares, "unused"))
        what = (
            "the report leaves the commitment columns blank; "
            f"unused {'unknown' if unused is None else shortest(unused)} = fee {shortest(fee)} "
            f"less effective cost {shortest(covered)} of the usage it covered"
        )
        subject = f"{arn or bill[0]} in {bill[1]:%Y-%m}"
        notice = Notice("unused_commitment_derived", subject, what, unused, str(bill[2]))
        return _as_unused(split.filter(pl.col("unused").is_null() | (pl.col("unused") > 0))), notice


def _plan_of(rows: pl.DataFrame) -> _Plan:
    *bill, arn = rows.select(*_KEYS, "CommitmentDiscountId").row(0)
    return tuple(bill), arn


def _without_asides(charges: pl.DataFrame) -> pl.DataFrame:
    return charges.drop([name for name in charges.columns if name.startswith(_ASIDE)])


def _as_unused(fees: pl.DataFrame) -> pl.DataFrame:
    """The usage charge of what a fee paid and nobody used; its amount stands in `unused`."""
    nothing = pl.lit(None)
    rows = fees.with_columns(
        BilledCost=pl.lit(_ZERO, dtype=MONEY),
        EffectiveCost=pl.col("unused").cast(MONEY),
        ListCost=nothing.cast(MONEY),
        ContractedCost=nothing.cast(MONEY),
        ChargeCategory=pl.lit("Usage"),
        CommitmentDiscountStatus=pl.lit("Unused"),
        PricingCategory=pl.lit("Committed"),
        PricingQuantity=nothing.cast(pl.Float64),
        ConsumedQuantity=nothing.cast(pl.Float64),
        ListUnitPrice=nothing.cast(pl.Float64),
    ).drop("unused")
    return _without_asides(rows)
