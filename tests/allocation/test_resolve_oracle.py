"""Resolve against a plain reading of the design, line by line, without spans, contexts or joins."""

from __future__ import annotations

from datetime import date, timedelta

from allocation_worlds import World, march, told
from hypothesis import given, settings
from hypothesis import strategies as st

RESOURCES = ["snap", "vol", "node", "cluster", "lone"]
VALUES = ["a", "b", " A ", ""]
RULES = """
[dimension.project]
tags = ["project", "proj"]
values = { "a" = [] }
[tags]
first = "FIRST"
[[account]]
id = "000000000001"
assign = { owner = "ops" }
[[rule]]
name = "lent"
since = 2026-03-03
until = 2026-03-05
when = { ResourceId = "node" }
assign = { project = "lent" }
[[rule]]
name = "pooled"
when = { "tag:pool" = "b", project = { missing = true } }
assign = { project = "pooled" }
"""
CONFLICT = "(tag conflict)"

days = st.integers(1, 6)
tag_sets = st.dictionaries(st.sampled_from(["project", "Project", "proj", "owner", "pool"]), st.sampled_from(VALUES))
bills = st.lists(st.tuples(st.sampled_from([*RESOURCES, None]), days, tag_sets), min_size=1, max_size=10)
csv_rows = st.lists(
    st.tuples(
        st.sampled_from(RESOURCES),
        st.sampled_from(["project", "PROJ", "owner", "pool"]),
        st.sampled_from(VALUES),
        st.one_of(st.none(), days),
        st.one_of(st.none(), days),
    ).filter(lambda row: row[3] is None or row[4] is None or row[3] < row[4]),
    max_size=8,
)
# A resource's first parent, and the day from which it has another.
attached = st.dictionaries(
    st.sampled_from(RESOURCES[:4]),
    st.tuples(st.sampled_from(RESOURCES[:4]), st.one_of(st.none(), st.tuples(st.sampled_from(RESOURCES[:4]), days))),
    max_size=4,
)


def one_key(pairs: list[tuple[str, str]], key: str, *, project: bool) -> str | None:
    found = {value.strip() for name, value in pairs if name.lower() == key and value.strip()}
    if project:
        found = {value.lower() if value.lower() == "a" else value for value in found}
    return None if not found else found.pop() if len(found) == 1 else CONFLICT


def one_field(pairs: list[tuple[str, str]], field: str) -> str | None:
    for key in ("project", "proj") if field == "project" else (field,):
        value = one_key(pairs, key, project=field == "project")
        if value is not None:
            return value
    return None


class Plain:
    """The design, read aloud."""

    def __init__(self, world: World, first: str) -> None:
        self.world = world
        self.first = first
        self.parents: dict[str, tuple[str, tuple[str, int] | None]] = {}

    def parent(self, resource: str, day: date) -> str | None:
        first, later = self.parents.get(resource, (None, None))
        here = later[0] if later and day >= march(later[1]) else first
        return None if here == resource else here

    def csv(self, resource: object, day: date, field: str) -> str | None:
        pairs = [
            (str(key), str(value))
            for owner, key, value, start, end in self.world.tags
            if owner == resource and (start is None or start <= day) and (end is None or day < end)  # type: ignore[operator]
        ]
        return one_field(pairs, field)

    def billed(self, resource: object, day: date, field: str) -> str | None:
        pairs: list[tuple[str, str]] = []
        for subject, line in zip(self.world.subjects, self.world.lines, strict=True):
            if subject["ResourceId"] == resource and line["usage_date"] == day:
                pairs += dict(SETS[subject["Tags"]]).items()
        return one_field(pairs, field)

    def inherited(self, resource: object, day: date, field: str) -> str | None:
        seen = {str(resource)}
        here = self.parent(str(resource), day)
        while here is not None and here not in seen:
            seen.add(here)
            value = self.csv(here, day, field)
            for back in range(10):
                value = value or self.billed(here, day - timedelta(days=back), field)
            if value is not None:
                return value
            here = self.parent(here, day)
        return None

    def own(self, resource: object, day: date, tags: dict[str, str], field: str) -> str | None:
        both = [self.csv(resource, day, field) if resource else None, one_field(list(tags.items()), field)]
        return next((one for one in (both if self.first == "csv" else both[::-1]) if one is not None), None)

    def answer(self, resource: object, day: date, tags: dict[str, str], field: str) -> str:
        if field == "project":
            if resource == "node" and march(3) <= day < march(5):
                return "lent"
            if self.own(resource, day, tags, "pool") == "b":
                return "pooled"
        default = "ops" if field == "owner" else "unallocated"
        return self.own(resource, day, tags, field) or self.inherited(resource, day, field) or default


SETS: dict[object, dict[str, str]] = {}


@settings(max_examples=80, deadline=None)
@given(bills, csv_rows, attached, st.sampled_from(["csv", "bill"]))
def test_resolve_agrees_with_the_design_read_aloud(
    rows: list[tuple[str | None, int, dict[str, str]]],
    tags: list[tuple[str, str, str, int | None, int | None]],
    parents: dict[str, tuple[str, tuple[str, int] | None]],
    first: str,
) -> None:
    world = World()
    for resource, day, pairs in rows:
        world.bill(resource, "1", march(day), tags=pairs)
        SETS[world.subjects[-1]["Tags"]] = pairs
    for resource, key, value, start, end in tags:
        world.tag(resource, key, value, march(start) if start else None, march(end) if end else None)
    for child, (parent, later) in parents.items():
        if later is None:
            world.attach(child, parent)
        else:
            world.attach_from(child, parent, None).attach_from(child, later[0], march(later[1]))
    plain = Plain(world, first)
    plain.parents = parents
    resolved = told(world.resolved(RULES.replace("FIRST", first)))
    for field in ("project", "owner"):
        expected = [plain.answer(resource, march(day), pairs, field) for resource, day, pairs in rows]
        assert [row[field] for row in resolved] == expected
