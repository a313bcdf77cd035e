"""Values taken from columns and tags, rules asked last, and whom each dimension trusts."""

from __future__ import annotations

import pytest
from allocation_worlds import World, march, told
from hypothesis import given, settings
from hypothesis import strategies as st

TEAM = "[dimension.team]\n"
CENTRE = TEAM + 'tags = ["team", { take = "tag:cost-centre", split = "/", part = 2, lower = true }]\n'
CENTRE += 'values = { "atlas" = ["at las"] }\n'
Answer = tuple[object, object, object]


def answers(world: World, rules: str, dimension: str = "team") -> list[Answer]:
    return [
        (row[dimension], row[f"{dimension}_method"], row[f"{dimension}_rule"]) for row in told(world.resolved(rules))
    ]


def rule(name: str, body: str) -> str:
    return f'[[rule]]\nname = "{name}"\n{body}\n'


def test_a_part_of_a_tag_is_a_tag_like_others() -> None:
    label = 'tag:cost-centre (split "/" part 2, lower)'
    world = World().attach("vol-1", "i-1").bill("i-1", "1", tags={"cost_centre": "ml/AT-las", "project": "p"})
    world.bill("vol-1", "1").bill("i-2", "1", tags={"Cost-Centre": "ml"}).bill("i-3", "1", tags={"team": "x"})
    world.tag("i-3", "cost-centre", "ml/y")
    found = answers(world, CENTRE)
    assert found[0] == ("atlas", "bill-tag", label)
    assert found[1] == ("atlas", "parent", f"parent i-1 bill-{label}")
    assert found[2] == ("unallocated", "unallocated", None)
    assert found[3] == ("y", "tag", label)  # the CSV is asked first, with all its keys


def test_two_tags_with_one_part_are_no_conflict() -> None:
    world = World().bill("i-1", "1").tag("i-1", "cost-centre", "ml/atlas").tag("i-1", "cost-centre", "old/At_Las")
    assert answers(world, CENTRE)[0][0] == "atlas"
    assert answers(world, CENTRE.replace("part = 2", "part = 1"))[0][0] == "(tag conflict)"
    taking = TEAM + rule("t", 'assign = { team = { take = "tag:cost-centre", split = "/", part = 2 } }')
    assert answers(world, taking)[0] == ("(tag conflict)", "rule", "t")


def test_a_rule_takes_what_is_there_first() -> None:
    body = '{ take = "tag:squad" }, { take = "SubAccountName", regex = "^([a-z]+)-" }'
    rules = TEAM + 'values = { "ML Research" = ["mlr"] }\n' + rule("squads", f"assign = {{ team = [{body}] }}")
    world = World().bill("i-1", "1", tags={"squad": " S1 "}, SubAccountName="mlr-prod")
    world.bill("i-2", "1", SubAccountName="mlr-prod").bill("i-3", "1", tags={"team": "own"}, SubAccountName="MLR")
    found = answers(world, rules)
    assert found == [("S1", "rule", "squads"), ("ML Research", "rule", "squads"), ("own", "bill-tag", "tag:team")]


def test_conditions_and_days_of_a_rule_hold_for_what_it_takes() -> None:
    body = 'since = 2026-03-02\nwhen = { ServiceName = "Compute" }\nassign = { team = { take = "ResourceId" } }'
    world = World().bill("a", "1", march(1)).bill("b", "1", march(2)).bill("c", "1", march(2), ServiceName="Disk")
    assert [value for value, *_ in answers(world, TEAM + rule("t", body))] == ["unallocated", "b", "unallocated"]


def test_one_dimension_is_taken_from_another() -> None:
    first = rule("first", 'when = { ServiceName = "Compute" }\nassign = { project = "Atlas-7B" }')
    last = rule("last", 'default = true\nassign = { team = { take = "project", split = "-", part = 1, lower = true } }')
    world = World().bill("i-1", "1").bill("i-2", "1", ServiceName="Disk", tags={"project": "Zephyr-1"})
    world.bill("i-3", "1", ServiceName="Tax")
    assert [value for value, *_ in answers(world, TEAM + first + last)] == ["atlas", "zephyr", "unallocated"]
    early = last.replace("default = true\n", "")
    # A rule that is not asked last sees what rules have set, and no tags.
    assert [value for value, *_ in answers(world, TEAM + first + early)] == ["atlas", "unallocated", "unallocated"]


def test_a_default_rule_is_asked_after_everybody_else() -> None:
    default = rule("rest", 'default = true\nassign = { project = "shared", owner = "kofi" }')
    account = '[[account]]\nid = "000000000001"\nassign = { owner = "mira" }\n'
    world = World().bill("i-1", "1", tags={"project": "p"}).bill("i-2", "1")
    assert [value for value, *_ in answers(world, default + account, "project")] == ["p", "shared"]
    assert answers(world, default + account, "owner") == [("mira", "account", "account 000000000001")] * 2
    assert answers(world, default, "owner") == [("kofi", "rule", "rest")] * 2
    asks = rule("asks", 'default = true\nwhen = { project = "p" }\nassign = { owner = "ines" }')
    assert [value for value, *_ in answers(world, asks + default, "owner")] == ["ines", "kofi"]


def test_a_dimension_trusts_its_own_source_of_tags() -> None:
    world = World().bill("i-1", "1", tags={"project": "bill", "owner": "bill", "team": "bill"})
    for key in ("project", "owner", "team"):
        world.tag("i-1", key, "csv")
    rules = '[dimension.owner]\nfirst = "bill"\n[dimension.team]\nfirst = "csv"\n'
    for whole, wanted in (("", ("csv", "bill", "csv")), ('[tags]\nfirst = "bill"\n', ("bill", "bill", "csv"))):
        found = tuple(answers(world, whole + rules, name)[0][0] for name in ("project", "owner", "team"))
        assert found == wanted


@pytest.mark.parametrize(
    ("when", "matched"),
    [
        ('{ EffectiveCost = { sign = "negative" } }', "b"),
        ('{ EffectiveCost = { sign = ["positive", "zero"] } }', "ac"),
        ('{ EffectiveCost = { not = { sign = "negative" } } }', "acd"),
        ('{ EffectiveCost = { sign = "zero" }, ServiceName = "Compute" }', "c"),
    ],
)
def test_the_sign_of_a_cost_is_asked(when: str, matched: str) -> None:
    world = World()
    for name, sign in (("a", "positive"), ("b", "negative"), ("c", "zero"), ("d", None)):
        world.bill(name, "1", EffectiveCost_sign=sign)
    rules = rule("signs", f'when = {when}\nassign = {{ project = "found" }}')
    rows = told(world.resolved(rules))
    assert "".join(str(row["ResourceId"]) for row in rows if row["project"] == "found") == matched


def test_a_charge_period_is_asked_by_its_day() -> None:
    world = World().bill("a", "1", march(1)).bill("b", "1", march(2))
    when = "when = { ChargePeriodStart = { from = 2026-03-02 }, BillingPeriodStart = 2026-03-01 }"
    found = answers(world, rule("days", when + '\nassign = { project = "p" }'), "project")
    assert [value for value, *_ in found] == ["unallocated", "p"]


_texts = st.text(alphabet="aB/- ", max_size=6)


@settings(deadline=None, max_examples=40)
@given(
    rows=st.lists(st.tuples(_texts, st.booleans()), min_size=1, max_size=6),
    part=st.sampled_from((1, 2, -1)),
    lower=st.booleans(),
    trim=st.sampled_from(("", "-", "a/")),
)
def test_values_agree_with_a_plain_reading(rows: list[tuple[str, bool]], part: int, *, lower: bool, trim: str) -> None:
    def plainly(text: str) -> str | None:
        pieces = text.split("/")
        at = part - 1 if part > 0 else len(pieces) + part
        found = pieces[at] if 0 <= at < len(pieces) else ""
        found = found.strip(trim + " ") if trim else found
        return (found.lower() if lower else found).strip() or None

    world = World()
    for number, (text, tagged) in enumerate(rows):
        world.bill(f"i-{number}", "1", tags={"tag-a": text} if tagged else {}, SubAccountName=text)
    words = f'split = "/", part = {part}, lower = {str(lower).lower()}' + (f', trim = "{trim}"' if trim else "")
    values = f'[{{ take = "tag:tag-a", {words} }}, {{ take = "SubAccountName", {words} }}]'
    found = [value for value, *_ in answers(world, TEAM + rule("t", f"assign = {{ team = {values} }}"))]
    assert found == [plainly(text) or "unallocated" for text, _ in rows]
