"""Objects: what a glob over an object store matches, kept as files in the store folder, so that all else is local."""

from __future__ import annotations

from attribution.objects.mirror import fetch

__all__ = ["fetch"]
