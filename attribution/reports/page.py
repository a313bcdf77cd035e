"""The Report as one HTML file that loads nothing from outside and runs no script."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from attribution.reports import words
from attribution.reports.charts import PAGE, PHONE, Chart, svg
from attribution.reports.drawings import charts
from attribution.reports.report import Report, Section
from attribution.reports.templating import environment
from attribution.reports.together import grids
from attribution.reports.wording import wording

_ROWS = 40


@dataclass(frozen=True)
class Figure:
    """A chart drawn twice, for wide and narrow windows; the style sheet shows one."""

    chart: Chart
    wide: Markup
    narrow: Markup


def render_page(report: Report, rows: int = _ROWS) -> str:
    """The whole page.

    Args:
        report: what to show.
        rows: how many rows a table shows before the rest becomes one row; the CSV files hold all.
    """
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            say=(say := wording(report.locale)),
            billed=[say.with_currency(section.billed.this, section.currency) for section in report.sections],
            statements=words.statements(report),
            sections=[(section, _figures(report, section)) for section in report.sections],
            grids=grids(report, say, rows),
            limit=rows,
        )
    )


def _figures(report: Report, section: Section) -> list[Figure]:
    # The drawing library escapes all text; what it returns is markup of our own making.
    wide, narrow = charts(report, section, PAGE), charts(report, section, PHONE)
    return [
        Figure(one, Markup(svg(one)), Markup(svg(other)))  # noqa: S704
        for one, other in zip(wide, narrow, strict=True)
    ]
