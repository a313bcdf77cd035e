"""Values that rules take from a column or a tag: how they are written, and what is said of mistakes."""

from __future__ import annotations

import polars as pl
import pytest

from attribution.rules import Take, read_rules, taken
from schemas.dimensions import TAG_CONFLICT
from schemas.faults import InputError


def rule(assign: str, more: str = "") -> str:
    return f'[[rule]]\nname = "r"\nassign = {{ {assign} }}\n{more}\n'


def faults(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_rules(text)
    return "\n".join(str(fault) for fault in caught.value.faults)


def test_a_rule_takes_from_columns_and_ends_with_a_text() -> None:
    book = read_rules(
        rule('team = ["x"]', 'when = { source = "aws" }\n[dimension.team]\nvalues = { "ml" = ["M L"] }')
        + rule('team = [{ take = "tag:Cost-Centre", split = "/", part = -1, lower = true }, "M_L"]', "default = true")
        .replace('"r"', '"s"')
        + rule('project = { take = "x_pool", regex = "^(?:a|b)-(.*)", trim = "-" }').replace('"r"', '"t"')
    )  # fmt: skip
    assert book.rules[0].assign == {"team": ("x",)}
    assert book.rules[1].assign == {"team": (Take("tag:Cost-Centre", split="/", part=-1, lower=True), "ml")}
    assert book.rules[2].assign == {"project": (Take("x_pool", regex="^(?:a|b)-(.*)", trim="-"),)}
    assert [one.default for one in book.rules] == [False, True, False]
    assert (book.columns, book.tag_keys) == (("x_pool",), ("Cost-Centre",))


@pytest.mark.parametrize(
    ("take", "left"),
    [
        (Take("ResourceId"), ["a/B-1", "x", "a//c", None, None]),
        (Take("ResourceId", split="/"), ["a", "x", "a", None, None]),
        (Take("ResourceId", split="/", part=2), ["B-1", None, None, None, None]),
        (Take("ResourceId", split="/", part=-1, lower=True), ["b-1", "x", "c", None, None]),
        (Take("ResourceId", split="/", part=-3), [None, None, "a", None, None]),
        (Take("ResourceId", regex="[A-Z]"), ["B", None, None, None, None]),
        (Take("ResourceId", regex="/(.*)-"), ["B", None, None, None, None]),
        (Take("ResourceId", trim="a/1"), ["B-", "x", "c", None, None]),
        (Take("ResourceId", split="/", part=2, regex="^(.)", lower=True), ["b", None, None, None, None]),
    ],
)
def test_what_counts_of_a_text(take: Take, left: list[str | None]) -> None:
    assert taken(take, pl.Series(["  a/B-1 ", "x", "a//c", " ", None])).to_list() == left


def test_a_conflict_of_tags_has_no_parts() -> None:
    written = pl.Series([TAG_CONFLICT, "a b"])
    assert taken(Take("tag:a", split=" ", part=2), written).to_list() == [TAG_CONFLICT, "b"]
    assert taken(Take("SkuMeter", split=" ", part=2), written).to_list() == ["conflict)", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (rule('project = { take = "Foo" }'), 'rule "r": assign: project: unknown condition "Foo"'),
        (rule('project = { take = "usage_date" }'), "a date is nobody"),
        (rule('project = { take = "EffectiveCost" }'), '"EffectiveCost" is a number'),
        (rule('project = { regex = "a" }'), "take is missing"),
        (rule('project = { take = "tag:a", splt = "/" }'), 'unknown word "splt"'),
        (rule('project = { take = "tag:a", split = "/" }'), "split and part go together"),
        (rule('project = { take = "tag:a", part = 1 }'), "split and part go together"),
        (rule('project = { take = "tag:a", split = "/", part = 0 }'), "part must be a whole number"),
        (rule('project = { take = "tag:a", split = "/", part = 1.5 }'), "part must be a whole number"),
        (rule('project = { take = "tag:a", split = "", part = 1 }'), "split is blank"),
        (rule('project = { take = "tag:a", regex = "(" }'), "does not compile"),
        (rule('project = { take = "tag:a", regex = "(a)(b)" }'), "has 2 groups"),
        (rule('project = { take = "tag:a", lower = 1 }'), "lower takes true or false"),
        (rule('project = ["p", { take = "tag:a" }]'), '"p" always has a value'),
        (rule("project = []"), "is an empty list"),
        (rule('project = [{ take = "tag:a" }, "p"]'), "when is missing"),
        (rule('project = "p"', "default = 1"), "default must be true or false"),
        ('[[account]]\nid = "1"\nassign = { project = { take = "SubAccountName" } }', "assign: project must be text"),
        ('[dimension.team]\ntags = [{ take = "SubAccountName" }]', 'tags: "SubAccountName" is no tag'),
        ('[dimension.team]\ntags = "team"', "tags must be a list of texts, not text"),
        ("[dimension.team]\nother_below = 0", "other_below must be an amount above 0"),
        ('[dimension.team]\nother_below = "100"', "other_below must be an amount above 0"),
        ('[dimension.team]\nfirst = "tag"', 'first = "tag" is not known.\n  Known: csv, bill.'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    assert said in faults(text)
