"""Aliases that hold for a time: an old month is computed with the spellings it had."""

from __future__ import annotations

from datetime import date

import pytest
from allocation_worlds import World, march, told
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.rules import read_rules
from schemas.faults import InputError

PROJECT = """
[dimension.project.values]
"atlas" = ["at-las", { alias = "A7", until = 2026-03-10 }]
"aurora" = [{ alias = "a_7", since = 2026-03-10, until = 2026-03-20 }]
"""


def values(world: World, rules: str = PROJECT, dimension: str = "project") -> list[object]:
    return [row[dimension] for row in told(world.resolved(rules))]


def test_an_alias_stands_for_its_value_on_its_days() -> None:
    world = World()
    for day in (9, 10, 19, 20):
        world.bill("i-1", "1", march(day), tags={"project": "a7"})
    assert values(world) == ["atlas", "aurora", "aurora", "a7"]
    world.tag("i-1", "project", "A-7")
    assert values(world) == ["atlas", "aurora", "aurora", "A-7"]


def test_parents_rules_and_conflicts_follow_the_day() -> None:
    world = World().attach("vol-1", "i-1").bill("i-1", "1", march(1), tags={"project": "A7"})
    for day in (9, 10):
        world.bill("vol-1", "1", march(day))
        world.bill("i-2", "1", march(day), tags={"project": "A7"}, SubAccountName="a7")
    world.tag("i-3", "project", "a7").tag("i-3", "project", "atlas")
    world.bill("i-3", "1", march(9)).bill("i-3", "1", march(10))
    assert values(world) == ["atlas", "atlas", "atlas", "aurora", "aurora", "atlas", "(tag conflict)"]
    taking = PROJECT + '[[rule]]\nname = "t"\nassign = { project = { take = "SubAccountName" } }\n'
    assert [values(world, taking)[at] for at in (2, 4)] == ["atlas", "aurora"]


def test_an_account_stands_for_its_value_on_every_day() -> None:
    """Also on days after an alias of the dimension began or ended, and for a resource that has no tag."""
    world = World()
    for day in (9, 10, 20):
        world.bill(None, "1", march(day)).bill("i-1", "1", march(day))
    account = '[[account]]\nid = "000000000001"\nassign = { project = "atlas", owner = "o" }\n'
    assert values(world, PROJECT + account) == ["atlas"] * 6
    assert values(world, PROJECT + account, "owner") == ["o"] * 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"a" = [{ alias = "x" }]', "since or until is missing"),
        ('"a" = [{ alais = "x", since = 2026-03-01 }]', 'unknown word "alais"'),
        ('"a" = [{ alias = 7, since = 2026-03-01 }]', "alias must be text"),
        ('"a" = [{ alias = "x", since = 2026-03-02, until = 2026-03-01 }]', "is not before until"),
        ('"a" = [{ alias = "x", since = "2026" }]', "since must be a date"),
        ('"a" = [{ alias = "x", since = 2026-03-01 }]\n"b" = ["X"]', 'alias "x" stands for both "b" and "a"'),
        (
            '"a" = [{ alias = "x", until = 2026-03-02 }]\n"b" = [{ alias = "x", since = 2026-03-01 }]',
            'alias "x" stands for both "a" and "b" on some days',
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_rules(f"[dimension.project.values]\n{text}\n")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '[[rule]]\nname = "r"\nwhen = { source = "a" }\nassign = { project = "A-7" }\n',
        '[[rule]]\nname = "r"\nwhen = { project = { any_of = ["a7"] } }\nassign = { owner = "o" }\n',
        '[[split]]\nname = "r"\nwhen = { source = "a" }\nacross = ["project"]\nby = "even"\nto = ["a7"]\n',
    ],
)
def test_rules_name_the_value_itself(text: str) -> None:
    with pytest.raises(InputError, match="is an alias of project for a time only"):
        read_rules(PROJECT + text)


_days = st.integers(1, 6).map(march)
_spellings = st.sampled_from(("a", "A ", "b", "a-b", "c"))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(_days, _spellings, st.booleans()), min_size=1, max_size=6), _days, _days)
def test_values_agree_with_a_plain_reading(rows: list[tuple[date, str, bool]], one: date, other: date) -> None:
    def plainly(text: str, day: date) -> str:
        folded = text.strip().lower().replace("-", "")
        if folded in ("ab", "x"):
            return "x"
        if folded == "a" and day < one:
            return "x"
        return "y" if folded == "b" and day >= other else "y" if folded == "y" else text.strip()

    rules = f'[dimension.project.values]\n"x" = ["AB", {{ alias = "a", until = {one} }}]\n'
    rules += f'"y" = [{{ alias = "b", since = {other} }}]\n'
    world = World()
    for number, (day, text, tagged) in enumerate(rows):
        world.bill(f"i-{number}", "1", day, tags={"project": text} if tagged else {})
        if not tagged:
            world.tag(f"i-{number}", "Project", text)
    assert values(world, rules) == [plainly(text, day) for day, text, _ in rows]
