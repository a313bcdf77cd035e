"""A company in which nothing is wasted: whatever a detector says here is a false alarm."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from label_world import FIRST, LAST, World
from labels_bill import (
    BALANCER,
    BOX,
    BUCKET,
    DATABASE,
    IN_USE,
    LOGS,
    NAT,
    NAT_BYTES,
    OUT,
    P5,
    REQUESTS,
    SNAPSHOT,
    UNITS,
    VOLUME,
    of,
)  # fmt: skip
from labels_healthy_work import work

DAYS = [FIRST + timedelta(days=n) for n in range((LAST - FIRST).days + 1)]


def healthy(seed: int) -> World:
    """Three projects; everything is used, measured, listed and tagged."""
    w = World(seed)
    for project in ("atlas", "borealis", "corvus"):
        for _ in range(6):
            _machine(w, project)
        _network(w, project)
        _data(w, project)
        _commitments(w, project)
        _training(w, project)
        work(w, project)
    return w


def _machine(w: World, project: str) -> None:
    gpu = w.random.random() < 0.5  # noqa: PLR2004
    node, volume, snapshot = w.new("i"), w.new("vol"), w.new("snap")
    w.bill(node, P5 if gpu else BOX, "700" if gpu else "9", tags=of(project))
    w.bill(node, OUT, "1", "12", tags=of(project))
    w.bill(volume, VOLUME, "3", tags=of(project))
    w.bill(snapshot, SNAPSHOT, "0.5", tags=of(project), first=date(2026, 10, 28))
    born = {"created_at": "2026-07-01T00:00:00Z"}
    w.put("resources", resource_id=node, resource_type="instance", state="running", gpus="8" if gpu else "", **born)
    w.put("resources", resource_id=volume, resource_type="volume", state="in-use", attached_to=node, **born)
    w.put("resources", resource_id=snapshot, resource_type="snapshot", state="completed", attached_to=volume,
          created_at="2026-10-28T00:00:00Z")  # fmt: skip
    metrics = {"cpu_percent": 62, "network_bytes": 9e10, "disk_ops": 9e5, "connections": 40, "requests": 9e4}
    metrics |= {"gpu_percent": 78, "gpu_memory_percent": 70} if gpu else {}
    for day in DAYS[-40:]:
        for metric, usual in metrics.items():
            average = usual * w.random.uniform(0.85, 1.05)
            w.put("utilization", resource_id=node, date=str(day), metric=metric, average=f"{average:.3f}",
                  maximum=f"{average * 1.2:.3f}")  # fmt: skip


def _network(w: World, project: str) -> None:
    for word, kind, hours, use in (
        ("nat", "nat gateway", NAT, NAT_BYTES),
        ("lb", "load balancer", BALANCER, UNITS), ("ip", "address", IN_USE, None),
    ):  # fmt: skip
        one = w.new(word)
        w.bill(one, hours, "0.6", tags=of(project))
        if use:
            w.bill(one, use, "0.8", "18", tags=of(project))
        w.put("resources", resource_id=one, resource_type=kind, state="active", attached_to=f"net-{project}",
              created_at="2026-07-01T00:00:00Z")  # fmt: skip


def _data(w: World, project: str) -> None:
    bucket, database, logs = w.new("bkt"), w.new("db"), w.new("log")
    w.bill(bucket, BUCKET, "12", tags=of(project))
    w.bill(bucket, REQUESTS, "0.4", "90000", tags=of(project))
    w.bill(database, DATABASE, "7", tags=of(project))
    w.bill(logs, LOGS, "8", tags=of(project))
    for one, kind in ((bucket, "bucket"), (database, "database"), (logs, "log group")):
        w.put("resources", resource_id=one, resource_type=kind, state="available", created_at="2026-07-01T00:00:00Z",
              last_used_at="2026-11-08T09:00:00Z")  # fmt: skip
    for day in DAYS[-40:]:
        for metric, average in (("cpu_percent", 55), ("connections", 30)):
            w.put("utilization", resource_id=database, date=str(day), metric=metric, average=str(average), maximum="71")


def _commitments(w: World, project: str) -> None:
    plan, reservation = w.new("plan"), w.new("cr")
    w.put("resources", resource_id=reservation, resource_type="capacity reservation", state="active",
          created_at="2026-07-01T00:00:00Z")  # fmt: skip
    for word, share in (("Used", "0.97"), ("Unused", "0.03")):
        named = {"CommitmentDiscountId": plan, "CommitmentDiscountStatus": word,
                 "CommitmentDiscountCategory": "Spend", "CommitmentDiscountType": "Compute Savings Plan"}  # fmt: skip
        w.bill(plan, BOX, str(100 * Decimal(share)), tags=of(project), **named)
        w.bill(reservation, BOX, str(100 * Decimal(share)), tags=of(project),
               CapacityReservationId=reservation, CapacityReservationStatus=word)  # fmt: skip


def _training(w: World, project: str) -> None:
    for n in range(4):
        start = date(2026, 9, 1) + timedelta(days=16 * n)
        ended = "" if n == 3 else f"{start + timedelta(days=14)}T00:00:00Z"  # noqa: PLR2004
        w.put("runs", run_id=f"{project}-{n}", experiment=f"{project}-run-{n}", project=project, stage="pretraining",
              owner="lin", status="completed" if ended else "running", started_at=f"{start}T00:00:00Z", ended_at=ended,
              gpus="8", steps="90000", tokens="4000000000", mfu="0.46", config_hash=f"c{project}{n}",
              data_hash=f"d{project}{n}", metric="loss", metric_value="2.1", log_level="info")  # fmt: skip
