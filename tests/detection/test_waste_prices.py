"""What GPU time costs: by hours and GPUs that were billed, between the first and the last day of the bill."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
from detection_worlds import LAST, billed, metric, thing
from test_waste_training import BILLS, HOURLY, NODE, OCTOBER, at, job, run, world
from waste_cases import findings_of

from attribution.detection.waste.estate import Estate
from attribution.detection.waste.prices import by_node, payers, priced
from schemas.workspace import Waste

HOUR = 3600


def paid(*bills: dict[str, Any], things: tuple[dict[str, Any], ...] = (NODE,)) -> list[tuple[Any, ...]]:
    """Units, capacity in GPU-hours, first and last instant of what was billed for n-1, by month."""
    estate = Estate(world(bills=bills, things=things), Waste().silent_days)
    rows = payers(estate, by_node()).filter(pl.col("payer") == "n-1").sort("month", "BillingCurrency").collect()
    return [
        (None if units is None else int(units) // 10**12, capacity / HOUR, opened, closed)
        for units, capacity, opened, closed in rows.select("units", "capacity", "opened", "closed").rows()
    ]


def test_capacity_is_the_hours_billed_times_the_gpus_and_no_more_than_all_hours() -> None:
    assert paid(*BILLS) == [
        (744, 744 * 8, at(10, 1), at(11, 1)), (192, 192 * 8, at(11, 1), at(11, 9)),
    ]  # fmt: skip
    twice = billed("n-1", "744", OCTOBER, last_day=date(2026, 10, 31), days=31, ConsumedQuantity=744.0, **HOURLY)
    assert paid(BILLS[0], twice) == [(1488, 744 * 8, at(10, 1), at(11, 1))], "two lines of the same hours"
    untimed = BILLS[0] | {"ConsumedUnit": "GB", "ConsumedQuantity": 5.0}
    assert paid(untimed) == [(744, 31 * 24 * 8, at(10, 1), at(11, 1))], "what counts no hours was there all day"
    few = BILLS[0] | {"ConsumedQuantity": 0.5}
    assert paid(few) == [(744, 4, at(10, 1), at(11, 1))]
    nothing = BILLS[0] | {"ConsumedQuantity": 0.0}
    assert paid(nothing) == [(744, 31 * 24 * 8, at(10, 1), at(11, 1))]
    assert paid(*BILLS[:1], things=()) == [(744, 0, at(10, 1), at(11, 1))], "nobody told how many GPUs it has"


def test_lines_of_a_node_reach_from_the_first_day_of_any_to_the_last() -> None:
    early = billed("n-1", "10", OCTOBER, first_day=date(2026, 10, 3), last_day=date(2026, 10, 9), days=7, **HOURLY)
    late = billed("n-1", "20", OCTOBER, first_day=date(2026, 10, 20), last_day=date(2026, 10, 29), days=10, **HOURLY)
    assert paid(early, late) == [(30, 10 * 24 * 8, at(10, 3), at(10, 30))]
    unknown = late | {"EffectiveCost": None}
    assert paid(early, unknown) == [(None, 10 * 24 * 8, at(10, 3), at(10, 30))]


def shares(*spans: tuple[str, Any, Any, float | None], bills: tuple[dict[str, Any], ...] = BILLS) -> dict[str, Any]:
    """What stretches of GPU time on n-1 cost."""
    estate = Estate(world(bills=bills), Waste().silent_days)
    schema = {"id": pl.String, "start": pl.Datetime("us", "UTC"), "end": pl.Datetime("us", "UTC"), "gpus": pl.Float64}
    frame = pl.DataFrame(spans, schema=schema, orient="row").lazy().with_columns(payer=pl.lit("n-1"))
    return dict(priced(frame, payers(estate, by_node())).select("id", "stake").collect().iter_rows())


def test_a_stretch_costs_its_part_of_what_was_paid_for_or_used() -> None:
    hour = timedelta(hours=1)
    assert shares(("a", at(11, 1), at(11, 1) + hour, 8.0)) == {"a": 1}
    assert shares(("a", at(11, 1), at(11, 1) + hour, 2.0)) == {"a": Decimal("0.25")}
    assert shares(("a", at(10, 31, 23), at(11, 1, 1), 8.0)) == {"a": 2}, "an hour of either month"
    assert shares(("a", at(11, 8, 23), at(11, 9, 5), 8.0)) == {"a": 1}, "what lies after the bill is not paid for"
    assert shares(("a", at(11, 10), at(11, 11), 8.0)) == {}
    assert shares(("a", at(11, 1), at(11, 1), 8.0), ("b", at(11, 1), None, 8.0), ("c", at(11, 1), at(11, 2), None)) == {
        "b": None, "c": None,
    }  # fmt: skip
    over = [(f"{name}", at(11, 1), at(11, 9), 16.0) for name in "ab"]
    assert shares(*over) == {"a": 96, "b": 96}, "more than there is: each its part of what all had"
    free = (BILLS[1] | {"EffectiveCost": Decimal(0)},)
    assert shares(("a", at(11, 1), at(11, 2), 8.0), bills=free) == {"a": 0}
    assert shares(("a", at(11, 1), at(11, 2), 8.0), bills=(BILLS[1] | {"EffectiveCost": None},)) == {"a": None}


def test_a_job_of_two_rows_is_one_from_the_first_start_to_the_last_end() -> None:
    bills = (*BILLS, *(one | {"ResourceId": "n-2"} for one in BILLS))
    things = (NODE, NODE | {"resource_id": "n-2"})
    first = job("r-1", start=at(11, 1), end=at(11, 3), state="FAILED", name=None, owner=None)
    second = job("r-1", resource_id="n-2", start=at(10, 31), end=at(11, 2), state="FAILED", owner="omar")
    for rows in ([first, second], [second, first]):
        (row,) = findings_of(world(jobs=rows, bills=bills, things=things), "failed_job")
        assert row["evidence"] == ("Job train of omar ended FAILED on 2026-11-03 after 768 GPU-hours, 96.00 USD.")
        assert row["owner"] == "omar"


def test_several_metrics_of_a_day_are_the_highest_of_them() -> None:
    days = (date(2026, 10, 26), LAST)
    for low, high, told in ((1.0, 4.0, True), (1.0, 60.0, False), (60.0, 1.0, False)):
        rows = [metric("m-1", "gpu_percent", value, *days) for value in (low, high)]
        bills = (billed("m-1", "9000", ResourceType="p5.48xlarge"),)
        made = world(bills=bills, things=(thing("m-1", "instance", gpus=8.0, created_at=at(1, 1)),), metrics=rows)
        assert bool(findings_of(made, "idle_by_utilization")) == told


def test_a_run_of_an_experiment_is_priced_by_what_the_experiment_pays() -> None:
    (row,) = findings_of(world(runs=[run(status="failed")]), "failed_run")
    assert (row["cost_at_stake"], row["month"]) == (48, OCTOBER)
