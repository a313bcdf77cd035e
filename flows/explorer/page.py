"""The explorer's page: Streamlit runs this file from top to bottom whenever somebody opens it or chooses something."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from attribution.reports import figures
from attribution.reports.period import Period
from flows.explorer import looking, shown
from flows.explorer.panels import show_costs, show_findings
from flows.explorer.question import (
    FINDING_COLUMNS,
    MOST_BY,
    VIEWS,
    Catalogue,
    Chosen,
    Question,
    period_text,
    read_address,
    read_period,
    write_address,
)
from flows.explorer.state import forget, seed
from flows.settings import load_workspace
from schemas.faults import InputError
from schemas.money import COSTS
from schemas.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

_DAYS = "days"
_LOOKS = """<style>
[data-testid="stMainBlockContainer"] { padding: 3.2rem 2.4rem 2rem; }
[data-testid="stMetricValue"] { font-size: 1.5rem; }
[data-testid="stMetric"] { min-width: 9.5rem; }
</style>"""


def main() -> None:
    """Show what the address asks for, and keep the address at what is shown."""
    st.set_page_config(page_title="Costs", layout="wide", initial_sidebar_state="expanded")
    st.html(_LOOKS)
    try:
        workspace = load_workspace(Path(sys.argv[1]))
        there = looking.catalogue(workspace)
        question = _asked(there)
        view = st.sidebar.segmented_control(
            "View", VIEWS, key=seed("view", question.view), format_func=str.capitalize, required=True, width="stretch"
        )
        question = replace(question, view=view or question.view)
        _said(question, there)
        question = (_costs if question.view == "costs" else _findings)(workspace, question, there)
        _said(question, there)
    except InputError as error:
        st.error("This cannot be shown.")
        st.code(str(error), language=None, wrap_lines=True)


# --- the address ---


def _asked(there: Catalogue) -> Question:
    """What is looked at: as the address says where somebody opened or changed it, else as it was."""
    address = {name: st.query_params.get_all(name) for name in st.query_params}
    if "question" in st.session_state and st.session_state["address"] == address:
        kept: Question = st.session_state["question"]
        return kept
    question, remarks = read_address(address, there)
    forget()
    st.session_state["remarks"] = remarks
    return question


def _said(question: Question, there: Catalogue) -> None:
    """Keep what is looked at, and say it in the address."""
    address = write_address(question, there)
    st.session_state["question"] = question
    if st.session_state.get("address") != address:
        st.session_state["address"] = address
        st.query_params.from_dict(address)


def _remarks() -> None:
    if st.session_state.get("remarks"):
        st.warning("The address asks for what is not there, which is left out:")
        st.code("\n".join(map(figures.label, st.session_state["remarks"])), language=None)


# --- what is chosen in the side bar ---


def _period(question: Question, there: Catalogue) -> Period | None:
    named = shown.periods(there)
    text = period_text(question.period)
    known = text in named
    choice = st.selectbox(
        "Period", [*named, _DAYS], key=seed("period", text if known else _DAYS),
        format_func=lambda one: named.get(one, "From one day to another"),
    )  # fmt: skip
    if choice != _DAYS:
        return read_period(choice)
    days = question.period or there.days
    if days is None:
        return None
    stated = st.date_input("Days", key=seed("days", (days.first, days.last)))
    if isinstance(stated, tuple) and len(stated) > 1:
        return Period(*sorted(stated))
    return days


def _one_of(label: str, name: str, options: Sequence[str], value: str) -> str:
    chosen = st.selectbox(label, options, key=seed(name, value))
    return str(chosen) if chosen is not None else value


def _narrowed(name: str, chosen: Chosen, columns: Sequence[str], values_of: Callable[[str], Sequence[str]]) -> Chosen:
    """A box of values for each column; what is chosen in them."""
    stated = dict(chosen)
    narrowed = []
    for column in columns:
        asked = stated.get(column, ())
        options = list(dict.fromkeys([*values_of(column), *asked]))
        words = shown.labels(options)
        values = st.multiselect(
            column.capitalize() if name == "found" else column,
            options,
            key=seed(f"{name}:{column}", list(asked)),
            format_func=words.__getitem__,
            placeholder="Any value",
            select_all=False,
        )
        narrowed.append((column, tuple(values)))
    return tuple((column, values) for column, values in narrowed if values)


def _choices(workspace: Workspace, question: Question, there: Catalogue) -> Question:
    with st.sidebar:
        question = replace(question, period=_period(question, there))
        by = st.multiselect("Group by", there.columns, key=seed("by", list(question.by)), max_selections=MOST_BY)
        cost = _one_of("Cost", "cost", COSTS, question.cost)
        if len(there.currencies) > 1:
            currency = _one_of("Currency", "currency", there.currencies, question.currency)
            question = replace(question, currency=currency)
        filtered = [column for column, _ in question.where]
        columns = st.multiselect("Filter by", there.columns, key=seed("filter", filtered), placeholder="No filter")
        where = _narrowed(
            "where", question.where, columns, lambda one: looking.values_of(workspace, one, question, there)
        )
    return replace(question, by=tuple(by), cost=cost, where=where)


# --- the two views ---


def _costs(workspace: Workspace, question: Question, there: Catalogue) -> Question:
    chosen = _choices(workspace, question, there)
    if chosen != question:  # another table
        chosen = replace(chosen, row=())
    _remarks()
    if there.days is None:
        st.info("There is no cost yet.")
        return chosen
    return show_costs(workspace, chosen, there)


def _findings(workspace: Workspace, question: Question, there: Catalogue) -> Question:
    every = looking.findings(workspace)
    with st.sidebar:
        found = _narrowed("found", question.found, FINDING_COLUMNS, lambda one: _values(every, one))
    _remarks()
    return show_findings(workspace, replace(question, found=found), there)


def _values(rows: pl.DataFrame, column: str) -> list[str]:
    values: list[str] = rows.get_column(column).fill_null("").unique().sort().to_list()
    return values


if __name__ == "__main__":
    main()
