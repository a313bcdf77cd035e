"""One cause is one finding: which of several subjects of the same growth speaks, and which limits hold for whom."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily, every_day, mark

from attribution.detection import check_subjects, detect_growth, growth, subjects_of
from schemas.detection import daily_columns
from schemas.faults import InputError
from schemas.workspace import Growth, GrowthOverride

SEP, OCT = date(2026, 9, 1), date(2026, 10, 1)
END = {SEP: date(2026, 9, 30), OCT: date(2026, 10, 31)}
MARKS = {"nimbus": mark(END[OCT], SEP)}


def grew(before: str, now: str, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any column
    return [*every_day(SEP, END[SEP], before, **more), *every_day(OCT, END[OCT], now, **more)]


def rows(*groups: list[dict[str, Any]], thresholds: Growth | None = None) -> pl.DataFrame:
    found = growth(daily(*groups), MARKS, thresholds or Growth(), subjects_of())
    return found.filter(pl.col("month") == OCT)


def told(*groups: list[dict[str, Any]], thresholds: Growth | None = None) -> list[str]:
    found = detect_growth(growth(daily(*groups), MARKS, thresholds or Growth(), subjects_of()))
    return found.get_column("subject").to_list()


def test_subjects_of_the_same_money_are_one_finding_with_the_longest_name() -> None:
    world = (grew("100", "200", experiment="run-1"), grew("50", "50", project="vega", stage="sft", owner="omar"))
    found = rows(*world)
    fired = found.filter(pl.col("verdict") == "finding")
    assert fired.height == 7
    assert fired.filter(pl.col("explained_by").is_null()).get_column("subject").to_list() == [
        "project=orion stage=pretraining"
    ]
    finding = detect_growth(growth(daily(*world), MARKS, Growth(), subjects_of())).row(0, named=True)
    assert finding["evidence"].endswith(
        "The same growth is in cost_element=compute, experiment=run-1, owner=lin, project=orion, service=Compute and 1 "
        "more."
    )


@pytest.mark.parametrize(("part", "explained"), [("80.000", True), ("79.999", False)])
def test_a_lower_subject_explains_a_higher_one_from_four_fifths_of_its_growth(part: str, *, explained: bool) -> None:
    rest = str(Decimal(100) - Decimal(part))
    world = (
        grew("20", str(Decimal(20) + Decimal(part)), stage="pretraining"),
        grew("100", str(Decimal(100) + Decimal(rest)), stage="serving", owner="omar"),
    )
    project = rows(*world).filter(pl.col("subject") == "project=orion").row(0, named=True)
    assert project["verdict"] == "finding"
    assert (project["explained_by"] is not None) == explained


def test_two_causes_explain_their_sum_and_both_are_told() -> None:
    world = (grew("10", "60", owner="lin"), grew("10", "60", owner="omar", stage="sft"))
    project = rows(*world).filter(pl.col("subject") == "project=orion").row(0, named=True)
    assert project["explained_by"] == "project=orion stage=pretraining; project=orion stage=sft"
    assert told(*world) == ["project=orion stage=pretraining", "project=orion stage=sft"]


def test_where_more_than_three_parts_of_one_owner_grow_their_whole_is_the_cause() -> None:
    def world(parts: int) -> list[list[dict[str, Any]]]:
        return [grew("10", "60", experiment=f"run-{number}") for number in range(parts)]

    assert told(*world(4)) == ["project=orion stage=pretraining"]
    assert told(*world(3)) == ["experiment=run-0", "experiment=run-1", "experiment=run-2"]


def refunded(amount: str = "-3000.01", **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any column
    return [*grew("100", "100", **more), cost(date(2026, 9, 20), amount, **more)]


def test_a_base_below_zero_is_one_finding_and_explains_what_is_above_it() -> None:
    world = (refunded(), grew("60", "60", project="vega", owner="omar"))
    service = rows(*world).filter(pl.col("subject") == "service=Compute").row(0, named=True)
    assert service["verdict"] == "finding"
    assert told(*world) == ["project=orion stage=pretraining"]


def test_a_base_below_zero_does_not_speak_for_parts_that_grew() -> None:
    parts = [grew("10", "60", stage=f"stage-{number}") for number in range(4)]
    verdicts = dict(
        detect_growth(growth(daily(*parts, refunded("-9000", stage="sft")), MARKS, Growth(), subjects_of()))
        .select("subject", "verdict")
        .iter_rows()
    )
    assert {f"project=orion stage=stage-{number}" for number in range(4)} <= set(verdicts)


def test_a_base_below_zero_does_not_explain_a_part_of_itself() -> None:
    world = [grew("0", "40", stage="sft"), refunded("-4000", stage="serving")]
    found = detect_growth(growth(daily(*world), MARKS, Growth(), subjects_of()))
    assert "project=orion stage=sft" in found.get_column("subject").to_list()


def test_what_is_one_owners_is_told_to_that_owner() -> None:
    dear = [grew("100", "150", owner=owner, project=f"p-{owner}", stage="sft") for owner in ("lin", "omar")]
    owners = {row.split("=")[1].split(" ")[0] for row in told(*dear)}
    assert owners == {"p-lin", "p-omar"}


def test_a_new_subject_and_its_running_month_are_one_finding() -> None:
    world = daily(
        every_day(date(2026, 9, 1), date(2026, 11, 5), "1.00", project="vega", stage="sft", owner="omar"),
        every_day(date(2026, 10, 4), date(2026, 11, 5), "90.00"),
    )
    found = detect_growth(growth(world, {"nimbus": mark(date(2026, 11, 5), SEP)}, Growth(), [("project",)]))
    assert found.select("kind", "month").rows() == [("new", OCT)]


def test_limits_may_differ_by_value_and_the_one_with_most_values_holds() -> None:
    world = (grew("10", "14"), grew("10", "14", project="vega", stage="sft", owner="omar"))
    loose = GrowthOverride({"project": "vega"}, threshold=Decimal("0.5"))
    orion = "project=orion stage=pretraining"
    assert told(*world, thresholds=Growth(overrides=(loose,))) == [orion], "what vega may grow alarms nobody else"
    tight = GrowthOverride({"project": "vega", "stage": "sft"}, minimum=Decimal(10), threshold=Decimal("0.1"))
    both = told(*world, thresholds=Growth(overrides=(tight, loose)))
    assert both == [orion, "project=vega stage=sft"]
    dear = GrowthOverride({"owner": "omar"}, minimum=Decimal(125))
    assert "project=vega stage=sft" not in told(*world, thresholds=Growth(overrides=(dear,)))
    exactly = GrowthOverride({"owner": "omar"}, minimum=Decimal(124))
    assert "project=vega stage=sft" in told(*world, thresholds=Growth(overrides=(exactly,)))


def test_regions_and_accounts_are_subjects_where_asked_for() -> None:
    more = [("region",), ("account", "service")]
    assert check_subjects(Growth(subjects=tuple(more))) == ("RegionId", "SubAccountId")
    schema = daily_columns() | dict.fromkeys(("RegionId", "SubAccountId"), pl.String())
    days = [cost(day, amount, RegionId=None, SubAccountId="77") for day, amount in ((SEP, "300"), (OCT, "620"))]
    found = growth(pl.DataFrame(days, schema=schema), MARKS, Growth(), more)
    assert found.filter(pl.col("month") == OCT).get_column("subject").to_list() == [
        "account=77 service=Compute", "region=(none)",
    ]  # fmt: skip


def test_a_subject_of_unknown_columns_is_a_mistake_with_a_hint() -> None:
    wrong = Growth(subjects=(("regoin",),), overrides=(GrowthOverride({"projekt": "x"}, minimum=Decimal(1)),))
    with pytest.raises(InputError) as caught:
        check_subjects(wrong)
    assert [fault.what for fault in caught.value.faults] == [
        'nothing is called "regoin"',
        'nothing is called "projekt"',
    ]
    assert "region" in str(caught.value)
