"""What counts for a bill: no order of files, no repetition and no overwriting may change it."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import polars as pl
import pytest
from ledger_builder import Bill, bill, charge, content, costs_of, ingest, month, start

from attribution.ledger import Ledger, open_ledger
from schemas.bills import BillKey, HeldBack


def test_a_fresh_ledger_has_no_bills_and_every_view(ledger: Ledger) -> None:
    assert ledger.bills().is_empty()
    assert ledger.frame("SELECT * FROM charges").is_empty()
    assert ledger.frame("SELECT * FROM costs").is_empty()
    assert ledger.daily_costs().is_empty()


def test_the_same_again_changes_nothing(ledger: Ledger) -> None:
    one = bill("a.csv", charge("1.5"), charge("2"))
    assert ingest(ledger, one).revised == (BillKey("meridian", "acct-1", month("2026-09")),)
    before = content(ledger), ledger.bills()
    assert ingest(ledger, one).revised == ()
    assert (content(ledger), ledger.bills())[0] == before[0]
    assert ledger.bills().equals(before[1])


def test_order_of_files_does_not_matter(tmp_path: Path) -> None:
    bills = (
        bill("a.csv", charge("1"), charge("2", day="2026-09-04")),
        bill("b.csv", charge("4", ResourceId="res-2")),
        bill("c.csv", charge("8", BillingAccountId="acct-2"), charge("16", month="2026-10", day="2026-10-02")),
    )
    results = []
    for number, order in enumerate(permutations(bills)):
        with open_ledger(tmp_path / str(number)) as ledger:
            held = ingest(ledger, *order).held_back
            results.append((held, content(ledger)))
    assert all(result == results[0] for result in results)
    assert [one.name for one in results[0][0]] == ["b.csv"]


def test_v1_then_v2_is_v2_alone(tmp_path: Path) -> None:
    v1 = bill("a.csv", charge("1"), charge("2", month="2026-10", day="2026-10-05"))
    v2 = bill("a.csv", charge("1"), charge("3", month="2026-10", day="2026-10-05"))
    with open_ledger(tmp_path / "both") as both, open_ledger(tmp_path / "alone") as alone:
        ingest(both, v1)
        ingest(both, v2)
        ingest(alone, v2)
        assert content(both) == content(alone)
        history = both.frame("SELECT * FROM bills WHERE superseded_at IS NOT NULL")
        assert history.height == 2
        ingest(both, v1)
        assert costs_of(both) == ["1", "2"]


def test_rows_that_left_the_file_leave_the_bill(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1"), charge("2", month="2026-10", day="2026-10-05")))
    ingest(ledger, bill("a.csv", charge("1")))
    assert costs_of(ledger) == ["1"]
    assert ledger.bills().select("billing_month", "rows").rows() == [(month("2026-09"), 1), (month("2026-10"), 0)]


def test_a_second_file_of_an_unstated_bill_is_held_back_whole(ledger: Ledger) -> None:
    first = bill("a.csv", charge("1"))
    second = bill("b.csv", charge("2"), charge("4", month="2026-10", day="2026-10-05"))
    held = ingest(ledger, second, first).held_back
    assert [one.name for one in held] == ["b.csv"]
    for told in ("that a.csv holds, too", "2026-09", "acct-1", 'delivery = "snapshot"', '"parts"', '"append"'):
        assert told in held[0].reason
    assert costs_of(ledger) == ["1"]
    assert ledger.frame("SELECT name FROM held_back").rows() == [("b.csv",)]


def test_an_earlier_run_comes_before_an_earlier_path(ledger: Ledger) -> None:
    ingest(ledger, bill("b.csv", charge("2")))
    held = ingest(ledger, bill("b.csv", charge("2")), bill("a.csv", charge("1"))).held_back
    assert [one.name for one in held] == ["a.csv"]
    assert costs_of(ledger) == ["2"]


def test_a_held_back_file_counts_once_the_source_says_how(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1")), bill("b.csv", charge("2")))
    held = ingest(ledger, bill("a.csv", charge("1"), mode="parts"), bill("b.csv", charge("2"), mode="parts")).held_back
    assert held == ()
    assert costs_of(ledger) == ["1", "2"]


@pytest.mark.parametrize("mode", ["parts", "append"])
def test_parts_add_up_and_the_same_content_counts_once(ledger: Ledger, mode: str) -> None:
    one, two = bill("a.csv", charge("1"), mode=mode), bill("b.csv", charge("2"), mode=mode)
    ingest(ledger, one)
    ingest(ledger, one, two, bill("copy of a.csv", charge("1"), mode=mode))
    assert sorted(costs_of(ledger)) == ["1", "2"]
    assert ledger.bills().get_column("rows").to_list() == [2]


def test_overwriting_one_copy_leaves_the_other(ledger: Ledger) -> None:
    latest, archived = bill("latest.csv", charge("1"), mode="parts"), bill("old.csv", charge("1"), mode="parts")
    ingest(ledger, latest, archived)
    ingest(ledger, bill("latest.csv", charge("2"), mode="parts"), archived)
    assert costs_of(ledger) == ["1", "2"]


def test_a_file_that_left_the_disk_keeps_counting(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1"), mode="parts"))
    ingest(ledger, bill("b.csv", charge("2"), mode="parts"))
    assert costs_of(ledger) == ["1", "2"]


def snapshot(path: str, cost: str, **more: object) -> Bill:
    return bill(path, charge(cost), mode="snapshot", **more)


def test_snapshots_by_order_key_in_any_order_of_arrival(ledger: Ledger) -> None:
    newer, older = snapshot("b.csv", "2", order_key="2026-09-20"), snapshot("c.csv", "1", order_key="2026-09-10")
    ingest(ledger, newer)
    ingest(ledger, newer, older)
    assert costs_of(ledger) == ["2"]


def test_snapshots_without_order_key_go_by_the_run(ledger: Ledger) -> None:
    first, second = snapshot("b.csv", "1"), snapshot("a.csv", "2", order_key="2026")
    ingest(ledger, first)
    ingest(ledger, first, second)
    assert costs_of(ledger) == ["2"]


def test_snapshots_that_nothing_orders_are_both_held_back(ledger: Ledger) -> None:
    old = snapshot("old.csv", "1")
    ingest(ledger, old)
    tied = snapshot("a.csv", "2"), snapshot("b.csv", "4")
    held = ingest(ledger, old, *tied).held_back
    assert [one.name for one in held] == ["a.csv", "b.csv"]
    assert all("a.csv and b.csv" in one.reason for one in held)
    assert costs_of(ledger) == ["1"]
    assert ingest(ledger, old, *tied, snapshot("c.csv", "8")).held_back == ()
    assert costs_of(ledger) == ["8"]


def test_the_manifest_says_what_counts(ledger: Ledger) -> None:
    one, two = snapshot("run1.csv", "1", current=True), snapshot("run2.csv", "2", current=False)
    ingest(ledger, one, two)
    assert costs_of(ledger) == ["1"]
    ingest(ledger, snapshot("run1.csv", "1", current=False), snapshot("run2.csv", "2", current=True))
    assert costs_of(ledger) == ["2"]


def test_what_no_manifest_calls_current_makes_no_bill(ledger: Ledger) -> None:
    ingest(ledger, snapshot("run2.csv", "2", current=False))
    assert ledger.bills().is_empty()


def test_what_a_manifest_calls_outdated_counts_until_the_named_one_is_there(ledger: Ledger) -> None:
    ingest(ledger, snapshot("run1.csv", "1", current=True))
    ingest(ledger, snapshot("run1.csv", "1", current=False))  # run2 is named, but not complete yet
    assert costs_of(ledger) == ["1"]


def test_a_held_back_delivery_replaces_nothing_even_in_its_own_place(ledger: Ledger) -> None:
    ingest(ledger, snapshot("a.csv", "1"))
    assert len(ingest(ledger, snapshot("a.csv", "2"), snapshot("b.csv", "4")).held_back) == 2
    assert costs_of(ledger) == ["1"]


def test_a_newer_reading_of_the_same_bytes_replaces_the_older(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1"), mode="parts"))
    older = bill("a.csv", charge("1"), mode="parts")
    newer = bill("moved.csv", charge("1"), mode="parts", reading="2")
    ingest(ledger, newer)
    assert older.delivery.digest != newer.delivery.digest
    assert costs_of(ledger) == ["1"]
    assert ledger.bills().get_column("files").to_list() == [["moved.csv"]]


def test_a_delivery_of_more_files_takes_the_place_of_one_with_fewer(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1"), mode="parts", beside=("b.csv",)))
    ingest(ledger, bill("a.csv", charge("2"), mode="parts", beside=("b.csv", "c.csv")))
    assert costs_of(ledger) == ["2"]


def test_a_file_with_a_header_only_empties_its_bill(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1")))
    ingest(ledger, Bill("a.csv", ()))
    assert ledger.bills().select("rows", "files").rows() == [(0, [])]
    assert costs_of(ledger) == []


def test_a_header_only_snapshot_of_a_named_bill_empties_it(ledger: Ledger) -> None:
    key = BillKey("meridian", "acct-1", month("2026-09"))
    first = snapshot("a.csv", "1", order_key="1")
    ingest(ledger, first)
    ingest(ledger, first, Bill("b.csv", (), mode="snapshot", order_key="2", empty_keys=(key,)))
    assert costs_of(ledger) == []


def test_rejects_of_what_no_longer_counts_are_history(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1"), rejects=2))
    assert ledger.frame("SELECT * FROM rejects").height == 2
    ingest(ledger, bill("a.csv", charge("1"), charge("2")))
    assert ledger.frame("SELECT * FROM rejects").is_empty()


def test_what_the_reader_held_back_is_kept_with_the_rest(ledger: Ledger) -> None:
    run = start(ledger)
    settled = ledger.settle_bills([], [HeldBack("meridian", "torn.gz", "the file is cut short")], run)
    assert settled.held_back == (HeldBack("meridian", "torn.gz", "the file is cut short"),)
    assert ledger.frame("SELECT source, name, reason FROM held_back").height == 1


def test_bills_say_what_is_stated_and_stored(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1.25"), charge("2")))
    row = ledger.bills().row(0, named=True)
    assert str(row["stated_BilledCost"]) == str(row["stored_BilledCost"]) == "3.250000000000"
    assert row["files"] == ["a.csv"]
    assert row["bill_id"].startswith("meridian/acct-1/2026-09/")
    charges = ledger.frame("SELECT bill_id, file, row_number FROM charges ORDER BY row_number")
    assert charges.rows() == [(row["bill_id"], "a.csv", 1), (row["bill_id"], "a.csv", 2)]


def test_a_refused_amount_beyond_every_decimal_leaves_the_bill_readable(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1.25"), rejected="1E+31"))
    row = ledger.bills().row(0, named=True)
    assert str(row["stored_BilledCost"]) == "1.250000000000"
    assert row["stated_BilledCost"] is None
    assert row["rejected_BilledCost"] is None
    exact = "SELECT stated, rejected FROM bill_deliveries WHERE cost_column = 'BilledCost'"
    assert ledger.frame(exact).row(0) == (f"1{'0' * 30}1.250000000000", f"1{'0' * 31}")


def test_charges_with_different_further_columns_stand_in_one_view(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1", x_Team="red"), mode="parts"), bill("b.csv", charge("2"), mode="parts"))
    rows = ledger.frame("SELECT BilledCost, x_Team FROM charges ORDER BY BilledCost").rows()
    assert [team for _, team in rows] == ["red", None]
    assert isinstance(ledger.frame("SELECT * FROM charges"), pl.DataFrame)
