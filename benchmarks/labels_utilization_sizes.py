"""Labels of machines and databases larger than their work; each case has a region, so that sizes do not mix."""

from __future__ import annotations

from datetime import date
from typing import Any

from label_shapes import MACHINE_KINDS, How, Row, ago, each, measure, thing
from label_world import Expected, World
from labels_bill import BOX, DATABASE, P5
from labels_utilization import BUSY_BOX, IDLE_BOX, IDLE_GPU, Loads

OLD: Row = {"created_at": ago(200), "state": "running"}
SIZES = {
    "box": (BOX.replace("m6i.large", "m6i.2xlarge"), BOX.replace("m6i.large", "m6i.xlarge"), BOX),
    "gpu": (
        BOX.replace("m6i.large", "g5.48xlarge"),
        BOX.replace("m6i.large", "g5.24xlarge"),
        BOX.replace("m6i.large", "g5.12xlarge"),
    ),
    "db": (DATABASE.replace("large", "2xlarge"), DATABASE.replace("large", "xlarge"), DATABASE),
}
Sized = tuple[str, Loads, str, dict[str, Any], Expected]


def _place(  # noqa: PLR0917 - a row of a table
    w: World, what: str, loads: Loads, other: str, how: dict[str, Any], kind: str, expected: Expected,
) -> None:  # fmt: skip
    """The large one, and another size beside it: `smaller`, `smallest`, `elsewhere`, `family` or none."""
    large, smaller, smallest = SIZES[what]
    region, gpus = w.new("region"), {"gpus": "8"} if what == "gpu" else {}
    resource_type = "database" if what == "db" else "instance"
    meters = {"smallest": smallest, "family": large.replace("m6i.2x", "c6i.x").replace("r6g.2x", "m6g.x")}
    subject = thing(w, "i", resource_type, large, OLD | gpus | {"region": region} | how.get("row", {}),
                    {"a_day": "12", "RegionId": region} | how.get("bill", {}))  # fmt: skip
    measure(w, subject, loads, **how.get("measured", {}))
    if other:
        meter = meters.get(other, smaller)
        home = w.new("region") if other == "elsewhere" else region
        fewer = {"gpus": "4"} if what == "gpu" else {}
        beside = thing(w, "i", resource_type, meter, OLD | fewer | {"region": home},
                       {"a_day": how.get("beside", "6"), "RegionId": home})  # fmt: skip
        busy: Loads = BUSY_BOX | ({"gpu_percent": ("80", "99"), "gpu_memory_percent": ("80", "99")} if fewer else {})
        measure(w, beside, busy)
    each(w, kind, subject, expected, (what, loads, other, how), *MACHINE_KINDS, "idle_database")


def oversized(w: World) -> None:
    """80 % of the next smaller size are 40 % where it is half as large, 20 % where it is a quarter."""
    short: dict[str, Any] = {"measured": {"skip": (5, 9, 12)}}
    shared: list[tuple[str, str, dict[str, Any], Expected]] = [
        ("40", "smaller", {}, "waste"), ("4", "smaller", {}, "waste"),
        ("22", "smaller", {"measured": {"skip": (5, 9)}}, "waste"),
        ("33", "smaller", {"row": {"created_at": ago(14)}}, "waste"),
        ("33", "smaller", {"bill": {"october": "1.00"}, "beside": "0.01"}, "waste"), ("20", "smallest", {}, "waste"),
        ("39.9", "smaller", {"measured": {"odd": {16: {"cpu_percent": ("30", "99")}}}}, "waste"),
        ("40.1", "smaller", {}, "near"), ("21", "smallest", {}, "near"), ("25", "", {}, "near"),
        ("25", "elsewhere", {}, "near"), ("25", "family", {}, "near"),
        ("25", "smaller", {"measured": {"odd": {1: {"cpu_percent": ("30", "99")}}}}, "near"),
        ("25", "smaller", {"measured": {"odd": {14: {"cpu_percent": ("30", "99")}}}}, "near"),
        ("25", "smaller", {"row": {"created_at": ago(13)}, "bill": {"first": date(2026, 10, 28)},
                           "measured": {"days": range(1, 14)}}, "near"),
        ("25", "smaller", {"bill": {"october": "0.99"}, "beside": "0.01"}, "near"),
        ("25", "smaller", short, "missing"), ("", "smaller", {}, "missing"),
    ]  # fmt: skip
    for what, kind in (("box", "oversized_machine"), ("db", "oversized_database")):
        for peak, other, how, expected in shared:
            loads: Loads = {"cpu_percent": ("3", peak), "network_bytes": ("900000000", "900000000"),
                            "connections": ("12", "30")}  # fmt: skip
            _place(w, what, loads if peak else {"connections": ("12", "30")}, other, how, kind, expected)
    rest: Loads = {"cpu_percent": ("3", "4"), "network_bytes": ("4999999", "4999999"), "connections": ("0.9", "0.9")}
    for what, kind in (("box", "oversized_machine"), ("db", "oversized_database")):
        _place(w, what, rest, "smaller", {}, kind, "near")
    for gpu, memory, expected in (
        ("40", "40", "waste"), ("20", "20", "waste"), ("40.1", "12", "near"), ("12", "40.1", "near"),
        ("30", "", "missing"), ("", "9", "missing"),
    ):  # fmt: skip
        loads = {"cpu_percent": ("3", "9")} | ({"gpu_percent": ("11", gpu)} if gpu else {})
        loads |= {"gpu_memory_percent": ("11", memory)} if memory else {}
        _place(w, "gpu", loads, "smaller", {}, "oversized_machine", expected)  # type: ignore[arg-type]
    for peak, expected in (("20", "waste"), ("20.1", "near")):  # a quarter by its name, though half of its GPUs
        loads = {"gpu_percent": ("11", peak), "gpu_memory_percent": ("11", peak)}
        _place(w, "gpu", loads, "smallest", {}, "oversized_machine", expected)  # type: ignore[arg-type]


def underused(w: World) -> None:
    """Machines that work, and far below their power."""
    cases: list[tuple[str, Loads, Loads, Loads]] = [
        ("underused_machine", {"cpu_percent": ("19.9", "19.9"), "network_bytes": ("900000000", "900000000")},
         {"cpu_percent": ("20", "20")}, {"cpu_percent": ("12", "20")}),
        ("underused_gpu", {"gpu_percent": ("29.9", "29.9"), "gpu_memory_percent": ("49.9", "49.9")},
         {"gpu_percent": ("12", "30")}, {"gpu_memory_percent": ("12", "50")}),
    ]  # fmt: skip
    for kind, low, busy, also_busy in cases:
        gpu = kind == "underused_gpu"
        idle = IDLE_GPU if gpu else IDLE_BOX
        blank: Loads = {"cpu_percent": ("9", "10")} if gpu else {"network_bytes": ("9000000", "9000000")}
        shared: list[tuple[Loads, Row, How, dict[str, Any], Expected]] = [
            (low, {}, {}, {}, "waste"), (low, {}, {}, {"skip": (5, 9)}, "waste"),
            (low, {"created_at": ago(14)}, {}, {}, "waste"), (low, {}, {"october": "1.00"}, {}, "waste"),
            (low, {}, {}, {"odd": {16: busy}}, "waste"),
            (idle | ({"gpu_percent": ("12", "20")} if gpu else {"network_bytes": ("9000000", "9000000")}),
             {}, {}, {}, "waste"),
            (low, {}, {}, {"odd": {14: busy}}, "near"), (low, {}, {}, {"odd": {1: busy}}, "near"),
            (low, {}, {}, {"odd": {3: also_busy}}, "near"),
            (low | busy, {}, {}, {}, "near"), (idle, {}, {}, {}, "near"), (low, {}, {"october": "0.99"}, {}, "near"),
            (low, {"created_at": ago(13)}, {"first": date(2026, 10, 28)}, {"days": range(1, 14)}, "near"),
            (low, {}, {}, {"skip": (5, 9, 12)}, "missing"), (blank, {}, {}, {}, "missing"),
        ]  # fmt: skip
        for loads, row, how, measured, expected in shared:
            gpus = {"gpus": "8"} if gpu else {}
            one = thing(w, "i", "instance", P5 if gpu else BOX, OLD | gpus | row, how)
            measure(w, one, loads, **measured)
            each(w, kind, one, expected, (loads, row, how, measured), "idle_by_utilization", "gpu_node_without_trace")
        if not gpu:
            _place(w, "box", low, "smaller", {}, kind, "near")
    one = thing(w, "i", "instance", P5, OLD | {"gpus": "8"}, {})
    measure(w, one, {"gpu_percent": ("12", "20")})
    each(w, "underused_gpu", one, "missing", "nobody measured the memory of its GPUs", *MACHINE_KINDS)


GROUPS: tuple[Any, ...] = (oversized, underused)
