"""What every waste detector is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from schemas.detection import Watermark
from schemas.dimensions import DIMENSIONS

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class WasteInputs:
    """Frames of one run; None where the workspace has no such input.

    `costs` has `meter_columns`, the others those of `schemas.inputs`. `as_of` is the run's clock, in UTC, and
    `inventory_day` the day the inventory was taken, where anything tells it.
    """

    as_of: datetime
    watermarks: Mapping[str, Watermark]
    costs: pl.DataFrame
    tags: pl.DataFrame | None = None
    resources: pl.DataFrame | None = None
    utilization: pl.DataFrame | None = None
    jobs: pl.DataFrame | None = None
    runs: pl.DataFrame | None = None
    checkpoints: pl.DataFrame | None = None
    people: pl.DataFrame | None = None
    dimensions: tuple[str, ...] = DIMENSIONS
    inventory_day: date | None = None
