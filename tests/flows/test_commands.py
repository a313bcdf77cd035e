"""The command as people and scripts use it: help, JSON, exit codes, pipes, signals, clocks, strange names."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_workspace import AS_OF, TOML, attribution, bill_text, charge, published, workspace

from attribution.ledger import open_ledger, query, read_published
from flows import cli, running

COMMANDS = sorted(
    [str(one.callback.__name__) for one in cli.app.registered_commands if one.callback]
    + [str(one.name) for one in cli.app.registered_groups]
)
PROGRAM = [sys.executable, "-c", "from flows.cli import main; main()"]
HOUSE = Path(__file__).parents[2]
STRANGE = [
    "a\"b'c", "line\nbreak", "<script>alert(1)</script>", "=cmd()|calc", "+1", "@x", "x" * 400, "مرحبا", "🚀",
    "../../x", "..", "CON", "NULL", "all", "shared", "idle", "(tag conflict)", "{{7*7}}", "[bold]x[/bold]", "[/]",
    ":key:", "'; DROP TABLE costs;--", "\u202eevil", "\x1b[31mred",
]  # fmt: skip


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In a folder with blanks and letters beyond ASCII."""
    root = workspace(tmp_path_factory.mktemp("commands") / "Kosten für März")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example(command: str) -> None:
    ended = attribution(command, "--help")
    assert ended.code == 0
    assert f"Example: attribution {command}" in ended.out


@pytest.mark.parametrize(
    "words",
    [
        ["findings"], ["rejects"], ["rejects", "--each"], ["status"], ["sql", "SELECT * FROM costs"],
        ["explain", "i-1"], ["explain", "i-1", "--month", "2026-10"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_json_is_json_and_money_in_it_is_text(ran: Path, words: list[str]) -> None:
    ended = attribution(*words, "--json", "-w", ran)
    assert (ended.code, ended.err) == (0, "")

    def never(text: str) -> None:
        pytest.fail(f"a float: {text}")

    json.loads(ended.out, parse_float=never)


def test_a_cost_is_explained_down_to_its_charge(ran: Path) -> None:
    cost = query(ran / "ledger", "SELECT cost_id FROM costs WHERE ResourceId = 'i-1'").item()
    told = attribution("explain", "--cost", cost, "-w", ran)
    assert told.code == 0
    assert "bills/october.csv row 1" in told.out
    assert "1 charge:" in told.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--as-of", "tomorrow"], "is no instant"),
        (["run", "--as-of", "0001-01-01"], "outside the years"),
        (["backfill", "2026-10", "2026-08"], "is no range of months"),
        (["backfill", "2026-13", "2026-08"], "is no month"),
        (["report", "--owner", "mirra"], 'Did you mean "mira"?'),
        (["findings", "--kind", "waist"], "no finding of kind"),
        (["findings", "--gate", "much"], "is no amount"),
        (["explain"], "name one thing: a resource, the reference of a mail, a cost, a charge"),
        (["explain", "i-9"], 'no charge has the ResourceId "i-9"'),
        (["explain", "--cost", "nine"], 'no cost "nine"'),
        (["sql", "selec 1"], "syntax error"),
        (["sql", "DROP VIEW costs"], "only one statement that reads"),
        (["sql", "SELECT * FROM read_csv('/etc/hosts')"], "only the published file is read here"),
        (["export", "cost", "x.csv"], 'Did you mean "costs"?'),
        (["export", "costs", "x.xlsx"], "no ending that is known"),
        (["export", "costs", "/proc/nowhere/x.csv"], "cannot be written"),
        (["check", "-w", "/proc/nowhere"], "no attribution.toml here"),
        (["walk"], "No such command"),
        (["run", "--speed"], "No such option"),
    ],
    ids=str,
)
def test_a_wrong_word_ends_with_code_2(ran: Path, words: list[str], said: str) -> None:
    ended = attribution(*words, *([] if "-w" in words or words[0] == "walk" else ["-w", ran]))
    assert ended.code == 2
    assert said in ended.err


def test_a_finding_above_the_gate_ends_with_code_1(tmp_path: Path) -> None:
    root = workspace(tmp_path / "w", [charge(f"2026-10-{day:02}", "2", project="", owner="") for day in range(1, 32)])
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    codes = [attribution("findings", "--gate", gate, "-w", root).code for gate in ("61.99", "62", "1e3")]
    assert codes == [1, 0, 0]
    assert attribution("findings", "--state", "gone", "--gate", "0", "-w", root).code == 0


def test_before_the_first_night_there_is_nothing_to_tell_or_send(tmp_path: Path) -> None:
    root = workspace(tmp_path / "w", toml=TOML + '[report.recipients]\n"mira" = ["mira@example.com"]\n')
    for words in (["status"], ["report"], ["findings"], ["sql", "SELECT 1"], ["explain", "i-1"]):
        ended = attribution(*words, "-w", root)
        assert ended.code == 2
        assert "attribution run" in ended.err
    ended = attribution("weekly", "-w", root, "--as-of", AS_OF)
    assert ended.code == 2
    assert "nothing was attributed yet" in ended.err
    assert not list((root / "ledger").rglob("*.eml"))


def test_a_new_workspace_is_valid_and_is_not_written_over(tmp_path: Path) -> None:
    assert attribution("init", tmp_path / "new").code == 0
    assert attribution("check", "-w", tmp_path / "new").code == 0
    again = attribution("init", tmp_path / "new")
    assert again.code == 2
    assert "exists already" in again.err


def test_the_folder_it_is_run_from_does_not_matter(ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "w"
    shutil.copytree(ran, root)
    monkeypatch.chdir(tmp_path)
    assert attribution("run", "-w", "w", "--as-of", AS_OF).code == 0
    monkeypatch.chdir("/")
    assert attribution("sql", "SELECT count(*) FROM charges", "-w", root).code == 0
    assert attribution("explain", "i-1", "-w", root).code == 0


def test_strange_names_stay_text_wherever_they_are_shown(tmp_path: Path) -> None:
    rows = [
        charge(f"2026-10-{1 + at:02}", str(at + 1), ResourceId=f"i-{at}", project=name, owner=name)
        for at, name in enumerate(STRANGE)
    ]
    root = workspace(tmp_path / "w", rows)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    owners = {
        one["owner"] for one in json.loads(attribution("sql", "SELECT owner FROM costs", "--json", "-w", root).out)
    }
    assert owners == set(STRANGE)
    shown = attribution("sql", "SELECT owner, project FROM costs ORDER BY usage_date", "-w", root).out
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == len(STRANGE) + 2
    for at, name in list(enumerate(STRANGE))[-7:]:
        told = attribution("explain", f"i-{at}", "-w", root)
        assert told.code == 0
        assert "\x1b" not in told.out
        if name.isprintable():
            assert name in told.out
    attribution("export", "costs", root / "costs.csv", "-w", root)
    with (root / "costs.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_reports_of_strange_owners_stay_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.reporting.render_page", lambda _report: "<html></html>")
    names = ["../../x", "all", "a/b", "x" * 400, "..", "mira"]
    rows = [charge(f"2026-10-{26 + at:02}", ResourceId=f"i-{at}", owner=name) for at, name in enumerate(names)]
    root = workspace(tmp_path / "deep" / "w", rows)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    ended = attribution("weekly", "-w", root, "--as-of", AS_OF)
    assert ended.code == 0
    pages = list(tmp_path.rglob("report.html"))
    assert len(pages) == len(names)  # an owner called as the report for all has none beside it
    assert all(page.is_relative_to(root / "ledger" / "reports") for page in pages)
    assert len({page.parent for page in pages}) == len(pages)
    assert "../../x" in ended.out


def test_three_currencies_are_never_added(tmp_path: Path) -> None:
    rows = [charge(), charge(BillingCurrency="EUR"), charge(cost="1e5", BillingCurrency="JPY"), charge(cost="-4")]
    root = workspace(tmp_path / "w", rows)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    sums = query(
        root / "ledger", "SELECT BillingCurrency, sum(EffectiveCost)::VARCHAR FROM costs GROUP BY 1 ORDER BY 1"
    )
    assert [(code, str(total).rstrip("0").rstrip(".")) for code, total in sums.rows()] == [
        ("EUR", "10.5"), ("JPY", "100000"), ("USD", "6.5"),
    ]  # fmt: skip


def test_costs_that_were_never_filled_are_unknown_or_billed_as_stated(tmp_path: Path) -> None:
    for folder, more, expected in (("null", "", None), ("billed", 'effective = "billed"\n', "10.500000000000")):
        root = workspace(tmp_path / folder, [charge(EffectiveCost="")], toml=TOML + more)
        assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
        assert query(root / "ledger", "SELECT EffectiveCost::VARCHAR FROM costs").item() == expected


def test_leading_zeros_stay(ran: Path) -> None:
    rows = query(ran / "ledger", "SELECT DISTINCT BillingAccountId, SubAccountId FROM charges").rows()
    assert rows == [("0012", "000745")]


def test_a_clock_before_the_data_sees_no_later_day(tmp_path: Path) -> None:
    rows = [charge(f"2026-{month:02}-{day:02}", str(month**3)) for month in (7, 8, 9, 10) for day in range(1, 31)]
    root = workspace(tmp_path / "w", rows)
    early = "2026-09-15T06:00:00Z"
    assert attribution("run", "-w", root, "--as-of", early).code == 0
    assert query(root / "ledger", "SELECT max(month)::VARCHAR FROM growth").item() == "2026-09-01"
    assert "1000" not in attribution("report", "-w", root).out
    assert "Oct 2026" not in attribution("report", "-w", root).out


def test_a_clock_before_the_data_tells_of_no_resource_that_came_later(tmp_path: Path) -> None:
    days = ("2026-08-03", "2026-08-31", "2026-10-03", "2026-10-31")
    volume = charge("2026-10-20", "500", ResourceId="vol-late", ResourceType="Volume", ServiceCategory="Storage")
    inputs = '[inputs]\nresources = "inventory.csv"\n'
    root = workspace(tmp_path / "w", [*map(charge, days), volume], TOML + inputs)
    inventory = "resource_id,resource_type,state,created_at\nvol-late,volume,available,2026-06-01\n"
    (root / "inventory.csv").write_text(inventory, encoding="utf-8")
    told = "SELECT subject FROM findings WHERE kind = 'unattached_volume' AND seen <> 'gone'"
    assert attribution("run", "-w", root, "--as-of", "2026-09-15T06:00:00Z").code == 0
    assert query(root / "ledger", told).rows() == []
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert query(root / "ledger", told).rows() == [("vol-late",)]


def test_a_reader_may_hold_the_published_file_while_a_night_runs(ran: Path, tmp_path: Path) -> None:
    root = tmp_path / "w"
    shutil.copytree(ran, root)
    with read_published(root / "ledger") as reader:
        before = reader.frame("SELECT * FROM costs ORDER BY ALL").rows()
        (root / "bills" / "more.csv").write_text(bill_text([charge("2026-09-01")]), encoding="utf-8")
        assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
        assert reader.frame("SELECT * FROM costs ORDER BY ALL").rows() == before
    assert len(published(root)["costs"]) == len(before) + 1


def test_a_store_in_use_is_waited_for_and_then_told(ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "w"
    shutil.copytree(ran, root)
    before = published(root, "charges")
    lock = os.open(root / "ledger" / ".lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)

    def impatient(store: Path, **options: object) -> object:
        return open_ledger(store, wait_seconds=0.4, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "open_ledger", impatient)
    try:
        ended = attribution("run", "-w", root, "--as-of", AS_OF)
        assert attribution("status", "-w", root).code == 0
    finally:
        os.close(lock)
    assert ended.code == 2
    assert "waiting up to" in ended.err
    assert "the ledger is being written: process" in ended.err
    assert published(root, "charges") == before
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0


def test_a_full_disk_is_told_and_nothing_is_published(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "w"
    shutil.copytree(ran, root)
    before = (root / "ledger" / "costs.duckdb").read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(root / "ledger" / "charges"))

    (root / "bills" / "more.csv").write_text(bill_text([charge("2026-09-01")]), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr("attribution.ledger.parts.put_folder", full)
        ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 2
    assert "charges: No space left on device" in ended.err
    assert (root / "ledger" / "costs.duckdb").read_bytes() == before
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert len(published(root)["bills"]) == 2


def start(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        cwd="/",
        env=os.environ | {"PYTHONPATH": str(HOUSE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_night_ended_by_ctrl_c_says_so_and_is_noted(ran: Path, tmp_path: Path) -> None:
    root = tmp_path / "w"
    shutil.copytree(ran, root)
    (root / "bills" / "more.csv").write_text(bill_text([charge("2026-09-01")] * 50_000), encoding="utf-8")
    night = start("run", "-w", root, "--as-of", AS_OF)
    until = time.monotonic() + 60
    while not list((root / "ledger" / "charges").glob("*.writing")) and time.monotonic() < until:
        time.sleep(0.02)
    night.send_signal(signal.SIGINT)
    _, err = night.communicate(timeout=60)
    assert night.returncode == 130, err
    assert "run again to go on" in err
    assert "Traceback" not in err
    attribution("publish", "-w", root)
    assert query(root / "ledger", "SELECT status FROM runs ORDER BY run").to_series().to_list() == ["done", "failed"]
    assert not list((root / "ledger").rglob("*.writing*"))


def test_a_reader_that_leaves_early_gets_no_traceback(ran: Path) -> None:
    asked = start("sql", "SELECT * FROM costs, range(1000)", "--json", "-w", ran)
    assert asked.stdout is not None
    asked.stdout.close()
    assert asked.stderr is not None
    assert asked.stderr.read() == ""
    asked.stderr.close()
    assert asked.wait(timeout=60) == 141


def test_two_nights_at_once_wait_for_each_other(ran: Path, tmp_path: Path) -> None:
    root = tmp_path / "w"
    shutil.copytree(ran, root)
    (root / "bills" / "more.csv").write_text(bill_text([charge("2026-09-01")]), encoding="utf-8")
    both = [start("run", "-w", root, "--as-of", AS_OF) for _ in range(2)]
    assert [(one.communicate(timeout=90), one.returncode)[1] for one in both] == [0, 0]
    assert len(published(root)["bills"]) == 2
