"""A month closed by finance, nights after it, and the month opened again: as the command does it."""

from __future__ import annotations

import csv
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

from small_workspace import RULES, attribution, bill_text, charge, workspace

from attribution.ledger import query

SPLIT = """
[[split]]
name = "shared follows {what}"
when = {{ ServiceName = "Support" }}
across = ["project"]
by = "{by}"
"""
LATER = "2026-11-20T06:00:00Z"
CLOSED = "billing_month = '2026-10-01'"


def night(root: Path, as_of: str = "2026-11-05T06:00:00Z") -> str:
    ended = attribution("run", "-w", root, "--as-of", as_of)
    assert ended.code == 0, ended.err
    return ended.out


def company(root: Path) -> Path:
    """Two projects and their support in October, one charge in November."""
    support = charge("2026-10-31", "9.000000000001", ResourceId="", ServiceName="Support", project="", owner="")
    rows = [charge(), charge("2026-10-20", "200", ResourceId="i-2", project="orion", owner="tomas"), support]
    workspace(root, rows, rules=RULES + SPLIT.format(what="cost", by="cost"))
    (root / "bills" / "november.csv").write_text(bill_text([charge("2026-11-02", "4")]), encoding="utf-8")
    night(root)
    assert attribution("close", "2026-10", "-w", root).out.startswith("2026-10 is closed: its costs, BilledCost 219.50")
    return root


def changed(root: Path) -> Path:
    """A bill that came late, and a rule that others would have wanted."""
    late = charge("2026-10-30", "50", BillingAccountId="0013", ResourceId="i-3")
    (root / "bills" / "late.csv").write_text(bill_text([late]), encoding="utf-8")
    (root / "rules.toml").write_text(RULES + SPLIT.format(what="heads", by="even"), encoding="utf-8")
    return root


def test_a_closed_month_is_in_every_figure_as_it_was(tmp_path: Path) -> None:
    root = company(tmp_path)
    store = root / "ledger"
    views = {
        name: query(store, f"SELECT * FROM {name} WHERE {CLOSED} ORDER BY ALL")  # noqa: S608 - names of ours
        for name in ("monthly_costs", "dimension_months", "coverage")
    }
    said = night(changed(root), LATER)
    for name, before in views.items():
        assert query(store, f"SELECT * FROM {name} WHERE {CLOSED} ORDER BY ALL").equals(before), name  # noqa: S608
    assert "Held back by closed months" in said
    assert "late bill, rules" in said
    assert query(store, "SELECT count(DISTINCT rules_version) FROM costs").item() == 2
    assert query(store, f"SELECT * FROM restatements WHERE {CLOSED}").is_empty()  # noqa: S608


def test_what_stays_and_what_is_held_back_sum_to_the_charges_in_every_column(tmp_path: Path) -> None:
    root = changed(company(tmp_path))
    night(root, LATER)
    store = root / "ledger"
    for cost in ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"):
        charged = query(store, f"SELECT sum({cost}) FROM charges WHERE {CLOSED}").item()  # noqa: S608
        reported = query(store, f"SELECT sum({cost}) FROM costs WHERE {CLOSED}").item()  # noqa: S608
        told = query(
            store, "SELECT sum(closed), sum(pending), sum(charged) FROM closed_months WHERE cost_column = ?", [cost]
        )
        assert told.row(0) == (reported, charged - reported, charged), cost
    for dimension in ("project", "owner", "stage"):
        rows = query(
            store,
            """
            SELECT sum(computed_EffectiveCost - reported_EffectiveCost), sum(computed_BilledCost - reported_BilledCost)
            FROM pending_restatements WHERE dimension = ?
            """,
            [dimension],
        )
        assert rows.row(0) == (Decimal(50), Decimal(50)), dimension


def test_the_night_shows_sums_that_agree_with_all_other_figures(tmp_path: Path) -> None:
    """Reported is what `costs` and the projects show; charged now and held back stand beside it."""
    root = company(tmp_path)
    assert "in all figures" not in night(root, LATER)
    rows = [line.split() for line in night(changed(root), LATER).splitlines()]
    for cost in ("BilledCost", "EffectiveCost"):
        shown, closed = (
            query(root / "ledger", f"SELECT sum({cost}) FROM costs WHERE {where}").item()  # noqa: S608
            for where in ("true", CLOSED)
        )
        charged = query(root / "ledger", f"SELECT sum({cost}) FROM charges").item()  # noqa: S608
        assert charged - shown == Decimal(50)
        told = (f"{charged:.2f}", f"{charged:.2f}", "0", "+50.00", f"{shown:.2f}")
        assert [cost, "USD", *told] in rows
        assert [cost, "USD", "Oct", "2026", f"{closed:.2f}", f"{closed + 50:.2f}", "+50.00"] in rows
    held = rows[rows.index(next(row for row in rows if row[:3] == ["Whose", "it", "would"])) + 3 :]
    moved = [Decimal(row[-1]) for row in held[: [*held, []].index([])]]
    assert (len(moved), sum(moved)) == (2, Decimal(50))


def test_opened_again_it_is_as_if_it_had_never_been_closed(tmp_path: Path) -> None:
    root = changed(company(tmp_path / "closed"))
    night(root, LATER)
    assert "changes 2 projects (late bill, rules)" in attribution("reopen", "2026-10", "-w", root).out
    night(root, LATER)
    other = changed(workspace(tmp_path / "never", [charge()]))
    for name in ("october.csv", "november.csv"):
        (other / "bills" / name).write_bytes((root / "bills" / name).read_bytes())
    night(other, LATER)
    sql = "SELECT * EXCLUDE (cost_id) FROM costs ORDER BY ALL"
    assert query(root / "ledger", sql).equals(query(other / "ledger", sql))
    cause = query(root / "ledger", f"SELECT DISTINCT cause FROM restatements WHERE {CLOSED}")  # noqa: S608
    assert cause.rows() == [("late bill, rules",)]
    assert query(root / "ledger", "SELECT * FROM pending_restatements").is_empty()


def test_what_moves_between_owners_alone_is_told_too(tmp_path: Path) -> None:
    root = company(tmp_path)
    rule = '[[rule]]\nname = "i-1 is of ines"\nwhen = { ResourceId = "i-1" }\nassign = { owner = "ines" }\n'
    (root / "rules.toml").write_text(RULES + SPLIT.format(what="cost", by="cost") + rule, encoding="utf-8")
    said = night(root, LATER)
    assert "Held back by closed months" in said
    assert {"owner=ines", "owner=mira"} <= set(said.split())
    assert "changes 2 owners (rules)" in attribution("reopen", "2026-10", "-w", root).out


def test_wrong_months_are_told(tmp_path: Path) -> None:
    root = company(tmp_path)
    for words, said in (
        (["close", "2026-10"], "closed already"),
        (["close", "2026-11"], "was not over"),
        (["close", "2026-13"], "is no month"),
        (["reopen", "2026-11"], "Known: 2026-10"),
    ):
        ended = attribution(*words, "-w", root)
        assert ended.code == 2
        assert said in ended.err


JOURNAL = """
[journal]
credit = "2100"
debit = "=6100"
debits = { compute = "6110" }
by = ["project", "owner"]
"""


def test_every_entry_of_a_journal_balances_and_all_sum_to_the_bills(tmp_path: Path) -> None:
    root = company(tmp_path)
    with (root / "attribution.toml").open("a", encoding="utf-8") as file:
        file.write(JOURNAL)
    night(changed(root), LATER)
    written = attribution("export", "journal", root / "j.csv", "--month", "2026-10", "-w", root)
    assert written.code == 0, written.err
    with (root / "j.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    sides: dict[str, list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0)])
    for row in rows:
        assert (row["debit"] == "") != (row["credit"] == "")
        assert row["date"] == "2026-10-31"
        for at, side in enumerate(("debit", "credit")):
            sides[row["entry"]][at] += Decimal(row[side] or 0)
    assert all(debit == credit for debit, credit in sides.values())
    reported = query(root / "ledger", f"SELECT sum(BilledCost) FROM costs WHERE {CLOSED}").item()  # noqa: S608
    assert sum((Decimal(row["credit"] or 0) for row in rows if row["account"] == "2100"), Decimal(0)) == reported
    assert {row["account"] for row in rows} == {"2100", "6110", "'=6100"}  # never a formula
    assert {row["project"] for row in rows} == {"atlas", "orion", ""}


def test_a_month_that_is_open_has_no_journal(tmp_path: Path) -> None:
    root = company(tmp_path)
    ended = attribution("export", "journal", root / "j.csv", "--month", "2026-11", "-w", root)
    assert (ended.code, (root / "j.csv").exists()) == (2, False)
    assert "attribution close 2026-11" in ended.err
    assert "Known: 2026-10" in ended.err
    assert attribution("export", "journal", root / "j.csv", "-w", root).code == 2
