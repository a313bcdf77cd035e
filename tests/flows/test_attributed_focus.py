"""Attributed costs as a FOCUS file: every sum is that of the costs, and every share names its split and receiver."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from small_workspace import AS_OF, RULES, attribution, charge, workspace

from attribution.ledger import query
from schemas.money import COSTS

SPLITS = """
[[rule]]
name = "support is shared"
when = { ServiceName = "Support" }
assign = { project = "shared", owner = "kofi" }
[[split]]
name = "support by agreement"
when = { project = "shared" }
across = ["project"]
by = "fixed"
weights = { atlas = 2, orion = 1 }
[[split]]
name = "atlas gives to orion"
when = { project = "atlas" }
across = ["project"]
by = "even"
to = ["orion"]
"""
ALLOCATED = ("AllocatedMethodId", "AllocatedMethodDetails", "AllocatedResourceId", "AllocatedTags")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [
        charge(cost="10.000000000001"),
        charge(cost="7", project="orion"),
        charge(cost="100", ServiceName="Support", project=""),
        charge(cost="-10", ServiceName="Support", project="", ChargeCategory="Credit"),
    ]
    root = workspace(tmp_path_factory.mktemp("attributed") / "costs", rows, rules=RULES + SPLITS)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


def exported(root: Path, version: str) -> pl.DataFrame:
    to = root / f"attributed-{version}.parquet"
    ended = attribution("export", "focus", to, "--attributed", "--version", version, "-w", root)
    assert ended.code == 0, ended.err
    return pl.read_parquet(to)


@pytest.mark.parametrize("version", ["1.2", "1.3", "1.4"])
def test_every_sum_is_that_of_the_costs(ran: Path, version: str) -> None:
    rows = exported(ran, version)
    kept = query(ran / "ledger", "SELECT * FROM costs")
    assert rows.height == kept.height
    for cost in ("BilledCost", "EffectiveCost"):
        assert rows.get_column(cost).sum() == kept.get_column(cost).sum()
        by_project = kept.group_by("project").agg(pl.col(cost).sum()).sort("project").rows()
        assert rows.group_by(pl.col("x_project")).agg(pl.col(cost).sum()).sort("x_project").rows() == by_project


def test_what_a_split_allocates_is_what_it_takes_in_every_cost_column(ran: Path) -> None:
    rows = exported(ran, "1.4").filter(pl.col("AllocatedMethodId").is_not_null())
    assert set(rows.get_column("AllocatedMethodId")) == {"support by agreement", "atlas gives to orion"}
    for cost in COSTS:
        per_split = rows.group_by("AllocatedMethodId").agg(pl.col(cost).sum())
        assert set(per_split.get_column(cost)) == {Decimal(0)}


def test_a_share_names_its_receiver_and_its_ratio(ran: Path) -> None:
    rows = exported(ran, "1.3").filter(pl.col("AllocatedMethodId") == "support by agreement")
    share = rows.filter((pl.col("AllocatedResourceId") == "project=orion") & (pl.col("ChargeCategory") == "Usage"))
    (one,) = share.to_dicts()
    assert one["EffectiveCost"] == Decimal("33.333333333333")
    assert json.loads(one["AllocatedTags"])["project"] == "orion"
    (element,) = json.loads(one["AllocatedMethodDetails"])["Elements"]
    assert (element["x_Weight"], element["x_TotalWeight"]) == ("1", "3")
    assert abs(element["AllocatedRatio"] - 1 / 3) < 1e-12


def test_before_the_columns_existed_they_have_names_of_our_own(ran: Path) -> None:
    rows = exported(ran, "1.2")
    assert not set(ALLOCATED) & set(rows.columns)
    assert rows.get_column("x_AllocatedMethodId").drop_nulls().len()


def test_what_nobody_split_names_no_method(ran: Path) -> None:
    rows = exported(ran, "1.4")
    own = rows.filter(pl.col("x_project") == "orion", pl.col("AllocatedMethodId").is_null())
    assert own.get_column("EffectiveCost").to_list() == [Decimal(7)]
    assert own.get_column("AllocatedTags").to_list() == [None]
