"""What stands beside the side bar: totals, a chart, tables, and the reasons of a row that is chosen.

Labels, captions and messages are Markdown in Streamlit, so none of them holds text from the data; that goes into
tables, charts and code blocks, which show it as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from attribution.reports import figures
from attribution.reports.exploring import over_time
from flows.explorer import looking, shown
from flows.explorer.question import CHARTS, GRAINS, Catalogue, Question, period_text
from flows.explorer.state import seed
from schemas.words import counted
from schemas.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

_TABLE_ROWS = 5_000
_NARROWEST, _MARGIN, _LETTER = 90, 24, 8  # pixels of a column of amounts


def show_costs(workspace: Workspace, question: Question, there: Catalogue) -> Question:
    """Totals, chart, table and reasons of costs; the question with what was chosen in them."""
    table = looking.costs_by(workspace, question, there)
    st.subheader(shown.heading(question, there), anchor=False)
    _totals(table, question)
    question = _chart(workspace, question, there)
    question = replace(question, row=_table(question, table))
    name = f"costs-{period_text(question.period).replace('..', '_')}"
    left, right = st.columns(2)
    with left:
        _download("Download the table", lambda: shown.table_file(table, question, there), name)
    with right:
        step = question.grain
        _download(f"Download it by {step}", lambda: shown.series_file(workspace, question, there), f"{name}-by-{step}")
    st.caption(shown.sources(there, table))
    if question.row:
        _explained(workspace, question, there)
    return question


def _download(label: str, written: Callable[[], bytes], name: str) -> None:
    """A button that writes the file when somebody asks for it."""
    st.download_button(label, written, f"{name}.csv", "text/csv", on_click="ignore", width="stretch")


def _totals(table: looking.Table, question: Question) -> None:
    code = question.currency
    with st.container(horizontal=True):
        st.metric(f"{question.cost}, {code}", figures.money(table.cost, code), border=True, height="stretch")
        if table.before_days is None:
            st.metric("Before", "no data", border=True, height="stretch")
            return
        before = figures.money(table.before, code)
        st.metric(f"Before: {figures.period(table.before_days)}", before, border=True, height="stretch")
        st.metric(
            f"Change: {figures.period(table.days)}", figures.percent(table.this, table.before),
            figures.change(table.this, table.before, code), delta_color="inverse", border=True, height="stretch",
        )  # fmt: skip


def _chart(workspace: Workspace, question: Question, there: Catalogue) -> Question:
    with st.container(horizontal=True):
        chart = st.segmented_control("Chart", CHARTS, key=seed("chart", question.chart), required=True,
                                     format_func={"stack": "Stacked", "trend": "Lines"}.__getitem__,
                                     label_visibility="collapsed")  # fmt: skip
        grain = st.segmented_control("Step", GRAINS, key=seed("grain", question.grain), required=True,
                                     format_func=lambda one: f"By {one}", label_visibility="collapsed")  # fmt: skip
    question = replace(question, chart=chart or question.chart, grain=grain or question.grain)
    rows = looking.series(workspace, question, there)
    if rows.is_empty():
        st.info("No cost of these days has what the filters ask for.")
        return question
    names = shown.names(rows, question.by)
    spec = over_time(rows, names, question.currency, grain=question.grain, lines=question.chart == "trend",
                     font=workspace.font)  # fmt: skip
    st.vega_lite_chart(spec, theme=None, width="stretch", alt=f"{question.cost} by {question.grain}")
    return question


def _table(question: Question, table: looking.Table) -> tuple[str, ...]:
    """The table; the values of the row that is chosen in it."""
    rows = table.rows.head(_TABLE_ROWS)
    if rows.height < table.rows.height:
        st.caption(f"The {rows.height:,} dearest of {table.rows.height:,} rows; the download has all.")
    told = shown.table(rows, table, question)
    return _choose(
        told,
        _amounts(told, question.currency) | {name: st.column_config.TextColumn(name) for name in question.by},
        shown.keys(rows, question.by),
        question.row,
        f"table {replace(question, row=(), chart='', grain='')}",
        placeholder="unknown",
    )


def _amounts(rows: pl.DataFrame, currency: str) -> dict[str, Any]:
    """How numbers are written, in columns that no number is wider than."""
    coins = figures.places(currency)
    number = st.column_config.NumberColumn
    amounts = {
        name: number(format=f"%,.{coins}f", width=_width(rows.get_column(name), coins))
        for name in rows.columns
        if rows.schema[name].is_decimal()
    }
    share = number(format="%.1f%%", help="Of the sum of all rows", width="small")
    return {**amounts, "share": share, "costs": number(format="%,d", help="Rows of the view costs", width="small")}


def _width(amounts: pl.Series, coins: int) -> int:
    """Pixels for the longest amount, with its separators."""
    longest = max((len(f"{amount:,.{coins}f}") for amount in amounts.drop_nulls()), default=0)
    return max(_NARROWEST, _MARGIN + _LETTER * longest)


def _choose(
    rows: pl.DataFrame,
    columns: dict[str, Any],
    keys: Sequence[tuple[str, ...]],
    now: tuple[str, ...],
    key: str,
    **looks: Any,  # noqa: ANN401 - as st.dataframe takes them
) -> tuple[str, ...]:
    """Show a table; the key of the row that is chosen in it."""
    at = [keys.index(now)] if now in keys else []
    event: Any = st.dataframe(
        rows, hide_index=True, column_config=columns, width="stretch", key=key, lazy=False, on_select="rerun",
        selection_mode="single-row", selection_default={"selection": {"rows": at}}, **looks,
    )  # fmt: skip
    picked = event.selection.rows
    return keys[picked[0]] if picked else ()


def _explained(workspace: Workspace, question: Question, there: Catalogue) -> None:
    st.subheader("Why", anchor=False)
    asked = shown.with_currency(question, there)
    st.code(shown.command(looking.words_of(workspace, asked)), language=None, wrap_lines=True)
    with st.spinner("Looking into the charges"):
        told = looking.explain(workspace, asked)
    st.code(told.as_text(), language=None, wrap_lines=True)


def show_findings(workspace: Workspace, question: Question, there: Catalogue) -> Question:
    """Findings and the reasons of the one that is chosen; the question with that one."""
    rows = looking.found_by(looking.findings(workspace), question.found)
    st.subheader(counted(rows.height, "finding"), anchor=False)
    if savings := shown.savings(rows):
        st.markdown(f"What ending the waste saves a month, each subject once: {savings}")
    keys = [(name,) for name in rows.get_column("fingerprint")]
    now = next((key for key in keys if question.finding and key[0].startswith(question.finding)), ())
    code = next(iter(rows.get_column("BillingCurrency").drop_nulls()), "")
    told = shown.findings(rows)
    columns = _amounts(told, code) | {"subject": st.column_config.TextColumn(width=260)}
    picked = _choose(told, columns, keys, now, f"findings {question.found}", placeholder="–", height=520)
    question = replace(question, finding=picked[0] if picked else "")
    _download("Download the findings", lambda: looking.as_file(rows), "findings")
    st.caption(shown.published(there))
    if question.finding:
        _explained(workspace, question, there)
    return question
