"""Small clusters for the tests of jobs: a bill by the hour, jobs in a few words, and who paid what."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import polars as pl
from allocation_worlds import World

from attribution.allocation import Beside, Divided, split
from attribution.rules import read_rules
from schemas.costs import PERIOD_COLUMNS
from schemas.inputs import JOB_COLUMNS, NODE_STATE_COLUMNS, RESOURCE_COLUMNS, RUN_COLUMNS
from schemas.money import COSTS

MARCH_1 = datetime(2026, 3, 1, tzinfo=UTC)


def at(hours: float) -> datetime:
    """So many hours after the first of March."""
    return MARCH_1 + timedelta(hours=hours)


def by_jobs(more: str = "", across: str = '["project"]', when: str = 'ServiceName = "Compute"') -> str:
    """One split by jobs."""
    return f'[[split]]\nname = "gpus"\nwhen = {{ {when} }}\nacross = {across}\nby = "jobs"\n{more}\n'


@dataclass
class Cluster:
    """Nodes billed by the hour or the day, and jobs on them."""

    world: World = field(default_factory=World)
    periods: list[dict[str, object]] = field(default_factory=list)
    jobs: list[dict[str, object]] = field(default_factory=list)
    states: list[tuple[object, ...]] = field(default_factory=list)
    runs: list[dict[str, object]] = field(default_factory=list)

    def node(self, name: str, gpus: float | None) -> Cluster:
        self.world.resources.append({"resource_id": name, "resource_type": "node", "gpus": gpus})
        return self

    def bill(self, node: str, start: float, hours: float, cost: str, step: float = 1, **columns: object) -> Cluster:
        """Charges of a node from `start`, each `step` hours long and each of this cost."""
        lines: dict[tuple[object, ...], int] = {}
        for number in range(round(hours / step)):
            since = at(start + number * step)
            key = (node, since.date(), str(columns))
            if key not in lines:
                self.world.bill(node, cost, since.date(), **columns)  # type: ignore[arg-type]
                lines[key] = len(self.world.subjects) - 1
            else:
                line = self.world.lines[lines[key]]
                for name in COSTS:
                    line[name] += Decimal(cost)  # type: ignore[operator]
            self.periods.append(
                {
                    "subject_id": lines[key] + 1,
                    "usage_date": since.date(),
                    "ChargePeriodStart": since,
                    "ChargePeriodEnd": at(start + (number + 1) * step),
                    **dict.fromkeys(COSTS, Decimal(cost)),
                }
            )
        return self

    def job(self, job: str, node: str, start: float, end: float | None, gpus: float, **columns: object) -> Cluster:
        ended = None if end is None else at(end)
        row = {"job_id": job, "resource_id": node, "start": at(start), "end": ended, "gpus": gpus}
        state = "RUNNING" if end is None else "COMPLETED"
        self.jobs.append({**row, "state": state, **columns})
        return self

    @property
    def beside(self) -> Beside:
        extra = {name: pl.String() for row in self.jobs for name in row if name not in JOB_COLUMNS}
        return Beside(
            jobs=pl.DataFrame(self.jobs, schema={**JOB_COLUMNS, **extra}),
            node_states=pl.DataFrame(
                [(*row, *[None] * (len(NODE_STATE_COLUMNS) - len(row))) for row in self.states],
                schema=NODE_STATE_COLUMNS,
                orient="row",
            ),
            runs=pl.DataFrame(self.runs, schema=RUN_COLUMNS),
            resources=pl.DataFrame(self.world.resources, schema=RESOURCE_COLUMNS),
            periods=lambda _: pl.DataFrame(self.periods, schema=PERIOD_COLUMNS),
        )

    def divided(self, rules: str) -> Divided:
        book = read_rules(rules)
        return split(self.world.resolved(book), book, self.beside)
