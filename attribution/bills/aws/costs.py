"""What each line of an AWS report is worth: the rules by line item type that make the four costs."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.bills.aws.columns import NETS, Columns
from attribution.bills.cells import read_costs, read_text
from attribution.bills.charge_rows import Reading
from schemas.money import MONEY, sum_exactly

COVERED, _NEGATION = "SavingsPlanCoveredUsage", "SavingsPlanNegation"
_PAID_ELSEWHERE = ("SavingsPlanRecurringFee", "SavingsPlanUpfrontFee", "RIFee")
_ZERO = Decimal(0)


def read_line_costs(reading: Reading, columns: Columns, line_type: pl.Series, part: pl.Series) -> dict[str, pl.Series]:
    """The four costs; returns the raw money that the splitting of fees needs, under `__` names.

    `part`: lines of tasks and pods, whose cost stands on the line of their machine and counts there.
    """
    cells = columns.text(reading.rows.frame, *NETS["BilledCost"])
    billed, residual, bad, too_large = read_costs(cells, reading.source)
    for raw in columns.present(NETS["BilledCost"]):
        here = bad & columns.text(reading.rows.frame, raw).is_not_null()
        reading.fail(here, raw, "a plain number", cells, required=True)
        bad &= ~here
    reading.residual["BilledCost"], reading.rejected["BilledCost"] = residual, too_large
    billed = _of_parts(reading, billed, part & cells.is_null(), part)
    reading.as_billed["BilledCost"] = billed
    listed = _money(reading, columns, "ListCost", None)
    frame = pl.DataFrame(
        {
            "type": line_type,
            "part": part,
            "billed": billed,
            "listed": listed,
            "contracted": _contracted(reading, columns, listed),
            "plan": _money(reading, columns, "savings plan", line_type == COVERED),
            "reservation": _money(reading, columns, "reservation", line_type == "DiscountedUsage"),
            "reserved": reading.columns["CommitmentDiscountId"].is_not_null(),
            "quantity": reading.columns["ConsumedQuantity"],
            "unit": reading.columns["ConsumedUnit"],
            "category": reading.columns["ChargeCategory"],
        }
    )
    done = frame.select(**_cost_rules(), **_quantity_rules())
    reading.columns |= {name: done.get_column(name) for name in done.columns}
    return {
        "__commitment": _money(reading, columns, "commitment", line_type == "SavingsPlanRecurringFee"),
        "__used": _money(reading, columns, "used commitment", line_type == "SavingsPlanRecurringFee"),
        "__unused_upfront": _money(reading, columns, "unused upfront", line_type == "RIFee"),
        "__unused_recurring": _money(reading, columns, "unused recurring", line_type == "RIFee"),
    }


def _of_parts(reading: Reading, billed: pl.Series, blank: pl.Series, part: pl.Series) -> pl.Series:
    """Lines of tasks and pods have no cost of their own; should they have one after all, it is kept, and told."""
    own = sum_exactly(billed.filter(part))
    if own:
        what = "lines of tasks and pods have a cost of their own beside their machine's; both are in the total"
        reading.tell("split_cost_billed", what, amount=own)
    return billed.set(blank, _ZERO) if blank.any() else billed


def _contracted(reading: Reading, columns: Columns, listed: pl.Series) -> pl.Series:
    """List cost less what was negotiated, where the line tells it; unknown elsewhere.

    A line without net cost has no negotiated discount. One whose own cost is the list cost has its net cost as
    contracted cost. Of others (tiers, reservations) nothing says which part of the difference was negotiated.
    """
    discounted = _discounts_without_net(reading, columns)
    if columns.find(NETS["net"][0]) is None:
        return listed if discounted is None else listed.set(discounted, None)
    net, _, _, _ = read_costs(columns.text(reading.rows.frame, *NETS["net"]), reading.source)
    cost, _, _, _ = read_costs(columns.text(reading.rows.frame, *NETS["unblended"]), reading.source)
    negotiated = net.is_not_null()
    at_list_price = (cost == listed).fill_null(value=False)
    return listed.set(negotiated, None).zip_with(~(negotiated & at_list_price), net)


def _discounts_without_net(reading: Reading, columns: Columns) -> pl.Series | None:
    """Lines with a discount that their cost does not show, since the report was made without the net column."""
    if columns.find(NETS["net"][0]):
        return None
    nothing = pl.Series(["0", "0.0", "-0.0"]).implode()
    filled = [read_text(reading.rows.frame.get_column(name), null_words=False) for name in columns.discounts()]
    masks = [cells.is_not_null() & ~cells.is_in(nothing).fill_null(value=True) for cells in filled]
    if not any(mask.any() for mask in masks):
        return None
    name = columns.spelled(NETS["net"][0])
    what = f"lines have discounts and the report has no {name}: what was billed is before these discounts"
    amount = sum_exactly(_money(reading, columns, "discount", None))
    reading.tell("net_cost_missing", what, amount=amount or None)
    frame = pl.DataFrame({str(at): mask for at, mask in enumerate(masks)})
    return frame.select(pl.any_horizontal(pl.all())).to_series()


def _cost_rules() -> dict[str, pl.Expr]:
    """What each line item type is worth; contracted cost is list cost less what was negotiated."""
    kind, zero = pl.col("type"), pl.lit(_ZERO, dtype=MONEY)
    negation = kind == _NEGATION
    paid_elsewhere = kind.is_in(_PAID_ELSEWHERE) | ((kind == "Fee") & pl.col("reserved"))
    cancels = kind.is_in([COVERED, _NEGATION]) & pl.col("billed").is_not_null()
    elsewhere = negation | pl.col("part")
    return {
        "BilledCost": pl.when(cancels).then(zero).otherwise("billed"),
        "EffectiveCost": pl.when("part")
        .then("billed")
        .when(kind == COVERED)
        .then("plan")
        .when(negation | paid_elsewhere)
        .then(zero)
        .when(kind == "DiscountedUsage")
        .then("reservation")
        .otherwise("billed"),
        "ListCost": pl.when(elsewhere).then(zero).otherwise("listed"),
        "ContractedCost": pl.when(elsewhere).then(zero).otherwise("contracted"),
    }


def _quantity_rules() -> dict[str, pl.Expr]:
    """Every line has a priced quantity, usage alone a consumed one; a negation has none of anything."""
    quantity = pl.when(pl.col("type") == _NEGATION).then(0.0).otherwise("quantity")
    used = pl.col("category") == "Usage"
    return {
        "PricingQuantity": quantity,
        "PricingUnit": pl.col("unit"),
        "ConsumedQuantity": pl.when(used).then(quantity),
        "ConsumedUnit": pl.when(used).then("unit"),
    }


def net_out(reading: Reading, line_type: pl.Series) -> None:
    """What covered usage and its negation were billed: they cancel, and neither is in a charge."""
    cancelled = line_type.is_in([COVERED, _NEGATION]) & ~reading.refusals.bad
    reading.netted["BilledCost"] = sum_exactly(reading.as_billed["BilledCost"].filter(cancelled))


def _money(reading: Reading, columns: Columns, what: str, where: pl.Series | None) -> pl.Series:
    """An optional amount, read only where it means something; unreadable cells are told and unknown."""
    cells = columns.text(reading.rows.frame, *NETS[what])
    if where is not None:
        cells = cells.set(~where, None)
    if cells.null_count() == cells.len():
        return reading.nulls(MONEY)
    amounts, _, bad, _ = read_costs(cells, reading.source)
    reading.fail(bad, columns.present(NETS[what])[0], "a plain number", cells, required=False)
    return amounts
