"""A workspace of cases that lie on a threshold, or one unit beside it: bills as files, and what the night must say.

Nothing here or in `edges_*.py` imports the product: thresholds are those of the documents. Each case has a project, an
owner and a service of its own, so that nothing else explains it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from label_world import World

FIRST, LAST = date(2026, 6, 1), date(2026, 11, 8)
"""First and last day of the bills: October is the last complete month, the running month has eight days."""
TODAY = date(2026, 11, 9)
AS_OF = "2026-11-09T06:00:00Z"
SEPTEMBER, OCTOBER, NOVEMBER = date(2026, 9, 1), date(2026, 10, 1), date(2026, 11, 1)
CENT = Decimal("0.01")
Costs = Mapping[date, Decimal]


@dataclass(frozen=True)
class Expectation:
    """A threshold, on which side the case lies, and a query whose only cell must be so."""

    threshold: str
    fires: bool
    query: str
    must_be: str
    why: str


class Edges(World):
    """The rows of one workspace, and what is expected of them; an @ in a name becomes the mark of the seed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.expected: list[Expectation] = []
        self.mark = ""

    def begin(self, seed: int) -> None:
        """Put the cases of a further seed into the same workspace; their names carry it."""
        self.random.seed(seed)
        self.mark = f"n{seed:02}-"

    def put(self, table: str, **row: Any) -> None:  # noqa: ANN401 - any column
        """A row of an input beside the bills."""
        super().put(table, **{name: str(value).replace("@", self.mark) for name, value in row.items()})

    def spend(self, project: str, costs: Costs, *, stage: str = "sft", **more: str | None) -> str:
        """Bill a project's costs, a line a day; its subject is `project=... stage=...`."""
        project = f"{self.mark}{project}"
        more = {name: value and value.replace("@", self.mark) for name, value in more.items()}
        tags = {"project": project, "stage": stage, "owner": more.pop("owner", None) or f"o-{project}",
                "experiment": more.pop("experiment", None) or f"e-{project}"}  # fmt: skip
        service = more.pop("service", None) or f"Service {project}"
        sold = f"{service}|machine|meter {project} {stage}|hours|Compute"
        by_day = {day: str(cost) for day, cost in costs.items()}
        self.bill(f"r-{project}-{stage}", sold, by_day=by_day, tags=tags, feed=more.pop("feed", None),
                  **{name: value for name, value in more.items() if value is not None})  # fmt: skip
        return f"project={project} stage={stage}"

    def level(self) -> Decimal:
        """What something costs a day; whole hundreds, so that shares of it are whole cents."""
        return Decimal(self.random.randrange(10, 90)) * 100

    def want(self, threshold: str, query: str, must_be: object, *, fires: bool, why: str) -> None:
        """Expect one answer of the published file."""
        query = query.replace("@", self.mark)
        self.expected.append(Expectation(threshold, fires, query, str(must_be), why))

    def grows(self, threshold: str, subject: str, month: date, verdict: str | None, why: str) -> None:
        """Expect a verdict on growth."""
        query = f"SELECT coalesce(max(verdict), 'none') FROM growth WHERE subject = '{subject}' AND month = '{month}'"
        self.want(threshold, query, verdict or "none", fires=verdict is not None, why=why)

    def told(self, threshold: str, kind: str, subject: str, why: str, *, fires: bool, answer: str = "count(*)",
             must_be: object = None) -> None:  # fmt: skip
        """Expect a finding, or none."""
        query = f"SELECT {answer} FROM findings WHERE kind = '{kind}' AND subject = '{subject}' AND seen <> 'gone'"
        self.want(threshold, query, must_be if must_be is not None else int(fires), fires=fires, why=why)


Case = Callable[[Edges], None]


def days(first: date = FIRST, last: date = LAST) -> list[date]:
    """All days from the first to the last, both of them in."""
    return [first + timedelta(days=place) for place in range((last - first).days + 1)]


def flat(level: Decimal, first: date = FIRST, last: date = LAST) -> dict[date, Decimal]:
    """The same each day."""
    return dict.fromkeys(days(first, last), level)


def with_days(costs: Costs, on: Iterable[date], cost: Decimal) -> dict[date, Decimal]:
    """Other costs on some days; what costs nothing has no line."""
    changed = dict(costs) | dict.fromkeys(on, cost)
    return {day: one for day, one in changed.items() if one}
