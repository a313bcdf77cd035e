"""Idle machines: each threshold from both sides, and what missing metrics do."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from detection_worlds import (
    AS_OF,
    BIRTH,
    LAST,
    WORLD,
    billed,
    inventory,
    mark,
    metered,
    metric,
    tag,
    tags,
    thing,
    told,
    utilization,
)

from attribution.detection import WasteInputs, detect_waste
from schemas.workspace import Waste

WINDOW = (date(2026, 10, 26), LAST)


def machine(*metrics: list[dict[str, Any]], **more: Any) -> WasteInputs:  # noqa: ANN401
    row = thing("m-1", "instance", **{"state": "running", "created_at": BIRTH, "gpus": 8.0} | more)
    return replace(
        WORLD,
        resources=inventory(row),
        costs=metered(billed("m-1", "9000")),
        utilization=utilization(*metrics),
    )


def verdicts(world: WasteInputs) -> list[str]:
    return [row["verdict"] for row in told(world, "idle_by_utilization")]


def test_a_gpu_machine_is_idle_by_its_gpus_whatever_its_processor_does() -> None:
    world = machine(metric("m-1", "gpu_percent", 0.3, *WINDOW), metric("m-1", "cpu_percent", 80.0, *WINDOW))
    (row,) = told(world, "idle_by_utilization")
    assert (row["verdict"], row["confidence"], row["cost_at_stake"]) == ("finding", "low", Decimal(9000))
    assert row["evidence"] == (
        "GPU machine, 14 days up to 2026-11-08: gpu_percent at most 0.3 on 14 days; its cost in 2026-10: 9,000.00 USD."
    )


@pytest.mark.parametrize("days", [14, 30, 60])
def test_what_is_at_stake_is_the_months_cost_however_long_was_looked(days: int) -> None:
    """Kind of case 86: a cost of 30 days taken for one of a day. DESIGN section 11 has the last complete month."""
    metrics = metric("m-1", "gpu_percent", 0.3, LAST - timedelta(days=days - 1), LAST)
    (row,) = told(machine(metrics), "idle_by_utilization")
    assert row["cost_at_stake"] == Decimal(9000)


def test_a_gpu_machine_without_gpu_metrics_is_undetermined_whatever_its_processor_does() -> None:
    for cpu in (1.0, 90.0):
        assert verdicts(machine(metric("m-1", "cpu_percent", cpu, *WINDOW))) == ["undetermined"]
    assert verdicts(machine()) == ["undetermined"]


@pytest.mark.parametrize(("gpu", "expected"), [(4.999, ["finding"]), (5.0, [])])
def test_the_threshold_of_gpus(gpu: float, expected: list[str]) -> None:
    assert verdicts(machine(metric("m-1", "gpu_percent", gpu, *WINDOW))) == expected


@pytest.mark.parametrize(("peak", "expected"), [(14.9, ["finding"]), (15.0, [])])
def test_a_short_job_a_day_is_no_idleness(peak: float, expected: list[str]) -> None:
    assert verdicts(machine(metric("m-1", "gpu_percent", 1.0, *WINDOW, maximum=peak))) == expected


@pytest.mark.parametrize(
    ("gpu", "peak", "memory", "confidence"),
    [
        (0.3, None, None, "low"), (0.3, 0.9, None, "medium"), (0.0, None, None, "medium"), (0.3, 0.9, 1.0, "high"),
        (0.3, None, 1.0, "low"), (0.0, None, 1.0, "high"),
    ],
)  # fmt: skip
def test_averages_alone_and_gpus_without_their_memory_are_less_sure(
    gpu: float, peak: float | None, memory: float | None, confidence: str
) -> None:
    rows = [] if memory is None else [metric("m-1", "gpu_memory_percent", memory, *WINDOW, maximum=memory)]
    (row,) = told(machine(metric("m-1", "gpu_percent", gpu, *WINDOW, maximum=peak), *rows), "idle_by_utilization")
    assert (row["verdict"], row["confidence"]) == ("finding", confidence)


def test_full_gpu_memory_is_use_and_empty_memory_makes_sure() -> None:
    gpu = metric("m-1", "gpu_percent", 0.0, *WINDOW)
    assert verdicts(machine(gpu, metric("m-1", "gpu_memory_percent", 70.0, *WINDOW))) == []
    (row,) = told(machine(gpu, metric("m-1", "gpu_memory_percent", 1.0, *WINDOW)), "idle_by_utilization")
    assert row["confidence"] == "high"


def test_one_busy_day_in_the_window_or_since_is_enough() -> None:
    idle = metric("m-1", "gpu_percent", 0.0, *WINDOW)
    for day, expected in (
        (WINDOW[0], []), (date(2026, 10, 25), ["finding"]), (date(2026, 11, 9), []), (date(2026, 11, 11), ["finding"]),
    ):  # fmt: skip
        assert verdicts(machine(idle, metric("m-1", "gpu_percent", 60.0, day, day))) == expected


@pytest.mark.parametrize(("first", "expected"), [(date(2026, 10, 28), "finding"), (date(2026, 10, 29), "undetermined")])
def test_four_days_of_five_must_be_observed(first: date, expected: str) -> None:
    # 12 of 14 days are 86 %, 11 are 79 %
    assert verdicts(machine(metric("m-1", "gpu_percent", 0.0, first, LAST))) == [expected]


@pytest.mark.parametrize(
    ("cpu", "network", "expected"),
    [
        (4.9, 4_999_999.0, ["finding"]),
        (5.0, 4_999_999.0, []),
        (4.9, 5_000_000.0, []),
        (4.9, None, ["undetermined"]),
        (5.0, None, []),
        (None, 4_999_999.0, ["undetermined"]),
    ],
)
def test_any_other_machine_is_judged_by_processor_and_network(
    cpu: float | None, network: float | None, expected: list[str]
) -> None:
    metrics = [("cpu_percent", cpu), ("network_bytes", network)]
    rows = [metric("m-1", name, value, *WINDOW) for name, value in metrics if value is not None]
    assert verdicts(machine(*rows, gpus=0.0)) == expected


def test_network_is_summed_over_its_samples() -> None:
    network = metric("m-1", "network_bytes", 20_000.0, *WINDOW)
    for samples, expected in ((249, ["finding"]), (250, [])):
        rows = [row | {"samples": samples} for row in network]
        assert verdicts(machine(metric("m-1", "cpu_percent", 1.0, *WINDOW), rows, gpus=0.0)) == expected


def test_a_machine_of_unknown_gpus_is_told_by_metrics_and_names() -> None:
    quiet = (metric("m-1", "cpu_percent", 1.0, *WINDOW), metric("m-1", "network_bytes", 1.0, *WINDOW))
    (row,) = told(machine(*quiet, gpus=None), "idle_by_utilization")
    assert (row["verdict"], row["confidence"]) == ("finding", "low")
    assert verdicts(machine(*quiet, gpus=None, name="p5.48xlarge")) == ["undetermined"]
    world = machine(*quiet, gpus=None)
    world = replace(world, costs=metered(billed("m-1", "9", ResourceType="h100-8x")))
    assert verdicts(world) == ["undetermined"]
    assert verdicts(machine(*quiet, metric("m-1", "gpu_percent", 50.0, *WINDOW), gpus=None)) == []


@pytest.mark.parametrize("state", ["stopped", "Deallocated", "terminated", "deleted"])
def test_a_machine_that_does_not_run_is_not_idle(state: str) -> None:
    assert verdicts(machine(metric("m-1", "gpu_percent", 0.0, *WINDOW), state=state)) == []


def test_a_young_machine_is_left_alone() -> None:
    idle = metric("m-1", "gpu_percent", 0.0, *WINDOW)
    assert verdicts(machine(idle, created_at=AS_OF - timedelta(days=14))) == ["finding"]
    assert verdicts(machine(idle, created_at=AS_OF - timedelta(days=14) + timedelta(microseconds=1))) == []


def test_the_window_ends_at_the_watermark_of_the_machines_source() -> None:
    world = machine(metric("m-1", "gpu_percent", 0.0, date(2026, 9, 17), date(2026, 9, 30)))
    behind = {"nimbus": mark(date(2026, 9, 30)), "cirrus": mark(LAST)}
    bill = billed("m-1", "9000", date(2026, 9, 1))
    (row,) = told(replace(world, watermarks=behind, costs=metered(bill)), "idle_by_utilization")
    assert (row["verdict"], row["month"]) == ("finding", date(2026, 9, 1))


def test_a_machine_no_bill_names_has_an_unknown_cost() -> None:
    world = replace(machine(metric("m-1", "gpu_percent", 0.0, *WINDOW)), costs=metered())
    (row,) = told(world, "idle_by_utilization")
    assert (row["cost_at_stake"], row["BillingCurrency"], row["owner"]) == (None, None, "unallocated")


def test_the_order_of_rows_changes_nothing() -> None:
    nobody: dict[str, Any] = {"project": "unallocated", "owner": "unallocated"}
    world = replace(
        machine(metric("m-1", "gpu_percent", 0.0, *WINDOW)),
        costs=metered(billed("m-1", "9"), billed("m-1", "3", owner="omar"), billed("a", "5", **nobody)),
        tags=tags(tag("ghost", "owner", "lin"), tag("ghost", "project", "orion")),
    )
    turned = replace(
        world,
        costs=world.costs.reverse(),
        tags=None if world.tags is None else world.tags.reverse(),
        utilization=None if world.utilization is None else world.utilization.reverse(),
    )
    assert detect_waste(world, Waste()).findings.equals(detect_waste(turned, Waste()).findings)
    assert detect_waste(world, Waste()).findings.height == 3
