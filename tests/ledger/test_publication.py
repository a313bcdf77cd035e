"""The published file: whole at every moment, explained, and readable only."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from ledger_builder import bill, charge, ingest
from test_kept_costs import keep

from attribution.ledger import Ledger, open_ledger, publish, query, read_published
from attribution.ledger.views import view_files
from schemas.faults import InputError


@pytest.fixture(scope="module")
def only_read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("store") / "ledger"
    with open_ledger(store) as ledger:
        ingest(ledger, bill("a.csv", charge("1.5"), charge("2", x_Note="it's")))
        keep(ledger)
        publish(ledger)
    return store


@pytest.fixture
def published(ledger: Ledger, store: Path) -> Path:
    ingest(ledger, bill("a.csv", charge("1.5"), charge("2", x_Note="it's")))
    keep(ledger)
    publish(ledger)
    return store


def test_nothing_published_yet_says_what_to_run(store: Path) -> None:
    with pytest.raises(InputError, match="attribution run"):
        query(store, "SELECT 1")


def test_every_view_answers_and_everything_has_a_comment(only_read: Path) -> None:
    with read_published(only_read) as file:
        for view in view_files():
            file.frame(f"SELECT * FROM {view.stem}")  # noqa: S608 - names of our own files
        missing = file.frame(
            """
            SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal AND comment IS NULL
            UNION ALL SELECT table_name, NULL FROM duckdb_tables() WHERE comment IS NULL
            UNION ALL SELECT view_name, NULL FROM duckdb_views() WHERE NOT internal AND comment IS NULL
            """
        )
        assert missing.rows() == []
        grain = file.frame("SELECT comment FROM duckdb_views() WHERE view_name = 'bills'").item()
    assert grain.startswith("One bill revision")


def test_readers_keep_what_they_opened(ledger: Ledger, published: Path) -> None:
    with read_published(published) as before:
        ingest(ledger, bill("a.csv", charge("10")))
        keep(ledger)
        publish(ledger)
        assert str(before.frame("SELECT sum(BilledCost) AS cost FROM costs").item()) == "3.500000000000"
    assert str(query(published, "SELECT sum(BilledCost) AS cost FROM costs").item()) == "10.000000000000"
    assert [path.name for path in published.iterdir() if ".writing" in path.name] == []


def test_readers_of_one_process_each_open_the_file_of_now(ledger: Ledger, published: Path) -> None:
    with read_published(published) as before:
        ingest(ledger, bill("a.csv", charge("10")))
        keep(ledger)
        publish(ledger)
        with read_published(published) as after:  # while the old one is open, as threads of a server have it
            sums = [str(one.frame("SELECT sum(BilledCost) FROM main.costs").item()) for one in (before, after)]
    assert sums == ["3.500000000000", "10.000000000000"]


def test_a_copy_with_the_charges_works_anywhere(ledger: Ledger, published: Path, tmp_path: Path) -> None:
    publish(ledger, with_charges=True)
    other = tmp_path / "elsewhere"
    other.mkdir()
    shutil.copy(published / "costs.duckdb", other / "costs.duckdb")
    shutil.rmtree(published / "charges")
    assert query(other, "SELECT count(*) AS n, count(x_Note) AS notes FROM charges").rows() == [(2, 1)]
    assert (
        query(other, "SELECT comment FROM duckdb_tables() WHERE table_name = 'charges'").item().startswith("One charge")
    )


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE z (i INT)",
        "INSERT INTO book.runs SELECT * FROM book.runs",
        "COPY (SELECT 1) TO '{store}/charges/out.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{store}/charges/out.csv'",
        "EXPORT DATABASE '{store}/charges/all'",
        "ATTACH '{store}/ledger.duckdb'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/*')",
        "SET enable_external_access = true",
        "SELECT 1; DROP VIEW costs",
        "",
    ],
)
def test_sql_cannot_write_or_look_elsewhere(only_read: Path, sql: str) -> None:
    before = sorted(only_read.rglob("*"))
    with pytest.raises(InputError, match="sql:"):
        query(only_read, sql.format(store=only_read))
    assert sorted(only_read.rglob("*")) == before


def test_wrong_sql_is_the_users_fault_in_duckdbs_words(only_read: Path) -> None:
    with pytest.raises(InputError, match="costz") as error:
        query(only_read, "SELECT * FROM costz")
    assert "SHOW TABLES" in str(error.value)
    assert query(only_read, "SHOW TABLES").height == len(view_files())
    assert query(only_read, "SELECT 1 AS a WHERE 2 = ?", [2]).item() == 1
