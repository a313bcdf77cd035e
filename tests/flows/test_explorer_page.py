"""The explorer's page as Streamlit runs it, without a browser: what is chosen, shown, and said in the address."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from explorer_world import FORMULA, LINES, MARKDOWN, SCRIPT, summed
from small_workspace import attribution
from streamlit.testing.v1 import AppTest

from attribution.ledger import query
from attribution.reports import figures
from flows.explorer.serving import PAGE
from schemas.words import counted


@pytest.fixture
def app(explored: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(sys, "argv", [str(PAGE), str(explored)])
    return AppTest.from_file(str(PAGE), default_timeout=60)


def opened(app: AppTest, **address: str | list[str]) -> AppTest:
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def chosen(app: AppTest, label: str, value: Any) -> AppTest:  # noqa: ANN401 - as the widget takes it
    (widget,) = [one for one in (*app.selectbox, *app.multiselect, *app.button_group) if one.label == label]
    widget.set_value(value).run()
    assert not app.exception
    return app


def address(app: AppTest) -> dict[str, list[str]]:
    said: dict[str, str | list[str]] = app.query_params
    return {name: [value] if isinstance(value, str) else list(value) for name, value in said.items()}


def shown(app: AppTest) -> list[str]:
    (table,) = app.dataframe
    return [str(value) for value in table.value.iloc[:, 0]]


def test_a_bare_address_shows_the_last_complete_month(app: AppTest) -> None:
    opened(app, period="2026-10")
    assert app.subheader[0].value == "Oct 2026"
    assert app.metric[0].value == figures.money(summed("2026-10-01", "2026-10-31"), "USD")
    assert {SCRIPT, MARKDOWN, FORMULA} <= set(shown(app))
    assert not app.warning


def test_what_is_chosen_stands_in_the_address_and_is_there_again(app: AppTest) -> None:
    opened(app, period="2026-10")
    chosen(app, "Group by", ["ResourceId", "owner"])
    chosen(app, "Filter by", ["project"])
    chosen(app, "project", [SCRIPT, LINES])
    chosen(app, "Cost", "BilledCost")
    chosen(app, "Step", "week")
    assert address(app) == {
        "period": ["2026-10"], "by": ["ResourceId", "owner"], "cost": ["BilledCost"], "grain": ["week"],
        "where": [f"project={SCRIPT}", f"project={LINES}"],
    }  # fmt: skip
    assert sorted(shown(app)) == ["i-1", "i-4"]
    again = opened(AppTest.from_file(str(PAGE), default_timeout=60), **address(app))  # type: ignore[arg-type]
    assert shown(again) == shown(app)
    assert [one.value for one in again.metric] == [one.value for one in app.metric]
    assert address(again) == address(app)


@pytest.mark.parametrize("name", [SCRIPT, FORMULA])
def test_a_chosen_row_shows_what_explain_says(app: AppTest, explored: Path, name: str) -> None:
    opened(app, period="2026-10", row=[name])
    words = ["explain", "--where", f"project={name}", "--where", "BillingCurrency=USD", "--month", "2026-10"]
    assert f"{app.code[-1].value}\n" == attribution(*words, "-w", explored).out
    assert app.code[-2].value.startswith("attribution explain --where ")
    chosen(app, "Group by", ["owner"])  # another table, in which nothing is chosen
    assert len(app.code) == 0
    assert "row" not in address(app)


def test_findings_are_chosen_by_kind_owner_and_state(app: AppTest, explored: Path) -> None:
    opened(app, period="2026-10")
    chosen(app, "View", "findings")
    every = query(
        explored / "ledger", "SELECT fingerprint, kind, owner FROM findings WHERE state = 'open' ORDER BY ALL"
    )
    assert app.subheader[0].value == counted(every.height, "finding")
    kind, owner = every.select("kind", "owner").row(0)
    chosen(app, "Kind", [kind])
    chosen(app, "Owner", [owner or ""])
    kept = every.filter(kind=kind, owner=owner)
    assert app.subheader[0].value == counted(kept.height, "finding")
    fingerprint = every.item(0, "fingerprint")
    again = opened(AppTest.from_file(str(PAGE), default_timeout=60), view="findings", finding=fingerprint)
    assert f"{again.code[-1].value}\n" == attribution("explain", "--finding", fingerprint, "-w", explored).out


def test_what_an_address_asks_in_vain_is_shown_as_text(app: AppTest) -> None:
    opened(app, period="yesterday", by=[SCRIPT, "owner"], where=["project=nobody"])
    assert app.warning[0].value.startswith("The address asks for what is not there")
    assert app.code[0].value.splitlines() == ["period=yesterday", f"by={SCRIPT}"]
    assert "No cost" in app.info[0].value
    assert address(app)["by"] == ["owner"]


def test_nothing_from_the_data_becomes_markdown(app: AppTest) -> None:
    opened(app, period="2026-10", row=[MARKDOWN], where=[f"project={SCRIPT}", f"project={MARKDOWN}"])
    texts = [*app.markdown, *app.caption, *app.subheader, *app.warning, *app.info, *app.error]
    labels = [one.label for one in (*app.selectbox, *app.multiselect, *app.button_group, *app.metric)]
    said = "\n".join([*(str(one.value) for one in texts), *labels])
    assert "script" not in said
    assert "bold" not in said


def test_a_file_that_is_gone_or_new_is_noticed(explored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    shutil.copytree(explored, here)
    monkeypatch.setattr(sys, "argv", [str(PAGE), str(here)])
    app = opened(AppTest.from_file(str(PAGE), default_timeout=60), period="2026-10")
    assert "run 1 of" in app.caption[-1].value
    published = here / "ledger" / "costs.duckdb"
    published.rename(here / "aside")
    app.run()
    assert not app.exception
    assert "Run `attribution run` first." in app.code[0].value
    (here / "aside").rename(published)
    assert attribution("run", "-w", here, "--as-of", "2026-11-06T06:00:00Z").code == 0
    app.run()
    assert "run 2 of" in app.caption[-1].value
