"""Exports of usage that tests make: tables of OpenShift's metering, answers of the allocation API."""

from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from attribution.inputs import Read, read_usage
from schemas.bills import Rejects
from schemas.check import verify

HEADERS = {
    "pods": (
        "interval_start,interval_end,pod,namespace,node,resource_id,pod_usage_cpu_core_seconds,"
        "pod_request_cpu_core_seconds,pod_usage_memory_byte_seconds,pod_request_memory_byte_seconds,pod_labels"
    ),
    "gpus": (
        "interval_start,interval_end,node,namespace,pod,gpu_uuid,gpu_model_name,gpu_pod_uptime,mig_instance_id,"
        "mig_profile"
    ),
    "volumes": (
        "interval_start,interval_end,namespace,pod,node,persistentvolumeclaim,persistentvolume,csi_volume_handle,"
        "volume_request_storage_byte_seconds,persistentvolumeclaim_usage_byte_seconds,persistentvolume_labels,"
        "persistentvolumeclaim_labels"
    ),
    "namespaces": "interval_start,interval_end,namespace,namespace_labels",
    "nodes": "interval_start,interval_end,node,node_labels",
}
USED = {
    "pods": {
        "pod": "p-0", "namespace": "ns", "node": "n-1", "resource_id": "i-1", "pod_usage_cpu_core_seconds": "3600",
        "pod_request_cpu_core_seconds": "1800", "pod_usage_memory_byte_seconds": "0",
        "pod_request_memory_byte_seconds": str(3600 * 2**30), "pod_labels": "label_project:atlas",
    },
    "gpus": {
        "pod": "p-0", "namespace": "ns", "node": "n-1", "gpu_uuid": "GPU-1", "gpu_model_name": "NVIDIA A100-SXM4-80GB",
        "gpu_pod_uptime": "3600",
    },
    "volumes": {
        "pod": "p-0", "namespace": "ns", "node": "n-1", "persistentvolumeclaim": "c", "persistentvolume": "pv-1",
        "volume_request_storage_byte_seconds": str(3600 * 2**30), "persistentvolumeclaim_usage_byte_seconds": "1",
    },
    "namespaces": {"namespace": "ns"},
    "nodes": {"node": "n-1", "node_labels": "label_project:nobody"},
}  # fmt: skip


def hour(table: str, at: str = "2026-10-03 05", **cells: str) -> dict[str, str]:
    """One row of a table, for one hour; `cells` replace its columns."""
    times = {"interval_start": f"{at}:00:00 +0000 UTC", "interval_end": f"{at}:59:59 +0000 UTC"}
    return {**times, **USED[table], **cells}


def write_table(path: Path, table: str, *rows: dict[str, str]) -> Path:
    """A table as the operator delivers it, packed where the name says so."""
    sink = io.StringIO()
    writer = csv.DictWriter(sink, HEADERS[table].split(","), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    data = sink.getvalue().encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def allocation(start: str = "2026-10-03T00:00:00Z", hours: float = 1, **cells: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has it
    """One allocation; `cells` replace its hours, and of its properties those that have such a name."""
    end = datetime.fromisoformat(start) + timedelta(hours=hours)
    said = {"cluster": "c", "node": "n-1", "namespace": "ns", "pod": "p-0", "container": "main", "labels": {}}
    for name in (*said, "providerID", "namespaceLabels"):
        if name in cells:
            said[name] = cells.pop(name)
    window = {"start": start, "end": end.isoformat().replace("+00:00", "Z")}
    amounts = {"cpuCoreHours": 1, "gpuHours": 0, "ramByteHours": 2**30, "totalCost": 12.5}
    kept = {name: value for name, value in said.items() if value is not None}
    return {"properties": kept, "window": window, "minutes": 60 * hours, **amounts, **cells}


def write_answer(path: Path, *windows: dict[str, Any] | None) -> Path:
    """An answer of the allocation API as it is saved."""
    path.write_text(json.dumps({"code": 200, "data": windows}, indent=1), encoding="utf-8")
    return path


def read(*paths: Path, timezone: str = "UTC") -> Read:
    """What the product reads of them, in this order."""
    found = read_usage(paths, paths[0].parent, timezone)
    verify(found.rejects, Rejects, "rejects")
    return found


def amounts(found: Read) -> list[tuple[str, str, str | None, str, str]]:
    """Day, resource, pod, measure and quantity, as text."""
    rows = found.frame.select("usage_date", "resource_id", "pod", "measure", "quantity").rows()
    told = [(str(day), resource, pod, measure, f"{value.normalize():f}") for day, resource, pod, measure, value in rows]
    return sorted(told, key=repr)


def why(found: Read) -> list[tuple[Any, ...]]:
    """File, line, column and value of what was refused."""
    return sorted(found.rejects.select("file", "line", "column", "value").rows(), key=repr)
