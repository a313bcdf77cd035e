"""Tables that take the shape of the frames kept in them, as they are before anything is kept."""

from __future__ import annotations

from typing import Literal

import polars as pl

from attribution.ledger.costs import empty_shapes
from attribution.ledger.records import RECONCILIATION_COLUMNS
from schemas.bills import no_rejects
from schemas.charges import CHARGE_COLUMNS
from schemas.costs import OTHER_LIMIT_COLUMNS
from schemas.detection import (
    CONTRIBUTOR_COLUMNS,
    DAILY_BOUND_COLUMNS,
    EPISODE_COLUMNS,
    GROWTH_COLUMNS,
    INVOICE_CHECK_COLUMNS,
    NOTICE_COLUMNS,
    WEEKLY_COLUMNS,
)
from schemas.dimensions import DIMENSIONS
from schemas.findings import FINDING_MARK_COLUMNS
from schemas.inputs import USAGE_COLUMNS
from schemas.nodes import JOB_SHARE_COLUMNS, RUN_JOB_COLUMNS
from schemas.plans import BUDGET_COLUMNS, RATE_COLUMNS
from schemas.waste import DETECTOR_COLUMNS

Kept = Literal[
    "growth", "reconciliation", "invoice_checks", "usage", "finding_marks", "detectors", "waste_terms",
    "daily_bounds", "anomalies",
    "jobs", "split_notices", "other_limits",
    "budgets", "run_steps", "rates",
    "growth_contributors", "weekly_growth",
]  # fmt: skip
"""Tables that each run makes anew."""


def empty_tables() -> dict[str, pl.DataFrame]:
    """Name -> a frame without rows."""
    frames = {
        "growth": GROWTH_COLUMNS,
        "growth_contributors": CONTRIBUTOR_COLUMNS,
        "weekly_growth": WEEKLY_COLUMNS,
        "daily_bounds": DAILY_BOUND_COLUMNS,
        "anomalies": EPISODE_COLUMNS,
        "invoice_checks": INVOICE_CHECK_COLUMNS,
        "usage": USAGE_COLUMNS,
        "detectors": DETECTOR_COLUMNS,
        "jobs": RUN_JOB_COLUMNS,
        "job_shares": JOB_SHARE_COLUMNS,
        "split_notices": NOTICE_COLUMNS,
        "other_limits": OTHER_LIMIT_COLUMNS,
        "finding_marks": FINDING_MARK_COLUMNS,
        "budgets": BUDGET_COLUMNS,
        "rates": RATE_COLUMNS,
        "reconciliation": RECONCILIATION_COLUMNS,
        "no_charges": {**CHARGE_COLUMNS, "filename": pl.String()},
    }
    made = {name: pl.DataFrame(schema=columns) for name, columns in frames.items()}
    return {**empty_shapes(DIMENSIONS), **made, "input_rejects": no_rejects()}
