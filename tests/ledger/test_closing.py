"""Closed months: they stay as they were, what is held back is told, and every sum can be proved."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from ledger_builder import AS_OF, UTC_DAYS, Bill, bill, charge, ingest, month, start

from attribution.ledger import Ledger, close_month, open_ledger, publish, reopen_month
from schemas.costs import COST_COLUMNS, LINEAGE_COLUMNS, POOLED_COLUMNS, allocation_columns
from schemas.dimensions import DIMENSIONS
from schemas.faults import InputError

SEPTEMBER = date(2026, 9, 1)
OCTOBER = {"month": "2026-10", "day": "2026-10-02"}


def keep(ledger: Ledger, project: str = "atlas", dimensions: tuple[str, ...] = DIMENSIONS, **inputs: str) -> None:
    """Everything of one project, with a lineage whose numbers must go with it."""
    run = start(ledger)
    subjects = ledger.subjects(UTC_DAYS).with_columns(cost_element=pl.lit("compute"), elasticity=pl.lit("elastic"))
    costs = ledger.lines(UTC_DAYS).with_columns(allocation_id=pl.lit(1, pl.Int32)).select(*COST_COLUMNS).collect()
    rows = []
    for number, who in enumerate(("nobody", project)):
        row: dict[str, object] = {"allocation_id": number}
        for name in dimensions:
            value = who if name == "project" else "unallocated"
            row |= {name: value, f"{name}_method": "rule", f"{name}_rule": "all of it"}
        rows.append(row)
    pooled = costs.select(split=pl.lit("s"), subject_id="subject_id", usage_date="usage_date",
                          allocation_id="allocation_id", pool_subject_id="subject_id")  # fmt: skip
    lineage = costs.select(
        "subject_id", "usage_date", "BilledCost", "EffectiveCost", "ListCost", "ContractedCost",
        split=pl.lit("s"), pool_allocation_id="allocation_id", negation_allocation_id=pl.lit(0, pl.Int32),
        receiver_allocation_id="allocation_id", position=pl.lit(0, pl.Int32), weight=pl.lit("1"),
        total_weight=pl.lit("1"), hour=pl.lit(None, LINEAGE_COLUMNS["hour"]), job_id=pl.lit(None, pl.String),
    ).select(*LINEAGE_COLUMNS)  # fmt: skip
    allocations = pl.DataFrame(rows, schema=allocation_columns(dimensions))
    ledger.keep_costs(
        costs, subjects, allocations, lineage, pooled=pooled.select(*POOLED_COLUMNS), run=run, inputs=inputs
    )


def close(ledger: Ledger, when: date = SEPTEMBER) -> None:
    close_month(ledger, when, start(ledger))


def of_month(ledger: Ledger, when: date = SEPTEMBER) -> list[tuple[object, ...]]:
    """All that analysts see of a month's costs, without the numbers of this ledger."""
    rows = ledger.frame("SELECT * EXCLUDE (cost_id) FROM costs WHERE billing_month = ?", [when]).rows()
    return sorted(rows, key=repr)


def pending(ledger: Ledger) -> dict[str, tuple[object, ...]]:
    rows = ledger.frame(
        "SELECT value, reported_BilledCost, computed_BilledCost, cause FROM pending_restatements "
        "WHERE dimension = 'project'"
    ).rows()
    return {str(value): tuple(rest) for value, *rest in rows}


def closed(ledger: Ledger) -> list[tuple[Decimal | None, ...]]:
    """Of BilledCost: what stays, what is pending, what is charged."""
    return ledger.frame(
        "SELECT closed, pending, charged FROM closed_months WHERE cost_column = 'BilledCost' ORDER BY ALL"
    ).rows()


def september_closed(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3"), charge("1.5", ResourceId="res-2"), charge("7", **OCTOBER)))
    keep(ledger, tags="1")
    close(ledger)


def test_a_closed_month_stays_row_by_row_whatever_comes(ledger: Ledger) -> None:
    september_closed(ledger)
    before = of_month(ledger)
    ingest(ledger, bill("a.csv", charge("5"), charge("9", **OCTOBER)))
    keep(ledger, "borealis", (*DIMENSIONS, "team"), tags="2")
    assert [row for row in of_month(ledger) if "atlas" in row] == of_month(ledger)
    rows = ledger.frame("SELECT BilledCost, project, team, team_method FROM costs ORDER BY ALL").rows()
    unknown = ("unallocated", "unallocated")
    assert rows == [(Decimal("1.5"), "atlas", *unknown), (Decimal(3), "atlas", *unknown),
                    (Decimal(9), "borealis", "unallocated", "rule")]  # fmt: skip
    keep(ledger, "borealis")
    assert of_month(ledger) == before
    assert ledger.frame("SELECT DISTINCT billing_month FROM restatements").rows() == [(month("2026-10"),)]


def test_what_is_held_back_is_told_with_what_made_it_differ(ledger: Ledger) -> None:
    september_closed(ledger)
    keep(ledger, tags="1")
    assert pending(ledger) == {}
    keep(ledger, "borealis", tags="2")
    assert pending(ledger) == {"atlas": (4.5, 0, "tags"), "borealis": (0, 4.5, "tags")}
    ingest(ledger, bill("a.csv", charge("5"), charge("7", **OCTOBER)))
    keep(ledger, tags="1")
    assert pending(ledger) == {"atlas": (4.5, 5, "late bill")}
    assert closed(ledger) == [(4.5, 0.5, 5)]


def test_closed_and_pending_sum_to_the_charges_also_where_a_bill_is_new_or_gone(ledger: Ledger) -> None:
    september_closed(ledger)
    late = bill("late.csv", charge("2", BillingAccountId="acct-2"))
    ingest(ledger, bill("a.csv", charge("7", **OCTOBER)), late, accept=["all"])
    keep(ledger)
    told = ledger.frame("SELECT sum(pending), sum(charged), sum(closed) FROM closed_months").row(0)
    assert told[0] == told[1] - told[2]
    assert sorted(closed(ledger), key=repr) == sorted([(None, 2, 2), (4.5, -4.5, None)], key=repr)
    assert ledger.frame("SELECT sum(BilledCost) FROM costs WHERE billing_month = '2026-09-01'").item() == Decimal("4.5")


def test_opened_again_the_next_run_restates_it_and_says_why_since_it_was_made(ledger: Ledger) -> None:
    september_closed(ledger)
    keep(ledger, "borealis", tags="2")
    keep(ledger, "borealis", tags="2")  # nothing changed since this one; much did since the closing
    reopen_month(ledger, SEPTEMBER, start(ledger))
    assert {row[0] for row in ledger.frame("SELECT project FROM costs WHERE billing_month = '2026-09-01'").rows()} == {
        "atlas"
    }
    keep(ledger, "borealis", tags="2")
    told = ledger.frame(
        "SELECT value, before_BilledCost, after_BilledCost, cause FROM restatements "
        "WHERE dimension = 'project' AND billing_month = '2026-09-01' ORDER BY 1"
    ).rows()
    assert told == [("atlas", 4.5, 0, "tags"), ("borealis", 0, 4.5, "tags")]
    assert pending(ledger) == {}
    assert list((ledger.store / "closed").iterdir()) == []
    close(ledger)
    assert ledger.frame("SELECT closing, reopened_run IS NULL FROM closings ORDER BY 1").rows() == [
        (1, False), (2, True)
    ]  # fmt: skip


def test_what_finance_closed_counts_as_reported_though_no_report_showed_it(ledger: Ledger) -> None:
    september_closed(ledger)
    reopen_month(ledger, SEPTEMBER, start(ledger))
    keep(ledger, "borealis", tags="2")
    told = ledger.frame("SELECT DISTINCT billing_month, reported FROM restatements ORDER BY 1").rows()
    assert told == [(SEPTEMBER, True), (month("2026-10"), False)]


def test_two_closed_months_keep_numbers_apart(ledger: Ledger) -> None:
    september_closed(ledger)
    august = {"month": "2026-08", "day": "2026-08-02"}
    ingest(ledger, bill("b.csv", charge("8", BillingAccountId="acct-8", **august)))
    keep(ledger, "borealis", tags="1")
    close(ledger, month("2026-08"))
    keep(ledger, "third", tags="1")
    rows = ledger.frame("SELECT billing_month, project, BilledCost FROM costs ORDER BY ALL").rows()
    assert rows == [
        (month("2026-08"), "borealis", 8), (SEPTEMBER, "atlas", 1.5), (SEPTEMBER, "atlas", 3),
        (month("2026-10"), "third", 7),
    ]  # fmt: skip
    # every number that lineage and pools name leads to a row
    for table, column in (("split_lineage", "receiver_allocation_id"), ("split_pools", "allocation_id")):
        lost = ledger.frame(
            f"SELECT * FROM book.{table} AS t WHERE NOT EXISTS (SELECT 1 FROM book.cost_facts AS f WHERE "  # noqa: S608
            f"f.subject_id = t.subject_id AND f.usage_date = t.usage_date AND f.allocation_id = t.{column})"
        )
        assert lost.is_empty()
    ids = ledger.frame("SELECT cost_id FROM costs").to_series()
    assert ids.n_unique() == ids.len()


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("2026-07", "no costs of billing month 2026-07"),
        ("2026-11", "2026-11 was not over"),
        ("2026-09", "closed already"),
    ],
)
def test_what_cannot_be_closed_says_why(ledger: Ledger, when: str, said: str) -> None:
    ingest(ledger, bill("a.csv", charge("3"), charge("7", month="2026-11", day="2026-11-02")))
    keep(ledger)
    close(ledger)
    with pytest.raises(InputError, match=said):
        close(ledger, month(when))
    with pytest.raises(InputError, match="2026-10 is not closed"):
        reopen_month(ledger, month("2026-10"), start(ledger))


def test_rows_of_a_closed_month_that_were_changed_or_lost_stop_the_run(ledger: Ledger) -> None:
    september_closed(ledger)
    folder = ledger.store / "closed" / "1"
    costs = pl.read_parquet(folder / "costs.parquet")
    costs.with_columns(pl.col("BilledCost") * 2).write_parquet(folder / "costs.parquet")
    with pytest.raises(InputError, match="do not sum to what was closed"):
        keep(ledger)
    shutil.rmtree(folder)
    with pytest.raises(InputError, match="gone or damaged"):
        keep(ledger)


def test_what_a_crash_left_of_a_closing_is_nobodys(store: Path) -> None:
    with open_ledger(store) as ledger:
        september_closed(ledger)
        shutil.copytree(store / "closed" / "1", store / "closed" / "2")
        shutil.copytree(store / "closed" / "1", store / "closed" / "3.writing")
    with open_ledger(store) as ledger:
        assert [one.name for one in (store / "closed").iterdir()] == ["1"]
        close(ledger, month("2026-10"))


def test_charges_of_a_closed_month_are_not_pruned(ledger: Ledger) -> None:
    """The first revision stays anyway; here the second one was closed, and three more came."""
    for cost in ("1", "2"):
        ingest(ledger, bill("a.csv", charge(cost)))
    keep(ledger)
    close(ledger)
    for cost in ("3", "4", "5"):
        ingest(ledger, bill("a.csv", charge(cost)))
    publish(ledger)
    ledger.prune(1, (AS_OF + timedelta(days=90)).date(), start(ledger))
    stored = ledger.frame(
        "SELECT BilledCost FROM book.parts JOIN book.part_sums USING (part_no) WHERE pruned_run IS NULL"
    )
    assert sorted(stored.to_series().to_list()) == [1, 2, 5]


def causes(ledger: Ledger, first: Mapping[str, str], second: Mapping[str, str]) -> str:
    ingest(ledger, bill("a.csv", charge("3")))
    keep(ledger, **first)
    keep(ledger, "borealis", **second)
    (told,) = ledger.frame("SELECT DISTINCT cause FROM restatements").to_series().to_list()
    return str(told)


ROWS = (charge("3"), charge("1.5", ResourceId="res-2", x_note="a"))


@pytest.mark.parametrize(
    ("again", "cause"),
    [
        pytest.param(bill("b.csv", *reversed(ROWS), mode="snapshot"), "tags", id="rows in another order"),
        pytest.param(bill("b.csv", *ROWS, reading="newer", mode="snapshot"), "tags", id="read by a newer reader"),
        pytest.param(Bill("b.csv", [[row] for row in ROWS], mode="snapshot"), "tags", id="in two files"),
        pytest.param(
            bill("b.csv", *({**row, "x_blank": None} for row in ROWS), mode="snapshot"), "tags", id="a blank column"
        ),
        pytest.param(
            bill("b.csv", charge("1.5"), charge("3", ResourceId="res-2", x_note="a"), mode="snapshot"),
            "late bill, tags",
            id="the same sums for other resources",
        ),
        pytest.param(
            bill("b.csv", *({**row, "x_note": "b"} for row in ROWS), mode="snapshot"), "late bill, tags", id="a note"
        ),
        pytest.param(bill("b.csv", charge("4.5"), mode="snapshot"), "late bill, tags", id="fewer rows"),
    ],
)
def test_a_bill_that_says_the_same_again_is_not_late(ledger: Ledger, again: Bill, cause: str) -> None:
    ingest(ledger, bill("b.csv", *ROWS, mode="snapshot"))
    keep(ledger, tags="1")
    close(ledger)
    assert ingest(ledger, again).revised
    keep(ledger, "borealis", tags="2")
    told = "SELECT DISTINCT cause FROM pending_restatements"
    assert ledger.frame(told).rows() == [(cause,)]
    reopen_month(ledger, SEPTEMBER, start(ledger))
    keep(ledger, "borealis", tags="2")
    assert ledger.frame("SELECT DISTINCT cause FROM restatements").rows() == [(cause,)]


def test_what_came_and_went_between_two_runs_is_no_change(ledger: Ledger) -> None:
    first = bill("b.csv", *ROWS, mode="snapshot")
    ingest(ledger, first)
    keep(ledger, tags="1")
    for one in (bill("b.csv", charge("8"), mode="snapshot"), first):
        assert ingest(ledger, one).revised
    keep(ledger, "borealis", tags="2")
    assert ledger.frame("SELECT DISTINCT cause FROM restatements").rows() == [("tags",)]


def test_the_same_bytes_read_otherwise_are_no_late_bill(ledger: Ledger) -> None:
    """A setting of the source, or a newer reader, makes other charges of them."""
    ingest(ledger, bill("b.csv", charge("3")))
    keep(ledger)
    ingest(ledger, bill("b.csv", charge("30"), reading="decimal=comma"))
    ledger.con.execute("UPDATE book.deliveries_read SET content_digest = 'one'")
    keep(ledger)
    assert ledger.frame("SELECT DISTINCT cause FROM restatements").rows() == [("reading of bills",)]


def test_what_was_pruned_cannot_be_called_the_same(ledger: Ledger) -> None:
    ingest(ledger, bill("b.csv", *ROWS, mode="snapshot"))
    keep(ledger, tags="1")
    ingest(ledger, bill("b.csv", *reversed(ROWS), mode="snapshot"))
    ledger.con.execute("UPDATE book.parts SET pruned_run = 1 WHERE part_no = 1")
    keep(ledger, "borealis", tags="2")
    assert ledger.frame("SELECT DISTINCT cause FROM restatements").rows() == [("late bill, tags",)]


def test_several_causes_are_all_named(ledger: Ledger) -> None:
    assert causes(ledger, {"tags": "1", "resources": "1"}, {"tags": "2", "resources": "2"}) == "resources, tags"


def test_a_cause_that_nobody_noted_is_unknown(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3")))
    keep(ledger, tags="1")
    ledger.con.execute("UPDATE book.costs_kept SET inputs = NULL")
    keep(ledger, "borealis", tags="2")
    assert ledger.frame("SELECT DISTINCT cause FROM restatements").rows() == [("unknown",)]
