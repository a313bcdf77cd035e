"""Usage of clusters: what ran on which node and for how many hours, from OpenShift, OpenCost and Kubecost exports.

Hours are weights for splits and never money. Exports come by the hour; a day is what is kept.
"""

from __future__ import annotations

from attribution.inputs.usage.read import read_usage

__all__ = ["read_usage"]
