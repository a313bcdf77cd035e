"""Actual and amortized cost of one period as one bill, without joining rows, which have no keys.

What commitments cover is taken from the amortized file, all else from the actual one:

    row                                     from        BilledCost  EffectiveCost
    usage and purchases of no commitment    actual      its cost    its cost
    purchases and refunds of commitments    actual      its cost    0
    usage that a commitment covered         amortized   0           its cost
    what nobody used of a commitment        amortized   0           its cost

Both files hold the rows of the first line, and an actual file holds those of the third, at no cost; each is one
charge. So the billed costs sum to the actual file, exactly, and the effective ones to the amortized file, but for what
the two tell differently of the first line: that is measured, and told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

import polars as pl

from attribution.bills.azure.mapping import committed
from schemas.bills import Batch, Notice
from schemas.faults import Fault, InputError
from schemas.money import MONEY, add, add_money, shortest, sum_exactly

_KEYS = ("BillingAccountId", "BillingPeriodStart", "BillingCurrency")
_COLUMNS = ("BilledCost", "EffectiveCost", "CommitmentDiscountStatus")
_Key = tuple[object, ...]
_ZERO = Decimal(0)


@dataclass
class _Sums:
    """Of one bill: money of no commitment on both sides, covered rows on both sides, commitments bought and spread."""

    actual: Decimal = _ZERO
    amortized: Decimal = _ZERO
    covered: int = 0
    spread: int = 0
    bought: Decimal = _ZERO
    commitments: int = 0


@dataclass
class Balance:
    """What the two sides of a delivery say, gathered batch by batch.

    Args:
        paired: whether both sides are there; a side alone keeps all its rows.
        told: whether something says that the actual side is that.
    """

    paired: bool
    told: bool = True
    _sums: dict[_Key, _Sums] = field(default_factory=lambda: defaultdict(_Sums))

    def actual(self, batch: Batch) -> Batch:
        """Charges of the actual file: without covered usage where the amortized file tells what that cost.

        Raises:
            InputError: the rows are those of an amortized file.
        """
        charges = batch.charges
        of, used = committed(charges), charges.get_column("CommitmentDiscountStatus")
        covered, nothing = used.is_not_null(), charges.get_column("BilledCost") == _ZERO
        signs = used == "Unused" if self.told else covered & ~nothing
        _refuse_amortized(batch, signs.fill_null(value=False))
        for key, rows in _by_bill(charges, of):
            sums = self._sums[key]
            sums.commitments += rows.height
            sums.covered += rows.filter(pl.col("CommitmentDiscountStatus").is_not_null()).height
            sums.bought = add(sums.bought, sum_exactly(rows.get_column("BilledCost")))
        for key, rows in _by_bill(charges, ~of):
            self._sums[key].actual = add(self._sums[key].actual, sum_exactly(rows.get_column("EffectiveCost")))
        if not self.paired:
            return batch
        effective = pl.when(covered).then(pl.lit(_ZERO, MONEY)).otherwise(pl.col("EffectiveCost"))
        kept = charges.with_columns(EffectiveCost=effective).filter(~(covered & nothing))
        # The effective costs of this side stand for those of the other, which is the one that states them.
        return _netting(batch, kept, -sum_exactly(kept.get_column("EffectiveCost")))

    def amortized(self, batch: Batch) -> Batch:
        """Charges of the amortized file: those of commitments alone where the actual file has the others."""
        charges = batch.charges
        of = committed(charges)
        for key, rows in _by_bill(charges, of):
            sums = self._sums[key]
            sums.commitments += rows.height
            sums.spread += rows.filter(CommitmentDiscountStatus="Used").height
        for key, rows in _by_bill(charges, ~of):
            self._sums[key].amortized = add(self._sums[key].amortized, sum_exactly(rows.get_column("EffectiveCost")))
        if not self.paired:
            return batch
        return _netting(batch, charges.filter(of), sum_exactly(charges.filter(~of).get_column("EffectiveCost")))

    def notices(self, tell: Callable[[_Key, _Sums], Notice | None]) -> list[Notice]:
        """What there is to tell of each bill."""
        told = [tell(key, sums) for key, sums in sorted(self._sums.items(), key=lambda item: str(item[0]))]
        return [notice for notice in told if notice]


def differing(key: _Key, sums: _Sums) -> Notice | None:
    """Of a pair: what the two files tell differently."""
    apart = add(sums.amortized, -sums.actual)
    if not apart and sums.covered == sums.spread:
        return None
    what = (
        "actual and amortized cost are not of the same moment: without commitments they sum to "
        f"{shortest(sums.actual)} and {shortest(sums.amortized)}, and commitments cover {sums.covered} and "
        f"{sums.spread} rows; what no commitment covers is as the actual file has it"
    )
    return _notice("azure_exports_differ", key, what, apart)


def lacking_amortized(key: _Key, sums: _Sums) -> Notice | None:
    """Of an actual file alone: what its effective cost lacks."""
    if not sums.commitments:
        return None
    what = (
        f"no amortized file: effective cost lacks what {sums.commitments} rows of commitments come to; "
        f"{shortest(sums.bought)} was billed for them"
    )
    return _notice("azure_amortized_missing", key, what, sums.bought)


def lacking_actual(key: _Key, sums: _Sums) -> Notice | None:
    """Of an amortized file alone: what its billed cost lacks."""
    if not sums.commitments:
        return None
    what = "no actual file: billed cost lacks the purchases of commitments, so it is not the invoice's"
    return _notice("azure_actual_missing", key, what, None)


def _notice(kind: str, key: _Key, what: str, amount: Decimal | None) -> Notice:
    account, start, currency = key
    return Notice(kind, f"{account} in {start:%Y-%m}", what, amount, str(currency))


def _by_bill(charges: pl.DataFrame, mask: pl.Series) -> list[tuple[_Key, pl.DataFrame]]:
    return list(charges.select(*_KEYS, *_COLUMNS).filter(mask).group_by(*_KEYS, maintain_order=True))


def _netting(batch: Batch, kept: pl.DataFrame, cancelled: Decimal) -> Batch:
    netted = dict(batch.netted)
    add_money(netted, {"EffectiveCost": cancelled})
    # With a residual the column is one that the delivery states, so that money of refused rows is counted in it.
    return replace(batch, charges=kept, netted=netted, residual={"EffectiveCost": _ZERO} | batch.residual)


def _refuse_amortized(batch: Batch, signs: pl.Series) -> None:
    rows = batch.charges.filter(signs)
    if rows.is_empty():
        return
    file = rows.item(0, "file_id")
    line = batch.line_of(file, [rows.item(0, "row_number")])[0]
    what = f"it is taken for actual cost, but line {line} is commitment as only amortized files have it"
    hint = 'Put it into a folder named "amortized", or deliver it with its manifest.'
    raise InputError(Fault(batch.files[file], what, hint=hint))
