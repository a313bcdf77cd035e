"""What holds for every test: how long one example may take is never judged, for machines are not alike."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
