"""Usage to weights: how much of a resource each value of a dimension used on a day."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import polars as pl

from attribution.inputs.usage.opencost import IDLE as IDLE_ROW
from schemas.dimensions import IDLE, TAG_CONFLICT, UNALLOCATED, fold

NAMESPACE = "namespace"
WEIGHT_COLUMNS = ("resource_id", "usage_date", "value", "quantity")


def usage_weights(
    usage: pl.DataFrame, measure: str, tags: Sequence[str], canonical: Callable[[str], str]
) -> pl.DataFrame:
    """One row a resource, day and value of a dimension; quantities are summed exactly.

    Args:
        usage: USAGE_COLUMNS.
        measure: the one that counts; measures do not add up.
        tags: keys of labels in order of trust, compared as tag keys are; `namespace` is the pod's namespace.
        canonical: a label's value to the dimension's, by its aliases.

    Returns:
        Rows (resource_id, usage_date, value, quantity). Two values under one key are `(tag conflict)`; what no
        key answers is `unallocated`, and what an export calls idle is `idle`.
    """
    keys = list(dict.fromkeys(map(fold, tags)))
    mine = usage.filter(pl.col("measure") == measure)
    sets = mine.select("namespace", "labels").unique()
    values = [_value(namespace, labels, keys, canonical) for namespace, labels in sets.iter_rows()]
    named = sets.with_columns(pl.Series("value", values, dtype=pl.String))
    return (
        mine.join(named, on=["namespace", "labels"], nulls_equal=True)
        .group_by("resource_id", "usage_date", "value")
        .agg(pl.col("quantity").sum())
        .select(WEIGHT_COLUMNS)
        .sort("resource_id", "usage_date", "value")
    )


def _value(namespace: str | None, labels: str | None, keys: Sequence[str], canonical: Callable[[str], str]) -> str:
    if namespace == IDLE_ROW:
        return IDLE
    said: dict[str, set[str]] = {}
    for key, value in json.loads(labels or "{}").items():
        if value.strip():
            said.setdefault(fold(key), set()).add(canonical(value))
    if namespace and not namespace.startswith("__"):
        said.setdefault(NAMESPACE, {canonical(namespace)})
    found = next((said[key] for key in keys if key in said), {UNALLOCATED})
    return found.pop() if len(found) == 1 else TAG_CONFLICT
