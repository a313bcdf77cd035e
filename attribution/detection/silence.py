"""Sources that fell silent: their newest complete day lies too far back.

The surprise: this is about data, not waste; while a source is silent its costs look like a fall.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING

from attribution.detection.candidates import Finding, as_frame, together
from schemas.detection import Watermark
from schemas.words import counted
from schemas.workspace import OWN_COSTS

if TYPE_CHECKING:
    import polars as pl

KIND = "source_behind"
DAYS = 3
BY_MONTH = 31
"""Days more that own costs may take: they come by the month, when it is over."""


def unnamed_sources(watermarks: Mapping[str, Watermark], named: Collection[str]) -> pl.DataFrame:
    """Report each source whose bills count although the configuration names it no more (renamed, or taken out).

    Args:
        watermarks: by source, of the costs that count.
        named: sources of the configuration.
    """
    return together(
        as_frame(
            Finding(
                kind="source_not_named",
                subject=f"source={source}",
                evidence=f"Bills of source {source} count, but attribution.toml names no such source; the same files "
                f"under another name are not read again. Name it {source} again, or move the store away and run anew.",
            )
            for source in watermarks
            if source not in named
        )
    )


def silent_sources(watermarks: Mapping[str, Watermark], as_of: date | datetime, days: int = DAYS) -> pl.DataFrame:
    """Report each source whose last complete day is more than `days` days before the run's date.

    Returns:
        Findings with the subject `source=<name>`; no money is at stake.
    """
    today = as_of.date() if isinstance(as_of, datetime) else as_of
    allowed = {source: days + BY_MONTH * (source == OWN_COSTS) for source in watermarks}
    return together(
        as_frame(
            Finding(
                kind=KIND,
                subject=f"source={source}",
                evidence=f"Source {source} is complete up to {mark.last_day}, "
                f"{counted((today - mark.last_day).days, 'day')} before {today}; at most {allowed[source]} are "
                "expected. Its later costs are missing from every comparison.",
            )
            for source, mark in watermarks.items()
            if (today - mark.last_day).days > allowed[source]
        )
    )
