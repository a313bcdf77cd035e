"""The laws over own costs: whatever the files hold, stored, cut and rejected make their sum, and costs are charges.

All sums are made here, in decimals, from the rows as drawn; files and rows in another order publish the same.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from laws_kit import EXACT, pick, published, run_night, sums, total
from laws_worlds import COSTS, Bill, Charge, World, write
from laws_worlds import MONTHS as DAYS

if TYPE_CHECKING:
    import pytest

HEADER = ("period", "cost_element", "amount", "currency", "description", "project", "owner", "private")
MONTHS = ("2026-08", "2026-09", "2026-10")
ELEMENTS = ("labour", "Data", "OPERATIONS", "compute")
AMOUNTS = ("0", "-3.5", "1e3", "0.0000000000005", "0.0000000000015", "99999999.999999999999", "-1.23456789012345678")
FAULTS = (("period", "2026-13"), ("cost_element", "people"), ("amount", "12,5x"), ("amount", ""), ("currency", "usd"))
UNIT = Decimal("1e-12")


@dataclass(frozen=True)
class Own:
    """One row; `fault` is a cell that must cost it its place."""

    month: str
    element: str
    amount: str
    currency: str
    project: str
    private: bool
    fault: tuple[str, str] | None

    def cells(self) -> tuple[str, ...]:
        """The row as written."""
        cells = (self.month, self.element, self.amount, self.currency, "work", self.project, "", str(self.private))
        told = dict(zip(HEADER, cells, strict=True)) | dict([self.fault] if self.fault else [])
        return tuple(told.values())

    @property
    def number(self) -> Decimal:
        """What the amount adds to the file's sum."""
        cell = self.cells()[2]
        return Decimal(cell) if cell not in ("12,5x", "") else Decimal(0)


OWN = st.builds(
    Own,
    st.sampled_from(MONTHS),
    st.sampled_from(ELEMENTS),
    st.decimals(-5000, 5000, places=6).map(str) | st.sampled_from(AMOUNTS),
    st.sampled_from(("USD", "USD", "EUR")),
    st.sampled_from(("", "platform", "Atlas_7B", "zephyr")),
    st.booleans(),
    st.sampled_from((*(None,) * 12, *FAULTS)),
)
FILES = st.lists(st.lists(OWN, min_size=1, max_size=8).map(tuple), min_size=1, max_size=2, unique=True)
COMPANY = World(
    (
        Bill(
            "aws/a.csv",
            tuple(
                Charge("000000000042", month, month, 24, "i-1", "Compute", "Usage", "USD", ("5",) * 4, tags)  # type: ignore[arg-type]
                for month in DAYS
                for tags in ((("project", "atlas-7b"),), (("project", "platform"),))
            ),
        ),
    )
)


def folder(root: Path, files: list[tuple[Own, ...]]) -> Path:
    """A small company with these files of own costs, run for a night; its store."""
    write(COMPANY, root)
    text = (root / "attribution.toml").read_text(encoding="utf-8")
    (root / "attribution.toml").write_text(text.replace("[inputs]", '[inputs]\nown_costs = "own_costs/*"'), "utf-8")
    (root / "own_costs").mkdir()
    for number, found in enumerate(files):
        sink = io.StringIO()
        csv.writer(sink).writerows([HEADER, *(one.cells() for one in found)])
        (root / "own_costs" / f"{number}.csv").write_text(sink.getvalue(), "utf-8")
    return run_night(root)


@seed(20261130)
@settings(
    max_examples=5,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate,),
)
@given(files=FILES)
def test_own_costs_are_conserved_and_in_any_order_the_same(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[Own, ...]]
) -> None:
    store = folder(tmp_path_factory.mktemp("own"), files)
    here = "source = 'own_costs'"
    key = "bill_id, billing_month, BillingCurrency"
    assert sums(store, key, "costs", here) == sums(store, key, "charges", here)

    expected: dict[tuple[str, ...], Decimal] = defaultdict(Decimal)
    for one in (one for found in files for one in found if one.fault is None):
        place = (one.month, one.element.lower(), one.currency, str(one.private))
        expected[place] = EXACT.add(expected[place], one.number.quantize(UNIT))
    grain = "strftime(billing_month, '%Y-%m'), SkuMeter, BillingCurrency, if(row_number IS NULL, 'True', 'False')"
    assert sums(store, grain, "charges", here) == {place: (amount,) * 4 for place, amount in expected.items()}
    private = {(number, place) for number, found in enumerate(files) for place in summed(found)}
    assert len(pick(store, "file", "charges", f"{here} AND row_number IS NULL")) == len(private)

    for number, found in enumerate(files):
        name = f"name = 'own_costs/{number}.csv'"
        told = pick(store, "cost_column, stated, stored, residual, rejected", "bill_deliveries", name)
        assert [cost for cost, *_ in told] == list(COSTS)
        raw = total([Decimal(0), *(one.number for one in found)])
        for _, stated, *pieces in told:
            assert Decimal(stated) == raw == total(Decimal(one or 0) for one in pieces)

    turned = [tuple(reversed(found)) for found in reversed(files)]
    other = folder(tmp_path_factory.mktemp("own"), turned)
    names = ("file", "file_id", "row_number", "bill_id", "digest", "files", "line", "name", "delivery_digest")
    views = published(store, without=names), published(other, without=names)
    for view in ("charges", "costs", "monthly_costs", "rejects", "reconciliation"):
        assert views[0][view] == views[1][view], view


def summed(found: tuple[Own, ...]) -> set[tuple[str, str, str]]:
    """Sums that the private rows of a file must become."""
    return {(one.month, one.element.lower(), one.currency) for one in found if one.private and one.fault is None}
