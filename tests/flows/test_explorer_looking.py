"""What the explorer finds: sums to the last digit, of the file that is published now."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from threading import Event, Thread

import polars as pl
import pytest
from explorer_world import FORMULA, LINES, LONG, MARKDOWN, PROJECTS, SCRIPT, make, summed
from small_workspace import attribution

from attribution.reports.exploring import OTHERS, over_time
from attribution.reports.period import Period
from flows.explorer import looking, shown
from flows.explorer.question import Catalogue, Question, read_period, usual
from flows.settings import load_workspace
from schemas.workspace import Workspace


@pytest.fixture(scope="module")
def world(explored: Path) -> Workspace:
    return load_workspace(explored)


@pytest.fixture(scope="module")
def there(world: Workspace) -> Catalogue:
    return looking.catalogue(world)


@pytest.fixture
def october(there: Catalogue) -> Question:
    return replace(usual(there), period=read_period("2026-10"))


def by_key(rows: pl.DataFrame, *columns: str) -> dict[str, tuple[Decimal | None, ...]]:
    return {row[0]: row[1:] for row in rows.select(rows.columns[0], *columns).iter_rows()}


def test_there_is_what_the_costs_have(there: Catalogue) -> None:
    assert there.currencies == ("USD", "CNY")
    assert there.columns[:4] == ("project", "stage", "experiment", "owner")
    assert there.days == Period(*(read_period(f"2026-{day}").first for day in ("09-03", "11-02")))  # type: ignore[union-attr]
    assert there.published.startswith("run 1 of 5 Nov 2026")


def test_a_table_sums_what_was_billed_and_what_it_is_compared_with(
    world: Workspace, there: Catalogue, october: Question
) -> None:
    table = looking.costs_by(world, replace(october, period=read_period("2026-11")), there)
    assert (table.days.days, str(table.before_days and table.before_days.last)) == (2, "2026-10-02")
    table = looking.costs_by(world, october, there)
    assert table.before_days is None  # data begins on the third of September
    table = looking.costs_by(world, replace(october, period=read_period("2026-10-04..2026-10-31")), there)
    assert str(table.before_days and table.before_days.first) == "2026-09-06"
    found = by_key(table.rows, "cost", "before", "change", "unknown")
    assert set(found) == set(PROJECTS)
    for name, (cost, before, change, unknown) in found.items():
        this, old = summed("2026-10-04", "2026-10-31", project=name), summed("2026-09-06", "2026-10-03", project=name)
        assert (cost, before, change) == (this, old, this - old), name
        assert unknown == (1 if name == "orion" else 0)
    assert table.cost == summed("2026-10-04", "2026-10-31")
    amounts = [abs(amount) for amount in table.rows.get_column("cost")]
    assert amounts == sorted(amounts, reverse=True)


def test_filters_choose_and_change_no_sum(world: Workspace, there: Catalogue, october: Question) -> None:
    where = (("project", (SCRIPT, LINES, "atlas")), ("owner", ("mira",)))
    table = looking.costs_by(world, replace(october, where=where), there)
    found = by_key(table.rows, "cost")
    assert found == {name: (summed("2026-10-01", "2026-10-31", project=name),) for name in (SCRIPT, LINES, "atlas")}
    table = looking.costs_by(world, replace(october, by=("ResourceId",), where=(("ResourceId", ("",)),)), there)
    assert table.rows.select("ResourceId", "cost").rows() == [(None, Decimal("-12.000000000003"))]


def test_currencies_are_never_added(world: Workspace, there: Catalogue, october: Question) -> None:
    table = looking.costs_by(world, replace(october, currency="CNY"), there)
    assert by_key(table.rows, "cost") == {"atlas": (Decimal(900),)}


def test_an_unknown_amount_is_not_zero(world: Workspace, there: Catalogue, october: Question) -> None:
    table = looking.costs_by(world, replace(october, period=read_period("2026-10-05")), there)
    found = table.rows.filter(pl.col("costs") > 0)
    assert found.select("project", "cost", "unknown").rows() == [("orion", None, 1)]
    assert table.cost is None
    assert "1 cost the amount is unknown" in shown.sources(there, table)


def test_without_a_column_there_is_one_sum(world: Workspace, there: Catalogue, october: Question) -> None:
    table = looking.costs_by(world, replace(october, by=()), there)
    assert table.rows.get_column("cost").to_list() == [summed("2026-10-01", "2026-10-31")]


@pytest.mark.parametrize("grain", ["day", "week", "month"])
def test_a_series_sums_to_its_table(world: Workspace, there: Catalogue, october: Question, grain: str) -> None:
    question = replace(october, grain=grain, period=None)
    table = by_key(looking.costs_by(world, question, there).rows, "cost")
    every = looking.series(world, question, there, every=True)
    sums = every.group_by("project").agg(pl.col("amount").sum())
    assert {name: (amount,) for name, amount in sums.iter_rows()} == table
    drawn = looking.series(world, question, there)
    assert drawn.get_column("amount").sum() == every.get_column("amount").sum()
    assert drawn.get_column("place").drop_nulls().n_unique() == looking.DRAWN
    assert drawn.filter(pl.col("place").is_null()).get_column("project").null_count() > 0


def test_a_drawing_holds_names_as_data_and_amounts_as_text(
    world: Workspace, there: Catalogue, october: Question
) -> None:
    rows = looking.series(world, october, there)
    names = shown.names(rows, october.by)
    spec = over_time(rows, names, "USD", grain="day", lines=False, font=None)
    (values,) = spec["datasets"].values()
    assert {one["name"] for one in values} == set(spec["encoding"]["color"]["scale"]["domain"])
    assert OTHERS in spec["encoding"]["color"]["scale"]["domain"]
    assert len(spec["encoding"]["x"]["scale"]["domain"]) == 29  # from the third to the last
    assert all("\n" not in one["name"] and len(one["name"]) <= 26 for one in values)
    total = sum((Decimal(one["amount"]) for one in values), Decimal(0))
    assert total == summed("2026-10-01", "2026-10-31")
    assert all(isinstance(one["amount"], str) for one in values)
    lines = over_time(rows, names, "USD", grain="day", lines=True, font=None)
    assert lines["mark"]["type"] == "line"
    (drawn,) = lines["datasets"].values()
    assert len(drawn) == 29 * 7 - 1  # days without a cost are at nothing; the day of an unknown amount is at no place
    assert sum((Decimal(one["amount"]) for one in drawn), Decimal(0)) == total
    assert over_time(rows.clear(), [], "USD", grain="month", lines=False, font=None)["datasets"]


def test_names_are_shown_whole_and_apart(world: Workspace, there: Catalogue, october: Question) -> None:
    table = looking.costs_by(world, october, there)
    told = shown.table(table.rows, table, october).get_column("project").to_list()
    assert {SCRIPT, MARKDOWN, FORMULA, LONG} <= set(told)
    assert "two\\nlines\\tand \\u202eright to left" in told
    assert shown.labels(["a\\n", "a\n", ""]) == {"a\\n": "a\\n", "a\n": "a\\n\N{NO-BREAK SPACE}", "": "(none)"}


def test_files_are_exact_and_no_text_becomes_a_formula(world: Workspace, there: Catalogue, october: Question) -> None:
    table = looking.costs_by(world, october, there)
    text = shown.table_file(table, october, there).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["project"] for row in rows} == {name for name in PROJECTS if name not in ("gone", FORMULA)} | {
        f"'{FORMULA}"
    }
    assert sum(Decimal(row["EffectiveCost"]) for row in rows) == summed("2026-10-01", "2026-10-31")
    assert {(row["BillingCurrency"], row["first_day"], row["last_day"]) for row in rows} == {
        ("USD", "2026-10-01", "2026-10-31")
    }
    text = shown.series_file(world, october, there).decode("utf-8-sig")
    amounts = [Decimal(row["EffectiveCost"]) for row in csv.DictReader(io.StringIO(text)) if row["EffectiveCost"]]
    assert sum(amounts, Decimal(0)) == summed("2026-10-01", "2026-10-31")


def test_the_values_of_a_currency_come_in_the_order_of_its_money(
    world: Workspace, there: Catalogue, october: Question
) -> None:
    for currency in there.currencies:
        asked = replace(october, currency=currency, by=("project",))
        costs = looking.costs_by(world, asked, there).rows.filter(pl.col("costs") > 0).get_column("project").to_list()
        offered = looking.values_of(world, "project", asked, there)
        assert [one for one in offered if one in costs][:1] == costs[:1]


def test_values_to_filter_by_are_those_of_the_days(world: Workspace, there: Catalogue, october: Question) -> None:
    yuan = replace(october, period=read_period("2026-10-31"), currency="CNY")
    assert looking.values_of(world, "ResourceId", yuan, there) == ["i-6", ""]


@pytest.mark.parametrize("period", ["2026-10", "2026-10-03..2026-10-04", "all"])
@pytest.mark.parametrize("name", [SCRIPT, FORMULA, LINES])
def test_a_row_is_explained_as_the_command_explains_it(
    world: Workspace, there: Catalogue, october: Question, name: str, period: str
) -> None:
    question = replace(october, row=(name,), period=read_period(period), where=(("owner", ("mira", "tomas")),))
    asked = shown.with_currency(question, there)
    told = looking.explain(world, asked)
    days = there.days if period == "all" else read_period(period)
    assert days is not None
    (sums,) = told.data["sums"]
    assert Decimal(sums["EffectiveCost"]) == summed(str(days.first), str(days.last), project=name)
    words = [*looking.words_of(world, asked)[1:]]
    assert attribution(*words).out == f"{told.as_text()}\n"
    assert json.loads(attribution(*words, "--json").out) == json.loads(told.as_json())


@pytest.mark.parametrize("name", [*PROJECTS, "", "it's\\\\n", "emoji \N{GRINNING FACE} \N{ZERO WIDTH SPACE}"])
def test_a_shell_reads_the_command_as_it_is_meant(name: str) -> None:
    command = shown.command(["printf", "%s|", "--where", f"project={name}", name])
    assert "\n" not in command
    said = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert said.stdout == f"--where|project={name}|{name}|"


def test_findings_are_chosen_by_their_columns(world: Workspace, there: Catalogue) -> None:
    every = looking.findings(world)
    assert every.height
    kind = every.item(0, "kind")
    found = looking.found_by(every, (("kind", (kind,)), ("state", ("open",))))
    assert found.rows() == every.filter(kind=kind, state="open").rows()
    assert looking.found_by(every, ()).height == every.height
    question = replace(usual(there), view="findings", finding=every.item(0, "fingerprint"))
    words = looking.words_of(world, question)
    assert attribution(*words[1:]).out == f"{looking.explain(world, question).as_text()}\n"


def test_what_is_published_meanwhile_is_seen_and_nobody_waits(tmp_path: Path) -> None:
    root = make(tmp_path)
    world = load_workspace(root)
    there = looking.catalogue(world)
    question = replace(usual(there), period=read_period("2026-10"))
    expected = summed("2026-10-01", "2026-10-31")
    wrong: list[str] = []
    seen: set[tuple[str | None, ...]] = set()
    over = Event()

    def look(by: tuple[str, ...]) -> None:
        while not over.wait(0.05):
            for asked in (looking._costs_by, looking._series, looking._catalogue):
                asked.cache_clear()
            try:
                table = looking.costs_by(world, replace(question, by=by), looking.catalogue(world))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is wrong
                wrong.append(repr(error))
                return
            if table.cost != expected:
                wrong.append(str(table.cost))
            seen.add(tuple(table.rows.get_column("project")))

    lookers = [Thread(target=look, args=(by,)) for by in (("project",), ("project", "owner"))]
    for one in lookers:
        one.start()
    rules = root / "rules.toml"
    more = '[[rule]]\nname = "all"\nwhen = { BillingCurrency = "USD" }\nassign = { project = "one" }\n'
    rules.write_text(rules.read_text(encoding="utf-8") + more, encoding="utf-8")
    ended = attribution("run", "-w", root, "--as-of", "2026-11-06T06:00:00Z")
    assert looking.catalogue(world).published.startswith("run 2 of 6 Nov")
    assert looking.costs_by(world, question, there).rows.get_column("project").to_list() == ["one"]
    over.set()
    for one in lookers:
        one.join()
    assert (ended.code, wrong) == (0, [])
    assert seen
