"""What the configuration says of findings: how severe each is by its money, and which are suppressed until when.

The surprise: nothing is taken away here; a suppressed finding is kept and shown as such, and speaks again by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from schemas.findings import FINDING_MARK_COLUMNS
from schemas.money import EXACT
from schemas.workspace import Severity, Suppression


def finding_marks(
    findings: pl.DataFrame,
    severity: Severity,
    suppressions: Sequence[Suppression],
    today: date,
    rates: Mapping[str, Decimal],
) -> pl.DataFrame:
    """Mark each finding.

    Args:
        findings: FINDING_COLUMNS.
        severity: amounts a month in the workspace's currency.
        suppressions: of several that speak of one finding, the one that lasts longest counts.
        today: the run's date; a suppression whose `until` it has reached says nothing any more.
        rates: currency -> what one unit of it is in the workspace's, which is 1 for itself.

    Returns:
        FINDING_MARK_COLUMNS, a row a finding.
    """
    valid = sorted((one for one in suppressions if one.until > today), key=lambda one: one.until, reverse=True)
    rows = []
    for row in findings.iter_rows(named=True):
        spoken = next((one for one in valid if _speaks_of(one, row)), None)
        level = severity_of(row["cost_at_stake"], rates.get(row["BillingCurrency"] or ""), severity)
        rows.append((row["fingerprint"], level, spoken.until if spoken else None, spoken.because if spoken else None))
    return pl.DataFrame(rows, schema=FINDING_MARK_COLUMNS, orient="row")


def severity_of(cost: Decimal | None, rate: Decimal | None, limits: Severity) -> str:
    """The level that an amount reaches; a negative one, of a credit, weighs as much as a positive one."""
    if cost is None or rate is None:
        return "unknown"
    amount = EXACT.abs(EXACT.multiply(cost, rate))
    levels = (("critical", limits.critical), ("high", limits.high), ("medium", limits.medium))
    return next((level for level, limit in levels if amount >= limit), "low")


def _speaks_of(rule: Suppression, row: Mapping[str, Any]) -> bool:
    same = all(getattr(rule, name) in (None, row[name]) for name in ("kind", "owner", "project"))
    return same and (rule.subject is None or _matches(rule.subject, row["subject"]))


def _matches(glob: str, text: str) -> bool:
    """`*` is any text and `?` any letter, as in the conditions of rules; all else means itself."""
    pattern = "".join({"*": ".*", "?": "."}.get(letter) or re.escape(letter) for letter in glob)
    return re.fullmatch(pattern, text, re.DOTALL) is not None
