"""Credits of Google Cloud: each row holds a list of them, and its `cost` is before all.

Credits that are a price (committed and sustained use, discounts, a reseller's margin) belong to the cost of their row.
The others pay for usage that was had: each becomes a charge of its own, so that usage before credits can be seen.
Nothing is joined to anything else that repeats, so no amount counts twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import polars as pl

from attribution.bills.cells import read_costs, read_text
from attribution.bills.control_sums import nested_amounts
from attribution.bills.nested_cells import read_nested
from schemas.money import MONEY, add
from schemas.workspace import Source

PRICES = frozenset(
    {
        "COMMITTED_USAGE_DISCOUNT",
        "COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE",
        "FEE_UTILIZATION_OFFSET",  # the same discount on the fee's row, since Google bills covered usage at its price
        "SUSTAINED_USAGE_DISCOUNT",
        "DISCOUNT",
        "RESELLER_MARGIN",
    }
)
COMMITTED = frozenset({"COMMITTED_USAGE_DISCOUNT", "COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE"})
AMOUNT = "amount"
_FIELDS = ("type", "id", "name", "full_name")
_LINES = {"row": pl.UInt32(), **dict.fromkeys((*_FIELDS, AMOUNT), pl.String())}
# Amounts inside a list are written the same way everywhere, whatever the style of the table's own numbers.
_PLAIN = Source("", "")
_NONE = (
    pl.lit(None, dtype=MONEY).alias("ListCost"),
    pl.lit(None, dtype=MONEY).alias("ContractedCost"),
    *(
        pl.lit(None, dtype=pl.Float64).alias(name)
        for name in ("ConsumedQuantity", "PricingQuantity", "ListUnitPrice", "ContractedUnitPrice")
    ),
    *(pl.lit(None, dtype=pl.String).alias(name) for name in ("PricingCategory", "PricingUnit", "ConsumedUnit")),
)


@dataclass(frozen=True)
class Credits:
    """The credits of one raw batch.

    `lines`: one row a credit, (row, type, id, name, full_name, amount as MONEY), `row` counted from 0 in the batch.
    `unread`: mask of rows of which a credit could not be read. `residual`: what rounding cut. `lost`: readable money
    of unread rows that is in no line.
    """

    lines: pl.DataFrame
    unread: pl.Series
    residual: Decimal
    lost: Decimal

    def sum(self, lines: pl.DataFrame) -> pl.Series:
        """The sum of some of the lines for each row of the batch, zero where it has none."""
        sums = lines.group_by("row").agg(pl.col(AMOUNT).sum())
        zeros = pl.Series(AMOUNT, [Decimal(0)], dtype=MONEY).new_from_index(0, self.unread.len())
        return zeros.scatter(sums.get_column("row"), sums.get_column(AMOUNT))

    def any(self, lines: pl.DataFrame) -> pl.Series:
        """Mask of the rows that some of the lines belong to."""
        none = pl.zeros(self.unread.len(), pl.Boolean, eager=True)
        return none.scatter(lines.get_column("row"), values=True) if lines.height else none

    @property
    def prices(self) -> pl.DataFrame:
        """The lines that are part of their row's cost."""
        return self.lines.filter(_is(PRICES))

    @property
    def committed(self) -> pl.DataFrame:
        """The lines that say that a commitment covered usage."""
        return self.lines.filter(_is(COMMITTED))

    @property
    def grants(self) -> pl.DataFrame:
        """The lines that become charges; those of nothing would say nothing."""
        return self.lines.filter(~_is(PRICES) & (pl.col(AMOUNT) != 0))


def read_credits(cells: pl.Series) -> Credits:
    """Credits of a column: lists of structs, or text; each distinct text is parsed once."""
    lines, unread, lost = _of_lists(cells) if cells.dtype.is_nested() else _of_texts(cells)
    amounts, residual, bad, too_large = read_costs(lines.get_column(AMOUNT), _PLAIN)
    none = amounts.is_null()
    if none.any():
        unread = unread.scatter(lines.get_column("row").filter(none), values=True)
    kept = lines.with_columns(amounts.alias(AMOUNT)).filter(~none)
    return Credits(kept, unread, residual, add(lost, too_large if bad.any() else Decimal(0)))


def with_grants(charges: pl.DataFrame, grants: pl.DataFrame, numbers: pl.Series) -> pl.DataFrame:
    """Charges of a batch and, behind them, a charge of category Credit for each grant of a row that became one.

    Args:
        charges: of one file, one row a row of it.
        grants: lines of the batch.
        numbers: the row number of each row of the batch.
    """
    if grants.is_empty():
        return charges
    named = grants.select(
        numbers.gather(grants.get_column("row")).alias("row_number"),
        pl.col(AMOUNT),
        *(pl.col(name).alias(f"x_credit_{name}") for name in _FIELDS),
    )
    made = named.join(charges, on="row_number", maintain_order="left").with_columns(
        *_NONE,
        BilledCost=AMOUNT,
        EffectiveCost=AMOUNT,
        ChargeCategory=pl.lit("Credit"),
        ChargeFrequency=pl.lit("One-Time"),
        ChargeDescription=pl.coalesce("x_credit_full_name", "x_credit_name", "x_credit_id"),
    )
    return pl.concat([charges, made.drop(AMOUNT)], how="diagonal")


def _is(kinds: frozenset[str]) -> pl.Expr:
    return pl.col("type").is_in(sorted(kinds)).fill_null(value=False)


def _of_lists(cells: pl.Series) -> tuple[pl.DataFrame, pl.Series, Decimal]:
    long = cells.alias("credit").to_frame().with_row_index("row").drop_nulls("credit").explode("credit")
    long = long.filter(pl.col("credit").is_not_null()).unnest("credit")
    fields = [pl.col(name) if name in long.columns else pl.lit(None).alias(name) for name in (*_FIELDS, AMOUNT)]
    lines = long.select("row", *fields).cast({name: pl.String() for name in _FIELDS})
    return lines, pl.zeros(cells.len(), pl.Boolean, eager=True), Decimal(0)


def _of_texts(cells: pl.Series) -> tuple[pl.DataFrame, pl.Series, Decimal]:
    text = read_text(cells, null_words=False)
    counts = text.drop_nulls().value_counts()
    found: list[tuple[str, Any, Any, Any, Any, Any]] = []
    bad: list[str] = []
    lost = Decimal(0)
    for one, count in counts.iter_rows():
        try:
            found += [(one, *(_text(line.get(name)) for name in (*_FIELDS, AMOUNT))) for line in _listed(one)]
        except ValueError:
            bad.append(one)
            lost = add(lost, *(Decimal(amount) * count for amount in nested_amounts(one, AMOUNT)))
    schema = {"text": pl.String(), **dict.fromkeys((*_FIELDS, AMOUNT), pl.String())}
    parsed = pl.DataFrame(found, schema=schema, orient="row")
    rows = text.alias("text").to_frame().with_row_index("row")
    lines = rows.join(parsed, on="text", maintain_order="left_right").select(list(_LINES))
    return lines, text.is_in(pl.Series(bad, dtype=pl.String).implode()).fill_null(value=False), lost


def _listed(text: str) -> list[dict[str, Any]]:
    found = read_nested(text)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        message = "no list of credits"
        raise ValueError(message)
    return found


def _text(value: object) -> str | None:
    return None if value is None or value == "" else str(value)
