"""Detectors of utilization: five cases that fire, five near misses, and missing metrics, of each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from detection_worlds import LAST, billed, metric, thing, utilization
from waste_cases import FEWEST, SECOND, SEPTEMBER, Change, Near, around, days_ago, findings_of

WINDOW = (date(2026, 10, 26), LAST)
YOUNG = days_ago(14) + SECOND


def measured(*metrics: tuple[str, float], peak: float | None = None, days: int = 14, of: str = "r-1") -> list[Any]:
    first = LAST - timedelta(days=days - 1)
    return [row for name, value in metrics for row in metric(of, name, value, first, LAST, maximum=peak)]


def metrics(*groups: list[Any]) -> Any:  # noqa: ANN401 - a frame
    return utilization(*groups)


def quiet(detector: str, kind: str, name: str, line: float) -> Near:
    """A thing judged by one metric that must stay below a line."""

    def of(value: float, **more: Any) -> Change:  # noqa: ANN401
        return {"utilization": metrics(measured((name, value), **more))}

    just = line * 0.999
    return Near(
        detector,
        around(kind, state="active", utilization=metrics(measured((name, 0.0)))),
        ({}, of(just), of(0.0, days=12), of(0.0, days=60), {"cost": "1"}, {"created_at": days_ago(14)}),
        (
            of(line),
            {"utilization": metrics(measured((name, 0.0)), metric("r-1", name, line, LAST, LAST))},
            *([of(0.0, peak=line)] if name != "network_bytes" else []),
            {"cost": "0.99"},
            {"created_at": YOUNG},
            {"state": "stopped"},
            {"bill": {"month": SEPTEMBER}},
        ),
        (of(0.0, days=11), {"utilization": metrics()}, {"utilization": metrics(measured(("gpu_memory_percent", 0.0)))}),
    )


def at_peak(cpu: float, traffic: float = 9e9, **more: Any) -> Change:  # noqa: ANN401
    rows = measured(("cpu_percent", cpu), ("network_bytes", traffic), ("connections", traffic))
    return {"utilization": metrics(rows, **more)}


SMALL = billed("s-1", "100", SkuMeter="BoxUsage:c6i.8xlarge", ConsumedUnit="Hrs", ConsumedQuantity=100.0)
BIG = {"SkuMeter": "BoxUsage:c6i.16xlarge", "ConsumedUnit": "Hrs", "ConsumedQuantity": 160.0}
GPU_SMALL = billed("s-1", "100", SkuMeter="node l40s-4x", ConsumedUnit="Hours", ConsumedQuantity=100.0)
GPU_BIG = {"SkuMeter": "node l40s-8x", "ConsumedUnit": "Hours", "ConsumedQuantity": 160.0}
DB_SMALL = billed(
    "s-1", "100", SkuMeter="InstanceUsage:db.r6g.xlarge", ConsumedUnit="Hrs", ConsumedQuantity=100.0,
    cost_element="database",
)  # fmt: skip
DB_BIG = {
    "SkuMeter": "InstanceUsage:db.r6g.2xlarge", "ConsumedUnit": "Hrs", "ConsumedQuantity": 160.0,
    "cost_element": "database",
}  # fmt: skip


def sized(detector: str, kind: str, own: dict[str, Any], small: Any) -> Near:  # noqa: ANN401
    other_family = small | {"SkuMeter": small["SkuMeter"].replace("6", "7")}
    dear = small | {"EffectiveCost": Decimal(200)}
    return Near(
        detector,
        around(kind, gpus=0.0, bill=own, bills=[small], utilization=at_peak(40.0)["utilization"]),
        ({}, at_peak(5.0), at_peak(5.0, 0.9), at_peak(0.0), {"utilization": metrics(measured(("cpu_percent", 1.0)))},
         {"cost": "161"}, {"created_at": days_ago(14)}, {"region": "elsewhere"}),
        (
            at_peak(40.1), at_peak(4.9, 0.9), {"bills": []}, {"bills": [other_family]}, {"bills": [dear]},
            {"created_at": YOUNG}, {"bill": own | {"RegionId": "elsewhere"}},
            {"bills": [small | {"PricingCategory": "Dynamic"}]},
        ),
        ({"utilization": metrics(measured(("cpu_percent", 30.0), days=11))}, {"utilization": metrics()}),
    )  # fmt: skip


def gpus(gpu: float, memory: float | None = None, **more: Any) -> Change:  # noqa: ANN401
    rows = [("gpu_percent", gpu)] + ([("gpu_memory_percent", memory)] if memory is not None else [])
    return {"utilization": metrics(measured(*rows, **more))}


def node(name: str, **more: Any) -> Any:  # noqa: ANN401
    return thing(name, "node", **{"attached_to": "r-1", "gpus": 8.0, "created_at": days_ago(90)} | more)


NODES = [node("n-1"), node("n-2")]
BILLS = [billed("n-1", "70"), billed("n-2", "80")]


def two(first: float, second: float | None) -> Change:
    rows = [measured(("gpu_percent", first), of="n-1")]
    return {
        "utilization": metrics(*rows, *([measured(("gpu_percent", second), of="n-2")] if second is not None else []))
    }


def group(detector: str, kind: str, *more_fires: Change) -> Near:
    return Near(
        detector,
        around(kind, others=NODES, bills=BILLS, **two(0.1, 0.2)),
        ({}, two(4.9, 0.0), {"created_at": days_ago(14)}, {"others": [*NODES, node("n-3", state="stopped")]},
         {"others": [NODES[0]]}, *more_fires),
        (
            two(0.1, 5.0), two(60.0, None), {"created_at": YOUNG}, {"state": "deleted"},
            {"others": [*NODES, node("n-3")], "utilization": metrics(
                *(measured(("gpu_percent", value), of=name) for name, value in (("n-1", 0), ("n-2", 0), ("n-3", 9))))},
        ),
        (two(0.1, None), {"others": []}, {"others": [*NODES, node("n-3")]}),
    )  # fmt: skip


UTILIZATION = (
    quiet("idle_database", "database", "connections", 1.0),
    quiet("idle_endpoint", "endpoint", "requests", 1.0),
    quiet("idle_load_balancer", "load-balancer", "requests", 1.0),
    quiet("idle_gateway", "NAT gateway", "network_bytes", 1_000_000.0),
    quiet("idle_volume", "volume", "disk_ops", 1.0),
    quiet("idle_notebook", "notebook", "cpu_percent", 5.0),
    group("idle_cluster", "cluster", {"cost": "none"}),
    group("idle_reservation", "capacity-reservation", {"cost": "1"}),
    sized("oversized_machine", "instance", BIG, SMALL),
    sized("oversized_database", "database", DB_BIG, DB_SMALL),
    Near(
        "underused_gpu",
        around("node", gpus=8.0, **gpus(29.9, 49.9)),
        ({}, gpus(5.0, 0.0), gpus(29.9, 49.9, peak=29.9), {"cost": "1"}, {"created_at": days_ago(14)}),
        (
            gpus(30.0, 10.0), gpus(10.0, 50.0), gpus(10.0, 10.0, peak=50.0), gpus(4.9, 4.9), {"cost": "0.99"},
            {"created_at": YOUNG}, {"gpus": 0.0},
        ),
        (gpus(20.0), {"utilization": metrics(measured(("cpu_percent", 10.0)))}, gpus(20.0, 10.0, days=11)),
    ),
    Near(
        "underused_machine",
        around("instance", gpus=0.0, **at_peak(19.9)),
        ({}, at_peak(5.0), at_peak(19.9), {"cost": "1"}, {"created_at": days_ago(14)}),
        (
            at_peak(20.0), {"gpus": 8.0}, {"cost": "0.99"}, {"created_at": YOUNG},
            {"utilization": metrics(measured(("cpu_percent", 1.0), ("network_bytes", 1.0)))},
            {"bill": BIG, "bills": [SMALL]},
        ),
        ({"utilization": metrics(measured(("cpu_percent", 19.0), days=11))}, {"utilization": metrics()}),
    ),
)  # fmt: skip


def test_every_detector_has_its_cases() -> None:
    for one in UTILIZATION:
        assert min(len(one.fires), len(one.spares)) >= FEWEST, one.kind


@pytest.mark.parametrize(
    ("gpu", "memory", "found"), [(40.0, 40.0, 1), (40.1, 1.0, 0), (10.0, 40.1, 0), (10.0, None, 0)]
)
def test_a_gpu_machine_is_sized_by_gpus_and_their_memory(gpu: float, memory: float | None, found: int) -> None:
    make = around("node", gpus=8.0, bill=GPU_BIG, bills=[GPU_SMALL], **gpus(gpu, memory))
    rows = [row for row in findings_of(make(), "oversized_machine") if row["verdict"] == "finding"]
    assert len(rows) == found
    for row in rows:
        # 320 for 160 hours are 2 an hour, and the smaller one was billed at 1.
        assert (row["cost_at_stake"], row["saving"]) == (Decimal(320), Decimal(160))
        assert "l40s-4x would do, at 1.0000 instead of 2.0000 USD an hour as billed" in row["evidence"]


@pytest.mark.parametrize(
    ("average", "peak", "confidence"), [(0.4, None, "low"), (0.0, None, "high"), (0.4, 0.9, "high")]
)
def test_averages_alone_are_less_sure_of_what_nobody_uses(average: float, peak: float | None, confidence: str) -> None:
    make = around("database", utilization=metrics(measured(("connections", average), peak=peak)))
    assert [row["confidence"] for row in findings_of(make(), "idle_database")] == [confidence]


def test_a_notebook_with_gpus_must_show_them_idle() -> None:
    quiet_cpu: tuple[Callable[..., Any], list[Any]] = (around("notebook", gpus=1.0), measured(("cpu_percent", 1.0)))
    make, rows = quiet_cpu
    for gpu, expected in ((None, ["undetermined"]), (4.9, ["finding"]), (5.0, [])):
        more = measured(("gpu_percent", gpu)) if gpu is not None else []
        found = findings_of(make(utilization=metrics(rows, more)), "idle_notebook")
        assert [row["verdict"] for row in found] == expected


def test_an_idle_cluster_costs_what_its_nodes_cost_and_saves_nothing_beside_them() -> None:
    make = around("cluster", others=NODES, bills=BILLS, **two(0.1, 0.2))
    (row,) = findings_of(make(), "idle_cluster")
    assert (row["cost_at_stake"], row["saving"]) == (Decimal(470), None)
