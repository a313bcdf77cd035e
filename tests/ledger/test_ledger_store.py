"""The store on disk: one writer, crashes, leftovers, and tables that only go forward."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from ledger_builder import bill, charge, charges, content, ingest, start

from attribution.ledger import DeliveryWriter, RollUp, open_ledger, publish, query
from attribution.ledger.connection import migrations
from schemas.faults import InputError

BILLS = (
    bill("a.csv", charge("1"), charge("2", month="2026-10", day="2026-10-05"), mode="parts"),
    bill("b.csv", charge("4"), mode="parts"),
)
WANTED = RollUp("UTC", ("SkuPriceDetails",))
_RUN = """
    import os, signal, sys
    from pathlib import Path
    sys.path[:0] = {path!r}
    from attribution.ledger import DeliveryWriter, RollUp, open_ledger, publish
    import attribution.ledger.disk as disk, attribution.ledger.parts as parts, attribution.ledger.posting as posting
    import attribution.ledger.settlement as settlement, attribution.ledger.published as published
    from ledger_builder import ingest
    from test_ledger_store import BILLS, WANTED
    import attribution.ledger.ledger as room

    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)

    def die_at_second(real, calls=[]):
        def called(*args, **kwargs):
            calls.append(1)
            if len(calls) == 2:
                die()
            return real(*args, **kwargs)
        return called

    def then_die(real):
        return lambda *args, **named: (real(*args, **named), die())

    {kill}
    with open_ledger(Path({store!r})) as ledger:
        ingest(ledger, *BILLS)
        ledger.roll_up(WANTED)
        publish(ledger)
"""
KILLS = {
    "while writing": "parts._PartWriter._count = die",
    "written, not renamed": "parts.put_folder = die",
    "one of two renamed": "parts.put_folder = die_at_second(parts.put_folder)",
    "renamed, not posted": "posting.is_read = lambda con, digest: False; posting._post_parts = die",
    "one of two posted": "posting._delivery_row = die_at_second(posting._delivery_row)",
    "posted, not settled": "settlement._candidates = die",
    "settled, not committed": "settlement._keep_held_back = die",
    "rolled up again, not registered": "room.roll_up_again = then_die(room.roll_up_again)",
    "one of three rolled up again": "room.roll_up_again = die_at_second(room.roll_up_again)",
    "while publishing": "published.lay_views = die",
    "published, not renamed": "published.put_file = die",
}


def run_until(store: Path, kill: str) -> int:
    here = Path(__file__).parent
    script = textwrap.dedent(_RUN).format(path=[str(here.parents[1]), str(here)], store=str(store), kill=kill)
    return subprocess.run([sys.executable, "-c", script], check=False, timeout=120).returncode


@pytest.fixture(scope="module")
def never_killed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return whole(tmp_path_factory.mktemp("store") / "ledger")


def whole(store: Path) -> list[Any]:
    with open_ledger(store) as ledger:
        ingest(ledger, *BILLS)
        ledger.roll_up(WANTED)
        publish(ledger)
        bills = ledger.frame("SELECT bill_id, rows, superseded_at FROM bills ORDER BY ALL").rows()
        files = sorted(str(path.relative_to(store)) for path in store.rglob("*") if path.is_file())
        return [content(ledger, WANTED), bills, query(store, "SELECT count(*) AS n FROM charges").rows(), files]


@pytest.mark.parametrize("kill", KILLS.values(), ids=KILLS)
def test_killed_anywhere_and_run_again_is_as_if_nothing_had_been(
    tmp_path: Path, kill: str, never_killed: list[Any]
) -> None:
    assert run_until(tmp_path / "killed", kill) == -signal.SIGKILL
    assert whole(tmp_path / "killed") == never_killed


def write_half(writer: DeliveryWriter) -> None:
    writer.write(charges(charge("1")))
    writer.write(charges(charge("1")).drop("ChargePeriodStart"))


def test_an_error_while_reading_leaves_nothing(store: Path) -> None:

    with open_ledger(store) as ledger:
        with pytest.raises(pl.exceptions.ColumnNotFoundError), ledger.writing(BILLS[0].delivery, RollUp()) as writer:
            write_half(writer)
        assert list((store / "charges").iterdir()) == []
        assert not ledger.is_read(BILLS[0].delivery.digest)


def test_a_lost_ledger_does_not_take_the_charges_with_it(store: Path) -> None:
    with open_ledger(store) as ledger:
        ingest(ledger, *BILLS)
    (store / "ledger.duckdb").unlink()
    with open_ledger(store):
        assert len(list((store / "charges").iterdir())) == 3


def test_a_second_writer_waits_and_then_says_who_writes(store: Path) -> None:
    told: list[str] = []
    with open_ledger(store):
        with pytest.raises(InputError) as error, open_ledger(store, wait_seconds=0.3, on_wait=told.append):
            pass
        assert len(told) == 1
        assert f"process {os.getpid()} holds it since 20" in told[0]
        assert f"process {os.getpid()}" in str(error.value)
    with open_ledger(store, wait_seconds=0):
        pass


def test_a_killed_writer_lets_go(store: Path) -> None:
    assert run_until(store, "settlement._candidates = die") == -signal.SIGKILL
    with open_ledger(store, wait_seconds=0):
        pass


def test_a_file_in_the_way_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("")
    with pytest.raises(InputError, match="not a folder"), open_ledger(tmp_path / "store"):
        pass


def test_tables_go_forward_once(store: Path) -> None:
    for _ in range(2):
        with open_ledger(store) as ledger:
            versions = ledger.frame("SELECT version, file FROM book.schema_versions ORDER BY version").rows()
            assert versions == [(number, file.name) for number, file in migrations()]


def test_a_ledger_of_a_newer_program_is_left_alone(store: Path) -> None:
    with open_ledger(store) as ledger:
        ledger.con.execute("INSERT INTO book.schema_versions VALUES (9999, '9999_future.sql')")
    with pytest.raises(InputError, match="newer version"), open_ledger(store):
        pass


def test_a_file_that_is_no_ledger_is_a_fault(store: Path) -> None:
    store.mkdir()
    (store / "ledger.duckdb").write_text("something else entirely" * 1000)
    with pytest.raises(InputError, match="cannot be opened"), open_ledger(store):
        pass


def test_runs_are_kept_and_one_cut_off_is_told(store: Path) -> None:
    with open_ledger(store) as ledger:
        ingest(ledger, *BILLS)
        start(ledger)
    with open_ledger(store) as ledger:
        ingest(ledger, *BILLS)
        runs = ledger.frame("SELECT run, status, message, counts, as_of FROM runs ORDER BY run").rows(named=True)
    assert [one["status"] for one in runs] == ["done", "failed", "done"]
    assert runs[1]["message"] == "cut off before its end"
    assert json.loads(runs[0]["counts"]) == {"bills": 2}
