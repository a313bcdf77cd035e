"""A company that began to collect its bills on 20 October: what asks for a longer past can be said of nothing."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from label_shapes import ago, each, thing
from labels_bill import BOX, BUCKET, LOGS, OUT, REQUESTS, SNAPSHOT, VOLUME, of

if TYPE_CHECKING:
    from label_world import World

BEGAN: dict[str, Any] = {"first": date(2026, 10, 20)}
OLD = {"created_at": ago(200)}


def short_cover(w: World) -> None:
    """Twenty days of bills where thirty, sixty or a month to compare with are asked for."""
    for project in ("orion", "vega"):
        box = thing(w, "i", "instance", BOX, OLD | {"state": "running"}, BEGAN | {"tags": of(project)})
        asked = w.new("bkt")
        w.bill(asked, BUCKET, "2", tags=of(project), **BEGAN)
        w.bill(asked, REQUESTS, "0.1", "9", tags=of(project), **BEGAN)
        for sold, kind, subject in (
            (OUT, "transfer_out_of_line", f"project={project} transfer=internet"),
            (LOGS, "logs_outgrow_compute", f"project={project}"),
        ):
            w.bill(box, sold, "400", tags=of(project), **BEGAN)
            each(w, kind, subject, "missing", "no month before the first")
        for kind, days in (("bucket_never_requested", 60), ("orphaned_tag", 30), ("volume_of_stopped_instance", 30)):
            why = f"{days} days are asked for, the bills have twenty"
            if kind == "bucket_never_requested":
                subject = w.new("bkt")
                w.bill(subject, BUCKET, "5", tags=of(project), **BEGAN)
            elif kind == "orphaned_tag":
                subject = w.new("gone")
                w.put("tags", resource_id=subject, key="project", value=project, valid_from="2026-08-01")
            else:
                machine = thing(w, "i", "instance", BOX, OLD | {"state": "stopped", "last_used_at": ""})
                row = OLD | {"state": "in-use", "attached_to": machine}
                subject = thing(w, "vol", "volume", VOLUME, row, BEGAN | {"tags": of(project)})
                each(w, "stopped_long", machine, "missing", why)
                each(w, "volume_of_deallocated_machine", subject, "missing", why)
            each(w, kind, subject, "missing", why)
        row = {"created_at": "", "name": "tmp-shards", "state": "in-use", "attached_to": "i-elsewhere"}
        scratch = thing(w, "vol", "volume", VOLUME, row, BEGAN | {"tags": of(project)})
        each(w, "temporary_name", scratch, "undetermined", "the bills begin with it; nothing tells when it was made")
        gone = w.new("vol")
        row = OLD | {"state": "completed", "attached_to": gone}
        snapshot = thing(w, "snap", "snapshot", SNAPSHOT, row, BEGAN | {"tags": of(project)})
        why = "nobody knows whether its volume was ever billed"
        each(w, "snapshot_outlives_volume", snapshot, "missing", why, "orphaned_snapshot")


GROUPS: tuple[Any, ...] = (short_cover,)
