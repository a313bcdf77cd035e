"""Which resources growth comes from: the five largest by name, all others in one row, and the sum is the change."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
from detection_worlds import cost, daily, every_day, mark
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.detection import compared_days, contributors, detect_growth, growth, subjects_of
from schemas.detection import Watermark
from schemas.money import add
from schemas.workspace import Growth

SEP, OCT = date(2026, 9, 1), date(2026, 10, 1)
MARKS = {"nimbus": mark(date(2026, 10, 31), SEP), "cirrus": mark(date(2026, 10, 12), SEP)}


def by_resource(rows: list[dict[str, Any]], marks: dict[str, Watermark]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Growth rows and contributors of costs that name a resource; what the ledger would sum is summed here."""
    schema = {**daily().schema, "ResourceId": pl.String()}
    costs = pl.DataFrame([{"ResourceId": None, **row} for row in rows], schema=schema)
    grown = growth(costs.drop("ResourceId"), marks, Growth(), subjects_of())
    laid = compared_days(costs, marks, grown)
    joined = costs.filter(ChargeCategory="Usage").join(laid.frame, on="source")
    joined = joined.filter(pl.col("usage_date").is_between("first", "last"))
    now = pl.col("month") == pl.col("data_month")
    keys = ["month", "source", "BillingCurrency", "project", "stage", "experiment", "owner", "ServiceName"]
    keys += ["cost_element", "ResourceId"]
    usage = joined.group_by(keys).agg(
        pl.lit(None, pl.String()).alias("ResourceName"),
        *(pl.col("EffectiveCost").filter(side).sum().alias(name) for name, side in (("cost", now), ("previous", ~now))),
    )
    return grown, contributors(grown, usage, laid)


def node(name: str | None, before: str, now: str, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    rows = [*every_day(SEP, date(2026, 9, 30), before, **more), *every_day(OCT, date(2026, 10, 31), now, **more)]
    return [row | {"ResourceId": name} for row in rows if row["EffectiveCost"]]


def test_five_are_named_and_all_others_are_one_row() -> None:
    nodes = [node(f"node-{place}", "10", str(10 + place)) for place in range(8)]
    grown, parts = by_resource([row for rows in nodes for row in rows], MARKS)
    assert parts.select("rank", "ResourceId", "change").rows() == [
        *((rank, f"node-{8 - rank}", Decimal(31 * (8 - rank))) for rank in range(1, 6)),
        (6, None, Decimal(31 * 3)),
    ]
    assert parts.select("cost", "previous").rows() == [
        *((Decimal(31 * (10 + place)), Decimal(300)) for place in (7, 6, 5, 4, 3)),
        (Decimal(31 * (30 + 3)), Decimal(900)),
    ]
    evidence = detect_growth(grown, parts).row(0, named=True)["evidence"]
    assert "Most of it by node-7 (+217.00), node-6 (+186.00)," in evidence


def test_a_resource_that_fell_is_not_named_as_a_cause() -> None:
    grown, parts = by_resource([*node("down", "90", "10"), *node("up", "10", "200"), *node(None, "1", "2")], MARKS)
    assert parts.get_column("ResourceId").to_list() == ["up", None, "down", None]
    assert "Most of it by up (+5,890.00)." in detect_growth(grown, parts).row(0, named=True)["evidence"]


def test_a_resource_that_stands_still_is_not_named_and_the_least_rise_is() -> None:
    rows = [*node("up", "10", "200"), *node("flat", "10", "10"), *node("least", "10", "10")]
    rows += [cost(OCT, "0.000000000001") | {"ResourceId": "least"}]
    grown, parts = by_resource(rows, MARKS)
    assert "Most of it by up (+5,890.00), least (0.00)." in detect_growth(grown, parts).row(0, named=True)["evidence"]


def test_causes_of_the_newest_two_months_are_asked_and_of_one_source_all_its_rows() -> None:
    first = date(2026, 8, 1)
    months = [(first, 10), (SEP, 30), (OCT, 90), (date(2026, 11, 1), 270)]
    rows = [cost(month.replace(day=day), str(a_day)) | {"ResourceId": "a"} for month, a_day in months
            for day in range(1, 29)]  # fmt: skip
    marks = {"nimbus": mark(date(2026, 11, 30), first)}
    _, parts = by_resource(rows, marks)
    assert sorted(parts.get_column("month").unique()) == [OCT, date(2026, 11, 1)]
    both = [*node("a", "10", "20"), *node("a", "10", "20", source="cirrus")]
    _, parts = by_resource(both, {"nimbus": mark(date(2026, 10, 31), SEP), "cirrus": mark(date(2026, 10, 31), SEP)})
    assert parts.filter(ResourceId="a").select("cost", "previous", "change").rows() == [(1240, 600, 620)]


def test_only_causes_are_asked() -> None:
    _, parts = by_resource([*node("up", "10", "200"), *node("flat", "10", "10", project="vega", stage="sft")], MARKS)
    assert set(parts.get_column("subject")) == {"project=orion stage=pretraining"}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 41), st.integers(1, 10**17), st.sampled_from(("a", "b", "c", "d", "e", "f", "g", None)),
            st.sampled_from(("nimbus", "cirrus")), st.sampled_from(("orion", "vega")),
        ),
        min_size=1, max_size=25,
    )
)  # fmt: skip
def test_contributors_sum_to_the_change(found: list[tuple[int, int, str | None, str, str]]) -> None:
    rows = [
        cost(date.fromordinal(SEP.toordinal() + day), str(Decimal(units).scaleb(-12)), source=source, project=project)
        | {"ResourceId": name}
        for day, units, name, source, project in found
    ]
    grown, parts = by_resource(rows, MARKS)
    for key, mine in parts.group_by("kind", "subject", "month", "BillingCurrency"):
        names = dict(zip(("kind", "subject", "month", "BillingCurrency"), key, strict=True))
        assert add(*mine.get_column("change")) == grown.filter(**names).item(0, "change")
