"""Runs of Azure exports: actual and amortized as one bill, manifests, overlapping and month-to-date exports."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from azure_kit import ACTUAL, AMORTIZED, BOUGHT, EA, MONTH, PLAN, UNUSED, cost, ea, run
from bills_kit import FOCUS_ROW, csv_text, look, put, read_delivery, read_only
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.bills import Delivery
from schemas.charges import Charges
from schemas.check import check
from schemas.faults import InputError
from schemas.packed import UnfinishedFileError


def pair(root: Path, actual: str = ACTUAL, amortized: str = AMORTIZED) -> None:
    put(root, f"actual/{MONTH}/a.csv", actual)
    put(root, f"amortized/{MONTH}/a.csv", amortized)


def only(root: Path, **options: str) -> Delivery:
    found = look(root, **options)
    assert not found.held_back
    (delivery,) = found.deliveries
    return delivery


def test_a_pair_sums_to_both_files_and_joins_nothing(tmp_path: Path) -> None:
    pair(tmp_path)
    bill = read_only(tmp_path)
    assert bill.stated.totals == {"BilledCost": Decimal("810.5"), "EffectiveCost": Decimal("35.5")}
    assert (bill.total("BilledCost"), bill.total("EffectiveCost")) == (Decimal("810.5"), Decimal("35.5"))
    assert bill.netted["EffectiveCost"] == 0
    assert bill.charges.select("ChargeCategory", "CommitmentDiscountStatus", "BilledCost", "EffectiveCost").rows() == [
        ("Usage", None, Decimal("10.5"), Decimal("10.5")),
        ("Purchase", None, Decimal(900), Decimal(0)),
        ("Purchase", None, Decimal(-100), Decimal(0)),
        ("Usage", "Used", Decimal(0), Decimal("21.25")),
        ("Usage", "Unused", Decimal(0), Decimal("3.75")),
    ]
    assert not bill.notices
    assert check(bill.charges, Charges).failures.is_empty()


def test_files_that_differ_without_commitments_are_told_with_the_difference(tmp_path: Path) -> None:
    pair(tmp_path, amortized=AMORTIZED + csv_text([EA | cost("0.125")]).split("\n")[1] + "\n")
    bill = read_only(tmp_path)
    (notice,) = bill.notices
    assert (notice.kind, notice.amount, notice.currency) == ("azure_exports_differ", Decimal("0.125"), "EUR")
    assert "77001 in 2026-09" in notice.subject
    assert bill.netted["EffectiveCost"] == Decimal("0.125")
    assert bill.total("BilledCost") == bill.stated.totals["BilledCost"]


def test_the_same_file_twice_is_one_bill_without_commitments(tmp_path: Path) -> None:
    pair(tmp_path, ea(cost("10.5")), ea(cost("10.5")))
    bill = read_only(tmp_path)
    assert (bill.total("BilledCost"), bill.total("EffectiveCost")) == (Decimal("10.5"), Decimal("10.5"))
    assert bill.rows == 2
    assert not bill.notices


AMOUNTS = st.decimals(-1000, 1000, places=4).map(lambda amount: f"{amount:f}")
ROWS = st.lists(st.tuples(st.sampled_from(["plain", "covered", "bought", "unused", "bad"]), AMOUNTS), max_size=12)


@given(ROWS, ROWS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_two_files_hold_no_money_is_lost(
    tmp_path: Path, billed: list[tuple[str, str]], spread: list[tuple[str, str]]
) -> None:
    """`read_only` holds both columns against the files' own sums."""
    kinds = {"plain": {}, "covered": PLAN, "bought": BOUGHT, "unused": UNUSED, "bad": {"Date": "someday"}}
    actual = [cost("0" if kind == "covered" else amount, kinds[kind]) for kind, amount in billed if kind != "unused"]
    pair(tmp_path, ea({}, *actual), ea({}, *(cost(amount, kinds[kind]) for kind, amount in spread)))
    bill = read_only(tmp_path)
    assert bill.total("BilledCost") + bill.rejected["BilledCost"] == bill.stated.totals["BilledCost"]


def test_an_actual_file_alone_tells_what_its_effective_cost_lacks(tmp_path: Path) -> None:
    put(tmp_path, "costs.csv", ACTUAL)
    bill = read_only(tmp_path)
    assert bill.charges.get_column("EffectiveCost").to_list() == [Decimal("10.5"), 0, 0, 0]
    assert [(notice.kind, notice.amount) for notice in bill.notices] == [("azure_amortized_missing", Decimal(800))]
    assert bill.stated.totals == {"BilledCost": Decimal("810.5")}


def test_an_amortized_file_alone_tells_that_its_billed_cost_is_no_invoice(tmp_path: Path) -> None:
    put(tmp_path, "amortized.csv", AMORTIZED)
    bill = read_only(tmp_path)
    assert bill.charges.get_column("BilledCost").to_list() == [Decimal("10.5"), 0, 0]
    assert bill.stated.totals == {"EffectiveCost": Decimal("35.5")}
    assert [(notice.kind, notice.amount) for notice in bill.notices] == [("azure_actual_missing", None)]


@pytest.mark.parametrize("rows", [cost("3.75", UNUSED), cost("21.25", PLAN)])
def test_an_amortized_file_that_does_not_say_so_is_refused(tmp_path: Path, rows: dict[str, str]) -> None:
    put(tmp_path, "costs.csv", ea({}, rows))
    with pytest.raises(InputError, match=r"line 3 is commitment as only amortized files have it"):
        read_only(tmp_path)


@pytest.mark.parametrize(
    ("actual", "amortized"),
    [
        ("costs-actual.csv", "costs-amortized.csv"),
        ("2026-09/actual.csv", "2026-09/Amortised.csv"),
        ("ActualCost/sub1/x.csv", "AmortizedCost/sub1/x.csv"),
        (f"actual-daily/{MONTH}/x.csv", f"amortized-monthly/{MONTH}/y.csv"),
    ],
)
def test_names_make_a_pair(tmp_path: Path, actual: str, amortized: str) -> None:
    put(tmp_path, actual, ACTUAL)
    put(tmp_path, amortized, AMORTIZED)
    delivery = only(tmp_path)
    assert [(file.name, role) for file, role in zip(delivery.files, delivery.roles, strict=True)] == [
        (actual, "actual"),
        (amortized, "amortized"),
    ]


def test_pairs_of_several_subscriptions_and_months_stay_apart(tmp_path: Path) -> None:
    for month in (MONTH, "20261001-20261031"):
        for kind in ("actual", "amortized"):
            for subscription in ("one", "two"):
                put(tmp_path, f"{subscription}-{kind}/{month}/x.csv", ACTUAL if kind == "actual" else AMORTIZED)
    found = look(tmp_path)
    assert len(found.deliveries) == 4
    for delivery in found.deliveries:
        first, second = delivery.files
        assert first.name == second.name.replace("amortized", "actual")


def test_manifests_say_what_a_run_is_and_order_the_runs(tmp_path: Path) -> None:
    for day, time in (("10", "04:00:00"), ("11", "04:00:00")):
        days = ("2026-09-01", f"2026-09-{day}")
        submitted = f"2026-09-{day}T{time}Z"
        run(tmp_path, f"x/{MONTH}/f{day}", ACTUAL, submitted, days=days)
        run(tmp_path, f"y/{MONTH}/0{day}", AMORTIZED, submitted.replace(":00Z", ":09Z"), "AmortizedCost", days=days)
    first, second = sorted(look(tmp_path).deliveries, key=lambda one: one.order_key or "")
    assert [len(one.files) for one in (first, second)] == [2, 2]
    assert (first.order_key, second.order_key) == ("20260910040000/20260910040009", "20260911040000/20260911040009")
    assert {one.mode for one in (first, second)} == {"snapshot"}
    assert (second.rows, read_delivery(second).rows) == (7, 7)


def test_a_newer_actual_run_takes_the_newest_amortized_one_until_its_own_comes(tmp_path: Path) -> None:
    run(tmp_path, f"x/{MONTH}/1", ACTUAL, "2026-09-10T04:00:00Z")
    run(tmp_path, f"y/{MONTH}/1", AMORTIZED, "2026-09-10T05:00:00Z", "AmortizedCost")
    before = only(tmp_path)
    run(tmp_path, f"x/{MONTH}/2", ACTUAL, "2026-09-11T04:00:00Z")
    older, newer = sorted(look(tmp_path).deliveries, key=lambda one: one.order_key or "")
    assert older.digest == before.digest
    assert [file.name for file in newer.files] == [f"x/{MONTH}/2/part_0_0001.csv", f"y/{MONTH}/1/part_0_0001.csv"]


def test_runs_that_nothing_orders_make_no_pair(tmp_path: Path) -> None:
    pair(tmp_path)
    put(tmp_path, f"actual/{MONTH}/b.csv", ea({}))
    found = look(tmp_path)
    assert not found.deliveries
    assert {held.reason.split(",")[0] for held in found.held_back} == {
        "several actual or amortized runs of one period lie here"
    }


def test_parts_are_one_run_and_a_missing_part_replaces_nothing(tmp_path: Path) -> None:
    folder = f"x/{MONTH}/r1"
    run(tmp_path, folder, ea({}), blobs=[{"blobName": f"q/{name}"} for name in ("part_0_0001.csv", "part_1_0001.csv")])
    found = look(tmp_path)
    assert not found.deliveries
    assert [held.reason for held in found.held_back] == [
        "incomplete: manifest.json names part_1_0001.csv, which is not there"
    ]
    put(tmp_path, f"{folder}/part_1_0001.csv", ea({}))
    put(tmp_path, f"{folder}/other.csv", ea({}))
    found = look(tmp_path)
    assert [held.reason for held in found.held_back] == ["manifest.json does not name it"]
    assert [len(one.files) for one in found.deliveries] == [2]
    with pytest.raises(UnfinishedFileError, match="2 rows of 1 that its manifest names"):
        read_delivery(found.deliveries[0])


def test_a_part_of_another_size_was_not_wholly_delivered(tmp_path: Path) -> None:
    run(tmp_path, f"x/{MONTH}/r1", ea({}))
    put(tmp_path, f"x/{MONTH}/r1/part_0_0001.csv", ea({}) + "\n")
    assert "bytes of" in look(tmp_path).held_back[0].reason


def test_parts_without_a_manifest_are_one_delivery(tmp_path: Path) -> None:
    for part in ("part_0_0001.csv", "part_1_0001.csv"):
        put(tmp_path, f"x/{MONTH}/r1/{part}", ea({"MeterId": part}))
    assert len(only(tmp_path).files) == 2


def test_a_one_time_export_of_fewer_days_never_replaces_the_month(tmp_path: Path) -> None:
    days = [{"Date": f"2026-09-{day:02}"} for day in range(1, 13)]
    run(tmp_path, f"daily/{MONTH}/r1", ea(*days), "2026-09-13T01:00:00Z", days=("2026-09-01", "2026-09-12"))
    run(tmp_path, "once/20260901-20260909/r2", ea(*days[:9]), "2026-09-14T01:00:00Z", days=("2026-09-01", "2026-09-09"))
    wide, narrow = sorted(look(tmp_path).deliveries, key=lambda one: one.name)
    assert (wide.current, narrow.current) == (None, False)
    assert {wide.mode, narrow.mode} == {"snapshot"}


def test_folders_of_one_export_tell_their_days_without_a_manifest(tmp_path: Path) -> None:
    put(tmp_path, "daily/20260901-20260909/a.csv", ea({}))
    put(tmp_path, "daily/20260901-20260930/b.csv", ea({}, {}))
    narrow, wide = sorted(look(tmp_path).deliveries, key=lambda one: one.name)
    assert (narrow.current, wide.current) == (False, None)


def test_exports_of_two_scopes_are_not_taken_for_snapshots_of_each_other(tmp_path: Path) -> None:
    run(tmp_path, f"a/{MONTH}/r1", ea({}))
    run(tmp_path, f"b/{MONTH}/r2", ea({"Quantity": "1"}), scope="/subscriptions/77")
    assert {one.mode for one in look(tmp_path).deliveries} == {None}


def test_azure_writes_focus_in_the_same_layout(tmp_path: Path) -> None:
    focus = csv_text([FOCUS_ROW])
    run(tmp_path, f"f/{MONTH}/r1", focus, kind="FocusCost")
    delivery = only(tmp_path)
    assert (delivery.reader, delivery.mode, delivery.rows) == ("focus", "snapshot", 1)
    run(tmp_path, f"f/{MONTH}/r1", focus, kind="FocusCost", blobs=[{"blobName": "a/part_9_0001.csv"}])
    found = look(tmp_path)
    assert not found.deliveries
    assert any("names part_9_0001.csv, which is not there" in held.reason for held in found.held_back)


def test_what_a_file_is_taken_for_is_part_of_what_it_reads_as(tmp_path: Path) -> None:
    put(tmp_path, "a/actual.csv", ea({}))
    put(tmp_path, "b/amortized.csv", ea({}))
    one, other = (look(tmp_path, f"{folder}/*").deliveries[0] for folder in "ab")
    assert one.digest != other.digest
    assert replace(one, roles=()).digest == one.digest


def test_charges_say_which_file_they_are_from(tmp_path: Path) -> None:
    pair(tmp_path)
    bill = read_only(tmp_path)
    actual, amortized = (file.file_id for file in bill.delivery.files)
    assert bill.charges.select("file_id", "row_number").rows() == [
        (actual, 1), (actual, 3), (actual, 4), (amortized, 2), (amortized, 3)
    ]  # fmt: skip
    # Purchases and what nobody used are no consumption.
    assert bill.charges.filter(pl.col("ConsumedQuantity").is_not_null()).get_column("row_number").to_list() == [1, 2]
