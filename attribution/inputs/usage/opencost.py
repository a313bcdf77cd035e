"""OpenCost and Kubecost allocations, as JSON or as CSV: hours by node and pod. Their money is not read.

The surprise: it is a model of the node's price, not the bill; added to the node's charge it would count twice.
Source: the allocation API of OpenCost; Kubecost's has the same fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from attribution.inputs.csv_file import Sheet, reject
from attribution.inputs.rows import Rows, start
from attribution.inputs.usage.spans import (
    SPAN_COLUMNS,
    WHAT,
    merged,
    read_amounts,
    read_times,
    sheet_schema,
    spans,
    times,
)
from schemas.bills import REJECT_COLUMNS, ROW_REFUSED, VALUE_UNKNOWN
from schemas.dimensions import fold
from schemas.faults import Fault, InputError
from schemas.inputs import USAGE_IDLE
from schemas.packed import unpacked
from schemas.paths import relative_name
from schemas.tagsets import canonical

_HOURS = {
    "cpuCoreHours": "cpu_core_hours",
    "gpuHours": "gpu_hours",
    "ramByteHours": "memory_gib_hours",
    "pvByteHours": "storage_gib_hours",
}
_WINDOW = ("window.start", "window.end")
_IDS = ("node", "providerID", "volume")
COLUMNS = ("name", *_WINDOW, *_IDS, "namespace", "pod", "container", "labels", *_HOURS)
_FOLDED = {fold(name).replace(".", ""): name for name in COLUMNS}
IDLE, UNALLOCATED, UNMOUNTED = USAGE_IDLE, "__unallocated__", "__unmounted__"
_SPECIAL = f"(?:^|/)({IDLE}|{UNALLOCATED}|{UNMOUNTED})(?:/|$)"
# What the operator of OpenShift's metering lays beside its tables.
_MANIFEST = {"files", "cluster_id"}


def read_opencost(sheets: Sequence[Sheet]) -> Rows:
    """Spans of all files together."""
    rows = Rows(WHAT, pl.DataFrame(schema=SPAN_COLUMNS))
    if not sheets:
        return rows
    rows = start(WHAT, sheets, COLUMNS, _IDS)
    rows.frame = rows.frame.with_columns(pl.col(COLUMNS).str.strip_chars())
    read_times(rows, *_WINDOW)
    for column in _HOURS:
        read_amounts(rows, column)
    unplaced = (pl.col("pvByteHours") > 0) & pl.col("volume").is_null()
    if (lost := rows.frame.filter(unplaced)).height:
        rule = "the volume it is of, which only the JSON names (pvs)"
        rows.rejects.append(reject(lost, WHAT, "pvByteHours", rule, VALUE_UNKNOWN))
    rows.frame = rows.frame.with_columns(
        pl.when(~unplaced).then("pvByteHours").alias("pvByteHours"),
        pl.col("name").str.extract(_SPECIAL).alias("special"),
        _bare(pl.col("providerID")).alias("provider"),
    )
    node = pl.coalesce("volume", "provider", "node")
    rows.refuse(node.is_null(), "node", "a node: export by node, and idle by node or not at all")
    container, pod = pl.col("container").is_not_null(), pl.col("pod").is_not_null()
    grain = pl.when(container).then(pl.lit("container")).when(pod).then(pl.lit("pod")).otherwise(pl.lit("no pod"))
    rows.frame = rows.frame.with_columns(
        pl.when(pl.col("special").is_null()).then(pl.concat_str(pl.lit("allocations by "), grain)).alias("kind"),
        node.alias("resource_id"),
        pl.when(pl.col("special") == IDLE).then("special").otherwise(pl.coalesce("namespace", "special"))
        .alias("namespace"),
        pl.when(~pl.col("pod").str.starts_with("__")).then("pod").alias("pod"),
        pl.coalesce("name", "container").alias("part"),
        *(times(pl.col(column), 3600).alias(column) for column in _HOURS),
    )  # fmt: skip
    rows.frame = spans(rows.frame, {measure: column for column, measure in _HOURS.items()})
    return rows


def _bare(provider: pl.Expr) -> pl.Expr:
    """A provider's id as bills write it: of aws:///zone/i-1 and gce://project/zone/name the end, of Azure the path."""
    azure = provider.str.extract(r"(?i)^azure://(/subscriptions/.+)$").str.to_lowercase()
    return pl.coalesce(azure, provider.str.extract(r"^(?:aws|gce)://.*/([^/]+)$"), provider)


def table_sheet(sheet: Sheet) -> Sheet:
    """A CSV under the names of COLUMNS; Kubecost's have `properties.` before some and a column for each label.

    Raises:
        InputError: the columns that say when, where and how much are not there.
    """
    names: dict[str, str] = {}
    labels: dict[str, str] = {}
    for raw in sheet.frame.columns:
        bare = raw.removeprefix("properties.")
        if bare.startswith("labels."):
            labels[bare.removeprefix("labels.")] = raw
        elif known := _FOLDED.get(fold(bare).replace(".", "")):
            names.setdefault(known, raw)
    missing = [name for name in _WINDOW if name not in names]
    missing += [] if "node" in names or "providerID" in names else ["node"]
    missing += [] if set(_HOURS) & set(names) else ["gpuHours"]
    if missing:
        what = f"allocations without the column {', '.join(missing)}, so no hours of a node can be read"
        hint = "Export them from the allocation API by node and pod, as JSON or CSV; OpenCost's own CSV names no node."
        raise InputError(Fault(sheet.name, what, ", ".join(sheet.frame.columns), hint))
    frame = sheet.frame.select(*(pl.col(raw).alias(name) for name, raw in names.items()), "__file", "__line")
    if labels:
        rows = sheet.frame.select(labels.values())
        texts = [canonical(dict(zip(labels, row, strict=True))) for row in rows.iter_rows()]
        return Sheet(sheet.name, frame.with_columns(pl.Series("labels", texts, dtype=pl.String)), sheet.rejects)
    if "labels" not in names:
        return Sheet(sheet.name, frame, sheet.rejects)
    read = pl.Series("read", [_object(text) for text in frame.get_column("labels")], dtype=pl.String)
    bad = reject(frame.filter(frame["labels"].is_not_null() & read.is_null()), WHAT, "labels", "a JSON object",
                 VALUE_UNKNOWN)  # fmt: skip
    return Sheet(sheet.name, frame.with_columns(read.alias("labels")), pl.concat([sheet.rejects, bad]))


def _object(text: str | None) -> str | None:
    try:
        found = json.loads(text) if text else None
        return canonical(found) if isinstance(found, dict) else None
    except (ValueError, RecursionError):
        return None


def json_sheet(path: Path, root: Path) -> Sheet | None:
    """The JSON of the allocation API; None for the manifest of OpenShift's metering, which says nothing of usage.

    Raises:
        InputError: no JSON, or JSON of something else.
    """
    name = relative_name(path, root)
    try:
        text = b"".join(unpacked(path, name)).decode("utf-8-sig")
        found = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
        json.dumps(found, ensure_ascii=False).encode()  # half of a character is no text
    except (ValueError, RecursionError) as error:
        raise InputError(Fault(name, f"cannot be read as JSON: {error}", hint="Deliver the file again.")) from error
    if isinstance(found, dict) and found.keys() >= _MANIFEST:
        return None
    windows = found.get("data") if isinstance(found, dict) else found
    if not isinstance(windows, list) or not all(isinstance(one, dict | None) for one in windows):
        what = "JSON, and no list of allocations (nor an object with such a list as `data`)"
        raise InputError(Fault(name, what, hint="Save the answer of the allocation API as it is."))
    made = _Objects(name, text)
    for window in windows:
        for key, one in (window or {}).items():
            made.add(key, one)
    frame = pl.DataFrame(made.rows, schema=sheet_schema(COLUMNS), orient="row")
    return Sheet(name, frame, pl.DataFrame(made.rejects, schema=REJECT_COLUMNS, orient="row"))


@dataclass
class _Objects:
    """Rows made of one JSON text so far. A window's names stand in the text in the order in which they come."""

    name: str
    text: str
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    rejects: list[tuple[Any, ...]] = field(default_factory=list)
    at: int = 0
    line: int = 1

    def add(self, key: str, one: Any) -> None:  # noqa: ANN401
        """One allocation, and one row more for each volume that it names."""
        line = self._line_of(key)
        if not isinstance(one, dict):
            self.rejects.append(
                (WHAT, self.name, line, "(row)", "an allocation, which is an object", str(one), ROW_REFUSED)
            )
            return
        said, window, volumes = (_dict(one.get(part)) for part in ("properties", "window", "pvs"))
        labels = merged(canonical(_dict(said.get("namespaceLabels"))), canonical(_dict(said.get("labels"))))
        fixed = {
            "name": key,
            "window.start": window.get("start", one.get("start")),
            "window.end": window.get("end", one.get("end")),
            **{column: said.get(column) for column in ("node", "providerID", "namespace", "pod", "container")},
            "labels": labels,
        }
        hours = {column: one.get(column) for column in _HOURS}
        if volumes:
            hours["pvByteHours"] = None
        if any(amount is not None for amount in hours.values()):
            self._row(line, fixed | hours)
        for volume, held in _volumes(volumes):
            self._row(line, fixed | {"volume": volume, "pvByteHours": held})

    def _row(self, line: int | None, cells: dict[str, Any]) -> None:
        texts = (None if cells.get(name) in (None, "") else str(cells[name]) for name in COLUMNS)
        self.rows.append((*texts, self.name, line))

    def _line_of(self, key: str) -> int | None:
        """Where the key stands; None where it is written with escapes."""
        found = self.text.find(f'"{key}"', self.at)
        if found < 0:
            return None
        self.line += self.text.count("\n", self.at, found)
        self.at = found
        return self.line


def _dict(value: Any) -> dict[str, Any]:  # noqa: ANN401
    return value if isinstance(value, dict) else {}


def _volumes(volumes: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Volumes with their byte-hours: by provider id where it is told, else by name (`cluster=c:name=pvc-1`)."""
    for key, said in volumes.items():
        yield _dict(said).get("providerID") or key.rpartition("name=")[2], _dict(said).get("byteHours")
