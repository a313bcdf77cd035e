"""What else a company without waste has: jobs, checkpoints, people, endpoints, clusters, data, images, tags."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from label_shapes import ago, measure
from labels_bill import BOX, BUCKET, OUT, P5, REQUESTS, SNAPSHOT, of
from labels_inventory import KUBERNETES, SERVING
from labels_utilization import NOTEBOOK, RESERVED

if TYPE_CHECKING:
    from label_world import World

USED = {
    "cpu_percent": ("58", "81"), "network_bytes": ("90000000000", "99000000000"), "requests": ("70000", "90000"),
    "connections": ("30", "60"), "gpu_percent": ("77", "96"), "gpu_memory_percent": ("71", "88"), "disk_ops": ("9e5",
     "9e6"),
}  # fmt: skip
BORN = {"state": "running", "created_at": "2026-07-01T00:00:00Z", "last_used_at": "2026-11-09T09:00:00Z"}


def work(w: World, project: str) -> None:
    """All of it for one project."""
    for n in range(2):
        _queue(w, project, n)
    _groups(w, project)
    _served(w, project)
    _kept(w, project)
    w.put("people", owner=f"lead-{project}", team=project, valid_from="2026-01-01", valid_to="")


def _machine(w: World, project: str, sold: str, a_day: str, **row: str) -> str:
    one = w.new("i")
    w.bill(one, sold, a_day, tags=of(project))
    w.bill(one, OUT, "1", "12", tags=of(project))
    w.put("resources", resource_id=one, resource_type="instance", **BORN | row)
    measure(w, one, {key: value for key, value in USED.items() if "gpu" not in key or sold == P5})
    return one


def _queue(w: World, project: str, n: int) -> None:
    on = _machine(w, project, P5, "700", gpus="8")
    for day in range(92):
        start = date(2026, 8, 8) + timedelta(days=day)
        w.put("jobs", job_id=w.new("job"), resource_id=on, submit=f"{start - timedelta(days=1)}T12:00:00Z",
              start=f"{start}T00:10:00Z", end=f"{start + timedelta(days=1)}T00:00:00Z", gpus="8", state="COMPLETED",
              project=project, experiment=f"{project}-run-{n}", owner="lin", partition=f"part-{project}",
              name=f"step-{day}")  # fmt: skip


def _groups(w: World, project: str) -> None:
    for word, kind, sold in (("eks", "cluster", KUBERNETES), ("res", "capacity reservation", RESERVED)):
        one = w.new(word)
        w.bill(one, sold, "4", tags=of(project))
        w.put("resources", resource_id=one, resource_type=kind, targets="2", **BORN)
        for _ in range(2):
            _machine(w, project, BOX, "9", attached_to=one)


def _served(w: World, project: str) -> None:
    for word, kind, sold, stage in (("ep", "endpoint", SERVING, "serving"), ("nb", "notebook", NOTEBOOK, "sft")):
        one = w.new(word)
        w.bill(one, sold, "6", tags=of(project, stage=stage))
        w.put("resources", resource_id=one, resource_type=kind, targets="1", source_id=f"{project}-2", **BORN)
        measure(w, one, {key: value for key, value in USED.items() if "gpu" not in key})
    address = w.new("nic")
    w.put("resources", resource_id=address, resource_type="network interface", **BORN | {"state": "in-use"},
          attached_to="vpc-elsewhere")  # fmt: skip


def _kept(w: World, project: str) -> None:
    bucket, image, snapshot = w.new("bkt"), w.new("ami"), w.new("snap")
    w.bill(bucket, BUCKET, "40", tags=of(project))
    w.bill(bucket, REQUESTS, "0.4", "90000", tags=of(project))
    w.put("resources", resource_id=bucket, resource_type="bucket", lifecycle_policy="yes", storage_class="hot",
          size_gb=str(9000 + w.count), name=f"{project}-corpora", **BORN)  # fmt: skip
    for n in range(4):
        for step in range(4):
            w.put("checkpoints", uri=f"s3://{bucket}/{n}/{step}", experiment=f"{project}-run-{n}",
             run_id=f"{project}-{n}",
                  step=str(step), size_bytes="900000", created_at=f"{ago(40 - step)}T00:00:00Z",
                  metric_value=str(3 + step), resource_id=bucket, pinned="")  # fmt: skip
    w.put("resources", resource_id=image, resource_type="image", **BORN | {"state": "available"})
    _machine(w, project, BOX, "9", image_id=image, name=f"{project}-login")
    w.bill(snapshot, SNAPSHOT, "2", tags=of(project))
    w.put("resources", resource_id=snapshot, resource_type="snapshot", source_id=image, image_id=image, managed_by="",
          **BORN | {"state": "completed"})  # fmt: skip
    for key, value in (("owner", f"lead-{project}"), ("expiry", "2027-06-30")):
        w.put("tags", resource_id=bucket, key=key, value=value, valid_from="2026-08-01", valid_to="")
