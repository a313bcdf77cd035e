"""Clusters of which every node is idle: the nodes' money and the control plane's."""

from __future__ import annotations

from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.groups import idle_groups
from attribution.detection.waste.kinds import CLUSTERS
from attribution.detection.waste.machines import IDLE

DETECTOR = Detector(
    name="idle_cluster",
    title="Cluster that does nothing",
    tier="utilization",
    needs=("resources.attached_to", "utilization"),
    uses=("resources.gpus", "resources.state", "resources.created_at"),
    thresholds=IDLE,
    meaning="Every running node that the inventory attaches to a cluster is idle by its metrics. The cost is that of "
    "the nodes and the cluster; the saving is told with the nodes. Of a cluster without running nodes it says "
    "nothing: that is empty_cluster's.",
    source="House rule; machines are judged as by idle_by_utilization.",
    action="Scale it to nothing, or delete it.",
    risk="A cluster held for a coming run looks idle.",
    rollback="Keep its definition; nodes come back when they are asked for.",
    judge=partial(idle_groups, sorts=CLUSTERS, what="Cluster", whole=True),
    wasted=False,
)
