"""Labelled cases of waste in few words: what is billed, listed and measured, and what a detector must say of it.

A case is one subject. In every text of it `@` stands for the case's own name, so that cases can stand beside each
other in one world. `Near` are those of one detector that are told as changes to a plain world, which fires. Labels
follow docs/detectors.md, not the code.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest
from detection_worlds import AS_OF, BIRTH, FIRST, LAST, WORLD, Row, days, inventory, mark, metered, thing
from detection_worlds import billed as billed_for

from attribution.detection.waste import DETECTORS, WasteInputs
from attribution.detection.waste.judging import judge_all
from schemas.inputs import JOB_COLUMNS, PEOPLE_COLUMNS, RESOURCE_COLUMNS, TAG_COLUMNS, UTILIZATION_COLUMNS
from schemas.waste import meter_columns
from schemas.workspace import Waste

DIMENSIONS = ("project", "stage", "experiment", "owner", "environment")
Label = Literal["waste", "active", "undetermined", "unjudged"]
"""`unjudged`: the detector has nothing to say of the subject."""
Change = Mapping[str, Any]
Compare = Callable[[Iterable[Row]], None]
"""The fixture `as_written_down`."""
SECOND = timedelta(seconds=1)
SEPTEMBER = date(2026, 9, 1)
FEWEST = 5
FRAMES: dict[str, dict[str, Any]] = {
    "costs": dict(meter_columns(DIMENSIONS)),
    "resources": RESOURCE_COLUMNS,
    "utilization": UTILIZATION_COLUMNS,
    "jobs": JOB_COLUMNS,
    "tags": TAG_COLUMNS,
}


@dataclass(frozen=True)
class Case:
    """One labelled subject. `alone`: what other cases bring (a list of jobs, say) would change its label."""

    kind: str
    label: Label
    why: str
    rows: dict[str, list[Row]]
    name: str = ""
    alone: bool = False
    also: frozenset[str] = field(default_factory=frozenset)  # other detectors that rightly speak of it

    def is_about(self, subject: str) -> bool:
        """Whether a finding's subject is this case's: its name alone, or in a word such as `project=<name>`."""
        return (
            re.fullmatch(rf"(plan-|ri-|cr-|project=|arn:reservation/)?{re.escape(self.name)}( .*)?", subject)
            is not None
        )

    def __str__(self) -> str:
        return f"{self.kind}: {self.label}: {self.why}"


def put(frame: str, *rows: Row) -> tuple[str, list[Row]]:
    return frame, list(rows)


def billed(
    meter: str, a_day: str | None = "10", quantity: float | None = 24, *, since: date = FIRST, until: date = LAST,
    **more: Any,  # noqa: ANN401 - any column
) -> tuple[str, list[Row]]:  # fmt: skip
    """A meter `service | type | name`, billed every day from one to another; what it costs and counts a day."""
    service, kind, name = (part.strip() or None for part in meter.split("|"))
    rows = []
    for month in sorted({day.replace(day=1) for day in days(since, until)}):
        here = [day for day in days(since, until) if day.replace(day=1) == month]
        row: Row = dict.fromkeys(FRAMES["costs"]) | {
            "source": "nimbus", "ResourceId": "@", "BillingCurrency": "USD", "SubAccountId": "acct", "project": "@",
            "owner": "lin", "stage": "pretraining", "experiment": "unallocated", "environment": "research",
            "ServiceName": service, "ResourceType": kind, "SkuMeter": name, "ChargeCategory": "Usage",
            "ConsumedUnit": "Hours", "cost_element": "compute", "month": month, "first_day": here[0],
            "last_day": here[-1], "days": len(here), "weekend_days": sum(day.isoweekday() >= 6 for day in here),
            "EffectiveCost": None if a_day is None else Decimal(a_day) * len(here),
            "ConsumedQuantity": None if quantity is None else quantity * len(here),
        }  # fmt: skip
        rows.append(row | more)
    return "costs", rows


def listed(kind: str, resource: str = "@", **more: Any) -> tuple[str, list[Row]]:  # noqa: ANN401
    born = {"created_at": datetime(2026, 6, 1, tzinfo=UTC)}
    return put(
        "resources", dict.fromkeys(RESOURCE_COLUMNS) | {"resource_id": resource, "resource_type": kind} | born | more
    )


def measured(
    metric: str, average: float, since: date = date(2026, 10, 1), until: date = LAST, *, resource: str = "@",
    maximum: float | None = None,
) -> tuple[str, list[Row]]:  # fmt: skip
    return put("utilization", *(
        {"resource_id": resource, "date": day, "metric": metric, "average": average, "maximum": maximum,
         "samples": None}
        for day in days(since, until)
    ))  # fmt: skip


def ran(since: date, until: date, resource: str = "@", **more: Any) -> tuple[str, list[Row]]:  # noqa: ANN401
    row = dict.fromkeys(JOB_COLUMNS) | {
        "job_id": "j-@", "resource_id": resource, "start": datetime.combine(since, time(), UTC),
        "end": datetime.combine(until, time(), UTC), "gpus": 8.0, "state": "COMPLETED",
    }  # fmt: skip
    return put("jobs", row | more)


def cases(kind: str, *stated: tuple[Any, ...]) -> tuple[Case, ...]:
    """A table of cases: label, why, frames of rows; the word "alone", or a set of other kinds that rightly speak."""
    made = []
    for number, (label, why, *parts) in enumerate(stated):
        rows: dict[str, list[Row]] = {}
        for part in parts:
            if isinstance(part, tuple):
                rows.setdefault(part[0], []).extend(part[1])
        also = frozenset().union(*(part for part in parts if isinstance(part, (set, frozenset))))
        made.append(Case(kind, label, why, rows, f"{kind}-{number}", "alone" in parts, also))
    return tuple(made)


def _named(row: Row, name: str) -> Row:
    return {key: value.replace("@", name) if isinstance(value, str) else value for key, value in row.items()}


def world_of(found: Iterable[Case]) -> WasteInputs:
    """One world of some cases; an input that none of them has is missing. Every source reaches from FIRST to LAST."""
    rows: dict[str, list[Row]] = {"costs": []}
    for case in found:
        for frame, given in case.rows.items():
            rows.setdefault(frame, []).extend(_named(row, case.name) for row in given)
    frames = {name: pl.DataFrame(given, schema=FRAMES[name], orient="row") for name, given in rows.items()}
    sources = {row["source"] for row in rows["costs"]} or {"nimbus"}
    return WasteInputs(AS_OF, {source: mark(LAST) for source in sources}, dimensions=DIMENSIONS, **frames)


def findings_of(world: WasteInputs, kind: str) -> list[Row]:
    """What one detector finds, run by itself."""
    (detector,) = (one for one in DETECTORS if one.name == kind)
    return list(judge_all((detector,), world, Waste()).findings.iter_rows(named=True))


def answers(world: WasteInputs, kind: str) -> dict[str, list[Row]]:
    """What one detector says in a world: subject -> its judgements that are no `active`."""
    told: dict[str, list[Row]] = {}
    for row in findings_of(world, kind):
        told.setdefault(row["subject"], []).append(row)
    return told


def told_of(case: Case) -> list[Row]:
    """What the case's detector says in a world of that case alone."""
    return findings_of(world_of([case]), case.kind)


def result_of(case: Case) -> str:
    """What that makes the case's subject."""
    return verdict_of(case, told_of(case))


def verdict_of(case: Case, rows: Iterable[Row]) -> str:
    """The label that these rows come to for the case's subject."""
    mine = [row["verdict"] for row in rows if case.is_about(row["subject"])]
    return {"finding": "waste", "undetermined": "undetermined"}[mine[0]] if mine else "active"


def every_case() -> Iterator[Case]:
    """All cases of the modules `cases_*` beside this one."""
    for file in sorted(Path(__file__).parent.glob("cases_*.py")):
        for group in vars(importlib.import_module(file.stem)).values():
            if isinstance(group, tuple) and group and isinstance(group[0], Case) and _one_kind(group):
                yield from group


def _one_kind(group: tuple[Case, ...]) -> bool:
    return len({case.kind for case in group}) == 1


@dataclass(frozen=True)
class Near:
    """One detector's: `make` builds a world from changes to its plain case, which fires."""

    kind: str
    make: Callable[..., WasteInputs]
    fires: Sequence[Change]
    spares: Sequence[Change]
    lacks: Sequence[Change]  # undetermined, or nothing said
    subject: str = "r-1"

    def told(self, change: Change) -> list[Row]:
        return findings_of(self.make(**change), self.kind)

    def verdicts(self, rows: Iterable[Row]) -> list[str]:
        """What these rows say of the subject."""
        return [str(row["verdict"]) for row in rows if row["subject"] == self.subject]


def each(cases: Sequence[Near], name: str) -> list[Any]:
    """Parameters of pytest: a detector's cases with a change each."""
    return [
        pytest.param(one, change, id=f"{one.kind}-{place}")
        for one in cases
        for place, change in enumerate(getattr(one, name))
    ]


def days_ago(days: float) -> Any:  # noqa: ANN401 - an instant
    return AS_OF - timedelta(days=days)


def around(kind: str, **plain: Any) -> Callable[..., WasteInputs]:  # noqa: ANN401
    """A maker of worlds around one listed resource `r-1`, which costs 320 in October.

    Changes may set any column of the inventory, and `cost`, `bill` (more columns of its bill), `bills` (more bills),
    `others` (more listed things), `tags`, `people`, `runs`, `utilization`; `kind` is its type.
    """

    def make(**changes: Any) -> WasteInputs:  # noqa: ANN401
        known = {"kind": kind, "cost": "320", "bill": {}, "bills": (), "others": (), "created_at": BIRTH} | plain
        all_of = known | changes
        bill = metered(
            *([billed_for("r-1", all_of["cost"], **all_of["bill"])] if all_of["cost"] != "none" else []),
            *all_of["bills"],
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
