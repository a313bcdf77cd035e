"""Costs by resource as a tree: project, stage, experiment with its owner, resource."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import polars as pl

from attribution.reports.branch import Branch
from attribution.reports.period import Spans
from attribution.reports.sums import known_sum, within
from schemas.dimensions import NOBODY

_LEVELS = (("project",), ("stage",), ("experiment", "owner"), ("ResourceId", "ServiceName"))


def drill_down(resources: pl.DataFrame, times: Spans) -> tuple[Branch, ...]:
    """The projects with all that is below them, dearest first, what is nobody's last; what nets to nothing is left out.

    Args:
        resources: costs of one currency, in the columns of `RESOURCE_COLUMNS`.
        times: the period and the one before it.
    """
    below: dict[tuple[Any, ...], list[Branch]] = {}
    for depth in range(len(_LEVELS), 0, -1):
        keys = [key for level in _LEVELS[:depth] for key in level]
        above = len(keys) - len(_LEVELS[depth - 1])
        sums = resources.group_by(keys).agg(
            known_sum("EffectiveCost", within(times.period), "this"),
            known_sum("EffectiveCost", within(times.before), "before"),
            pl.col("ResourceName").max(),
        )
        ordered = sums.sort(
            pl.col(keys[above]).is_in(NOBODY).fill_null(value=False), "this", "before", *keys[above:],
            descending=[False, True, True, *(False for _ in keys[above:])], nulls_last=True,
        )  # fmt: skip
        here: dict[tuple[Any, ...], list[Branch]] = defaultdict(list)
        for row in ordered.iter_rows(named=True):
            path = tuple(row[key] for key in keys)
            if row["this"] != 0 or row["before"] != 0:
                here[path[:above]].append(_branch(row, depth, tuple(below.get(path, ()))))
        below = here
    return tuple(below.get((), ()))


def _branch(row: dict[str, Any], depth: int, parts: tuple[Branch, ...]) -> Branch:
    if depth == len(_LEVELS):
        name = row["ResourceName"] or row["ResourceId"] or row["ServiceName"]
        return Branch(name, row["this"], row["before"], resource=row["ResourceId"], service=row["ServiceName"])
    name = row[_LEVELS[depth - 1][0]]
    return Branch(name, row["this"], row["before"], owner=row.get("owner"), below=parts)
