"""Costs kept and told apart over time: restatements, findings, mails."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import polars as pl
from ledger_builder import AS_OF, UTC_DAYS, bill, charge, ingest, start

from attribution.ledger import Ledger
from schemas.costs import COST_COLUMNS, allocation_columns
from schemas.detection import daily_columns
from schemas.dimensions import DIMENSIONS
from schemas.findings import FINDING_COLUMNS
from schemas.waste import meter_columns


def keep(
    ledger: Ledger, project: str = "atlas", as_of: datetime = AS_OF, dimensions: tuple[str, ...] = DIMENSIONS
) -> None:
    """Everything of one project."""
    run = start(ledger, as_of)
    subjects = ledger.subjects(UTC_DAYS).with_columns(cost_element=pl.lit("compute"), elasticity=pl.lit("elastic"))
    costs = ledger.lines(UTC_DAYS).with_columns(allocation_id=pl.lit(1, pl.Int32)).select(*COST_COLUMNS).collect()
    values = dict.fromkeys(dimensions, "unallocated") | {"project": project}
    row: dict[str, object] = {"allocation_id": 1}
    for name, value in values.items():
        row |= {name: value, f"{name}_method": "rule", f"{name}_rule": "all of it"}
    allocations = pl.DataFrame([row], schema=allocation_columns(dimensions))
    ledger.keep_costs(costs, subjects, allocations, pl.DataFrame(schema={"split": pl.String()}), run=run)


def test_costs_join_the_star(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1.5"), charge("2", ChargeCategory="Tax", ResourceId=None)))
    keep(ledger)
    rows = ledger.frame(
        "SELECT project, method, rule, stage, BilledCost, bill_id, billing_month FROM costs ORDER BY ALL"
    )
    assert rows.get_column("BilledCost").to_list() == [Decimal("1.5"), Decimal(2)]
    assert rows.row(0)[:4] == ("atlas", "rule", "all of it", "unallocated")
    assert rows.row(0)[5:] == ledger.bills().select("bill_id", "billing_month").row(0)
    daily = ledger.daily_costs()
    assert all(daily.schema[name] == dtype for name, dtype in daily_columns().items())
    metered = ledger.metered_costs(date(2026, 12, 31))
    assert all(metered.schema[name] == dtype for name, dtype in meter_columns().items() if "days" not in name)
    named = metered.filter(pl.col("ResourceId").is_not_null())
    assert named.select("ResourceId", "EffectiveCost", "days").rows() == [("res-1", Decimal("1.5"), 1)]


def test_coverage_counts_values_that_say_somebody(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3")))
    keep(ledger)
    shares = dict(ledger.frame("SELECT dimension, share_known FROM coverage").rows())
    assert shares == {"project": 1.0, "stage": 0.0, "experiment": 0.0, "owner": 0.0}


def test_unknown_cost_has_no_coverage_and_no_sum(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3", EffectiveCost=None)))
    keep(ledger)
    assert ledger.frame("SELECT DISTINCT EffectiveCost, share_known FROM coverage").rows() == [(None, None)]
    assert ledger.frame("SELECT EffectiveCost FROM monthly_costs").rows() == [(None,)]


def test_the_same_costs_again_restate_nothing(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3")))
    keep(ledger)
    keep(ledger)
    assert ledger.frame("SELECT * FROM restatements").is_empty()


def test_a_changed_month_is_told_by_dimension_before_and_after(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3")))
    keep(ledger)
    ingest(ledger, bill("a.csv", charge("5"), charge("7", month="2026-10", day="2026-10-02")))
    keep(ledger)
    rows = ledger.frame(
        "SELECT dimension, value, before_BilledCost, after_BilledCost, month_was_over, billing_month FROM restatements"
    )
    assert set(rows.get_column("dimension")) == set(DIMENSIONS)
    assert rows.filter(pl.col("dimension") == "project").rows() == [
        ("project", "atlas", Decimal(3), Decimal(5), True, date(2026, 9, 1))
    ]


def test_a_month_that_a_report_showed_is_told_from_one_that_none_did(ledger: Ledger) -> None:
    august = {"month": "2026-08", "day": "2026-08-02"}
    ingest(ledger, bill("a.csv", charge("3"), charge("7", **august)))
    keep(ledger)
    ingest(ledger, bill("a.csv", charge("4"), charge("7", **august)))
    keep(ledger)
    run = start(ledger)
    ledger.note_reported(run, [date(2026, 9, 1)])
    ledger.note_reported(run, [date(2026, 9, 1)])
    assert ledger.frame("SELECT month FROM book.reported_months").rows() == [(date(2026, 9, 1),)]
    ingest(ledger, bill("a.csv", charge("5"), charge("8", **august)))
    keep(ledger)
    sql = (
        "SELECT billing_month, before_BilledCost, reported FROM restatements WHERE dimension = 'stage' ORDER BY run, 1"
    )
    assert ledger.frame(sql).rows() == [
        (date(2026, 9, 1), 3, False),
        (date(2026, 8, 1), 7, False),
        (date(2026, 9, 1), 4, True),
    ]


def test_money_that_moves_leaves_zero_behind(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3")))
    keep(ledger, as_of=AS_OF - timedelta(days=60))
    keep(ledger, "borealis")
    sql = "SELECT value, before_BilledCost, after_BilledCost, month_was_over FROM restatements ORDER BY value"
    assert ledger.frame(sql).rows() == [("atlas", 3, 0, False), ("borealis", 0, 3, False)]


def test_another_dimension_reshapes_the_views(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3")))
    keep(ledger)
    keep(ledger, dimensions=(*DIMENSIONS, "team"))
    assert ledger.frame("SELECT team, team_method FROM costs").rows() == [("unallocated", "rule")]
    assert "team" in ledger.daily_costs().columns
    assert ledger.frame("SELECT * FROM restatements").is_empty()


def finding(name: str, evidence: str = "idle 14 days") -> dict[str, object]:
    return {
        "fingerprint": name,
        "kind": "idle",
        "subject": name,
        "verdict": "finding",
        "owner": "mira",
        "project": "atlas",
        "cost_at_stake": Decimal(5),
        "BillingCurrency": "USD",
        "confidence": "high",
        "evidence": evidence,
        "month": None,
    }


def test_findings_are_new_then_still_then_gone_then_new(ledger: Ledger) -> None:
    def states(day: int, *names: str) -> list[tuple[object, ...]]:
        frame = pl.DataFrame([finding(name, f"day {day}") for name in names], schema=FINDING_COLUMNS)
        ledger.keep_findings(frame, date(2026, 11, day))
        return ledger.frame("SELECT fingerprint, seen, first_seen, last_seen FROM findings ORDER BY 1").rows()

    first, second, third = (date(2026, 11, day) for day in (1, 2, 3))
    assert states(1, "a", "b") == [("a", "new", first, first), ("b", "new", first, first)]
    assert states(1, "a", "b") == [("a", "new", first, first), ("b", "new", first, first)]
    assert states(2, "a") == [("a", "still", first, second), ("b", "gone", first, first)]
    assert states(3, "a", "b") == [("a", "still", first, third), ("b", "new", first, third)]
    assert states(3) == [("a", "gone", first, third), ("b", "gone", first, third)]
