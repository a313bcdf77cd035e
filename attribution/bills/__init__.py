"""Bills: outside formats to Charges. One module a format; exactly one reader may claim a file."""

from __future__ import annotations

from attribution.bills.listing import ask_unchanged
from attribution.bills.readers import FORMATS, READERS, clock_of, find, read, stated, unpacked_once
from attribution.bills.refusals import Refused, refuse, with_texts
from attribution.bills.survey import Stream, Survey, Unknown, survey

__all__ = [
    "FORMATS",
    "READERS",
    "Refused",
    "Stream",
    "Survey",
    "Unknown",
    "ask_unchanged",
    "clock_of",
    "find",
    "read",
    "refuse",
    "stated",
    "survey",
    "unpacked_once",
    "with_texts",
]
