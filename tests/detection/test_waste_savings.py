"""Savings are told once: whatever hits one resource, sums of savings stay within what was paid, in every face."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl
from cases_bill_storage import BOX
from cases_bill_work import NETWORK, OUT
from detection_worlds import AS_OF, BIRTH, WORLD, inventory, metered, thing
from detection_worlds import billed as billed_for
from hypothesis import given, settings
from hypothesis import strategies as st
from test_waste_training import FIRST as FORMER
from test_waste_training import LATER_SHELF, NEXT
from waste_cases import billed, cases, days_ago, every_case, findings_of, world_of

from attribution.detection.waste import DETECTORS, detect_waste
from attribution.detection.waste.savings import saved_once
from attribution.reports.pieces import waste
from attribution.reports.report import Finding
from schemas.inputs import CHECKPOINT_COLUMNS, RUN_COLUMNS
from schemas.money import MONEY
from schemas.waste import JUDGED_COLUMNS
from schemas.workspace import Waste

KINDS = [one.name for one in DETECTORS]
UNIT = Decimal("0.000000000001")
AMOUNTS = st.integers(0, 10**16).map(lambda units: units * UNIT)


def judgement(kind: str, key: str, stake: Decimal, saving: Decimal | None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return dict.fromkeys(JUDGED_COLUMNS) | {
        "kind": kind, "key": key, "subject": key, "BillingCurrency": "USD", "result": "waste", "confidence": "high",
        "cost_at_stake": stake, "saving": saving,
    } | more  # fmt: skip


@st.composite
def estates(draw: st.DrawFn) -> tuple[dict[str, Decimal], list[dict[str, Any]]]:
    """Resources with their cost, judged by any detectors whole, in parts that are disjoint, and in sums."""
    costs = {f"r-{n}": draw(AMOUNTS) for n in range(draw(st.integers(1, 4)))}
    share, kind = st.integers(0, 4), st.sampled_from(KINDS)
    rows = []
    for key, cost in costs.items():
        for _ in range(draw(st.integers(0, 4))):
            saving = draw(st.one_of(st.none(), share.map(lambda n, cost=cost: cost * n / 4)))
            rows.append(judgement(draw(kind), key, cost, None if saving is None else saving.quantize(UNIT)))
        for part in range(draw(st.integers(0, 2))):
            half = (cost / 2).quantize(UNIT, "ROUND_FLOOR")
            rows.append(judgement(draw(kind), f"{key} part {part}", half, half, within=key))
    if draw(st.booleans()):
        # Two sums over disjoint halves of each resource's cost.
        for number in range(2):
            halves = [{"key": key, "cost": (cost / 2).quantize(UNIT, "ROUND_FLOOR")} for key, cost in costs.items()]
            stake = sum((half["cost"] for half in halves), Decimal(0))
            rows.append(judgement(draw(kind), f"sum {number}", stake, stake, made_of=halves))
    return costs, draw(st.permutations(rows))


@settings(max_examples=60, deadline=None)
@given(estates())
def test_savings_of_any_hits_stay_within_what_was_paid(drawn: tuple[dict[str, Decimal], list[dict[str, Any]]]) -> None:
    costs, rows = drawn
    schema = {**JUDGED_COLUMNS, "cost_at_stake": MONEY, "saving": MONEY}
    kept = saved_once(pl.DataFrame(rows, schema=schema), DETECTORS)
    assert kept.height == len(rows)
    known = [row for row in kept.iter_rows(named=True) if row["saving"] is not None]
    for key, cost in costs.items():
        own = [row["saving"] for row in known if key in (row["key"], row["within"])]
        assert sum(map(Fraction, own)) <= Fraction(cost)
        assert sum(saving > 0 for saving in own if saving) <= max(1, sum(row["within"] == key for row in known))
    sums = [row for row in known if row["made_of"] is not None]
    for row in sums:
        assert 0 <= row["saving"] <= row["cost_at_stake"]
    if len(sums) < 2:  # of two, each is held to what resources save, and they are disjoint
        total = sum((Fraction(row["saving"]) for row in known), Fraction(0))
        assert total <= sum(map(Fraction, costs.values()))


def test_checkpoints_do_not_save_what_their_bucket_saves() -> None:
    bucket = "Amazon Simple Storage Service | Storage | USW2-TimedStorage-ByteHrs"
    asked = billed("Amazon Simple Storage Service | API Request | USW2-Requests-Tier1", "1", 5, ResourceId="other")
    other = billed(bucket, "1", ResourceId="other")
    (case,) = cases("bucket_never_requested", ("waste", "x", billed(bucket, "10", ResourceId="bkt"), other, asked))
    shelf = pl.DataFrame(LATER_SHELF, schema=CHECKPOINT_COLUMNS)
    runs = pl.DataFrame([FORMER, NEXT], schema=RUN_COLUMNS)
    done = detect_waste(replace(world_of([case]), checkpoints=shelf, runs=runs), Waste()).findings
    saved = {row["kind"]: row["saving"] for row in done.iter_rows(named=True)}
    assert saved["bucket_never_requested"] == Decimal(310)
    assert {saved["checkpoints_beyond_retention"], saved["checkpoints_of_superseded_run"]} == {Decimal(0)}


def test_transfer_saves_nothing_that_an_idle_gateway_saves() -> None:
    nat = "Amazon Virtual Private Cloud | NAT Gateway | USE1-NatGateway-Hours"
    before, now = {"until": date(2026, 9, 30)}, {"since": date(2026, 10, 1)}
    moved = [
        billed(OUT, amount, **when, **NETWORK, ResourceId="nat-@") for amount, when in (("1", before), ("20", now))
    ]
    elsewhere = billed(OUT, "9", **now, **NETWORK, ResourceId="vm-@")
    (case,) = cases(
        "nat_gateway_without_traffic", ("waste", "x", billed(nat, "2", ResourceId="nat-@"), *moved, elsewhere)
    )
    done = detect_waste(world_of([case]), Waste()).findings
    saved = {row["kind"]: row["saving"] for row in done.iter_rows(named=True) if row["saving"]}
    assert saved == {"nat_gateway_without_traffic": Decimal(682), "transfer_out_of_line": Decimal(279)}


def test_all_labelled_cases_in_one_world_save_no_more_than_october_cost() -> None:
    world = world_of([case for case in every_case() if case.label == "waste" and not case.alone])
    done = detect_waste(world, Waste()).findings
    october = world.costs.filter(pl.col("month") == date(2026, 10, 1))
    assert 0 < done["saving"].sum() <= october["EffectiveCost"].sum()


def test_the_mail_counts_each_subject_once_and_never_what_another_saves() -> None:
    blank = {"verdict": "finding", "owner": "lin", "project": "x", "currency": "USD", "confidence": "high",
             "evidence": "", "state": "open", "first_seen": AS_OF.date(), "age": 1, "tier": "bill"}  # fmt: skip
    rows = tuple(
        Finding(kind=kind, subject=subject, cost=Decimal(cost), **blank)
        for kind, subject, cost in (("a", "r", 40), ("b", "r", 0), ("c", "s", 0), ("d", "t", 7))
    )
    assert waste(rows) == Decimal(47)


def test_what_logs_save_is_exact_to_the_last_place() -> None:
    logs = "AmazonCloudWatch | | USW2-DataProcessing-Bytes"
    seen = {"cost_element": "observability"}
    before, now = {"until": date(2026, 9, 30)}, {"since": date(2026, 10, 1)}
    stated = (billed(logs, "1234567.000000000001", **before | seen), billed(logs, "9876543.000000000007", **now | seen))
    (case,) = cases(
        "logs_outgrow_compute", ("waste", "x", *stated, billed(BOX, "3", ResourceId="i-@", cost_element="compute"))
    )
    done = detect_waste(world_of([case]), Waste()).findings.filter(kind="logs_outgrow_compute")
    # A day's price before and after, over the 31 days of October; machines cost the same each day.
    assert done["saving"].to_list() == [Decimal("9876543.000000000007") * 31 - Decimal("1234567.000000000001") * 31]


def test_a_saving_that_nobody_can_tell_is_unknown_and_not_all_of_the_cost() -> None:
    """Storage for which no bill has a colder class: what moving it would save, nobody knows."""
    hot = thing("r-1", "bucket", storage_class="Hot", size_gb=100.0, created_at=BIRTH, last_used_at=days_ago(40))
    cold = thing("r-2", "bucket", storage_class="Glacier", size_gb=100.0, created_at=BIRTH, last_used_at=days_ago(1))
    bills = [billed_for("r-1", "320"), billed_for("r-2", "32")]
    for things, paid, saving in (([hot], bills[:1], None), ([hot, cold], bills, Decimal(288))):
        world = replace(WORLD, resources=inventory(*things), costs=metered(*paid))
        (row,) = findings_of(world, "cold_data")
        assert (row["verdict"], row["cost_at_stake"], row["saving"]) == ("finding", 320, saving)
        (told,) = detect_waste(world, Waste()).findings.filter(kind="cold_data").to_dicts()
        assert told["saving"] == saving


def test_what_a_smaller_disk_of_a_database_would_save_is_unknown() -> None:
    for kind, saving in (("volume", True), ("database", False)):
        full = thing("r-1", kind, size_gb=1000.0, used_gb=100.0, created_at=BIRTH)
        world = replace(WORLD, resources=inventory(full), costs=metered(billed_for("r-1", "320")))
        (row,) = findings_of(world, "oversized_volume")
        assert (row["verdict"], row["cost_at_stake"], row["saving"] is not None) == ("finding", 320, saving)
