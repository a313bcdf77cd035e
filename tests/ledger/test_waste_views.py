"""Views of waste: the way to action over days, and what commitments cover."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal, localcontext

import polars as pl
import pytest
from ledger_builder import bill, charge, ingest
from test_kept_costs import finding, keep

from attribution.ledger import Action, Ledger, append_actions
from schemas.findings import FINDING_COLUMNS


def found(ledger: Ledger, day: int, *names: str, owner: str = "mira") -> None:
    rows = [finding(name) | {"tier": "bill", "saving": Decimal(2), "owner": owner} for name in names]
    ledger.keep_findings(pl.DataFrame(rows, schema=FINDING_COLUMNS), date(2026, 11, day))
    at = datetime(2026, 11, day, 6, tzinfo=UTC)
    ledger.end_run(ledger.start_run("run", as_of=at, started_at=at, versions={}), "done", ended_at=at, counts={})


def told(ledger: Ledger, day: int, report: str = "owner=mira", state: str = "sent") -> None:
    at = datetime(2026, 11, day, 9, tzinfo=UTC)
    ledger.con.execute(
        "INSERT INTO book.deliveries BY NAME SELECT ? AS report, ? AS period, 'x@example.com' AS recipient, "
        "'id' AS message_id, ? AS state, ? AS changed_at",
        [report, str(day), state, at],
    )


def steps(ledger: Ledger) -> dict[str, tuple[object, ...]]:
    rows = ledger.frame("SELECT subject, step, marked_on, warned_on, due_on, done_on FROM waste_path").rows()
    return {subject: tuple(rest) for subject, *rest in rows}


def test_waste_is_marked_then_warned_then_due_then_done_and_marked_anew(ledger: Ledger) -> None:
    nov = {day: date(2026, 11, day) for day in range(1, 31)}
    found(ledger, 2, "vol-1")
    assert steps(ledger)["vol-1"] == ("mark", nov[2], None, None, None)
    told(ledger, 3, "owner=tomas")
    told(ledger, 3, state="failed")
    found(ledger, 4, "vol-1")
    assert steps(ledger)["vol-1"][0] == "mark"  # told to somebody else, or not at all
    told(ledger, 5)
    for day, step in ((6, "warn"), (11, "warn"), (12, "due"), (13, "due")):
        found(ledger, day, "vol-1")
        assert steps(ledger)["vol-1"] == (step, nov[2], nov[5], nov[12], None)
    found(ledger, 14)
    assert steps(ledger)["vol-1"] == ("done", nov[2], None, None, nov[14])
    found(ledger, 20, "vol-1")
    assert steps(ledger)["vol-1"] == ("mark", nov[20], None, None, None)


def test_nobodys_waste_is_told_by_the_report_for_all(ledger: Ledger) -> None:
    found(ledger, 2, "vol-1", owner="unallocated")
    told(ledger, 3, "all")
    assert steps(ledger)["vol-1"][0] == "warn"


def test_what_somebody_answered_for_is_exempt_for_as_long_as_that_holds(ledger: Ledger) -> None:
    found(ledger, 2, "vol-1")
    told(ledger, 3)
    snooze = Action("snooze", "mira", "a run needs it", date(2026, 11, 15))
    append_actions(ledger, ["vol-1"], snooze, datetime(2026, 11, 4, tzinfo=UTC))
    for day, step in ((14, "exempt"), (15, "due")):
        found(ledger, day, "vol-1")
        assert steps(ledger)["vol-1"][0] == step
    (row,) = ledger.frame("SELECT exempt_because, exempt_until, warning FROM waste_path").rows()
    assert row[:2] == (None, None)
    assert row[2] == "On the reclaim plan since 2026-11-10."


def test_undetermined_findings_and_remarks_go_no_way(ledger: Ledger) -> None:
    rows = [finding("a") | {"tier": "bill", "verdict": "undetermined"}, finding("b")]
    ledger.keep_findings(pl.DataFrame(rows, schema=FINDING_COLUMNS), date(2026, 11, 2))
    assert steps(ledger) == {}


def commitment(cost: str, list_cost: str | None, status: str | None, **more: object) -> dict[str, object]:
    amounts = {"EffectiveCost": Decimal(cost), "ListCost": None if list_cost is None else Decimal(list_cost)}
    return charge(cost, CommitmentDiscountStatus=status, **({"ResourceType": "Machine"} | amounts | more))


def test_commitments_by_month_in_exact_figures(ledger: Ledger) -> None:
    ingest(
        ledger,
        bill(
            "a.csv",
            commitment("60", "100", "Used"), commitment("20", None, "Unused", ResourceType=None),
            commitment("50", "50", None), commitment("9", "30", None, PricingCategory="Dynamic"),
            commitment("7", "7", None, ResourceType="Disk"), commitment("5", "5", None, ChargeCategory="Tax"),
        ),
    )  # fmt: skip
    keep(ledger)
    (row,) = ledger.frame("SELECT * FROM commitments").to_dicts()
    assert (row["used_EffectiveCost"], row["unused_EffectiveCost"]) == (Decimal(60), Decimal(20))
    assert (row["covered_ListCost"], row["eligible_ListCost"]) == (Decimal(100), Decimal(150))
    assert row["utilization"] == pytest.approx(60 / 80)
    assert row["commitment_coverage"] == pytest.approx(100 / 150)
    assert row["effective_savings_rate"] == pytest.approx(1 - (60 + 50 + 20) / 150)


def test_an_unknown_list_cost_leaves_coverage_open(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", commitment("60", "100", "Used"), commitment("5", None, None)))
    keep(ledger)
    (row,) = ledger.frame("SELECT utilization, commitment_coverage, effective_savings_rate FROM commitments").rows()
    assert row == (1.0, None, None)


def test_amounts_of_commitments_are_exact_to_thirty_digits_and_more(ledger: Ledger) -> None:
    used = [f"1234567890123456{n}.98765432101{n}" for n in range(10)]
    unused = [f"987654321098765432{n}.00000000000{n}" for n in range(10)]
    listed = [f"76543210987654321{n}.12345678900{n}" for n in range(10)]
    rows = [commitment(cost, list_cost, "Used") for cost, list_cost in zip(used, listed, strict=True)]
    rows += [commitment(cost, None, "Unused", ResourceType=None) for cost in unused]
    rows += [commitment("-0.000000000001", "0.000000000001", None)]
    ingest(ledger, bill("a.csv", *rows))
    keep(ledger)
    (row,) = ledger.frame("SELECT * FROM commitments").to_dicts()
    with localcontext(prec=60):
        paid, idle, list_cost = (sum(map(Decimal, amounts)) for amounts in (used, unused, listed))
        least = Decimal("0.000000000001")
        right = {
            "used_EffectiveCost": paid, "unused_EffectiveCost": idle, "covered_ListCost": list_cost,
            "eligible_ListCost": list_cost + least, "eligible_EffectiveCost": paid - least,
        }  # fmt: skip
    assert {name: row[name] for name in right} == right
    assert min(len(amount.as_tuple().digits) for amount in right.values()) >= 30


def test_every_amount_of_commitments_is_a_decimal_and_every_share_a_float(ledger: Ledger) -> None:
    types = dict(ledger.frame("SELECT column_name, column_type FROM (DESCRIBE commitments)").rows())
    assert {name: kind for name, kind in types.items() if name.endswith("Cost")} == dict.fromkeys(
        ("used_EffectiveCost", "unused_EffectiveCost", "covered_ListCost", "eligible_ListCost",
         "eligible_EffectiveCost"), "DECIMAL(38,12)"
    )  # fmt: skip
    assert {name for name, kind in types.items() if kind == "DOUBLE"} == {
        "utilization", "commitment_coverage", "effective_savings_rate"
    }  # fmt: skip


def test_without_commitments_there_is_no_row(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("3")))
    keep(ledger)
    assert ledger.frame("SELECT * FROM commitments").is_empty()
