"""Which revisions keep their charges: what counts, the first, the last ones of an open month, what was reported."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from ledger_builder import AS_OF, Bill, bill, charge, content, costs_of, ingest, post, start

from attribution.ledger import Ledger, PrunedError, open_ledger, publish
from schemas.bills import PeriodState

OPEN = date(2026, 9, 30)
OVER = date(2026, 10, 1)


def version(number: int, **more: object) -> Bill:
    return bill("month.csv", charge(str(number)), mode="snapshot", **more)


def revise(ledger: Ledger, *numbers: int) -> None:
    for number in numbers:
        ingest(ledger, version(number))


def prune(ledger: Ledger, *, keep: int = 7, today: date = OPEN, publishing: bool = True) -> int:
    """As a later night does, which finds a file that the night before published."""
    if publishing:
        publish(ledger)
    return ledger.prune(keep, today, start(ledger))


def report(ledger: Ledger) -> None:
    ledger.start_run("weekly", as_of=AS_OF, started_at=AS_OF, versions={})


def stored(ledger: Ledger) -> list[str]:
    """BilledCost of the revisions that keep their charges."""
    rows = ledger.frame("SELECT stored_BilledCost FROM bills WHERE pruned_at IS NULL ORDER BY bill_no")
    return [str(cost.normalize()) for (cost,) in rows.rows()]


def folders(store: Path) -> int:
    return len(list((store / "charges").iterdir()))


def test_the_first_and_the_last_seven_of_an_open_month(ledger: Ledger, store: Path) -> None:
    revise(ledger, *range(1, 11))
    assert prune(ledger) == 2
    assert stored(ledger) == ["1", "4", "5", "6", "7", "8", "9", "1E+1"]
    assert folders(store) == 8
    bills = ledger.frame("SELECT stored_BilledCost, rows, pruned_at FROM bills ORDER BY bill_no")
    assert [int(cost) for cost in bills["stored_BilledCost"]] == list(range(1, 11))
    assert bills["rows"].to_list() == [1] * 10
    assert prune(ledger) == 0


def test_the_first_and_the_last_of_a_month_that_is_over(ledger: Ledger, store: Path) -> None:
    revise(ledger, 1, 2, 3, 4)
    assert prune(ledger, today=OVER) == 2
    assert stored(ledger) == ["1", "4"]
    assert folders(store) == 2
    assert costs_of(ledger) == ["4"]


def test_what_a_report_was_made_from_stays(ledger: Ledger) -> None:
    revise(ledger, 1, 2, 3)
    report(ledger)
    revise(ledger, 4)
    report(ledger)
    report(ledger)
    revise(ledger, 5, 6)
    assert prune(ledger, keep=1) == 2
    assert stored(ledger) == ["1", "3", "4", "6"]


def test_what_the_published_file_counts_stays(ledger: Ledger) -> None:
    revise(ledger, 1, 2, 3)
    assert prune(ledger, keep=1, publishing=False) == 0  # nothing is published
    publish(ledger)
    revise(ledger, 4, 5)
    assert prune(ledger, keep=1, publishing=False) == 1  # 3 is what readers have, 4 nobody ever saw but came after
    assert stored(ledger) == ["1", "3", "4", "5"]


def test_a_part_that_a_kept_revision_shares_stays(ledger: Ledger) -> None:
    same, parts = bill("a.csv", charge("1"), mode="parts"), [bill("b.csv", charge(str(n)), mode="parts") for n in "234"]
    for one in parts:
        ingest(ledger, same, one)
    assert prune(ledger, keep=1) == 1
    assert costs_of(ledger) == ["1", "4"]
    assert stored(ledger) == ["3", "5"]


def test_snapshots_that_never_counted_go(ledger: Ledger, store: Path) -> None:
    runs = [bill(f"{n}.csv", charge(str(n)), mode="snapshot", order_key=str(n)) for n in (1, 2, 3)]
    ingest(ledger, *runs)
    assert prune(ledger) == 2
    assert folders(store) == 1
    assert ingest(ledger, *runs).revised == ()
    assert prune(ledger) == 0


def test_what_is_held_back_stays(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1")), bill("b.csv", charge("2")))
    assert prune(ledger) == 0
    ingest(ledger, bill("a.csv", charge("1"), mode="parts"), bill("b.csv", charge("2"), mode="parts"))
    assert costs_of(ledger) == ["1", "2"]


def test_the_same_content_delivered_again_is_read_again(ledger: Ledger, tmp_path: Path) -> None:
    revise(ledger, 1, 2, 3)
    assert prune(ledger, keep=1) == 1
    before = content(ledger)
    with pytest.raises(PrunedError) as refused:
        revise(ledger, 2)
    assert refused.value.digests == {version(2).delivery.digest}
    assert content(ledger) == before
    with open_ledger(tmp_path / "alone") as alone:
        ingest(alone, version(2))
        post(ledger, version(2), start(ledger), again=True)
        revise(ledger, 2)
        assert content(ledger) == content(alone)
    assert stored(ledger) == ["1", "2", "3", "2"]  # the old revision has its charges again


def test_reading_again_leaves_the_stored_parts_of_a_delivery(ledger: Ledger, store: Path) -> None:
    other = charge("4", BillingAccountId="acct-2")
    first, both, last = (
        bill(f"{n}.csv", charge(str(n)), *([other] if n == 2 else []), mode="snapshot", current=n == 3)
        for n in (1, 2, 3)
    )
    ingest(ledger, replace(first, current=True))
    ingest(ledger, replace(both, current=True))
    ingest(ledger, replace(both, current=None), last)
    assert prune(ledger, keep=1) == 1
    ((kept,),) = ledger.frame("SELECT part_id FROM book.parts WHERE BillingAccountId = 'acct-2'").rows()
    (file,) = (store / "charges" / kept).glob("charges-*")
    before = file.stat().st_ino
    post(ledger, both, start(ledger), again=True)
    assert file.stat().st_ino == before
    ingest(ledger, replace(both, current=True), replace(last, current=False))
    assert costs_of(ledger) == ["2", "4"]


def test_what_was_pruned_and_left_the_disk_can_no_longer_count(ledger: Ledger) -> None:
    old, new = (bill(f"{n}.csv", charge(str(n)), mode="snapshot", order_key=str(n)) for n in (1, 2))
    ingest(ledger, old, new)
    assert prune(ledger, keep=1) == 1
    ingest(ledger, bill("2.csv", charge("2"), mode="parts", order_key="2"))
    assert costs_of(ledger) == ["2"]


def test_files_of_a_pruned_part_go_with_the_next_start(store: Path) -> None:
    with open_ledger(store) as ledger:
        revise(ledger, 1, 2, 3)
        publish(ledger)
        ledger.sweep = lambda: None  # type: ignore[method-assign]
        ledger.prune(1, OPEN, start(ledger))
    assert folders(store) == 3
    with open_ledger(store) as ledger:
        assert folders(store) == 2
        assert costs_of(ledger) == ["3"]


def test_a_month_that_the_provider_calls_open_stays_open(ledger: Ledger) -> None:
    revise(ledger, 1, 2, 3, 4)
    said = PeriodState("meridian", datetime(2026, 9, 1, tzinfo=UTC), "Cumulus", "open", AS_OF)
    ledger.keep_periods([said])
    assert prune(ledger, today=OVER) == 0
    ledger.keep_periods([replace(said, status="closed", updated=AS_OF + timedelta(days=1))])
    assert prune(ledger, today=OPEN) == 2
