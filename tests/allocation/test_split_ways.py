"""Splits by usage and by measures, inside of a dimension, and what they remark; docs/rules.md has the same figures."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from allocation_worlds import World, march, sums
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.allocation import Beside, Divided, recompute, split
from attribution.rules import read_rules
from schemas.inputs import USAGE_COLUMNS
from schemas.money import COSTS, sum_exactly

RULES = (Path(__file__).parents[2] / "docs/rules.md").read_text(encoding="utf-8")


LACKS = (
    'split "serving by tokens": 50 USD of 2026-10 stays where it is; measures/tokens.csv has no weight for 2026-10-02'
)


def shown(heading: str, number: int = 0) -> str:
    """A TOML block of docs/rules.md below a heading."""
    section = RULES.split(f"\n### {heading}\n")[1].split("\n### ")[0].split("\n## ")[0]
    return re.findall(r"```toml\n(.*?)```", section, re.DOTALL)[number]


def divided(world: World, rules: str, beside: Beside | None = None) -> Divided:
    book = read_rules(rules)
    return split(world.resolved(book), book, beside)


def measured(*rows: tuple[date, str, str]) -> dict[str, pl.DataFrame]:
    """Weights of the split in the document, by day and project."""
    told = [(day, Decimal(weight), project) for day, project, weight in rows]
    frame = pl.DataFrame(
        told, schema={"date": pl.Date(), "weight": pl.Decimal(38, 12), "project": pl.String()}, orient="row"
    )
    return {"serving by tokens": frame}


def traffic() -> World:
    """40 of a gateway; atlas sent 300 GB and borealis 100 of them."""
    world = World().bill("gw", "40", tags={"project": "gateway"})
    sent = {"ServiceCategory": "Networking", "ConsumedUnit": "GB"}
    for project, gigabytes in (("atlas", 300.0), ("borealis", 100.0), ("gateway", 50.0)):
        world.bill(f"net-{project}", "1", march(9), tags={"project": project}, **sent)
        world.lines[-1]["ConsumedQuantity"] = gigabytes
    return world


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (3, "2026-03-01, 2026-03-02, 2026-03-03"),
        (4, "2026-03-01, 2026-03-02, 2026-03-03 and 1 more day"),
        (5, "2026-03-01, 2026-03-02, 2026-03-03 and 2 more days"),
    ],
)
def test_days_without_a_weight_are_named_up_to_three(days: int, said: str) -> None:
    world = World()
    for day in range(1, days + 1):
        world.bill("gw", "4", march(day), tags={"project": "platform"}, ServiceName="Gateway")
    rules = (
        '[dimension.project]\ntags = ["project"]\n[[split]]\nname = "serving by tokens"\n'
        'when = { project = "platform" }\nacross = ["project"]\nby = "measure:measures/tokens.csv"\nwithin = "day"\n'
    )
    told = divided(world, rules, Beside(measures=measured()))
    assert told.remarks.get_column("sentence").to_list()[0].endswith(f"has no weight for {said}")


def test_by_usage_the_quantity_counts() -> None:
    world = traffic()
    world.lines[3]["EffectiveCost"] = world.lines[3]["BilledCost"] = Decimal(0)
    told = sums(divided(world, shown("`usage`")), "project")
    assert told == {"atlas": "31", "borealis": "11"}
    assert "`atlas` gets 30.00 and `borealis` 10.00" in RULES


def test_by_usage_only_what_of_names_counts_and_of_others_than_the_pool() -> None:
    world = traffic()
    for project in ("atlas", "borealis"):  # hours are no gigabytes
        world.bill(f"vm-{project}", "1", march(9), tags={"project": project}, ConsumedUnit="Hours")
        world.lines[-1]["ConsumedQuantity"] = 1000.0
    told = sums(divided(world, shown("`usage`")), "project")
    assert told == {"atlas": "32.75", "borealis": "12.25"}


def test_of_two_units_nobody_can_say_which_is_more() -> None:
    world = traffic()
    rules = shown("`usage`").replace(', ConsumedUnit = "GB"', "")
    world.subjects[2]["ConsumedUnit"] = "Requests"
    told = divided(world, rules)
    assert sums(told, "project")["gateway"] == "41"
    assert told.remarks.get_column("kind").to_list() == ["split_without_receiver"]


def test_by_what_pods_used_each_node_and_day_by_itself() -> None:
    world = World()
    for day in (1, 2):
        world.bill("i-1", "24", march(day), tags={"cluster": "web"})
    world.bill("i-2", "5", march(1), tags={"cluster": "web"})  # no pod ran there
    used = [
        (march(1), "i-1", None, "a", "p", '{"Project":"atlas"}', "cpu_core_hours", Decimal(6)),
        (march(1), "i-1", None, "b", "q", None, "cpu_core_hours", Decimal(2)),
        (march(1), "i-1", None, "__idle__", None, None, "cpu_core_hours", Decimal(4)),
        (march(1), "i-1", None, "a", "p", '{"Project":"borealis"}', "gpu_hours", Decimal(9)),
        (march(2), "i-1", None, "a", "p", '{"Project":"borealis"}', "cpu_core_hours", Decimal(1)),
    ]
    beside = Beside(usage=pl.DataFrame(used, schema=USAGE_COLUMNS, orient="row"))
    told = divided(world, shown("`usage`", 1), beside)
    assert sums(told, "project", "usage_date") == {
        ("atlas", march(1)): "12", ("unallocated", march(1)): "9", ("idle", march(1)): "8",
        ("borealis", march(2)): "24",
    }  # fmt: skip


def fleet() -> World:
    return (
        World()
        .bill("s", "50", date(2026, 10, 1), {"project": "serving-fleet"})
        .bill("s", "50", date(2026, 10, 2), {"project": "serving-fleet"})
    )


def test_by_a_measure_within_the_day_and_the_month() -> None:
    rows = [(date(2026, 10, day), project, weight) for day, project, weight in
            ((1, "atlas", "900"), (1, "borealis", "100"), (2, "atlas", "500"), (2, "borealis", "500"))]  # fmt: skip
    beside = Beside(measures=measured(*rows))
    rules = shown("`measure:<csv>`")
    told = divided(fleet(), rules, beside)
    assert sums(told, "project") == {"atlas": "70", "borealis": "30"}
    assert {"atlas", "borealis"} == {
        text.split('"')[1] for text in told.remarks.filter(kind="receiver_unknown").get_column("sentence")
    }
    month = divided(fleet(), rules.replace('"day"', '"month"'), Beside(measures=measured(*rows[:2])))
    assert sums(month, "project") == {"atlas": "90", "borealis": "10"}


def test_money_of_a_day_that_a_measure_lacks_stays_and_is_told() -> None:
    beside = Beside(measures=measured((date(2026, 10, 1), "atlas", "1"), (date(2026, 10, 2), "atlas", "0")))
    told = divided(fleet(), shown("`measure:<csv>`"), beside)
    assert sums(told, "project") == {"atlas": "50", "serving-fleet": "50"}
    (left,) = told.remarks.filter(kind="split_without_receiver").rows()
    assert left[1:4] == (
        "split=serving by tokens",
        LACKS,
        Decimal(50),
    )


def test_nested_first_by_project_then_within_each_by_experiment() -> None:
    world = World().bill("p", "20", tags={"project": "platform"})
    for project, experiment, cost in (("atlas", "a1", "30"), ("atlas", "a2", "10"), ("borealis", "b1", "99")):
        world.bill(experiment, cost, tags={"project": project, "experiment": experiment})
    told = divided(world, shown("Nested"))
    assert sums(told, "project", "experiment") == {
        ("atlas", "a1"): "37.5", ("atlas", "a2"): "12.5", ("borealis", "b1"): "109",
    }  # fmt: skip


@pytest.mark.parametrize("across", ['["project"]', '["project", "stage"]'])
def test_a_name_that_nothing_has_is_remarked(across: str) -> None:
    """Names are of the first dimension, whichever come after it."""
    rules = f'[[split]]\nname = "s"\nwhen = {{ ServiceName = "Tax" }}\nacross = {across}\nby = "cost"\n'
    rules += 'to = ["atlsa", "atlas"]\n'
    world = World().bill("a", "1", tags={"project": "atlas", "stage": "sft"}).bill(None, "2", ServiceName="Tax")
    told = divided(world, rules)
    assert sums(told, "project") == {"atlas": "3"}
    assert told.remarks.select("kind", "subject").rows() == [("receiver_unknown", "split=s")]


def test_a_receiver_that_appears_in_mid_month_receives_from_its_days_alone() -> None:
    world = (
        World().bill("old", "10", march(1), {"project": "atlas"}).bill("new", "30", march(20), {"project": "borealis"})
    )
    world.bill("old", "10", march(20), {"project": "atlas"})
    for day in (1, 20):
        world.bill(None, "40", march(day), ChargeCategory="Tax")
    rules = (
        '[[split]]\nname = "t"\nwhen = { ChargeCategory = "Tax" }\nacross = ["project"]\nby = "cost"\nwithin = "day"\n'
    )
    assert sums(divided(world, rules), "project") == {"atlas": "70", "borealis": "60"}
    assert sums(divided(world, rules.replace("day", "month")), "project") == {"atlas": "52", "borealis": "78"}


amounts = st.decimals("-1e12", "1e12", places=12, allow_nan=False).map(lambda one: f"{one:f}")
row = st.tuples(
    amounts, st.integers(1, 28), st.sampled_from(("atlas", "borealis", "platform", "hub", "")),
    st.sampled_from(("x", "y", "")), st.sampled_from(("USD", "EUR", "CNY")), st.floats(0, 1e9),
)  # fmt: skip
CHAIN = (
    '[[split]]\nname = "usage"\nwhen = { project = "hub" }\nacross = ["project"]\nby = "usage"\n'
    'of = { ConsumedUnit = "GB" }\n'
    '[[split]]\nname = "serving by tokens"\nwhen = { project = "platform" }\nacross = ["project"]\nby = "measure:m"\n'
    '[[split]]\nname = "nested"\nwhen = { experiment = "unallocated" }\nacross = ["experiment"]\n'
    'inside = ["project"]\nby = "cost"\n'
)


@settings(max_examples=40, deadline=None)
@given(st.lists(row, max_size=12), amounts)
@pytest.mark.filterwarnings("ignore")
def test_nothing_is_lost_and_every_share_can_be_made_again(rows: list[tuple[object, ...]], weight: str) -> None:
    world = World()
    for number, (cost, day, project, experiment, currency, quantity) in enumerate(rows):
        tags = {key: str(value) for key, value in (("project", project), ("experiment", experiment)) if value}
        world.bill(f"r{number}", str(cost), march(int(str(day))), tags, BillingCurrency=currency, ConsumedUnit="GB")
        world.lines[-1]["ConsumedQuantity"] = quantity
    measures = measured((march(1), "atlas", weight.lstrip("-")), (march(2), "borealis", "0.000000000001"))
    told = divided(world, CHAIN, Beside(measures=measures))
    before, after = (pl.DataFrame(world.lines, schema_overrides=dict.fromkeys(COSTS, pl.Decimal(38, 12))), told.costs)
    for column in COSTS if rows else ():
        assert sum_exactly(before.get_column(column)) == sum_exactly(after.get_column(column))
        made = recompute(
            told.lineage.sort("split", "subject_id", "usage_date", "pool_allocation_id", "position"), column
        )
        moved = told.lineage.unique(["split", "subject_id", "usage_date", "pool_allocation_id"])
        assert sum_exactly(made) == sum_exactly(moved.get_column(column))
