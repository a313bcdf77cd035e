"""What rules are told about themselves: what each caught, what a change moves, what should be looked at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import polars as pl
import pytest
from allocation_worlds import World, march
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.allocation import split
from attribution.allocation.review import Caught, Remark, answered, caught, chains, lint, moved, propose
from attribution.rules import read_rules
from schemas.money import COSTS


def rule(name: str, when: str, assign: str, more: str = "") -> str:
    return f'[[rule]]\nname = "{name}"\nwhen = {{ {when} }}\nassign = {{ {assign} }}\n{more}\n'


def split_(name: str, when: str, more: str = 'by = "even"') -> str:
    return f'[[split]]\nname = "{name}"\nwhen = {{ {when} }}\nacross = ["project"]\n{more}\n'


def found(world: World, rules: str) -> Caught:
    return caught(world.resolved(rules).evidence, world.frames[1])


def remarks(world: World, rules: str) -> list[Remark]:
    book = read_rules(rules)
    resolved = world.resolved(book)
    return lint(caught(resolved.evidence, world.frames[1]), split(resolved, book))


def kinds(world: World, rules: str) -> list[tuple[str, str]]:
    return [(one.kind, one.where) for one in remarks(world, rules)]


@pytest.fixture
def world() -> World:
    made = World().bill("i-1", "10", tags={"project": "a"}).bill("i-2", "4", ServiceName="Disk")
    made.bill("i-3", "2.5", march(2), ServiceName="Disk", tags={"owner": "mira"})
    return made.bill("i-4", "7", BillingCurrency="EUR", ServiceName="Disk", tags={"project": "b"})


def test_a_rule_has_what_it_met_and_what_it_decided(world: World) -> None:
    rules = rule("disks", 'ServiceName = "Disk"', 'project = "d", owner = "o"')
    rules += rule("late", 'ResourceId = "i-2"', 'project = "e"') + rule("none", 'ResourceId = "x"', 'project = "f"')
    rules += rule("rest", 'source = "aws"', 'owner = "rest"', "default = true")
    rows = found(world, rules).by_rule().rows()
    assert rows == [
        ("disks", "rules.toml", "EUR", Decimal(7), Decimal(7), ["project", "owner"]),
        ("disks", "rules.toml", "USD", Decimal("6.5"), Decimal("6.5"), ["project", "owner"]),
        ("late", "rules.toml", "USD", Decimal(4), None, []),
        ("none", "rules.toml", None, None, None, []),
        ("rest", "rules.toml", "EUR", Decimal(7), None, ["owner"]),
        ("rest", "rules.toml", "USD", Decimal("16.5"), Decimal(10), ["owner"]),
    ]


def test_answers_sum_to_all_money(world: World) -> None:
    rows = answered(found(world, rule("disks", 'ServiceName = "Disk"', 'project = "d"')))
    sums = rows.group_by("dimension", "BillingCurrency").agg(pl.col("EffectiveCost").sum())
    assert set(sums.drop("dimension").rows()) == {("USD", Decimal("16.5")), ("EUR", Decimal(7))}
    mine = rows.filter(pl.col("dimension") == "project").drop("dimension")
    assert mine.rows() == [
        ("rule", "disks", "EUR", Decimal(7)),
        ("bill-tag", "tag:project", "USD", Decimal(10)),
        ("rule", "disks", "USD", Decimal("6.5")),
    ]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (rule("r", 'ResourceId = "x"', 'project = "p"'), [("never_matches", 'rules.toml: rule "r"')]),
        (rule("r", 'source = "aws"', 'owner = { take = "x_no" }'), [("takes_nothing", 'rules.toml: rule "r"')]),
        (
            rule("r", 'ServiceName = "Disk"', 'project = "p"') + rule("s", 'ResourceId = "i-2"', 'project = "q"'),
            [("shadowed", 'rules.toml: rule "s"')],
        ),
        (
            rule("r", 'ResourceId = "i-2"', 'project = "p"') + rule("s", 'ServiceName = "Disk"', 'project = "q"'),
            [("overlap", 'rules.toml: rule "s"')],
        ),
        (rule("r", 'ResourceId = "i-2"', 'project = "A"'), [("two_spellings", "[dimension.project]")]),
        (rule("r", 'ResourceId = "i-1"', 'project = "q"', "default = true"), [("shadowed", 'rules.toml: rule "r"')]),
        (rule("r", 'ServiceName = "Disk"', 'project = "p", owner = "o"'), []),
        (split_("s", 'project = "zzz"'), [("idle_split", 'rules.toml: split "s"')]),
        (split_("s", 'project = "a"', 'by = "fixed"\nweights = { b = 1, c = 1 }'),
         [("unknown_receiver", 'rules.toml: split "s"')]),
        (split_("s", 'project = "a"', 'by = "even"\nto = ["b"]'), [("idle_split", 'rules.toml: split "s"')]),
    ],
)  # fmt: skip
def test_lint_says_what_should_be_looked_at(world: World, rules: str, expected: list[tuple[str, str]]) -> None:
    told = [one for one in kinds(world, rules) if one[0] != "unknown_column"]
    assert told == expected


@pytest.mark.parametrize(
    ("bills", "leads"),
    [
        ({"Alpha": [("1", "USD")], "alpha": [("2", "USD")]}, '"alpha" = ["Alpha"]'),
        ({"Alpha": [("2", "USD")], "alpha": [("2", "USD")]}, '"Alpha" = ["alpha"]'),
        ({"Alpha": [("2", "USD")], "alpha": [("1", "USD"), ("1.000000000001", "USD")]}, '"alpha" = ["Alpha"]'),
        ({"Alpha": [("2", "USD")], "alpha": [("-3", "USD")]}, '"alpha" = ["Alpha"]'),
        ({"Alpha": [(None, "USD")], "alpha": [("0", "USD")]}, '"Alpha" = ["alpha"]'),
        # 900 of 1000 yen are more of their currency than 2 of 3 dollars are of theirs
        ({"Alpha": [("2", "USD")], "alpha": [("900", "JPY"), ("1", "USD")], "beta": [("100", "JPY")]},
         '"alpha" = ["Alpha"]'),
        ({"a-b": [("1", "USD")], "A b": [("3", "USD")], "a_b": [("2", "USD")]}, '"A b" = ["a_b", "a-b"]'),
    ],
)  # fmt: skip
def test_the_spelling_with_the_most_money_is_proposed(bills: dict[str, list[tuple[str, str]]], leads: str) -> None:
    made = World()
    for project, charges in bills.items():
        for number, (cost, currency) in enumerate(charges):
            day = {"usage_date": date(2026, 9, 3 + number)}
            made.bill(f"{project}-{number}", cost, tags={"project": project}, BillingCurrency=currency, **day)
    (one,) = remarks(made, "")
    assert one.hint == f"If they are one: [dimension.project.values] {leads}."


def test_an_overlap_says_how_much_and_to_whom(world: World) -> None:
    rules = rule("r", 'ResourceId = "i-2"', 'project = "p"') + rule("s", 'ServiceName = "Disk"', 'project = "q"')
    (one,) = remarks(world, rules)
    assert one.what == 'rule "r" comes first and says otherwise: project of 4 USD.'
    same = rules.replace('"q"', '"p"')
    assert remarks(world, same) == []  # both say the same, so that nothing is lost


HUB = split_("hub", 'project = "hub"', 'by = "fixed"\nweights = { a = 1, b = 1 }')
SHARED = split_("shared", 'project = "shared"', 'by = "cost"')
OTHER = split_("other", 'project = "other"', 'by = "cost"')
PLATFORM = split_("platform", 'project = "platform"', 'by = "even"')


POOLS = ("a", "b", "hub", "shared", "platform", "other")


def chained(*projects: str) -> World:
    made = World()
    for number, project in enumerate(projects):
        made.bill(f"i-{number}", "10", tags={"project": project})
    return made


@pytest.mark.parametrize(
    ("rules", "order"),
    [
        (HUB + SHARED, '"shared", "hub"'),
        (SHARED + HUB, None),
        (HUB + SHARED.replace('"cost"', '"cost"\nto = ["a"]'), None),
        (PLATFORM + SHARED, '"shared", "platform"'),
        (PLATFORM + OTHER, None),  # each gives to the other's pool, so that any order loses something
        (HUB + PLATFORM + SHARED, '"shared", "platform", "hub"'),
        (PLATFORM + HUB + SHARED, '"shared", "platform", "hub"'),
        # The hub gives to the platform: what serves the hub can stand in front of it, and the platform stays behind.
        (HUB.replace("b = 1", "platform = 1") + PLATFORM + SHARED, '"shared", "hub", "platform"'),
    ],
)
def test_lint_says_where_another_order_loses_nothing(rules: str, order: str | None) -> None:
    told = remarks(chained(*POOLS), rules)
    hints = {one.hint for one in told if one.kind == "order"}
    assert hints == (set() if order is None else {f"In the order {order} nothing is passed over."})
    if order:
        sections = {part.split('"')[1]: f"[[split]]{part}" for part in rules.split("[[split]]")[1:]}
        mended = "".join(sections[name.strip('"')] for name in order.split(", "))
        assert "order" not in {one.kind for one in remarks(chained(*POOLS), mended)}


def test_lint_says_which_split_makes_many_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "MANY_SHARES", 40)
    made = World()
    for number in range(24):
        made.bill(f"s-{number}", "1", tags={"project": "shared", "experiment": f"e-{number}"})
    made.bill("a", "1", tags={"project": "a"}).bill("b", "1", tags={"project": "b"})
    (one,) = remarks(made, SHARED)
    assert (one.kind, one.what) == ("many_shares", "it makes 48 shares: its pools keep 24 values of experiment.")


@pytest.mark.parametrize(("least", "values", "told"), [(40, 20, True), (41, 20, False), (38, 19, False)])
def test_shares_are_many_from_a_number_and_twenty_values_on(
    monkeypatch: pytest.MonkeyPatch,
    least: int,
    values: int,
    told: bool,  # noqa: FBT001
) -> None:
    assert chains.MANY_SHARES == 100_000
    monkeypatch.setattr(chains, "MANY_SHARES", least)
    made = World()
    for number in range(values):
        made.bill(f"s-{number}", "1", tags={"project": "shared", "experiment": f"e-{number}"})
    made.bill("a", "1", tags={"project": "a"}).bill("b", "1", tags={"project": "b"})
    assert [one.kind for one in remarks(made, SHARED)] == ["many_shares"] * told


def test_each_split_is_told_what_it_passes_over_itself() -> None:
    told = [one for one in remarks(chained(*POOLS), HUB + PLATFORM + SHARED) if one.kind == "order"]
    assert [(one.where, one.what) for one in told] == [
        ('rules.toml: split "platform"', 'it passes over "hub", whose money an earlier split moved away.'),
        ('rules.toml: split "shared"', 'it passes over "hub", "platform", whose money an earlier split moved away.'),
    ]


def test_no_more_than_five_are_named_of_those_that_were_there_before() -> None:
    def text(count: int) -> str:
        made = World()
        for number in range(count):
            made.bill(f"i-{number}", "1", ServiceName="Disk")
        rules = "".join(rule(f"r{number}", f'ResourceId = "i-{number}"', 'project = "p"') for number in range(count))
        found = [one for one in remarks(made, rules + rule("late", 'ServiceName = "Disk"', 'project = "p"'))
                 if one.kind == "shadowed"]  # fmt: skip
        return found[0].what

    five = ", ".join(f"rule r{number}" for number in range(5))
    assert text(5) == f"all that it assigns was set by earlier rules: {five}."
    assert text(6) == f"all that it assigns was set by earlier rules: {five}, ...."


def difference(world: World, old: str, new: str) -> pl.DataFrame:
    names = tuple(dict.fromkeys((*read_rules(old).names, *read_rules(new).names)))
    return moved(world.divided(old), world.divided(new), names)


def test_what_moves_is_told_by_dimension_and_month(world: World) -> None:
    rules = rule("disks", 'ServiceName = "Disk"', 'project = "d"')
    rows = difference(world, "", rules).filter(pl.col("column") == "EffectiveCost").drop("column").rows()
    assert rows == [
        ("project", march(1), "EUR", "b", Decimal(7), Decimal(0), Decimal(-7)),
        ("project", march(1), "EUR", "d", Decimal(0), Decimal(7), Decimal(7)),
        ("project", march(1), "USD", "d", Decimal(0), Decimal("6.5"), Decimal("6.5")),
        ("project", march(1), "USD", "unallocated", Decimal("6.5"), Decimal(0), Decimal("-6.5")),
    ]
    assert difference(world, rules, rules).is_empty()
    new = difference(world, "", "[dimension.team]\n" + rule("t", 'ResourceId = "i-1"', 'team = "red"'))
    assert new.filter(pl.col("column") == "BilledCost").get_column("value").to_list() == ["red", "unallocated"]


def test_unknown_is_not_zero_in_what_moves() -> None:
    unknown = World().bill("i-1", None, costs={"BilledCost": "3"})
    rows = difference(unknown, "", rule("r", 'source = "aws"', 'project = "p"'))
    assert set(rows.get_column("column")) == {"BilledCost"}


_amounts = st.decimals(-50, 50, places=4).map(str)
_projects = st.sampled_from(("shared", "a", "b", ""))
_chosen = st.lists(
    st.sampled_from(
        (
            SHARED,
            rule("d", 'ServiceName = "Disk"', 'project = "b", stage = "sft"'),
            rule("e", 'project = "a"', 'owner = "o"', "default = true"),
        )
    ),
    unique=True,
)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(_amounts, _projects, st.booleans()), min_size=1, max_size=6), _chosen, _chosen)
def test_what_moves_sums_to_zero_and_says_what_each_side_is(
    rows: list[tuple[str, str, bool]], old: list[str], new: list[str]
) -> None:
    made = World()
    for number, (amount, project, disk) in enumerate(rows):
        service = "Disk" if disk else "Compute"
        made.bill(f"i-{number}", amount, march(1 + number), tags={"project": project}, ServiceName=service)
    told = difference(made, "".join(old), "".join(new))
    sums = told.group_by("dimension", "month", "BillingCurrency", "column").agg(pl.col("difference").sum())
    assert set(sums.get_column("difference")) <= {Decimal(0)}
    back = difference(made, "".join(new), "".join(old))
    key = ["dimension", "month", "column", "value"]
    assert told.select(*key, -pl.col("difference")).sort(key).rows() == back.select(*key, "difference").sort(key).rows()
    assert set(told.get_column("column")) <= set(COSTS)


def by_near_tag(made: World) -> None:
    made.bill("i-9", "5", tags={"Project-Name": "x"}, SubAccountId="1").bill("i-8", "2", SubAccountId="1")


def by_account(made: World) -> None:
    made.bill("i-9", "5", SubAccountId="1").bill("i-8", "90", tags={"project": "p"}, SubAccountId="1")


def by_none(made: World) -> None:
    made.bill(None, "5", ServiceName="Tax", SubAccountId="1", ChargeCategory="Tax")


@pytest.mark.parametrize(
    ("build", "rules", "assigned"),
    [
        (by_near_tag, "", '{ take = "tag:Project-Name" }'),
        (by_account, "", '"p"'),
        (by_none, "", '"name-me"'),
        (by_none, SHARED, '"shared"'),
    ],
)
def test_a_proposal_takes_what_is_there(build: Callable[[World], None], rules: str, assigned: str) -> None:
    made = World()
    build(made)
    (one,) = propose(found(made, rules), made.frames[2], "project", 9)
    assert f"assign  = {{ project = {assigned} }}" in one.toml
    assert one.EffectiveCost in ({"USD": Decimal(5)}, {"USD": Decimal(7)})


def test_proposals_catch_the_money_they_name_and_no_other(world: World) -> None:
    world.bill("q\"\\'\n\x7f", "3", ServiceName='Odd "service"\\', SubAccountId="\ttab")
    before = found(world, "")
    told = propose(before, world.frames[2], "project", 9)
    rules = "\n".join(one.toml for one in told)
    after = found(world, rules)
    caught_by = after.by_rule().select("rule", "BillingCurrency", "decided").drop_nulls().rows()
    names = [rule.name for rule in read_rules(rules).rules]
    named = zip(names, told, strict=True)
    assert caught_by == [(name, *amount) for name, one in named for amount in one.EffectiveCost.items()]
    assert propose(after, world.frames[2], "project", 9) == []
