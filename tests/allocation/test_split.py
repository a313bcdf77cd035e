"""Splits: who receives, by what weight, and that not a unit is lost."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from allocation_worlds import World, march, sums, told
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.allocation import broken, recompute, reconcile
from schemas.check import check
from schemas.costs import Costs
from schemas.dimensions import METHODS
from schemas.faults import InputError
from schemas.money import COSTS, to_units


def cut(name: str, when: str, by: str = '"cost"', more: str = "", across: str = '["project"]') -> str:
    return f'[[split]]\nname = "{name}"\nwhen = {{ {when} }}\nacross = {across}\nby = {by}\n{more}\n'


def company() -> World:
    """Atlas 60, borealis 20, platform 10, and 9 that nobody named."""
    world = World()
    for project, cost in (("atlas", "60"), ("borealis", "20"), ("platform", "10")):
        world.bill(project, cost, tags={"project": project})
    return world.bill("support", "9", march(3), ServiceName="Support", ServiceCategory="Other")


def test_sharing_never_changes_the_total() -> None:
    """Kind of case 65: 74.25 and 24.75 of 99, whatever is shared."""
    both = cut("platform", 'project = "platform"') + cut("support", 'ServiceName = "Support"')
    assert sums(company().divided(both), "project") == {"atlas": "74.25", "borealis": "24.75"}
    assert sums(company().divided(""), "project")["unallocated"] == "9"


def test_tax_is_spread_by_cost() -> None:
    """Kind of case 58."""
    world = World().bill("a", "70", tags={"project": "atlas"}).bill("b", "30", tags={"project": "borealis"})
    world.bill(None, "13", march(31), ChargeCategory="Tax").bill(None, "0", date(2026, 2, 1), ChargeCategory="Tax")
    divided = world.divided(cut("tax", 'ChargeCategory = "Tax"'))
    assert sums(divided, "project") == {"atlas": "79.1", "borealis": "33.9"}
    assert divided.notices == ('split "tax": 0 USD of 2026-02 stays where it is; no receiver has a positive weight',)


def test_a_discount_is_spread_by_cost() -> None:
    """Kind of case 56: rows of a discount that are filtered out make every project a quarter too dear."""
    world = World().bill("a", "80", tags={"project": "atlas"}).bill("b", "20", tags={"project": "borealis"})
    world.bill(None, "-25", ChargeCategory="Adjustment")
    divided = world.divided(cut("discount", 'ChargeCategory = "Adjustment"'))
    assert sums(divided, "project") == {"atlas": "60", "borealis": "15"}


def test_the_chain_a_pool_not_yet_split_receives() -> None:
    chain = cut("support", 'ServiceName = "Support"') + cut("platform", 'project = "platform"')
    divided = company().divided(chain)
    assert sums(divided, "project") == {"atlas": "74.25", "borealis": "24.75"}
    shares = {(row["split"], row["weight"], row["total_weight"]) for row in divided.lineage.to_dicts()}
    assert ("support", "10", "90") in shares
    assert ("platform", "66", "88") in shares


def test_the_negation_and_the_shares_say_who_made_them() -> None:
    divided = company().divided(cut("support", 'ServiceName = "Support"'))
    new = [(row["project"], row["project_rule"], row["EffectiveCost"]) for row in told(divided)[4:]]
    assert sorted(new) == [
        ("atlas", "support", Decimal(6)),
        ("borealis", "support", Decimal(2)),
        ("platform", "support", Decimal(1)),
        ("unallocated", "support", Decimal(-9)),
    ]
    for row in told(divided)[4:]:
        assert (row["project_method"], row["owner_method"], row["owner"]) == ("split", "unallocated", "unallocated")
        assert (row["ResourceId"], row["SkuMeter"], row["ConsumedQuantity"]) == (None, None, None)
        assert (row["ServiceName"], row["usage_date"], row["bill_no"]) == ("Support", march(3), 1)
        assert row["cost_element"] == "operations"


def test_zero_weights_leave_the_money_where_it_is_visibly() -> None:
    """Kind of case 64: what nobody used must not vanish."""
    world = World().bill("g", "33", tags={"project": "platform"}).bill("a", "0", tags={"project": "atlas"})
    world.bill("b", "-4", tags={"project": "borealis"})
    divided = world.divided(cut("gpu", 'project = "platform"'))
    assert sums(divided, "project") == {"platform": "33", "borealis": "-4"}
    assert divided.costs.height == 3
    assert divided.notices == ('split "gpu": 33 USD of 2026-03 stays where it is; no receiver has a positive weight',)


def test_nobody_in_particular_never_receives() -> None:
    world = World().bill("p", "8", tags={"project": "platform"}).bill("a", "1", tags={"project": "atlas"})
    for value in ("shared", "idle", "unallocated"):
        world.bill(value, "5", tags={"project": value})
    world.bill("c", "5", tags={"project": "x", "Project": "y"})
    assert sums(world.divided(cut("s", 'project = "platform"')), "project")["atlas"] == "9"


def test_who_gets_no_cent_has_no_row() -> None:
    world = World().bill("hub", "0.000000000002", tags={"project": "hub"})
    for project in "abc":
        world.bill(project, "1", tags={"project": project})
    divided = world.divided(
        '[dimension.project]\ntags = ["project"]\n'
        '[[split]]\nname = "s"\nwhen = { project = "hub" }\nacross = ["project"]\nby = "even"\n'
    )
    gained = [row["project"] for row in told(divided) if row["project_method"] == "split" and row["project"] != "hub"]
    assert sorted(map(str, gained)) == ["a", "b"]


def test_a_share_has_no_tags() -> None:
    world = World().bill("hub", "10", tags={"kind": "x", "project": "hub"})
    for project in "ab":
        world.bill(project, "1", tags={"kind": "y", "project": project})
    first = cut("first", 'project = "hub"', '"even"')
    for asked, moved in (("x", None), ("y", "2"), (None, "10")):  # a and b pay 2 themselves, and 10 for hub
        meets = f'"{asked}"' if asked else "{ missing = true }"
        then = cut("then", f'"tag:kind" = {meets}, project = {{ not = "hub" }}', '"fixed"', "weights = { c = 1 }")
        divided = world.divided('[dimension.project]\ntags = ["project"]\n' + first + then)
        assert sums(divided, "project").get("c") == moved


def test_even_counts_who_is_there() -> None:
    world = company().bill("free", "0", tags={"project": "free"})
    divided = world.divided(cut("support", 'ServiceName = "Support"', '"even"'))
    assert sums(divided, "project") == {"atlas": "62.25", "borealis": "22.25", "platform": "12.25", "free": "2.25"}


def test_fixed_is_agreed_and_needs_no_cost_of_ones_own() -> None:
    more = "weights = { atlas = 0.25, heron = 0.75 }"
    divided = company().divided(cut("support", 'ServiceName = "Support"', '"fixed"', more))
    assert sums(divided, "project")["heron"] == "6.75"
    assert set(divided.lineage.get_column("total_weight")) == {"1"}


def test_to_narrows() -> None:
    divided = company().divided(cut("s", 'ServiceName = "Support"', more='to = ["borealis", "platform", "absent"]'))
    assert sums(divided, "project") == {"atlas": "60", "borealis": "26", "platform": "13"}


def test_the_window_is_the_month_and_the_day_stays() -> None:
    world = World().bill("a", "30", march(1), tags={"project": "a"}).bill("b", "10", march(2), tags={"project": "b"})
    world.bill("p", "4", march(2), tags={"project": "p"}).bill("a", "99", date(2026, 4, 1), tags={"project": "a"})
    by_month = world.divided(cut("s", 'project = "p"'))
    assert sums(by_month, "project", "usage_date")["a", march(2)] == "3"
    assert sums(by_month, "project", "usage_date")["b", march(2)] == "11"
    by_day = world.divided(cut("s", 'project = "p"', more='within = "day"'))
    assert sums(by_day, "project", "usage_date")["b", march(2)] == "14"


def test_currencies_do_not_meet() -> None:
    world = World().bill("a", "30", tags={"project": "a"}).bill("b", "10", tags={"project": "b"}, BillingCurrency="CNY")
    world.bill("p", "4", tags={"project": "p"}).bill("p", "4", tags={"project": "p"}, BillingCurrency="CNY")
    divided = world.divided(cut("s", 'project = "p"'))
    assert sums(divided, "project", "BillingCurrency") == {("a", "USD"): "34", ("b", "CNY"): "14"}


def test_all_four_costs_move_by_the_same_shares_and_unknown_stays_unknown() -> None:
    world = World().bill("a", "1", tags={"project": "a"}).bill("b", "2", tags={"project": "b"})
    world.bill("p", "3", tags={"project": "p"}, costs={"ListCost": None, "BilledCost": "0", "ContractedCost": "1"})
    rows = [row for row in told(world.divided(cut("s", 'project = "p"'))) if row["project_method"] == "split"]
    money = {row["project"]: tuple(row[column] for column in COSTS) for row in rows}
    third = Decimal("0.333333333333")
    assert money["a"] == (0, 1, None, third)
    assert money["b"] == (0, 2, None, 1 - third)
    assert money["p"] == (0, -3, None, -1)


def test_combinations_that_occur_receive_and_other_dimensions_stay() -> None:
    world = World().bill("p", "10", tags={"project": "p", "stage": "sft", "owner": "kofi"})
    world.bill("a", "3", tags={"project": "a", "owner": "mira"}).bill("b", "2", tags={"project": "a", "owner": "ines"})
    world.bill("c", "5", tags={"project": "b"})
    divided = world.divided(cut("s", 'project = "p"', across='["project", "owner"]'))
    moved = [
        row
        for row in told(divided)
        if row["project_method"] == "split" and row["ResourceId"] is None and row["project"] != "p"
    ]
    assert {(row["project"], row["owner"], row["stage"], str(row["EffectiveCost"]).rstrip("0.")) for row in moved} == {
        ("a", "mira", "sft", "6"),
        ("a", "ines", "sft", "4"),
    }


def test_a_split_sees_the_rows_own_tags_of_the_day_not_the_parents() -> None:
    world = World().attach("vol", "i").tag("i", "pool", "hub", march(2), None)
    world.bill("i", "1", march(1)).bill("i", "2", march(2)).bill("vol", "4", march(2)).bill(
        "x", "8", tags={"pool": "hub"}
    )
    world.bill("a", "1", tags={"project": "a"})
    assert sums(world.divided(cut("s", '"tag:pool" = "hub"')), "project") == {"a": "11", "unallocated": "5"}


def test_a_pool_not_in_whole_may_lie_in_several_values() -> None:
    """Atlas's own support goes to the others; the rest of the support counts atlas like anybody."""
    world = World().bill("s1", "10", ServiceName="Support", tags={"project": "atlas"})
    world.bill("s2", "8", ServiceName="Support").bill("a", "30", tags={"project": "atlas"})
    world.bill("b", "10", tags={"project": "borealis"})
    divided = world.divided(cut("support", 'ServiceName = "Support"'))
    assert sums(divided, "project") == {"atlas": "36", "borealis": "22"}


def test_who_gives_and_receives_in_one_split_has_two_rows() -> None:
    """What atlas pays for support leaves it; what borealis pays reaches atlas. Both read "atlas, by this split"."""
    world = World()
    for project in ("atlas", "borealis"):
        world.bill(project, "30", tags={"project": project})
        world.bill(f"{project}-help", "7", tags={"project": project}, ServiceName="Support")
    divided = world.divided(cut("support", 'ServiceName = "Support"'))
    assert divided.costs.select("subject_id", "usage_date", "allocation_id").is_duplicated().sum() == 0
    rows = [
        (row["project"], str(row["EffectiveCost"].normalize()))
        for row in told(divided)
        if row["project_rule"] == "support"
    ]
    assert sorted(rows) == [("atlas", "-7"), ("atlas", "7"), ("borealis", "-7"), ("borealis", "7")]


def test_a_circle_is_refused_when_only_the_bill_shows_it() -> None:
    rules = cut("first", '"tag:kind" = "hub"') + cut("second", 'ServiceName = "Support"', more='to = ["platform"]')
    world = company()
    world.subjects[2]["Tags"] = '{"kind":"hub","project":"platform"}'
    with pytest.raises(InputError, match='"platform" was emptied by split "first"'):
        world.divided(rules)


def test_a_split_without_money_says_so() -> None:
    assert company().divided(cut("s", 'project = "gone"')).notices == ('split "s" found no money to move',)


few = settings(max_examples=20, deadline=None)
amounts = st.decimals(
    min_value=Decimal(-(10**12)), max_value=Decimal(10**12), places=12, allow_nan=False, allow_infinity=False
)
rows = st.lists(
    st.tuples(
        st.sampled_from(["atlas", "borealis", "heron", "platform", "support", ""]),
        st.sampled_from(["USD", "EUR", "CNY"]),
        st.integers(0, 60),
        amounts,
        st.sampled_from(["Usage", "Credit", "Tax"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)
SPLITS = [
    cut("tax", 'ChargeCategory = "Tax"'),
    cut("support", 'project = "support"'),
    cut("platform", 'project = "platform"', more='within = "day"'),
    cut("even", 'project = "heron"', '"even"'),
    cut("fixed", 'project = "borealis"', '"fixed"', "weights = { kestrel = 3, merlin = 7 }"),
]


def build(given_rows: list[tuple[str, str, int, Decimal, str, bool]], order: list[int] | None = None) -> World:
    """The rows, added in this order; which bill and resource a row is of does not depend on it."""
    world = World()
    for number in range(len(given_rows)) if order is None else order:
        project, currency, day, amount, category, listed = given_rows[number]
        world.bill(
            f"r{number}",
            str(amount),
            date.fromordinal(date(2026, 3, 1).toordinal() + day),
            tags={"project": project} if project else {},
            costs={} if listed else {"ListCost": None},
            BillingCurrency=currency,
            ChargeCategory=category,
            bill_no=number % 2,
        )
    return world


@few
@given(rows, st.permutations(SPLITS), st.integers(0, 5))
def test_nothing_is_ever_lost(
    given_rows: list[tuple[str, str, int, Decimal, str, bool]], order: list[str], many: int
) -> None:
    world = build(given_rows)
    divided = world.divided("".join(order[:many]))
    subjects, lines, _, _ = world.frames
    compared = reconcile(subjects, lines, divided.costs, divided.subjects)
    assert broken(compared).height == 0
    assert compared.height == 4 * len({(row[1], number % 2, row[2] > 30) for number, row in enumerate(given_rows)})
    assert check(divided.costs, Costs).failures.height == 0
    for dimension in ("project", "stage", "experiment", "owner"):
        assert divided.allocations.get_column(dimension).null_count() == 0
        assert set(divided.allocations.get_column(f"{dimension}_method")) <= set(METHODS)
    keys = divided.costs.join(divided.allocations, on="allocation_id", how="left")
    assert keys.get_column("project").null_count() == 0


@few
@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(
    given_rows: list[tuple[str, str, int, Decimal, str, bool]], random: object
) -> None:
    order = list(range(len(given_rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    rules = "".join(SPLITS)
    by = ("project", "project_method", "project_rule", "usage_date", "BillingCurrency", "ChargeCategory")
    assert sums(build(given_rows).divided(rules), *by) == sums(build(given_rows, order).divided(rules), *by)


@few
@given(st.lists(st.tuples(st.sampled_from("abcdef"), amounts), min_size=1, max_size=8), amounts)
def test_shares_agree_with_an_oracle_in_fractions(receivers: list[tuple[str, Decimal]], pool: Decimal) -> None:
    """Whoever gets a share gets its exact part, rounded down or up by one unit, largest remainders first."""
    world = World().bill("p", str(pool), tags={"project": "p"})
    exact: dict[str, Fraction] = {}
    for name, amount in receivers:
        world.bill(name, str(amount), tags={"project": name})
        exact[name] = exact.get(name, Fraction(0)) + Fraction(amount)
    weights = {name: weight for name, weight in sorted(exact.items()) if weight > 0}
    units = abs(Fraction(pool)) * 10**12
    parts = {name: units * weight / sum(weights.values()) for name, weight in weights.items()}
    floors = {name: part.numerator // part.denominator for name, part in parts.items()}
    missing = int(units - sum(floors.values())) if weights else 0
    for name in sorted(parts, key=lambda name: (floors[name] - parts[name], name))[:missing]:
        floors[name] += 1
    sign = -1 if pool < 0 else 1
    expected = {name: sign * share for name, share in floors.items() if share}
    divided = world.divided(cut("s", 'project = "p"'))
    got = {
        row["project"]: to_units(Decimal(str(row["EffectiveCost"])))
        for row in told(divided)
        if row["project_method"] == "split" and row["project"] != "p"
    }
    assert got == expected


@few
@given(rows)
def test_shares_can_be_computed_again_from_what_is_stored(
    given_rows: list[tuple[str, str, int, Decimal, str, bool]],
) -> None:
    """Every row a split made is the sum of the shares in the lineage, less the pools that it emptied."""
    divided = build(given_rows).divided("".join(SPLITS[:3]))
    key = ["subject_id", "usage_date", "allocation_id"]
    pools = divided.lineage.unique(subset=["split", "subject_id", "usage_date", "pool_allocation_id"])
    made = divided.allocations.filter(pl.col("project_method") == "split").get_column("allocation_id")
    for column in COSTS:
        gains = divided.lineage.with_columns(recompute(divided.lineage, column), allocation_id="receiver_allocation_id")
        losses = pools.with_columns(-pl.col(column), allocation_id="negation_allocation_id")
        again = pl.concat([gains.select(*key, column), losses.select(*key, column)])
        stored = divided.costs.filter(pl.col("allocation_id").is_in(made.implode())).select(*key, column)
        assert totals(again, key, column) == totals(stored, key, column)


def totals(rows: pl.DataFrame, key: list[str], column: str) -> dict[object, Decimal]:
    summed = rows.group_by(key).agg(pl.col(column).sum())
    return {row[:3]: row[3] for row in summed.iter_rows() if row[3]}
