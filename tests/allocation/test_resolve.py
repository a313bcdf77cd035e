"""Whose money: the order of answers, tags in time, conflicts, parents, accounts."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from allocation_worlds import MARCH, World, march, sums, told

from attribution.allocation.created import CREATORS
from attribution.rules import RuleBook
from schemas.check import check
from schemas.costs import Costs
from schemas.faults import LawBrokenError

ACCOUNT = '[[account]]\nid = "000000000001"\nassign = { project = "platform" }\n'


def answers(world: World, rules: str = "", dimension: str = "project") -> list[tuple[object, object, object]]:
    return [
        (row[dimension], row[f"{dimension}_method"], row[f"{dimension}_rule"]) for row in told(world.resolved(rules))
    ]


def test_nobody_knows() -> None:
    assert answers(World().bill("i-1", "1")) == [("unallocated", "unallocated", None)]


def test_an_empty_bill_resolves_to_nothing() -> None:
    resolved = World().resolved(ACCOUNT)
    assert resolved.costs.height == 0
    assert resolved.allocations.height == 0


def test_first_answer_wins() -> None:
    world = World().attach("vol-1", "i-1").bill("i-1", "1", tags={"project": "from-parent"})
    world.bill("vol-1", "1")
    assert answers(world, ACCOUNT)[1] == ("from-parent", "parent", "parent i-1 bill-tag:project")
    world.bill("vol-1", "1", tags={"project": "from-bill"})
    assert answers(world, ACCOUNT)[2] == ("from-bill", "bill-tag", "tag:project")
    world.tag("vol-1", "project", "from-csv")
    assert answers(world, ACCOUNT)[2] == ("from-csv", "tag", "tag:project")
    rule = '[[rule]]\nname = "volumes"\nwhen = { ResourceId = { glob = "vol-*" } }\nassign = { project = "ruled" }\n'
    assert answers(world, ACCOUNT + rule)[2] == ("ruled", "rule", "volumes")
    assert answers(World().bill(None, "1"), ACCOUNT) == [("platform", "account", "account 000000000001")]


def test_the_bill_may_come_first() -> None:
    world = World().bill("i-1", "1", tags={"project": "bill", "owner": ""}).tag("i-1", "project", "csv")
    world.tag("i-1", "owner", "mira")
    rules = '[tags]\nfirst = "bill"\n'
    assert answers(world, rules) == [("bill", "bill-tag", "tag:project")]
    assert answers(world, rules, "owner") == [("mira", "tag", "tag:owner")]


def test_sub_account_before_billing_account_and_dimension_by_dimension() -> None:
    rules = ACCOUNT + '[[account]]\nid = "000000000002"\nassign = { owner = "kofi" }\n'
    world = World().bill("i-1", "1", SubAccountId="000000000002")
    assert answers(world, rules) == [("platform", "account", "account 000000000001")]
    assert answers(world, rules, "owner") == [("kofi", "account", "account 000000000002")]
    # An account default fills gaps only: a tag on the resource wins (kind of case 51).
    assert answers(world.tag("i-1", "project", "atlas"), rules) == [("atlas", "tag", "tag:project")]


def test_a_dimension_once_set_stays_and_later_rules_may_ask_it() -> None:
    rules = """
    [[rule]]
    name = "first"
    when = { ServiceName = "Compute" }
    assign = { project = "one" }
    [[rule]]
    name = "second"
    when = { project = "one" }
    assign = { project = "two", owner = "mira" }
    [[rule]]
    name = "third"
    when = { owner = { missing = true } }
    assign = { owner = "nobody asked" }
    """
    world = World().bill("i-1", "1").bill("i-2", "1", ServiceName="Storage")
    assert answers(world, rules) == [("one", "rule", "first"), ("unallocated", "unallocated", None)]
    assert answers(world, rules, "owner") == [("mira", "rule", "second"), ("nobody asked", "rule", "third")]


def test_rules_and_tags_in_time_change_at_midnight() -> None:
    rules = """
    [[rule]]
    name = "lent"
    since = 2026-03-10
    until = 2026-03-12
    when = { ResourceId = "i-1" }
    assign = { project = "lent" }
    """
    world = World().tag("i-1", "project", "before", None, march(11)).tag("i-1", "project", "after", march(11), None)
    for day in (9, 10, 11, 12):
        world.bill("i-1", "1", march(day))
    assert [project for project, _, _ in answers(world)] == ["before", "before", "after", "after"]
    assert [project for project, _, _ in answers(world, rules)] == ["before", "lent", "lent", "after"]


def test_a_condition_may_ask_the_day() -> None:
    rules = """
    [[rule]]
    name = "two days"
    when = { usage_date = { from = 2026-03-03, to = 2026-03-05 } }
    assign = { project = "sprint" }
    """
    world = World()
    for day in (2, 3, 4, 5):
        world.bill("i-1", "1", march(day))
    assert [project for project, _, _ in answers(world, rules)] == ["unallocated", "sprint", "sprint", "unallocated"]


def test_no_tag_is_in_force_in_a_gap() -> None:
    world = World().tag("i-1", "project", "a", None, march(5)).tag("i-1", "project", "b", march(8), None)
    for day in (4, 5, 8):
        world.bill("i-1", "1", march(day))
    assert [project for project, _, _ in answers(world)] == ["a", "unallocated", "b"]


def test_key_spelling_does_not_matter_and_values_go_through_aliases() -> None:
    rules = '[dimension.project]\ntags = ["project", "proj"]\nvalues = { "atlas-7b" = ["Atlas", "a7"] }\n'
    world = World().bill("i-1", "1", tags={"PRO-ject": " atlas_7B "}).bill("i-2", "1", tags={"proj": "A7"})
    world.bill("i-3", "1", tags={"Stage": "预训练"}).bill("i-4", "1", tags={"project": " new one "})
    assert answers(world, rules)[:2] == [("atlas-7b", "bill-tag", "tag:project"), ("atlas-7b", "bill-tag", "tag:proj")]
    assert answers(world, rules, "stage")[2][0] == "pretraining"
    assert answers(world, rules)[3][0] == "new one"


def test_the_most_trusted_tag_wins_and_differing_keys_are_no_conflict() -> None:
    """Kind of case 42: the case merges declared keys into a conflict, DESIGN section 7 puts them in order of trust."""
    rules = '[dimension.cost_center]\ntags = ["cost-center", "cost.center"]\n'
    world = World().bill("i-1", "1", tags={"Cost Center": "100"}).bill("i-2", "2", tags={"cost.center": "200"})
    world.bill("i-3", "4", tags={"cost:center": "300"}).bill(
        "i-4", "8", tags={"cost_center": "100", "cost.center": "9"}
    )
    assert sums(world.resolved(rules), "cost_center") == {"100": "9", "200": "2", "unallocated": "4"}


def test_variants_of_one_key_that_disagree_are_a_conflict() -> None:
    """Kind of case 40: there the configured spelling wins; DESIGN section 11 makes it a conflict, seen and counted."""
    world = World().bill("r1", "5", tags={"Project": "atlas"}).bill("r2", "7", tags={"project": "borealis"})
    world.bill("r3", "3", tags={"Project": "atlas", "project": "borealis", "owner": "mira"})
    world.bill("r4", "1", tags={"Project": "atlas", "project": "ATLAS"})
    rules = '[dimension.project]\nvalues = { "atlas" = [] }\n'
    resolved = world.resolved(rules)
    assert sums(resolved, "project") == {"atlas": "6", "borealis": "7", "(tag conflict)": "3"}
    assert answers(world, rules, "owner")[2] == ("mira", "bill-tag", "tag:owner")


def test_keys_that_differ_by_case_both_survive() -> None:
    """Kind of case 44."""
    world = World().bill("r1", "2", tags={"Name": "gpu-a", "name": "gpu-b", "project": "atlas"})
    rules = '[[rule]]\nname = "named"\nwhen = { "tag:name" = { glob = "gpu-*" } }\nassign = { owner = "x" }\n'
    assert sums(world.resolved(rules), "project", "owner") == {("atlas", "unallocated"): "2"}
    rules = rules.replace('{ glob = "gpu-*" }', '"(tag conflict)"')
    assert sums(world.resolved(rules), "project", "owner") == {("atlas", "x"): "2"}


def test_repeated_tag_rows_collapse_and_contradicting_ones_conflict() -> None:
    """Kind of case 46: a join that multiplied money would give 90."""
    world = World().bill("r1", "10").bill("r2", "20").bill("r3", "30").tag("r1", "project", "atlas")
    world.tag("r1", "project", "atlas").tag("r2", "project", "atlas").tag("r2", "Project", "borealis")
    world.tag("r3", "project", "borealis")
    assert sums(world.resolved(), "project") == {"atlas": "10", "borealis": "30", "(tag conflict)": "20"}


def test_a_conflict_lasts_only_while_both_are_in_force_and_rules_win_over_it() -> None:
    world = World().tag("i-1", "project", "a", None, march(6)).tag("i-1", "project", "b", march(4), None)
    for day in (3, 5, 7):
        world.bill("i-1", "1", march(day))
    assert [project for project, _, _ in answers(world)] == ["a", "(tag conflict)", "b"]
    rule = '[[rule]]\nname = "r"\nwhen = { ResourceId = "i-1" }\nassign = { project = "c" }\n'
    assert [project for project, _, _ in answers(world, rule)] == ["c", "c", "c"]


def test_between_csv_and_bill_the_setting_decides_without_a_conflict() -> None:
    world = World().bill("i-1", "1", tags={"project": "bill"}).tag("i-1", "project", "csv")
    assert answers(world)[0][:2] == ("csv", "tag")


def test_ids_are_text_and_blank_is_absent() -> None:
    """Kinds of cases 47, 49 and 67."""
    world = World().bill("2718281828459045016", "5").bill("0004E6", "1").bill("arn:aws:lambda:Train", "2")
    world.bill("/subscriptions/s1/rg/vm1", "8").bill("r2", "59", tags={"project": "  "})
    world.tag("2.71828E+18", "project", "atlas").tag("4000000", "project", "borealis")
    world.tag("arn:aws:lambda:train", "project", "borealis").tag("/subscriptions/s1/rg/vm1", "project", "atlas")
    world.tag("r2", "project", " ")
    assert sums(world.resolved(), "project") == {"unallocated": "67", "atlas": "8"}


def test_a_row_without_a_resource_is_never_dropped() -> None:
    """Kind of case 58."""
    world = World().bill("i-1", "70", tags={"project": "atlas"}).bill(None, "13", ChargeCategory="Tax")
    world.bill(None, "-5", ChargeCategory="Credit")
    resolved = world.resolved()
    assert sums(resolved, "project") == {"atlas": "70", "unallocated": "8"}
    assert [row["cost_element"] for row in told(resolved)] == ["other", "other", "other"]


def test_parents_over_any_number_of_hops_name_the_path() -> None:
    world = World().attach("snap-1", "vol-1").attach("vol-1", "i-1").attach("i-1", "cluster")
    world.bill("snap-1", "1").tag("cluster", "project", "far").tag("i-1", "owner", "near").tag("cluster", "owner", "no")
    assert answers(world) == [("far", "parent", "parent vol-1 > i-1 > cluster tag:project")]
    assert answers(world, "", "owner") == [("near", "parent", "parent vol-1 > i-1 tag:owner")]


def test_the_nearer_parent_answers_first_with_whatever_tags_it_has() -> None:
    world = World().attach("snap", "vol").attach("vol", "i").bill("vol", "1", tags={"project": "near"})
    world.tag("i", "project", "far").bill("snap", "1")
    assert answers(world)[1] == ("near", "parent", "parent vol bill-tag:project")


def test_a_circle_of_attachments_ends() -> None:
    world = World().attach("a", "b").attach("b", "c").attach("c", "a").attach("d", "d").bill("a", "1").bill("d", "1")
    assert answers(world) == [("unallocated", "unallocated", None)] * 2
    assert answers(world.tag("c", "project", "found"))[0] == ("found", "parent", "parent b > c tag:project")


def test_in_a_circle_nobody_inherits_its_own_tags_of_earlier_days() -> None:
    world = World().attach("a", "b").attach("b", "a").bill("a", "1", march(1), tags={"project": "mine"})
    world.bill("a", "1", march(2)).bill("b", "1", march(2))
    assert answers(world)[1:] == [
        ("unallocated", "unallocated", None),
        ("mine", "parent", "parent a bill-tag:project"),
    ]


def test_an_attachment_holds_on_its_days() -> None:
    world = World().tag("i-1", "project", "a").tag("i-2", "project", "b")
    world.attach_from("vol", "i-1", None, march(3)).attach_from("vol", "i-2", march(5))
    world.attach("snap", "vol")
    for day in (1, 2, 3, 4, 5, 6):
        world.bill("snap", "1", march(day))
    found = answers(world)
    assert [one[0] for one in found] == ["a", "a", "unallocated", "unallocated", "b", "b"]
    assert [found[0][2], found[5][2]] == ["parent vol > i-1 tag:project", "parent vol > i-2 tag:project"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("aws:autoscaling:groupName", "train"),
        ("aws:autoscaling_group_name", "train"),
        ("eks:nodegroup-name", "pool-1"),
        ("goog-k8s-node-pool-name", "train"),
        ("aks-managed-poolName", "train"),
        ("kubernetes.io/cluster/train", "owned"),
    ],
)
def test_what_creates_resources_by_itself_hands_its_tags_on(key: str, value: str) -> None:
    world = World().attach("pool-1", "clu", "train").tag("clu", "owner", "mira").tag("pool-1", "project", "atlas")
    world.bill("i-9", "1", tags={key: value})
    assert answers(world) == [("atlas", "parent", f"parent pool-1 ({key}) tag:project")]
    assert answers(world, "", "owner") == [("mira", "parent", f"parent pool-1 ({key}) > clu tag:owner")]


def test_the_nearest_creator_counts_and_the_inventory_wins_over_it() -> None:
    tags = {"eks:cluster-name": "clu", "eks:nodegroup-name": "pool"}
    world = World().attach("clu", None).attach("pool", None).tag("clu", "project", "far").tag("pool", "project", "near")
    world.bill("i-9", "1", tags=tags).bill("i-8", "1", tags=tags).attach("i-8", "clu")
    assert [one[0] for one in answers(world)] == ["near", "far"]


def test_a_key_that_names_a_resource_and_no_creator_is_none() -> None:
    world = World().attach("mira", None).tag("mira", "project", "atlas")
    world.bill("i-9", "1", tags={"mira": "x"}).bill("i-8", "1", tags={"eks:nodegroup-name": " "})
    assert {one[0] for one in answers(world)} == {"unallocated"}


def test_a_creator_that_is_not_told_apart_is_none() -> None:
    world = World().attach("p-1", None, "pool").attach("p-2", None, "pool").tag("p-1", "project", "x")
    world.bill("i-9", "1", tags={"eks:nodegroup-name": "pool"})
    world.bill("i-8", "1", tags={"eks:nodegroup-name": "p-1"}).bill("i-8", "1", tags={"eks:nodegroup-name": "p-2"})
    world.bill("i-7", "1", tags={"eks:nodegroup-name": "unknown"})
    assert {one[0] for one in answers(world)} == {"unallocated"}


def test_two_parents_are_none() -> None:
    world = World().attach("vol", "a").attach("vol", "b").bill("vol", "1").tag("a", "project", "x")
    assert answers(world) == [("unallocated", "unallocated", None)]


def test_the_parents_tags_of_the_day_else_its_latest_before() -> None:
    world = World().attach("vol", "i")
    world.bill("i", "1", march(2), tags={"project": "a", "owner": "mira"}).bill(
        "i", "1", march(4), tags={"project": "b"}
    )
    world.bill("i", "1", march(5), tags={"project": "b"}).bill("i", "1", march(5), tags={"project": "c"})
    for day in (1, 2, 3, 4, 5, 6):
        world.bill("vol", "1", march(day))
    found = answers(world)[4:]
    assert [one[0] for one in found] == ["unallocated", "a", "a", "b", "(tag conflict)", "(tag conflict)"]
    assert [one[0] for one in answers(world, "", "owner")[4:]] == ["unallocated", *["mira"] * 5]
    world.tag("i", "project", "csv", march(3), march(5))
    assert [one[0] for one in answers(world)[4:]] == [
        "unallocated",
        "a",
        "csv",
        "csv",
        "(tag conflict)",
        "(tag conflict)",
    ]


def test_a_rule_that_matched_the_parent_is_not_inherited() -> None:
    rules = '[[rule]]\nname = "r"\nwhen = { ResourceId = "i" }\nassign = { project = "x" }\n'
    world = World().attach("vol", "i").bill("i", "1").bill("vol", "1")
    assert [one[0] for one in answers(world, rules)] == ["x", "unallocated"]


@pytest.mark.parametrize(
    ("when", "hits"),
    [
        ('{ ServiceName = "Compute" }', "ab"),
        ('{ ServiceName = { any_of = ["Storage", "Tax"] } }', "cd"),
        ('{ ServiceName = { glob = "?to*" } }', "c"),
        ('{ ServiceName = { regex = "^C|x$" } }', "abd"),
        ('{ "tag:Pool" = { present = true } }', "a"),
        ('{ "tag:pool" = { missing = true } }', "bcd"),
        ('{ ServiceName = { not = "Compute" } }', "cd"),
        ('{ ServiceName = { not = { glob = "*e" } } }', "d"),
        ('{ SubAccountId = { not = "7" } }', "acd"),
        ('{ any = [{ ServiceName = "Tax" }, { "tag:pool" = "hub" }] }', "ad"),
        ('{ all = [{ ServiceName = "Compute" }, { not = { "tag:pool" = "hub" } }] }', "b"),
        ('{ source = "aws", cost_element = "other", SubAccountId = "7" }', "b"),
        ('{ x_team = "red" }', "c"),
        ("{ x_flag = true }", "c"),
        ("{ billing_month = 2026-03-01 }", "abcd"),
        ('{ x_unknown = "red" }', ""),
    ],
)  # fmt: skip
def test_conditions(when: str, hits: str) -> None:
    world = World().bill("a", "1", tags={"POOL": "hub"}).bill("b", "1", SubAccountId="7")
    world.bill("c", "1", ServiceName="Storage", x_team="red", x_flag="true").bill("d", "1", ServiceName="Tax")
    rows = told(world.resolved(f'[[rule]]\nname = "r"\nwhen = {when}\nassign = {{ project = "hit" }}\n'))
    assert "".join(str(row["ResourceId"]) for row in rows if row["project"] == "hit") == hits


def test_a_column_that_no_bill_has_is_told() -> None:
    resolved = World().bill("a", "1").resolved('[[rule]]\nname="r"\nwhen={x_gone="1"}\nassign={project="p"}\n')
    assert resolved.notices == ('rule "r" asks x_gone, which no bill has; it sees nothing there',)


def test_costs_have_their_schema_and_the_order_of_the_lines() -> None:
    world = World().bill("a", "1").bill("b", None).bill("a", "-3", date(2026, 4, 1))
    resolved = world.resolved()
    assert check(resolved.costs, Costs).failures.height == 0
    assert resolved.costs.drop("allocation_id").equals(world.frames[1])


def test_a_line_without_a_subject_is_our_mistake() -> None:
    world = World().bill("a", "1", MARCH)
    world.lines[0]["subject_id"] = 99
    with pytest.raises(LawBrokenError, match="1 lines have no subject"):
        world.resolved()


def test_an_empty_rule_book_is_a_rule_book() -> None:
    assert RuleBook({}).names == ()


def test_every_key_of_a_creator_is_in_the_rules_document() -> None:
    text = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    assert [key for key in CREATORS if f"`{key}`" not in text] == []


def days_of_one_subject(first: int, last: int) -> World:
    """One subject with a line a day, as the ledger keeps what is billed again and again."""
    world = World().bill("i-1", "1", march(first))
    for day in range(first + 1, last + 1):
        world.lines.append({**world.lines[0], "usage_date": march(day)})
    return world


@pytest.mark.parametrize(
    ("when", "days"),
    [
        ("2026-03-04", [4]),
        ("{ any_of = [2026-03-03, 2026-03-05] }", [3, 5]),
        ("{ from = 2026-03-05 }", [5, 6]),
        ("{ to = 2026-03-03 }", [2]),
        ("{ not = 2026-03-04 }", [2, 3, 5, 6]),
        ("{ present = true }", [2, 3, 4, 5, 6]),
    ],
)
def test_a_rule_of_days_holds_on_these_and_no_others(when: str, days: list[int]) -> None:
    rules = f'[[rule]]\nname = "r"\nwhen = {{ usage_date = {when} }}\nassign = {{ project = "ruled" }}\n'
    resolved = days_of_one_subject(2, 6).resolved(rules)
    ruled = [row["usage_date"] for row in told(resolved) if row["project"] == "ruled"]
    assert ruled == [march(day) for day in days]


def test_only_what_no_bill_has_is_told() -> None:
    rules = '[[rule]]\nname = "r"\nwhen = { x_gone = "1", SkuId = "2" }\nassign = { project = "p" }\n'
    rules += '[[rule]]\nname = "s"\nwhen = { SkuId = "2" }\nassign = { project = "p" }\n'
    resolved = World().bill("i-1", "1").resolved(rules)
    assert resolved.notices == ('rule "r" asks x_gone, which no bill has; it sees nothing there',)


def test_what_a_parent_says_holds_from_the_first_day_it_was_billed_so() -> None:
    """Also where it is billed with the same tags ever after, and the child on a day between."""
    world = World().attach("vol-1", "i-1")
    for day in (3, 20):
        world.bill("i-1", "1", march(day), tags={"project": "atlas"})
    for day in (2, 10):
        world.bill("vol-1", "1", march(day))
    assert [name for name, *_ in answers(world)] == ["atlas", "atlas", "unallocated", "atlas"]


def test_of_a_near_parents_bill_and_a_far_ones_list_the_near_one_is_heard() -> None:
    world = World().attach("vol-1", "i-1").attach("i-1", "cluster")
    world.bill("i-1", "1", tags={"project": "near"}).tag("cluster", "project", "far").bill("vol-1", "1")
    assert answers(world)[1] == ("near", "parent", "parent i-1 bill-tag:project")


def test_three_attachments_follow_each_other() -> None:
    world = World()
    for parent, since in (("i-1", None), ("i-2", march(10)), ("i-3", march(20))):
        world.attach_from("vol-1", parent, since).bill(parent, "1", tags={"project": parent})
    for day in (9, 10, 19, 20):
        world.bill("vol-1", "1", march(day))
    assert [name for name, *_ in answers(world)][3:] == ["i-1", "i-2", "i-2", "i-3"]


@pytest.mark.parametrize("parent", ["vol-1", "", " "])
def test_what_is_attached_to_itself_or_to_nothing_has_no_parent(parent: str) -> None:
    world = World().attach("vol-1", parent).bill(" ", "1", tags={"project": "blank"})
    world.bill("vol-1", "1", march(1), tags={"project": "early"}).bill("vol-1", "1", march(2))
    assert answers(world)[2] == ("unallocated", "unallocated", None)


def test_tags_in_time_of_many_resources_do_not_mix() -> None:
    world = World()
    for number, day in ((1, 5), (2, 9), (3, 7)):
        world.tag(f"i-{number}", "project", f"early-{number}", None, march(day))
        world.tag(f"i-{number}", "project", f"late-{number}", march(day), None)
        for at in (day - 1, day):
            world.bill(f"i-{number}", "1", march(at))
    named = [name for name, *_ in answers(world)]
    assert named == [f"{when}-{number}" for number in (1, 2, 3) for when in ("early", "late")]


def test_a_tag_that_names_no_creator_makes_no_parent() -> None:
    world = World().bill("boss", "1", tags={"project": "atlas"})
    world.bill("i-1", "1", tags={"made-by": "boss", "boss": "yes"})
    assert answers(world)[1] == ("unallocated", "unallocated", None)
