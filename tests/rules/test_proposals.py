"""Proposals for rules: every share is exact money, every value is one that the bills hold."""

from __future__ import annotations

import json
from decimal import Decimal

import polars as pl
import pytest

from attribution.rules.proposals import CHARGED_COLUMNS, Proposals, propose
from schemas.money import MONEY


def charged(*rows: tuple[dict[str, str] | None, str], **cells: str) -> pl.DataFrame:
    """One row for each of (tags, cost)."""
    schema = dict.fromkeys(CHARGED_COLUMNS, pl.String()) | {"EffectiveCost": MONEY, "BilledCost": MONEY}
    return pl.DataFrame(
        [
            {
                "SubAccountId": "0001",
                "ServiceName": "Nodes",
                "ChargeCategory": "Usage",
                "BillingCurrency": "USD",
                "Tags": None if tags is None else json.dumps(tags),
                "EffectiveCost": Decimal(cost),
                "BilledCost": Decimal(cost),
                **cells,
            }
            for tags, cost in rows
        ],
        schema=schema,
    )


def proposed(frame: pl.DataFrame) -> Proposals:
    found = propose(frame)
    assert found is not None
    return found


def keys(found: Proposals, dimension: str) -> list[tuple[str, Decimal]]:
    return [(key.key, key.share) for one in found.dimensions if one.name == dimension for key in one.keys]


def test_a_key_in_several_spellings_is_one_with_the_money_of_all() -> None:
    found = proposed(charged(({"Project": "a"}, "30"), ({"project": "a"}, "50"), (None, "20")))
    assert keys(found, "project") == [("project", Decimal("80.0"))]
    assert found.dimensions[0].keys[0].spellings == ("project", "Project")


def test_a_row_with_a_key_twice_counts_once() -> None:
    found = proposed(charged(({"Project": "a", "project": "b"}, "10"), (None, "10")))
    assert keys(found, "project") == [("project", Decimal("50.0"))] or keys(found, "project")[0][1] == Decimal("50.0")


@pytest.mark.parametrize("key", ["user:project", "example.com/project", "labels.project"])
def test_a_key_behind_a_prefix_says_the_same(key: str) -> None:
    assert keys(proposed(charged(({key: "a"}, "1"))), "project") == [(key, Decimal("100.0"))]


@pytest.mark.parametrize("key", ["user:colour", "colour", "project/colour"])
def test_a_key_of_another_word_says_nothing(key: str) -> None:
    assert keys(proposed(charged(({key: "a"}, "1"))), "project") == []


@pytest.mark.parametrize("key", ["projection", "my-project-notes", "subproject"])
def test_a_key_that_only_looks_alike_says_nothing(key: str) -> None:
    found = proposed(charged(({key: "a"}, "1")))
    assert keys(found, "project") == []
    assert [other.key for other in found.others] == [key]


def test_the_spelling_with_the_most_money_leads_an_alias() -> None:
    found = proposed(charged(({"project": "Atlas 7B"}, "1"), ({"project": "atlas-7b"}, "9"), ({"project": "x"}, "5")))
    assert [alias.spellings for alias in found.dimensions[0].aliases] == [("atlas-7b", "Atlas 7B")]


def test_credits_do_not_hide_whom_they_belong_to() -> None:
    found = proposed(charged(({"project": "a"}, "10"), ({"project": "a"}, "-10"), (None, "20")))
    assert keys(found, "project") == [("project", Decimal("50.0"))]


def test_shares_speak_of_one_currency() -> None:
    both = pl.concat([charged(({"project": "a"}, "10")), charged((None, "3"), BillingCurrency="EUR")])
    found = proposed(both)
    assert (found.currency, found.total) == ("USD", Decimal(10))
    assert keys(found, "project") == [("project", Decimal("100.0"))]


def test_an_account_is_proposed_what_most_of_its_tagged_money_says_and_only_where_most_does() -> None:
    mostly = charged(({"project": "a"}, "80"), ({"project": "b"}, "20"), (None, "10"))
    (account,) = proposed(mostly).accounts
    assert (account.name, account.amount, account.mostly) == ("0001", Decimal(10), "a")
    less = charged(({"project": "a"}, "79.9"), ({"project": "b"}, "20.1"), (None, "10"))
    assert proposed(less).accounts[0].mostly is None


def test_a_sum_below_a_thousandth_is_not_worth_a_proposal() -> None:
    assert proposed(charged(({"project": "a"}, "999"), (None, "1"))).accounts[0].share == Decimal("0.1")
    assert proposed(charged(({"project": "a"}, "999.1"), (None, "0.9"))).accounts == ()


def test_stages_that_are_none_of_the_list_are_named() -> None:
    found = proposed(charged(({"stage": "pre-train"}, "1"), ({"stage": "warm-up"}, "1")))
    assert next(one for one in found.dimensions if one.name == "stage").strange == ("warm-up",)


def test_no_money_makes_no_proposals() -> None:
    assert propose(charged()) is None
    assert propose(charged(({"project": "a"}, "0"))) is None


def test_unknown_effective_cost_counts_as_billed() -> None:
    frame = charged(({"project": "a"}, "4")).with_columns(pl.lit(None, MONEY).alias("EffectiveCost"))
    assert proposed(frame).total == Decimal(4)


@pytest.mark.parametrize(("key", "many", "asked"), [("app", 500, True), ("app", 501, False), ("run", 501, True)])
def test_a_key_with_a_value_for_each_thing_is_no_dimension(key: str, many: int, *, asked: bool) -> None:
    """A run has a name of its own and so may an experiment; five hundred projects nobody has."""
    found = proposed(charged(*(({key: f"v-{number}"}, "1") for number in range(many))))
    assert any(one.keys for one in found.dimensions) == asked
    assert [(one.key, one.values) for one in found.others] == ([] if asked else [(key, many)])
