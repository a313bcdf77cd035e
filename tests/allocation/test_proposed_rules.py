"""Rules that are proposed: of whose money, with which value and why, under a name that is free."""

from __future__ import annotations

from decimal import Decimal

import pytest
from allocation_worlds import World
from test_review import found, rule, split_

from attribution.allocation.review.proposals import Proposal, propose


def proposed(world: World, rules: str = "", most: int = 9) -> list[Proposal]:
    return propose(found(world, rules), world.frames[2], "project", most)


def test_the_largest_sources_come_first_and_no_more_than_asked_for() -> None:
    world = World()
    for number, amount in enumerate(("5", "90", "20", "0")):
        world.bill(f"i-{number}", amount, ServiceName=f"S{number}", SubAccountId="1")
    assert [one.source["ServiceName"] for one in proposed(world)] == ["S1", "S2", "S0"]
    assert [one.source["ServiceName"] for one in proposed(world, most=2)] == ["S1", "S2"]


@pytest.mark.parametrize(
    ("amounts", "shares"),
    [
        (("1", "2"), [Decimal("0.6667"), Decimal("0.3333")]),
        (("3",), [Decimal(1)]),
        (("-1", "3"), [None, None]),
        (("-3", "1"), [None, None]),
    ],
)
def test_a_source_has_its_share_of_what_nobody_has(amounts: tuple[str, ...], shares: list[Decimal | None]) -> None:
    world = World()
    for number, amount in enumerate(amounts):
        world.bill(f"i-{number}", amount, ServiceName=f"S{number}", SubAccountId="1")
    assert [one.share for one in proposed(world)] == shares


def test_three_resources_are_named_the_dearest_first() -> None:
    world = World()
    for number, amount in enumerate(("1", "-9", "4", "7", "2")):
        world.bill(f"i-{number}", amount, SubAccountId="1")
    (one,) = proposed(world)
    assert one.resources == ("i-1", "i-3", "i-2")


@pytest.mark.parametrize(("other", "assigned"), [("20", '"p"'), ("20.01", '"name-me"')])
def test_an_accounts_value_is_taken_from_four_fifths_of_its_known_money_on(other: str, assigned: str) -> None:
    world = World().bill("bare", "5", SubAccountId="1")
    world.bill("a", "80", tags={"project": "p"}, SubAccountId="1")
    world.bill("b", other, tags={"project": "q"}, SubAccountId="1")
    world.bill("c", "-50", tags={"project": "back"}, SubAccountId="1")
    world.bill("d", "999", tags={"project": "elsewhere"}, SubAccountId="2")
    (one,) = proposed(world)
    assert f"assign  = {{ project = {assigned} }}" in one.toml
    if assigned == '"p"':
        assert one.because == "80% of the money of account 1 whose project is known is of it"


def test_where_no_account_used_the_money_the_one_that_pays_counts() -> None:
    world = World().bill("bare", "5", SubAccountId=None)
    world.bill("a", "80", tags={"project": "p"}, SubAccountId="1").bill(
        "b", "9", SubAccountId=None, BillingAccountId="2"
    )
    first, second = proposed(world)
    assert second.because == "80% of the money of account 000000000001 whose project is known is of it".replace(
        "80%", "100%"
    )
    assert (first.source["BillingAccountId"], second.source["BillingAccountId"]) == ("2", "000000000001")


@pytest.mark.parametrize(
    ("keys", "assigned"),
    [
        (("Project-Name", None), '{ take = "tag:Project-Name" }'),
        (("Project-Name", None, None), '"name-me"'),
        (("projekt", None), '{ take = "tag:projekt" }'),
        (("colour", "colour"), '"name-me"'),
        (("project_b", "project_a"), '{ take = "tag:project_a" }'),
        (("project_b", "project_b", "project_a"), '{ take = "tag:project_b" }'),
    ],
)
def test_a_key_that_reads_alike_is_taken_where_half_of_the_money_has_it(
    keys: tuple[str | None, ...], assigned: str
) -> None:
    world = World()
    for number, key in enumerate(keys):
        world.bill(f"i-{number}", "5", tags=None if key is None else {key: "x"}, SubAccountId="1")
    (one,) = proposed(world)
    assert f"assign  = {{ project = {assigned} }}" in one.toml


def test_a_name_that_is_taken_gets_the_next_number() -> None:
    name = "project of Compute, aws 1"
    rules = "".join(rule(taken, 'ServiceName = "none"', 'project = "p"') for taken in (name, f"{name} #2"))
    rules += split_("project of Disk, aws 1", 'ServiceName = "none"')
    world = World().bill("i-1", "5", SubAccountId="1").bill("i-2", "3", SubAccountId="1", ServiceName="Disk")
    assert [line for one in proposed(world, rules) for line in one.toml.splitlines() if line.startswith("name")] == [
        f'name    = "{name} #3"', 'name    = "project of Disk, aws 1 #2"',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("others", "asked"),
    [
        ((), 'when    = { source = "aws", ServiceName = "Compute" }'),
        (({"SubAccountId": "2"},), 'when    = { source = "aws", SubAccountId = "1", ServiceName = "Compute" }'),
        (
            ({"SubAccountId": "1", "BillingAccountId": "9"},),
            'when    = { source = "aws", BillingAccountId = "000000000001", ServiceName = "Compute" }',
        ),
        (
            ({"SubAccountId": "2", "BillingAccountId": "9"},),
            'when    = { source = "aws", SubAccountId = "1", ServiceName = "Compute" }',
        ),
        (({"SubAccountId": "2", "source": "gcp"},), 'when    = { source = "aws", ServiceName = "Compute" }'),
    ],
)
def test_a_rule_asks_for_an_account_where_its_source_has_several(
    others: tuple[dict[str, str], ...], asked: str
) -> None:
    world = World().bill("i-1", "50", SubAccountId="1")
    for number, columns in enumerate(others):
        world.bill(f"o-{number}", "5", tags={"project": "p"}, **columns)
    assert asked in proposed(world)[0].toml
