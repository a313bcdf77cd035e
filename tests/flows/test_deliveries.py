"""Deliveries that do not simply count, on the command line: what is asked, what is answered, what is remembered."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from small_workspace import AS_OF, TOML, attribution, bill_text, charge, workspace

WHOLE = [charge("2026-10-03", "10.5"), charge("2026-10-20", "200", ResourceId="i-2")]


def deliver(root: Path, *rows: dict[str, str], name: str = "october.csv") -> None:
    (root / "bills" / name).write_text(bill_text(list(rows)), encoding="utf-8")


def night(root: Path, *words: str) -> int:
    return attribution("run", "-w", root, "--as-of", AS_OF, *words).code


def rows(root: Path, sql: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(attribution("sql", "--json", sql, "-w", root).out)
    return found


def billed(root: Path) -> str:
    return rows(root, "SELECT sum(BilledCost) AS cost FROM costs")[0]["cost"]


def test_a_bill_that_falls_waits_for_a_word(tmp_path: Path) -> None:
    root = workspace(tmp_path, WHOLE)
    assert night(root) == 0
    deliver(root, WHOLE[0])
    assert night(root) == 2
    assert billed(root) == "210.500000000000"
    (finding,) = rows(root, "SELECT subject, evidence FROM findings WHERE kind = 'delivery_shrank'")
    assert finding["subject"] == "bills/october.csv"
    assert "from 2 rows to 1 and from BilledCost 210.5 USD to 10.5" in finding["evidence"]
    refused = attribution("ingest", "-w", root, "--accept-shrink", "clod")
    assert refused.code == 2
    assert 'no source "clod"' in refused.err
    assert 'Did you mean "cloud"?' in refused.err
    assert night(root, "--accept-shrink", "all") == 0
    assert billed(root) == "10.500000000000"
    assert night(root) == 0
    assert rows(root, "SELECT seen FROM findings WHERE kind = 'delivery_shrank'") == [{"seen": "gone"}]


@pytest.mark.parametrize("where", ["[ingest]\nshrink = 1\n", "shrink = 1\n"])
def test_a_workspace_or_a_source_may_allow_any_fall(tmp_path: Path, where: str) -> None:
    toml = TOML.replace("[[source]]", f"{where}[[source]]") if where.startswith("[") else TOML + where
    root = workspace(tmp_path, WHOLE, toml=toml)
    assert night(root) == 0
    deliver(root, WHOLE[0])
    assert night(root) == 0
    assert billed(root) == "10.500000000000"


NO_DAY = charge("2026-10-22", "30", ResourceId="i-4") | {"ChargePeriodStart": "2026-10-32T00:00:00Z"}
# Two good rows of 210.5, one without a readable amount, and one of 30 on a day that is none.
BAD = [*WHOLE, charge("2026-10-21", "1,5x", EffectiveCost="1", ResourceId="i-3"), NO_DAY]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ("reject_rows = 0.49", "2 of 4 rows were refused, more than 49 %"),
        ("reject_money = 0.124", "BilledCost 30 of 240.5 was refused, more than 12.4 %"),
        ("reject_rows = 0.1\nreject_money = 0.1", "more than 10 % and BilledCost 30"),
    ],
)
def test_a_delivery_of_which_too_much_is_refused_replaces_nothing(tmp_path: Path, limits: str, told: str) -> None:
    root = workspace(tmp_path, WHOLE, toml=TOML + limits)
    assert night(root) == 0
    deliver(root, *BAD)
    for _ in range(2):
        ended = attribution("run", "-w", root, "--as-of", AS_OF)
        assert ended.code == 2
        said = " ".join(ended.out.split())
        assert told in said
        assert "BilledCost: a plain number; ChargePeriodStart: an instant" in said
        assert billed(root) == "210.500000000000"
    assert rows(root, "SELECT subject FROM findings WHERE kind = 'delivery_refused'") == [
        {"subject": "bills/october.csv"}
    ]
    assert json.loads(attribution("rejects", "--json", "-w", root).out) == []
    held = json.loads(attribution("rejects", "--held-back", "--each", "--source", "cloud", "--json", "-w", root).out)
    assert [one["line"] for one in held] == [4, 5]
    deliver(root, *WHOLE, charge("2026-10-21", "1.5", ResourceId="i-3"))
    assert night(root) == 0
    assert billed(root) == "212.000000000000"


@pytest.mark.parametrize("limits", ["reject_rows = 0.5", "reject_money = 0.125", ""])
def test_what_a_source_allows_to_be_refused_is_left_out_alone(tmp_path: Path, limits: str) -> None:
    root = workspace(tmp_path, BAD, toml=TOML + limits)
    assert night(root) == 0
    assert billed(root) == "210.500000000000"


def test_refused_rows_are_kept_as_they_stand(tmp_path: Path) -> None:
    quoted = charge("2026-10-21", "1,5x", EffectiveCost="1", ChargeDescription='two\nlines, "quoted"')
    long = charge("2026-10-22", "x", EffectiveCost="1", ChargeDescription="é" * 5000)
    root = workspace(tmp_path, [*WHOLE, quoted, long])
    with (root / "bills" / "october.csv").open("a", encoding="utf-8") as bill:
        bill.write("a,row,too,short\n")
    text = (root / "bills" / "october.csv").read_text(encoding="utf-8")
    assert night(root) == 0
    told = json.loads(attribution("rejects", "--each", "--json", "-w", root).out)
    two_lines, cut, short = (one["raw"] for one in told)
    assert two_lines in text
    assert '"two\nlines, ""quoted"""' in two_lines
    assert cut in text
    assert 4090 <= len(cut.encode()) <= 4096
    assert short == "a,row,too,short"
    assert {one["delivery"] for one in told} == {"bills/october.csv"}


def test_a_refused_row_of_parquet_is_kept_as_json(tmp_path: Path) -> None:
    root = workspace(tmp_path, WHOLE)
    bad = charge("2026-09-04", "seven", EffectiveCost="7")
    pl.DataFrame([charge("2026-09-03", "7"), bad]).write_parquet(root / "bills" / "s.parquet")
    assert night(root) == 0
    (one,) = json.loads(attribution("rejects", "--each", "--json", "-w", root).out)
    assert (one["line"], json.loads(one["raw"])) == (2, bad)


def test_refused_values_are_counted_by_what_is_asked(tmp_path: Path) -> None:
    root = workspace(tmp_path, [*BAD, charge("2026-10-25", "ten", EffectiveCost="1", ResourceId="=1+1")])
    assert night(root) == 0
    counted = json.loads(attribution("rejects", "--by", "check", "--json", "-w", root).out)
    assert [(one["check"], one["refused"], one["first_line"]) for one in counted] == [
        ("a plain number", 2, 4),
        ("an instant, 1970 to 2199", 1, 5),
    ]
    assert json.loads(attribution("rejects", "--by", "source", "--json", "-w", root).out)[0]["rows"] == 3
    listed = tmp_path / "rejects.csv"
    assert attribution("rejects", "--csv", listed, "-w", root).code == 0
    with listed.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["line"] for line in lines] == ["4", "5", "6"]
    assert all(line["raw"].startswith("0012,000745,2026-10-01T00:00:00Z") for line in lines)
    assert attribution("rejects", "--source", "clod", "-w", root).code == 2


CELLS = st.sampled_from(["BilledCost", "ChargePeriodStart", "ChargeCategory", "BillingCurrency"])
WORSE = st.sampled_from(["", "n/a", "2026-13-01", "1.2.3", "9e99"])


LEDGER = (
    "SELECT bill_id, file, row_number, ResourceId, ChargePeriodStart, BilledCost FROM charges ORDER BY 3",
    "SELECT * EXCLUDE (cost_id) FROM costs ORDER BY ResourceId",
    "SELECT bill_id, files, rows, stated_BilledCost, stored_BilledCost FROM bills WHERE superseded_run IS NULL",
    "SELECT * FROM rejected_rows",
    "SELECT * FROM held_back",
    "SELECT * FROM monthly_costs ORDER BY ALL",
)


@settings(max_examples=4, deadline=None, derandomize=True, phases=(Phase.generate,))
@given(
    damage=st.lists(st.tuples(st.integers(0, 5), CELLS, WORSE), min_size=1, max_size=4),
    limit=st.sampled_from(["", "reject_rows = 0.2", "reject_money = 0"]),
    shape=st.sampled_from(["", 'delivery = "snapshot"', 'delivery = "parts"']),
)
def test_refused_and_mended_is_as_if_it_had_been_whole(
    tmp_path_factory: pytest.TempPathFactory, damage: list[tuple[int, str, str]], limit: str, shape: str
) -> None:
    whole = [charge(f"2026-10-{day:02}", f"{day}.25", ResourceId=f"i-{day}") for day in range(1, 7)]
    broken = [dict(row) for row in whole]
    for at, column, text in damage:
        broken[at][column] = text
    told = []
    for bills in ([broken, whole], [whole]):
        root = workspace(tmp_path_factory.mktemp("mended"), toml=f"{TOML}{limit}\n{shape}\n")
        for bill in bills:
            deliver(root, *bill)
            ended = night(root)
        assert ended == 0
        told.append([rows(root, query) for query in LEDGER])
    assert told[0] == told[1]


def test_check_says_how_many_files_a_source_has(tmp_path: Path) -> None:
    toml = TOML + '[[source]]\nname = "late"\npath = "late/*.csv"\n'
    root = workspace(tmp_path, WHOLE, toml=toml)
    ended = attribution("check", "-w", root)
    assert ended.code == 0
    told = " ".join(ended.out.split())
    assert 'source "cloud": bills/* matches 1 file' in told
    assert 'source "late": ' in told
    assert "a run would stop here" in told


def everything(root: Path) -> dict[str, tuple[bytes, int]]:
    """Content and time of every file of a store but its lock."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_a_dry_run_says_what_an_ingest_would_do_and_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    root = workspace(tmp_path / "w", WHOLE)
    first = attribution("ingest", "--dry-run", "-w", root, "--as-of", AS_OF)
    assert first.code == 0
    assert "1 delivery would be read" in first.out
    assert not (root / "ledger").exists()
    assert night(root) == 0
    before = everything(root / "ledger")
    deliver(root, *BAD, charge("2026-10-25", "9", ResourceId="i-5"))
    deliver(root, charge("2026-09-25", "7"), name="september.csv")
    deliver(root, charge("2026-09-26", "7"), name="september-2.csv")
    would = attribution("ingest", "--dry-run", "-w", root, "--as-of", AS_OF)
    assert would.code == 2
    lines = [" ".join(line.split()) for line in would.out.splitlines()]
    assert "cloud bills/october.csv 5 2" in lines
    assert "cloud 0012 2026-09-01 USD 1 7" in lines
    assert "cloud 0012 2026-10-01 USD 2 210.5 3 219.5" in lines
    assert any(line.startswith("held back cloud bills/september") for line in lines)
    assert lines[-1] == "Nothing was changed."
    assert everything(root / "ledger") == before
    assert list(scratch.iterdir()) == []
    done = attribution("ingest", "-w", root, "--as-of", AS_OF)
    assert done.code == 2
    assert night(root) == 2
    assert billed(root) == "226.500000000000"


def test_a_revision_that_comes_back_after_it_was_pruned_counts_as_if_it_had_never_left(tmp_path: Path) -> None:
    root = workspace(tmp_path / "long", [charge(cost="1")], toml=TOML + "shrink = 1\n")
    assert night(root) == 0
    for cost in ("2", "3", "3", "3"):  # October is over: the night after, the revision in between goes
        deliver(root, charge(cost=cost))
        assert night(root) == 0
    assert [row["pruned_at"] is None for row in rows(root, "SELECT pruned_at FROM bills ORDER BY bill_no")] == [
        True,
        False,
        True,
    ]
    told = json.loads(attribution("status", "--json", "-w", root).out)["store"]
    assert [(row["charges"], row["parts"]) for row in told] == [("counting", 1), ("superseded or held back", 1)]
    assert sum(row["bytes"] for row in told) == sum(
        file.stat().st_size for file in (root / "ledger" / "charges").rglob("*.parquet")
    )
    deliver(root, charge(cost="2"))
    seen = attribution("ingest", "-w", root, "--dry-run")
    assert "october" not in seen.err
    assert night(root) == 0
    other = workspace(tmp_path / "short", [charge(cost="2")], toml=TOML + "shrink = 1\n")
    assert night(other) == 0
    sql = "SELECT * EXCLUDE (cost_id) FROM costs ORDER BY ALL"
    assert rows(root, sql) == rows(other, sql)
    sql = "SELECT BilledCost, row_number, bill_id FROM charges"
    assert rows(root, sql) == rows(other, sql)
    assert night(root) == 0
    assert rows(root, sql) == rows(other, sql)


def test_a_bill_without_rows_is_among_the_bills_read(tmp_path: Path) -> None:
    root = workspace(tmp_path, WHOLE, toml=TOML + "shrink = 1\n")
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert "1 bill read" in ended.out
    deliver(root)
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert "1 bill read" in ended.out
    (line,) = [line.split() for line in ended.out.splitlines() if line.startswith("cloud")]
    assert line == ["cloud", "0012", "Oct", "2026", "restated", "0", "no", "charges"]
    assert "cloud" not in attribution("run", "-w", root, "--as-of", AS_OF).out.split("Files")[0]


def test_a_report_tells_of_a_change_to_a_month_that_was_reported(tmp_path: Path) -> None:
    root = workspace(tmp_path, [charge(cost="10.5"), charge("2026-07-03", "3")])
    assert night(root) == 0
    deliver(root, charge(cost="11.5"), charge("2026-07-03", "3"))
    assert night(root) == 0
    assert "1 past month changed" in told_of_changes(root)
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code == 0
    deliver(root, charge(cost="12.5"), charge("2026-07-03", "4"))
    assert night(root) == 0
    sql = "SELECT billing_month, reported FROM restatements WHERE dimension = 'project' ORDER BY run, billing_month"
    assert [tuple(row.values()) for row in rows(root, sql)] == [
        ("2026-10-01", False),
        ("2026-07-01", False),  # too long ago for any figure of the report
        ("2026-10-01", True),
    ]
    assert "2 past months (1 of them reported before) changed" in told_of_changes(root)
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code == 0
    (listed,) = root.glob("ledger/reports/*/all/restatements.csv")
    with listed.open(encoding="utf-8-sig") as file:
        assert [row["reported"] for row in csv.DictReader(file)] == ["no", "yes", "no"]


def told_of_changes(root: Path) -> str:
    return attribution("report", "-w", root).out.replace("\n", " ")


def say(root: Path, *periods: tuple[str, str, str, str]) -> None:
    """Deliver what the provider says of periods: month, issuer, status, when."""
    head = "BillingPeriodStart,BillingPeriodEnd,InvoiceIssuerName,BillingPeriodStatus,BillingPeriodLastUpdated\n"
    lines = [f"{month}-01T00:00:00Z,,{issuer},{status},{when}T00:00:00Z\n" for month, issuer, status, when in periods]
    (root / "bills" / "periods.csv").write_text(head + "".join(lines), encoding="utf-8")


def test_bills_say_whether_the_provider_has_closed_their_period(tmp_path: Path) -> None:
    root = workspace(tmp_path, [*WHOLE, charge("2026-09-03"), charge("2026-08-03")])
    say(root, ("2026-10", "Cumulus", "Open", "2026-11-01"), ("2026-09", "Cumulus", "Closed", "2026-10-04"),
        ("2026-09", "Nimbus", "Open", "2026-10-05"))  # fmt: skip
    assert night(root) == 0  # nothing is held back
    sql = "SELECT billing_month, period_status FROM bills ORDER BY billing_month"
    told: dict[str, str | None] = {"2026-08-01": None, "2026-09-01": None, "2026-10-01": "open"}
    assert {row["billing_month"]: row["period_status"] for row in rows(root, sql)} == told
    say(root, ("2026-10", "Cumulus", "Closed", "2026-11-04"), ("2026-09", "Nimbus", "Closed", "2026-11-04"))
    assert night(root) == 0
    told |= {"2026-09-01": "closed", "2026-10-01": "closed"}
    assert {row["billing_month"]: row["period_status"] for row in rows(root, sql)} == told
    say(root, ("2026-10", "Cumulus", "Open", "2026-11-01"))  # what was said earlier, and comes late, says nothing new
    assert night(root) == 0
    assert {row["billing_month"]: row["period_status"] for row in rows(root, sql)} == told
