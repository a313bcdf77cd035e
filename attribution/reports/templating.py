"""The one jinja2 environment: autoescape on, every text from the data made one line of plain letters.

Whatever a template prints passes `_finish`, so that forgetting a filter cannot let a direction mark through.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from attribution.reports import figures, words
from attribution.reports.text import exact_difference, headlines, quality_lines, reconciliation


def _finish(value: Any) -> Any:  # noqa: ANN401 - jinja2 hands over whatever an expression gave
    if isinstance(value, Markup):
        return value
    return figures.label(value) if isinstance(value, str) and value else value


@cache
def environment() -> jinja2.Environment:
    """Templates of this room, compiled once, with what they call."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finish,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        figures=figures,
        words=words,
        exact_difference=exact_difference,
        headlines=headlines,
        quality_lines=quality_lines,
        reconciliation=reconciliation,
    )
    return made
