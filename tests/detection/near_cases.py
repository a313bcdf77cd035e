"""Labelled cases of one detector: worlds in which it must fire, near misses, and worlds that lack data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import polars as pl
from detection_worlds import AS_OF, BIRTH, WORLD, billed, inventory, metered, thing

from attribution.detection import WasteInputs
from attribution.detection.waste import DETECTORS
from attribution.detection.waste.judging import judge_all
from schemas.inputs import PEOPLE_COLUMNS
from schemas.workspace import Waste

Change = Mapping[str, Any]
SECOND = timedelta(seconds=1)
SEPTEMBER = date(2026, 9, 1)
FEWEST = 5


@dataclass(frozen=True)
class Cases:
    """One detector's: `make` builds a world from changes to its plain case, which fires."""

    kind: str
    make: Callable[..., WasteInputs]
    fires: Sequence[Change]
    spares: Sequence[Change]
    lacks: Sequence[Change]  # undetermined, or nothing said
    subject: str = "r-1"

    def verdicts(self, change: Change) -> list[str]:
        return [
            str(row["verdict"]) for row in findings_of(self.make(**change), self.kind) if row["subject"] == self.subject
        ]


def findings_of(world: WasteInputs, kind: str) -> list[dict[str, Any]]:
    """What one detector finds, run by itself."""
    (detector,) = (one for one in DETECTORS if one.name == kind)
    return list(judge_all((detector,), world, Waste()).findings.iter_rows(named=True))


def each(cases: Sequence[Cases], name: str) -> list[Any]:
    """Parameters of pytest: a detector's cases with a change each."""
    import pytest  # noqa: PLC0415 - only tests name cases

    return [
        pytest.param(one, change, id=f"{one.kind}-{place}")
        for one in cases
        for place, change in enumerate(getattr(one, name))
    ]


def days_ago(days: float) -> Any:  # noqa: ANN401 - an instant
    return AS_OF - timedelta(days=days)


def listed(kind: str, **plain: Any) -> Callable[..., WasteInputs]:  # noqa: ANN401
    """A maker of worlds around one listed resource `r-1`, which costs 320 in October.

    Changes may set any column of the inventory, and `cost`, `bill` (more columns of its bill), `bills` (more bills),
    `others` (more listed things), `tags`, `people`, `runs`, `utilization`; `kind` is its type.
    """

    def make(**changes: Any) -> WasteInputs:  # noqa: ANN401
        known = {"kind": kind, "cost": "320", "bill": {}, "bills": (), "others": (), "created_at": BIRTH} | plain
        all_of = known | changes
        bill = metered(
            *([billed("r-1", all_of["cost"], **all_of["bill"])] if all_of["cost"] != "none" else []), *all_of["bills"]
        )
        apart = ("kind", "cost", "bill", "bills", "others", "tags", "people", "runs", "utilization", "jobs", "listed")
        columns = {name: value for name, value in all_of.items() if name not in apart}
        own = [thing("r-1", all_of["kind"], **columns)] if all_of.get("listed", True) else []
        more = {name: all_of[name] for name in ("tags", "people", "runs", "utilization", "jobs") if name in all_of}
        return replace(WORLD, resources=inventory(*own, *all_of["others"]), costs=bill, **more)

    return make


def people(*rows: tuple[str, date | None]) -> pl.DataFrame:
    """Owners and the day they left."""
    every = [
        dict.fromkeys(PEOPLE_COLUMNS) | {"owner": owner, "valid_to": until, "lead": "kay"} for owner, until in rows
    ]
    return pl.DataFrame(every, schema=PEOPLE_COLUMNS)


ALWAYS_FIRES: tuple[Change, ...] = ({}, {"cost": "1"}, {"bill": {"owner": "omar"}})
"""However little it costs, down to the minimum, and whoever's it is."""
ALWAYS_SPARED: tuple[Change, ...] = (
    {"state": "deleted"},
    {"cost": "0.99"},
    {"cost": "0"},
    {"bill": {"month": SEPTEMBER, "last_day": date(2026, 9, 28)}},
    {"kind": "spaceship"},
)
"""What is gone, costs less than the minimum or nothing any more, or is another kind of thing."""
