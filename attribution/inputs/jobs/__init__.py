"""Jobs: what ran on which node, from when to when, on how many GPUs. One row a job and node; they are weights."""

from __future__ import annotations

from attribution.inputs.jobs.placing import placed
from attribution.inputs.jobs.read import read_jobs

__all__ = ["placed", "read_jobs"]
