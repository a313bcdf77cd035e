"""The Report as one HTML file that loads nothing from outside.

It reads without its script, which only sorts, filters and points at charts; the page's policy lets no other script run.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup

from attribution.reports import words
from attribution.reports.branch import Branch
from attribution.reports.charts import PAGE, PHONE, Chart, svg
from attribution.reports.drawings import charts
from attribution.reports.report import Report, Section
from attribution.reports.templating import environment
from attribution.reports.together import grids
from attribution.reports.wording import wording
from schemas.faults import LawBrokenError

LIMIT = 2_000_000  # bytes
_SHORTEST = 240  # bytes of a line of the drill-down, at least: what cannot fit is not tried


@dataclass(frozen=True)
class Room:
    """How many rows a table shows, and how many branches and resources each branch of the drill-down."""

    rows: int
    branches: int
    resources: int


# The roomiest that stays below the limit is taken; what does not fit becomes one row with its sum.
_ROOMS = (
    Room(1000, 1000, 20), Room(1000, 200, 5), Room(1000, 100, 3), Room(500, 40, 3), Room(200, 20, 2), Room(40, 10, 1),
    Room(10, 5, 1),
)  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A chart drawn twice, for wide and narrow windows; the style sheet shows one."""

    chart: Chart
    wide: Markup
    narrow: Markup


def render_page(report: Report) -> str:
    """The whole page, shorter where it would get too large to open at once; CSV files hold all rows of tables.

    Raises:
        LawBrokenError: it is too large even so.
    """
    script = _script()
    template = environment().get_template("page.html.j2")
    say = wording(report.locale)
    told = {
        "report": report,
        "say": say,
        "billed": [say.with_currency(section.billed.this, section.currency) for section in report.sections],
        "statements": words.statements(report),
        "sections": [(section, _figures(report, section)) for section in report.sections],
        "script": Markup(script),  # noqa: S704 - our own file
        "script_digest": f"sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
    }
    for room in _ROOMS:
        lines = sum(_lines(section.tree, room) for section in report.sections)
        if lines * _SHORTEST > LIMIT and room is not _ROOMS[-1]:
            continue
        page = template.render(**told, limit=room.rows, room=room, grids=grids(report, say, room.rows))
        if len(page.encode()) < LIMIT:
            return page
    message = f"the page of {report.key} is larger than {LIMIT} bytes even with {_ROOMS[-1].rows} rows a table"
    raise LawBrokenError(message)


def _lines(branches: tuple[Branch, ...], room: Room) -> int:
    below = branches and branches[0].below
    shown = branches[: room.branches if below else room.resources]
    return len(shown) + sum(_lines(one.below, room) for one in shown)


@cache
def _script() -> str:
    return (Path(__file__).parent / "templates" / "page.js").read_text(encoding="utf-8")


def _figures(report: Report, section: Section) -> list[Figure]:
    # The drawing library escapes all text; what it returns is markup of our own making.
    wide, narrow = charts(report, section, PAGE), charts(report, section, PHONE)
    return [
        Figure(one, Markup(svg(one)), Markup(svg(other)))  # noqa: S704
        for one, other in zip(wide, narrow, strict=True)
    ]
