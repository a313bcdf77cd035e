"""Recent episodes as findings: one an episode, with its start, its peak and its end.

The surprise: a silence is never a finding of money saved; whether a feed stopped or a thing ended, days cannot tell.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.daily.episodes import PROVISIONAL
from attribution.detection.wording import amount, signed
from schemas.words import counted

ANOMALY, SILENCE = "anomaly", "sudden_silence"
FEEDS = ("service", "source", "account")
"""What a feed is told by: a project may well end, and no day of it is missing then."""


def anomaly_findings(episodes: pl.DataFrame, grown: pl.DataFrame) -> pl.DataFrame:
    """Turn recent episodes into findings.

    Args:
        episodes: EPISODE_COLUMNS of all episodes.
        grown: findings of growth; a shift or leak of a subject that grew in that month is told by those.

    Returns:
        Findings of the kinds `anomaly` and `sudden_silence`; at stake is the excess so far, of a silence what is
        missing.
    """
    told = {(row["subject"], row["BillingCurrency"]): row["month"] for row in grown.iter_rows(named=True)}
    found = []
    for row in episodes.filter(pl.col("recent") & pl.col("explained_by").is_null()).iter_rows(named=True):
        quiet = row["shape"] == "silence"
        month = told.get((row["subject"], row["BillingCurrency"]))
        lasting = row["shape"] in ("level shift", "leak")
        if (quiet and row["kind"] not in FEEDS) or (lasting and month is not None and month <= row["end"]):
            continue
        found.append(
            Finding(
                kind=SILENCE if quiet else ANOMALY,
                subject=row["subject"],
                evidence=_silence(row) if quiet else _excess(row),
                verdict="undetermined" if quiet else "finding",
                confidence="low" if quiet else "medium" if row["open"] else "high",
                cost_at_stake=row["excess"].copy_abs(),
                currency=row["BillingCurrency"],
                owner=row["owner"],
                project=row["project"],
                month=row["start"].replace(day=1),
                occasion=f"{row['start']}",
            )
        )
    return together(as_frame(found))


def _excess(row: dict[str, Any]) -> str:
    currency, usual = row["BillingCurrency"], "were to be expected"
    when = f"on {row['start']}" if row["start"] == row["end"] else f"from {row['start']} to {row['end']}"
    text = (
        f"{row['subject']} cost {amount(row['cost'])} {currency} {when}, {amount(row['expected'])} {usual}: "
        f"{row['shape']}, {signed(row['excess'])} {currency}"
    )
    if row["days"] > 1 and row["peak_expected"] is not None:
        text += f", most on {row['peak']} ({amount(row['peak_cost'])} for {amount(row['peak_expected'])})"
    return text + (f"; not over yet, the last {PROVISIONAL} days are provisional." if row["open"] else ".")


def _silence(row: dict[str, Any]) -> str:
    currency, missing = row["BillingCurrency"], amount(row["excess"].copy_abs())
    when = f"since {row['start']}" if row["open"] else f"from {row['start']} to {row['end']}"
    return (
        f"{row['subject']} cost next to nothing {when} ({counted(row['days'], 'day')}), {missing} {currency} "
        "less than usual: it ended, or its feed stopped; nothing is counted as saved."
    )
