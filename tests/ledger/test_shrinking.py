"""A bill that falls, or costs nothing: it does not count until somebody says that it is right."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import permutations

import pytest
from ledger_builder import Bill, bill, charge, ingest

from attribution.ledger import Ledger
from schemas.bills import BillKey

KEY = BillKey("meridian", "acct-1", charge("1")["BillingPeriodStart"].date())


def of(path: str, *costs: str, shrink: str = "0.2", **more: object) -> Bill:
    return bill(path, *(charge(cost) for cost in costs), shrink=shrink, **more)


def snapshot(path: str, *costs: str, **more: object) -> Bill:
    return of(path, *costs, mode="snapshot", **more)


def total(ledger: Ledger) -> str:
    return str(sum(ledger.frame("SELECT BilledCost FROM charges").to_series(), Decimal(0)).normalize())


Pair = tuple[Bill, Bill]
WAYS: dict[str, Callable[[tuple[str, ...], tuple[str, ...]], Pair]] = {
    "overwritten, nothing stated": lambda a, b: (of("a.csv", *a), of("a.csv", *b)),
    "overwritten snapshot": lambda a, b: (snapshot("a.csv", *a), snapshot("a.csv", *b)),
    "later run": lambda a, b: (snapshot("a.csv", *a), snapshot("b.csv", *b)),
    "order of paths": lambda a, b: (snapshot("a.csv", *a, order_key="1"), snapshot("b.csv", *b, order_key="2")),
    "overwritten part": lambda a, b: (of("a.csv", *a, mode="parts"), of("a.csv", *b, mode="parts")),
    "manifest": lambda a, b: (snapshot("a.csv", *a, current=True), snapshot("b.csv", *b, current=True)),
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Callable[[tuple[str, ...], tuple[str, ...]], Pair]:
    return WAYS[request.param]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (("50", "50"), ("79.9",), "from 2 rows to 1 and from BilledCost 100 USD to 79.9"),
        (("50", "50"), ("1", "1", "77.9"), "from BilledCost 100 USD to 79.9, more than the 20 %"),
        (("1", "1", "1", "1"), ("2", "2"), "from 4 rows to 2, more than the 20 %"),
        (("5", "-5", "7"), ("7",), "from 3 rows to 1, more"),
    ],
)
def test_a_bill_that_falls_is_asked_about_once(
    ledger: Ledger,
    way: Callable[..., Pair],
    before: tuple[str, ...],
    after: tuple[str, ...],
    told: str,
) -> None:
    old, new = way(before, after)
    ingest(ledger, old)
    counted = ledger.bills()
    found = (new,) if old.path == new.path else (old, new)
    for _ in range(2):
        settled = ingest(ledger, *found)
        assert [one.name for one in settled.held_back] == [new.path]
        assert settled.held_back[0].kind == "delivery_shrank"
        assert told in settled.held_back[0].reason
        assert "--accept-shrink meridian" in settled.held_back[0].reason
        assert settled.revised == ()
        assert ledger.bills().equals(counted)
    assert ingest(ledger, *found, accept=["other"]).revised == ()
    accepted = ingest(ledger, *found, accept=["meridian"])
    assert (accepted.revised, accepted.held_back) == ((KEY,), ())
    assert ledger.bills().get_column("rows").to_list() == [len(after)]
    again = ingest(ledger, *found)
    assert (again.revised, again.held_back) == ((), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [(("50", "50"), ("80", "0")), (("-5",), ("-50",)), (("0",), ("-1",)), (("1",), ("9", "9"))],
)
def test_what_grows_or_falls_a_little_just_counts(
    ledger: Ledger, way: Callable[..., Pair], before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    old, new = way(before, after)
    ingest(ledger, old)
    settled = ingest(ledger, *((new,) if old.path == new.path else (old, new)))
    assert (settled.held_back, settled.revised) == ((), (KEY,))


def test_a_longer_one_after_it_counts_and_nobody_is_asked_any_more(ledger: Ledger) -> None:
    first, short, whole = (snapshot(f"{name}.csv", *costs) for name, costs in
                           (("a", ("1", "2")), ("b", ("1",)), ("c", ("1", "2", "3"))))  # fmt: skip
    ingest(ledger, first)
    assert len(ingest(ledger, first, short).held_back) == 1
    assert ingest(ledger, first, short, whole).held_back == ()
    assert total(ledger) == "6"


def test_the_place_of_a_short_one_takes_the_mended_one(ledger: Ledger) -> None:
    ingest(ledger, of("a.csv", "1", "2"))
    ingest(ledger, of("a.csv", "1"))
    assert len(ingest(ledger, of("a.csv", "2")).held_back) == 1
    assert ingest(ledger, of("a.csv", "1", "2.5")).held_back == ()
    assert total(ledger) == "3.5"


def test_beside_a_short_part_the_other_parts_are_taken(ledger: Ledger) -> None:
    parts = [of("a.csv", "1", "2", mode="parts"), of("b.csv", "4", mode="parts")]
    ingest(ledger, *parts)
    settled = ingest(ledger, of("a.csv", "1", mode="parts"), parts[1], of("c.csv", "0.5", mode="parts"))
    assert [one.name for one in settled.held_back] == ["a.csv"]
    assert total(ledger) == "7.5"


def test_an_older_snapshot_does_not_come_back_in_place_of_a_short_one(ledger: Ledger) -> None:
    old = snapshot("old.csv", "9", "9", "9")
    ingest(ledger, old)
    ingest(ledger, old, snapshot("latest.csv", "9", "9", "10"))
    assert len(ingest(ledger, old, snapshot("latest.csv", "1")).held_back) == 1
    assert total(ledger) == "28"


def test_a_file_that_speaks_of_another_month_does_not_empty_the_bill(ledger: Ledger) -> None:
    ingest(ledger, of("latest.csv", "1"))
    november = bill("latest.csv", charge("1", month="2026-11", day="2026-11-02"), shrink="0.2")
    (held,) = ingest(ledger, november).held_back
    assert "bill 2026-09 of billing account acct-1 would fall from 1 rows to 0" in held.reason
    assert total(ledger) == "1"


def test_a_file_with_a_header_only_empties_nothing(ledger: Ledger) -> None:
    ingest(ledger, of("a.csv", "1"))
    (held,) = ingest(ledger, Bill("a.csv", (), shrink="0.2")).held_back
    assert "from BilledCost 1 USD to 0" in held.reason
    assert total(ledger) == "1"


def test_another_currency_is_a_fall_of_the_first(ledger: Ledger) -> None:
    ingest(ledger, of("a.csv", "1"))
    euros = bill("a.csv", charge("1", BillingCurrency="EUR"), shrink="0.2")
    (held,) = ingest(ledger, euros).held_back
    assert "from BilledCost 1 USD to 0" in held.reason


def test_effective_cost_that_falls_alone_is_asked_about_and_an_unknown_one_has_not_fallen(ledger: Ledger) -> None:
    def spread(effective: str | None) -> Bill:
        rows = [charge("50"), charge("50", EffectiveCost=None if effective is None else Decimal(effective))]
        return bill("a.csv", *rows, shrink="0.2")

    ingest(ledger, spread("120"))
    (held,) = ingest(ledger, spread("30")).held_back
    assert (held.kind, "from EffectiveCost 170 USD to 80, more" in held.reason) == ("delivery_shrank", True)
    assert "BilledCost" not in held.reason
    unknown = bill("a.csv", *(charge(cost, EffectiveCost=None) for cost in ("50", "50")), shrink="0.2")
    assert ingest(ledger, unknown).held_back == ()


def test_a_source_may_allow_any_fall(ledger: Ledger) -> None:
    ingest(ledger, of("a.csv", "1", "2"))
    assert ingest(ledger, of("a.csv", "1", shrink="1")).held_back == ()
    assert ingest(ledger, of("a.csv", "-40", shrink="1")).held_back == ()


def test_a_tighter_share_asks_about_nothing_that_counts_already(ledger: Ledger) -> None:
    first, second = snapshot("a.csv", "10", shrink="0.5"), snapshot("b.csv", "6", shrink="0.5")
    ingest(ledger, first)
    ingest(ledger, first, second)
    tighter = snapshot("a.csv", "10", shrink="0.1"), snapshot("b.csv", "6", shrink="0.1")
    assert ingest(ledger, *tighter).held_back == ()
    assert total(ledger) == "6"


def test_snapshots_met_at_once_are_judged_by_the_one_before(ledger: Ledger) -> None:
    days = [snapshot(f"{n}.csv", cost, order_key=str(n)) for n, cost in enumerate(("10", "12", "3"))]
    for order in permutations(days):
        (held,) = ingest(ledger, *order).held_back
        assert held.name == "2.csv"
        assert total(ledger) == "12"


@pytest.mark.parametrize("mode", ["parts", "append"])
@pytest.mark.parametrize("month", ["2026-09", "2026-10"])
def test_a_file_in_which_all_usage_is_free_waits_for_a_word(ledger: Ledger, mode: str, month: str) -> None:
    first = of("01.csv", "40", "20", mode=mode)
    free = [charge("0", month=month, day=f"{month}-04"), charge("0", month=month, day=f"{month}-05", ListCost=None)]
    second = bill("02.csv", *free, mode=mode, shrink="0.2")
    ingest(ledger, first)
    for _ in range(2):
        (held,) = ingest(ledger, first, second).held_back
        assert (held.name, held.kind) == ("02.csv", "delivery_free")
        assert "each of its 2 rows costs zero" in held.reason
        assert ledger.frame("SELECT count(*) FROM charges").item() == 2
    mended = bill("02.csv", charge("7", month=month, day=f"{month}-04"), mode=mode, shrink="0.2")
    assert ingest(ledger, first, mended).held_back == ()
    assert total(ledger) == "67"


def test_free_usage_that_is_right_counts_from_then_on(ledger: Ledger) -> None:
    first, free = of("01.csv", "40", mode="parts"), of("02.csv", "0", mode="parts")
    assert len(ingest(ledger, first, free).held_back) == 1
    assert ingest(ledger, first, free, accept=["meridian"]).held_back == ()
    assert ingest(ledger, first, free).held_back == ()
    assert ledger.frame("SELECT count(*) FROM charges").item() == 2


@pytest.mark.parametrize(
    "rows",
    [
        [charge("0"), charge("0.000000000001")],
        [charge("5"), charge("-5")],
        [charge("0", ListCost=Decimal(2))],
        [charge("0", ConsumedQuantity=None)],
        [charge("0", BillingAccountId="acct-2")],
    ],
    ids=["one row costs", "they cancel", "a price stands there", "nothing was used", "an account that is free"],
)
def test_what_may_cost_nothing_just_counts(ledger: Ledger, rows: list[dict[str, object]]) -> None:
    first, second = of("01.csv", "40", mode="parts"), bill("02.csv", *rows, mode="parts", shrink="0.2")
    ingest(ledger, first)
    assert ingest(ledger, first, second).held_back == ()
