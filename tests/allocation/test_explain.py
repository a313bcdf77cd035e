"""Explain and reconcile: every answer is shown, every share computed again, every difference found."""

from __future__ import annotations

import json
from decimal import Decimal

import polars as pl
from allocation_worlds import MARCH, World, march

from attribution.allocation import Explanation, broken, explain, reconcile, split
from attribution.allocation.shares import _text, recompute
from attribution.rules import read_rules
from schemas.money import MONEY

RULES = """
[[account]]
id = "000000000001"
assign = { project = "platform" }
[[rule]]
name = "volumes"
when = { ResourceId = "vol" }
assign = { project = "ruled" }
[[rule]]
name = "too late"
when = { ServiceName = "Compute" }
assign = { project = "late" }
[[split]]
name = "share"
when = { ResourceId = "vol" }
across = ["project"]
by = "cost"
to = ["a", "b"]
"""


def explained(resource: str = "vol", rules: str = RULES) -> Explanation:
    world = World().attach("vol", "i").bill("i", "1", tags={"project": "parent"}).tag("vol", "project", "csv")
    world.bill("vol", "4", march(1), tags={"project": "bill"}).bill("vol", "5", march(9), tags={"project": "bill"})
    world.bill("a", "1", tags={"project": "a"}, ServiceName="X").bill("b", "2", tags={"project": "b"}, ServiceName="X")
    subjects, lines, tags, resources = world.frames
    book = read_rules(rules)
    divided = split(world.resolved(book), book)
    return explain(
        resource, MARCH, subjects=subjects, lines=lines, tags=tags, resources=resources, rules=book, divided=divided
    )


def test_every_answer_is_shown_in_order_and_the_first_one_won() -> None:
    said = explained().passages[0].dimensions["project"]
    assert [(one.method, one.value, one.won) for one in said] == [
        ("rule", "ruled", True),
        ("rule", "late", False),
        ("tag", "csv", False),
        ("bill-tag", "bill", False),
        ("parent", "parent", False),
        ("account", "platform", False),
    ]
    assert [one.rule for one in said][4] == "parent i bill-tag:project"
    assert [one.value for one in explained().passages[0].dimensions["owner"]] == ["unallocated"]


def test_shares_show_their_weights() -> None:
    shares = {one.receiver["project"]: one for one in explained().shares}
    assert (shares["a"].weight, shares["a"].total_weight, shares["a"].pool, shares["a"].share) == (
        *("1", "3"),
        *(Decimal(9), Decimal(3)),
    )
    assert shares["b"].share == Decimal(6)


def test_the_explanation_reads_as_text_and_as_data() -> None:
    lines = explained().as_lines()
    assert '    = project = ruled  (rule: rule "volumes")' in lines
    assert "      project = parent  (parent: parent i bill-tag:project)" in lines
    assert "    = owner = unallocated  (unallocated: nobody said anything)" in lines
    assert '  split "share": project=b got 2 of 3: 6 of 9 USD' in lines
    data = json.loads(json.dumps(explained().as_dict()))
    assert data["shares"][0]["share"] == "3"
    assert data["passages"][0]["first_day"] == "2026-03-01"


def test_a_resource_that_nobody_billed_has_no_cost_here() -> None:
    assert explained("gone").as_lines() == ["gone in 2026-03", "  no cost here"]


def test_explain_and_resolve_agree() -> None:
    """What explain calls the winner is what the costs say."""
    world = (
        World().attach("vol", "i").tag("i", "owner", "mira", None, march(5)).tag("i", "owner", "ines", march(5), None)
    )
    for day in (1, 4, 5, 6):
        world.bill("vol", "1", march(day))
    subjects, lines, tags, resources = world.frames
    book = read_rules(RULES)
    costs = world.resolved(book)
    told = explain("vol", subjects=subjects, lines=lines, tags=tags, resources=resources, rules=book)
    won = {
        (one.first_day, one.last_day): [said.value for said in one.dimensions["owner"] if said.won]
        for one in told.passages
    }
    assert won == {(march(1), march(4)): ["mira"], (march(5), march(6)): ["ines"]}
    owners = (
        costs.costs.join(costs.allocations, on="allocation_id", maintain_order="left").get_column("owner").to_list()
    )
    assert owners == ["mira", "mira", "ines", "ines"]


def test_reconcile_finds_a_unit() -> None:
    world = World().bill("a", "0.000000000001").bill("b", "1", BillingCurrency="CNY", costs={"ListCost": None})
    subjects, lines, _, _ = world.frames
    compared = reconcile(subjects, lines, lines, subjects)
    assert compared.height == 8
    assert broken(compared).height == 0
    assert compared.filter(pl.col("before").is_null()).get_column("column").to_list() == ["ListCost"]
    found = broken(reconcile(subjects, lines, lines.head(0), subjects))
    assert found.height == 7
    known = lines.with_columns(pl.col("ListCost").fill_null(0))
    assert broken(reconcile(subjects, lines, known, subjects)).get_column("column").to_list() == ["ListCost"]
    stranger = lines.with_columns(subject_id=pl.lit(9, pl.Int64))
    assert broken(reconcile(subjects, lines, stranger, subjects)).height == 11


def test_a_passage_tells_its_first_and_last_day() -> None:
    world = World().bill("vol", "1", march(4))
    world.lines += [{**world.lines[0], "usage_date": march(day)} for day in (2, 9)]
    subjects, lines, tags, resources = world.frames
    book = read_rules("")
    said = explain(
        "vol",
        MARCH,
        subjects=subjects,
        lines=lines,
        tags=tags,
        resources=resources,
        rules=book,
        divided=split(world.resolved(book), book),
    )
    assert [(one.first_day, one.last_day) for one in said.passages] == [(march(2), march(9))]


def test_the_reason_of_a_split_stands_behind_its_share_and_no_other() -> None:
    lines = explained().as_lines({"share": "agreed in May"})
    shares = [line for line in lines if 'split "share"' in line]
    assert len(shares) > 1
    assert [line for line in lines if "agreed in May" in line] == shares


def test_a_default_rule_is_told_last_and_of_its_own_dimension_alone() -> None:
    rules = RULES + '[[rule]]\nname = "at last"\ndefault = true\nassign = { project = "last", owner = "kofi" }\n'
    said = explained(rules=rules).passages[0].dimensions
    assert [one.value for one in said["project"]] == ["ruled", "late", "csv", "bill", "parent", "platform", "last"]
    assert [(one.value, one.won) for one in said["owner"]] == [("kofi", True)]


def test_shares_are_made_again_pool_by_pool() -> None:
    """Three pools of one split beside each other: each day's money goes by its own weights, to the last unit."""
    lineage = pl.DataFrame(
        {
            "split": ["s"] * 5,
            "subject_id": [1] * 5,
            "usage_date": [march(1), march(1), march(2), march(2), march(3)],
            "pool_allocation_id": [7] * 5,
            "hour": [None] * 5,
            "weight": ["0.000000000001", "0.000000000002", "1", "3", "5"],
            "EffectiveCost": pl.Series(["9", "9", "4", "4", "2"]).str.to_decimal(scale=12).cast(MONEY),
        }
    )
    assert [str(one.normalize()) for one in recompute(lineage, "EffectiveCost")] == ["3", "6", "1", "3", "2"]


def test_a_sum_of_weights_keeps_its_twelve_places() -> None:
    assert _text([1, 2]) == "0.000000000003"
    assert _text([10**12, 5 * 10**11]) == "1.5"
    assert _text([10**13]) == "10"
