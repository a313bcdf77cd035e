"""OpenShift metering: usage of pods, GPUs and volumes by the hour, and the labels of namespaces.

The surprise: only the table of pods names a node's provider id and a pod's labels; the other tables borrow both.
Labels of nodes say whose a node is, not whose a pod is, so that table is recognised and not used.
Source: the columns of the metering reports of the koku metrics operator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import polars as pl

from attribution.inputs.csv_file import Sheet, reject
from attribution.inputs.rows import Rows, collapse, start
from attribution.inputs.usage.spans import (
    SPAN_COLUMNS,
    WHAT,
    merge_labels,
    read_amounts,
    read_times,
    sheet_schema,
    spans,
    times,
)
from schemas.bills import VALUE_UNKNOWN, no_rejects
from schemas.cell_checks import MISSING
from schemas.tagsets import canonical

_TIMES = ("interval_start", "interval_end")
_POD = (*_TIMES, "node", "namespace", "pod")
_CPU = ("pod_usage_cpu_core_seconds", "pod_request_cpu_core_seconds")
_MEMORY = ("pod_usage_memory_byte_seconds", "pod_request_memory_byte_seconds")
_VOLUME = ("persistentvolumeclaim_usage_byte_seconds", "volume_request_storage_byte_seconds")

TABLES: dict[str, tuple[str, ...]] = {
    "pods": (*_POD, "resource_id", *_CPU, *_MEMORY, "pod_labels"),
    "gpus": (*_POD, "gpu_uuid", "gpu_model_name", "gpu_pod_uptime"),
    "volumes": (*_TIMES, "namespace", "persistentvolumeclaim", "persistentvolume", *_VOLUME),
    "namespaces": (*_TIMES, "namespace", "namespace_labels"),
    "nodes": (*_TIMES, "node", "node_labels"),
}
"""Table -> the columns it is known by, all of which must be there."""
_OPTIONAL = (
    "pod", "node", "mig_instance_id", "mig_profile", "csi_volume_handle", "persistentvolume_labels",
    "persistentvolumeclaim_labels",
)  # fmt: skip

_TWICE = "one row a namespace and hour; an earlier row says otherwise"
SLICES = {"A30": 4, "A100": 7, "H100": 7, "H200": 7, "H20": 7, "GH200": 7, "B200": 7, "GB200": 7, "B300": 7}
"""Model -> compute slices that one GPU divides into (NVIDIA's MIG profiles)."""


def read_openshift(tables: Mapping[str, Sequence[Sheet]]) -> Rows:
    """Spans of all tables together.

    Args:
        tables: name in TABLES -> its files; any may be missing.
    """
    pods = _pods(tables.get("pods", ()))
    namespaces = _labelled(tables.get("namespaces", ()), "namespaces", ("namespace_labels",))
    collapse(namespaces, ("start", "namespace"), ("start", "namespace", "namespace_labels"), _TWICE)
    labels = namespaces.frame.select("start", "namespace", pl.col("namespace_labels").alias("__namespace"))
    rows = Rows(WHAT, pl.DataFrame(schema=SPAN_COLUMNS), [*namespaces.rejects])
    found = {
        "cpu_core_hours": "cpu", "memory_gib_hours": "memory", "gpu_hours": "gpu", "storage_gib_hours": "storage",
    }  # fmt: skip
    own_labels = pods.frame.select("start", "namespace", "pod", pl.col("pod_labels").alias("__pod"))
    own_labels = own_labels.unique(["start", "namespace", "pod"], keep="first", maintain_order=True)
    for one in (pods, _gpus(tables.get("gpus", ()), pods.frame), _volumes(tables.get("volumes", ()))):
        mine = [name for name in ("persistentvolume_labels", "persistentvolumeclaim_labels") if name in one.frame]
        frame = one.frame.join(labels, on=["start", "namespace"], how="left", maintain_order="left")
        frame = frame.join(own_labels, on=["start", "namespace", "pod"], how="left", maintain_order="left")
        frame = merge_labels(frame, ["__namespace", "__pod", *mine]).with_columns(pl.lit("openshift").alias("kind"))
        measures = {measure: column for measure, column in found.items() if column in frame.columns}
        rows.frame = pl.concat([rows.frame, spans(frame, measures)])
        rows.rejects.extend(one.rejects)
    return rows


def _labelled(sheets: Sequence[Sheet], table: str, labels: Sequence[str]) -> Rows:
    """A table with its times and labels read, and `start` and `end`."""
    columns = [*dict.fromkeys((*TABLES[table], *_OPTIONAL))]
    none = Sheet("", pl.DataFrame(schema=sheet_schema(columns)), no_rejects())
    rows = start(WHAT, sheets or [none], columns, [name for name in ("node", "resource_id") if name in columns])
    rows.frame = rows.frame.with_columns(pl.col(columns).str.strip_chars())
    read_times(rows, *_TIMES)
    for column in labels:
        text = rows.frame.get_column(column)
        distinct = text.drop_nulls().unique()
        known = pl.Series([_labels(one) for one in distinct], dtype=pl.String)
        read = text.replace_strict(distinct, known, return_dtype=pl.String) if len(distinct) else text
        rows.read(column, read, "labels, label_key:value|label_key:value", required=False)
    return rows


def _labels(text: str) -> str | None:
    """Labels as canonical JSON; None where the text holds no such."""
    pairs = [piece.partition(":") for piece in text.split("|") if piece.strip()]
    if not all(colon and key.strip() for key, colon, _ in pairs):
        return None
    return canonical([(key.strip().removeprefix("label_"), value.strip()) for key, _, value in pairs])


def _pods(sheets: Sequence[Sheet]) -> Rows:
    rows = _labelled(sheets, "pods", ("pod_labels",))
    rows.need("node", "namespace", "pod")
    _greater(rows, "cpu", _CPU)
    _greater(rows, "memory", _MEMORY)
    rows.frame = rows.frame.with_columns(
        pl.coalesce("resource_id", "node").alias("resource_id"), pl.lit(None, pl.String).alias("part")
    )
    return rows


def _greater(rows: Rows, name: str, columns: Sequence[str]) -> None:
    """What a pod used or asked for, whichever is more: both keep others from using it."""
    for column in columns:
        read_amounts(rows, column)
    rows.frame = rows.frame.with_columns(pl.max_horizontal(*columns).alias(name))
    empty = pl.col(name).is_null()
    if rows.frame.select(empty.any()).item():
        rows.rejects.append(reject(rows.frame.filter(empty), WHAT, columns[0], MISSING, VALUE_UNKNOWN))


def _gpus(sheets: Sequence[Sheet], pods: pl.DataFrame) -> Rows:
    rows = _labelled(sheets, "gpus", ())
    rows.need("node", "namespace", "pod", "gpu_pod_uptime")
    read_amounts(rows, "gpu_pod_uptime")
    profile = pl.col("mig_profile").str.extract_groups(r"^(?:(\d)c\.)?(\d)g\.")
    models = {name: _slices(name) for name in rows.frame.get_column("gpu_model_name").drop_nulls().unique()}
    model = pl.col("gpu_model_name").replace_strict(models, default=None, return_dtype=pl.Int64)
    sliced = pl.coalesce("mig_profile", "mig_instance_id").is_not_null()
    rows.frame = rows.frame.with_columns(
        pl.when(sliced)
        .then(pl.coalesce(profile.struct[0], profile.struct[1]).cast(pl.Int64))
        .otherwise(1)
        .alias("own"),
        pl.when(sliced).then(model).otherwise(1).alias("all"),
    )
    rows.refuse(pl.col("own").is_null(), "mig_profile", "a MIG profile, such as 3g.20gb")
    rows.refuse(pl.col("all").is_null(), "gpu_model_name", f"a model whose slices are known: {', '.join(SLICES)}")
    rows.frame = rows.frame.with_columns(
        times(pl.col("gpu_pod_uptime"), pl.col("own"), pl.col("all")).alias("gpu"),
        pl.concat_str("gpu_uuid", "mig_instance_id", separator="/", ignore_nulls=True).alias("part"),
    )
    rows.frame = _with_ids(rows.frame, pods)
    return rows


def _slices(model: str) -> int | None:
    found = [SLICES[word] for word in re.split(r"[^A-Za-z0-9]+", model.upper()) if word in SLICES]
    return found[0] if found else None


def _with_ids(frame: pl.DataFrame, pods: pl.DataFrame) -> pl.DataFrame:
    """`resource_id` of each node, as the pods of that hour have it, or all pods ever; else the node's name."""
    one = pl.when(pl.col("resource_id").n_unique() == 1).then(pl.col("resource_id").first())
    hourly = pods.group_by("node", "start").agg(one.alias("__hour"))
    ever = pods.group_by("node").agg(one.alias("__ever"))
    frame = frame.join(hourly, on=["node", "start"], how="left", maintain_order="left")
    frame = frame.join(ever, on="node", how="left", maintain_order="left")
    return frame.with_columns(pl.coalesce("__hour", "__ever", "node").alias("resource_id"))


def _volumes(sheets: Sequence[Sheet]) -> Rows:
    rows = _labelled(sheets, "volumes", ("persistentvolume_labels", "persistentvolumeclaim_labels"))
    volume = pl.coalesce("csi_volume_handle", "persistentvolume")
    rows.refuse(volume.is_null(), "persistentvolume", MISSING)
    _greater(rows, "storage", _VOLUME)
    rows.frame = rows.frame.with_columns(volume.alias("resource_id"), pl.col("persistentvolumeclaim").alias("part"))
    return rows
