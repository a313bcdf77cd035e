"""What every waste detector is given, and how it explains itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from schemas.detection import Watermark

if TYPE_CHECKING:
    import polars as pl

Thresholds = Mapping[str, Decimal]


@dataclass(frozen=True)
class WasteInputs:
    """Frames of one run; None where the workspace has no such input.

    `resources_cost` has RESOURCES_COST_COLUMNS, the others those of `schemas.inputs`. `as_of` is the run's clock, in
    UTC, and `inventory_day` the day the inventory was taken, where anything tells it.
    """

    as_of: datetime
    watermarks: Mapping[str, Watermark]
    resources_cost: pl.DataFrame
    tags: pl.DataFrame | None = None
    resources: pl.DataFrame | None = None
    utilization: pl.DataFrame | None = None
    inventory_day: date | None = None


@dataclass(frozen=True)
class Explanation:
    """What a detector means: in words, whose definition it is, what to do, and what may go wrong in doing so."""

    meaning: str
    source: str
    action: str
    risk: str
