"""What rules.toml may not say, one word at a time, and what proposals name: as many, in which order, of whom."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest
from test_proposals import charged, keys, proposed
from test_rules import faults, rule

from attribution.rules import read_rules
from attribution.rules.files import digest_of
from attribution.rules.records import Take
from attribution.rules.values import taken


@pytest.mark.parametrize("name", ["x_team", '"tag:team"', '"cost-centre"', "Team", "ServiceName", '"2team"'])
def test_what_cannot_name_a_dimension_is_refused(name: str) -> None:
    assert f'"{name.strip(chr(34))}" cannot name a dimension.' in faults(f"[dimension.{name}]\n")


@pytest.mark.parametrize("amount", ["0", "-1", "true", '"5"', "nan", "inf", "-inf"])
def test_other_below_is_an_amount_above_zero(amount: str) -> None:
    assert "other_below must be an amount above 0." in faults(f"[dimension.team]\nother_below = {amount}\n")


@pytest.mark.parametrize("amount", ["1", "0.01", "0.000000000001"])
def test_other_below_may_be_any_amount_above_zero(amount: str) -> None:
    book = read_rules(f"[dimension.team]\nother_below = {amount}\n")
    assert book.dimensions["team"].other_below == Decimal(amount)


def test_a_part_of_what_is_no_tag_is_no_dimension_and_a_tag_is() -> None:
    text = '[dimension.team]\ntags = [{{ take = "{}", split = "-", part = 2 }}]\n'
    assert "is no tag" in faults(text.format("ResourceName"))
    (take,) = read_rules(text.format("tag:name")).dimensions["team"].takes
    assert (take.key, take.split, take.part) == ("name", "-", 2)


@pytest.mark.parametrize(
    ("column", "what", "known"),
    [("ChargePeriodEnd", "an instant", "usage_date, billing_month"), ("ConsumedQuantity", "a number", "")],
)
def test_what_conditions_cannot_ask_is_said_with_what_they_can(column: str, what: str, known: str) -> None:
    said = faults(rule(f'when = {{ {column} = "x" }}\nassign = {{ project = "a" }}'))
    assert f'"{column}" is {what}; conditions cannot ask it.' in said
    assert ("usage_date, billing_month" in said) == bool(known)


def test_the_sign_of_money_may_be_asked_and_denied_at_once() -> None:
    book = read_rules(
        rule('when = { BilledCost = { sign = "negative", not = { sign = "zero" } } }\nassign = { project = "a" }')
    )
    assert len(book.rules) == 1
    assert "can ask its sign alone" in faults(rule('when = { BilledCost = 5 }\nassign = { project = "a" }'))
    assert "can ask its sign alone" in faults(
        rule('when = { BilledCost = { sign = "negative", glob = "x" } }\nassign = { project = "a" }')
    )


def test_a_word_of_another_way_to_split_says_with_which_it_goes() -> None:
    said = faults(
        '[[split]]\nname = "s"\nwhen = { ServiceName = "x" }\nacross = ["project"]\nby = "even"\nweights = { a = 1 }\n'
    )
    assert 'weights goes with by = "fixed", not with "even".' in said


def test_of_a_pattern_with_several_groups_the_first_is_taken_and_without_one_the_whole() -> None:
    values = pl.Series("v", ["ab-12", "xy"])
    assert taken(Take("c", regex=r"([a-z]+)-(\d+)"), values).to_list() == ["ab", None]
    assert taken(Take("c", regex=r"[a-z]b"), values).to_list() == ["ab", None]


@pytest.mark.parametrize(("part", "found"), [(1, ["a", "d"]), (2, ["b", None]), (3, ["c", None]), (-1, ["c", "d"])])
def test_a_part_is_counted_from_one_or_from_the_end(part: int, found: list[str | None]) -> None:
    assert taken(Take("c", split="-", part=part), pl.Series("v", ["a-b-c", "d"])).to_list() == found
    assert Take("c", split="-").part == 1, "the first, where nothing is said"


def test_the_version_of_rules_tells_a_list_from_a_table_and_one_value_from_another() -> None:
    assert digest_of([{"a": {"b": 1}}, {"a": {"c": 2}}]) == digest_of([{"a": {"b": 1, "c": 2}}])
    assert digest_of([{"a": [1]}, {"a": [2]}]) == digest_of([{"a": [1, 2]}])
    assert digest_of([{"a": {"b": 1}}, {"a": 5}]) == digest_of([{"a": 5}])
    assert digest_of([{"a": 5}, {"a": {"b": 1}}]) == digest_of([{"a": {"b": 1}}])


def test_five_accounts_three_values_and_the_key_of_the_very_name_first() -> None:
    rows = [charged(({}, f"{10 + at}"), SubAccountId=f"a{at}") for at in range(7)]
    found = proposed(pl.concat(rows))
    assert [one.name for one in found.accounts] == ["a6", "a5", "a4", "a3", "a2"]
    tagged = charged(*(({"team": f"t{at}"}, f"{9 - at}") for at in range(5)))
    found = proposed(tagged)
    (key,) = [*found.others, *(key for one in found.dimensions for key in one.keys)]
    assert key.largest == ("t0", "t1", "t2")
    both = charged(({"project-name": "a", "project": "b"}, "50"), ({"project-name": "a"}, "50"))
    assert [key for key, _ in keys(proposed(both), "project")] == ["project", "project-name"]


def test_a_key_says_a_dimension_behind_a_prefix_and_not_within_a_word() -> None:
    for key, says in (("user:project", True), ("example.com/project", True), ("project", True), ("subproject", False)):
        assert bool(keys(proposed(charged(({key: "a"}, "1"))), "project")) == says


def test_what_costs_nothing_is_not_named_and_beside_whom_an_account_stands_is() -> None:
    rows = [
        charged(({}, "50"), ({"project": "orion"}, "40"), ({"project": "vega"}, "2"), SubAccountId="mixed"),
        charged(({}, "5"), SubAccountId="bare"), charged(({}, "0"), SubAccountId="nothing"),
    ]  # fmt: skip
    found = {one.name: (one.amount, one.mostly, one.mostly_share) for one in proposed(pl.concat(rows)).accounts}
    assert found == {"mixed": (50, "orion", Decimal("95.2")), "bare": (5, None, None)}


def test_an_entry_of_tags_that_is_no_text_is_told_beside_those_that_are() -> None:
    assert "tags: an entry" in faults('[dimension.team]\ntags = ["team", 5]\n')


def test_owners_are_the_values_of_the_owners_keys_alone() -> None:
    rows = charged(({"project": "orion", "owner": "lin"}, "5"), ({"stage": "sft", "Owner": "omar"}, "3"))
    assert proposed(rows).owners == ("lin", "omar")
