"""What is handed in beside the bills for splits to divide by. Each part may be empty, and costs nothing then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from schemas.costs import PERIOD_COLUMNS
from schemas.inputs import JOB_COLUMNS, NODE_STATE_COLUMNS, POD_COLUMNS, RESOURCE_COLUMNS, RUN_COLUMNS, USAGE_COLUMNS


def _empty(columns: dict[str, pl.DataType]) -> Callable[[], pl.DataFrame]:
    return lambda: pl.DataFrame(schema=columns)


def _no_periods(_resources: pl.Series) -> pl.DataFrame:
    return pl.DataFrame(schema=PERIOD_COLUMNS)


@dataclass(frozen=True)
class Beside:
    """Frames of the inputs, and a way to ask for the charges of resources by their own periods.

    `measures`: a split's name -> `date`, `weight` and columns of dimensions.
    """

    jobs: pl.DataFrame = field(default_factory=_empty(JOB_COLUMNS))
    pods: pl.DataFrame = field(default_factory=_empty(POD_COLUMNS))
    node_states: pl.DataFrame = field(default_factory=_empty(NODE_STATE_COLUMNS))
    runs: pl.DataFrame = field(default_factory=_empty(RUN_COLUMNS))
    resources: pl.DataFrame = field(default_factory=_empty(RESOURCE_COLUMNS))
    usage: pl.DataFrame = field(default_factory=_empty(USAGE_COLUMNS))
    measures: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    periods: Callable[[pl.Series], pl.DataFrame] = _no_periods
