"""Whose money: resolve the dimensions of every line, split what serves many, prove that nothing was lost."""

from attribution.allocation.beside import Beside
from attribution.allocation.explain import Explanation, Share, explain, related
from attribution.allocation.reconcile import broken, reconcile
from attribution.allocation.resolve import Resolved, resolve
from attribution.allocation.shares import recompute
from attribution.allocation.split import Divided, split

__all__ = [
    "Beside",
    "Divided",
    "Explanation",
    "Resolved",
    "Share",
    "broken",
    "explain",
    "recompute",
    "reconcile",
    "related",
    "resolve",
    "split",
]
