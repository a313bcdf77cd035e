"""Clusters of which every node is idle: the nodes' money and the control plane's."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.waste.detector import Detector, Thresholds
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.groups import idle_groups
from attribution.detection.waste.kinds import CLUSTERS

if TYPE_CHECKING:
    import polars as pl


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Groups of listed machines; undetermined where one of them was not measured."""
    return idle_groups(estate, at, CLUSTERS, "Cluster", whole=True)


DETECTOR = Detector(
    name="idle_cluster",
    title="Cluster that does nothing",
    tier="utilization",
    needs=("resources.attached_to", "utilization"),
    uses=("resources.gpus", "resources.state", "resources.created_at"),
    thresholds={
        "window_days": Decimal(14),
        "min_age_days": Decimal(14),
        "coverage": Decimal("0.80"),
        "gpu_percent": Decimal(5),
        "gpu_memory_percent": Decimal(5),
        "cpu_percent": Decimal(5),
        "peak_percent": Decimal(15),
        "network_bytes": Decimal(5_000_000),
    },
    meaning="Every running node that the inventory attaches to a cluster is idle by its metrics. The cost is that of "
    "the nodes and the cluster; the saving is told with the nodes.",
    source="House rule; machines are judged as by idle_by_utilization.",
    action="Scale it to nothing, or delete it.",
    risk="A cluster held for a coming run looks idle.",
    rollback="Keep its definition; nodes come back when they are asked for.",
    judge=judge,
    wasted=False,
)
