"""Labels of what measurements show to be idle: thresholds, peaks, the window of 14 days, and days without a measure."""

from __future__ import annotations

from datetime import date
from typing import Any

from label_shapes import MACHINE_KINDS, How, Row, ago, each, measure, thing
from label_world import Expected, World
from labels_bill import BALANCER, BOX, DATABASE, NAT, NAT_BYTES, P5, UNITS, VOLUME, of
from labels_inventory import KUBERNETES, SERVING

OLD: Row = {"created_at": ago(200), "state": "running"}
NOTEBOOK = "Amazon SageMaker | | USE1-Notebk:ml.t3.medium | Hours | AI and Machine Learning"
RESERVED = "Nimbus Reservations | Reservation | Accelerator-Reservation | Hours | Compute"
Loads = dict[str, tuple[str, str]]
Case = tuple[Loads, Row, How, dict[str, Any], Expected]
IDLE_BOX: Loads = {"cpu_percent": ("4.9", "14.9"), "network_bytes": ("4999999", "4999999")}
IDLE_GPU: Loads = {"gpu_percent": ("4.9", "14.9"), "gpu_memory_percent": ("4.9", "14.9"), "cpu_percent": ("60", "90")}
BUSY_BOX: Loads = {"cpu_percent": ("62", "88"), "network_bytes": ("90000000000", "99000000000")}


def _cases(low: Loads, busy: list[Loads], blank: list[Loads]) -> list[Case]:
    """What every detector of measurements shares: `busy` are days that prove use, `blank` leave it unknown."""
    return [
        (low, {}, {}, {}, "waste"), (low, {}, {}, {"skip": (5, 9)}, "waste"),
        (low, {"created_at": ago(14)}, {}, {}, "waste"), (low, {}, {"october": "1.00"}, {}, "waste"),
        (low, {}, {"a_day": "90"}, {}, "waste"), (low, {}, {}, {"odd": {16: busy[0]}}, "waste"),
        *((low, {}, {}, {"odd": {3: one}}, "near") for one in busy), (low, {}, {}, {"odd": {14: busy[0]}}, "near"),
        (low, {}, {}, {"odd": {1: busy[0]}}, "near"),
        (low | busy[0], {}, {}, {}, "near"),
        (low, {"created_at": ago(13)}, {"first": date(2026, 10, 28)}, {"days": range(1, 14)}, "near"),
        (low, {}, {"october": "0.99"}, {}, "near"),
        (low, {}, {}, {"skip": (5, 9, 12)}, "missing"), (low, {}, {}, {"days": range(20, 41)}, "missing"),
        *((one, {}, {}, {}, "missing") for one in blank),
    ]  # fmt: skip


def used(w: World) -> None:
    """Databases, endpoints, notebooks, balancers, gateways and volumes that nobody uses."""
    on: Row = {"state": "in-use", "attached_to": "i-elsewhere"}
    note: Loads = {"cpu_percent": ("4.9", "4.9")}
    for kind, word, resource_type, sold, use, row, cases in (
        ("idle_database", "db", "database", DATABASE, "", {},
         _cases({"connections": ("0.9", "0.9")}, [{"connections": ("1", "1")}, {"connections": ("0.04", "1")}],
                [{"cpu_percent": ("1", "2")}])),
        ("idle_endpoint", "ep", "endpoint", SERVING, "", {},
         _cases({"requests": ("0", "0")}, [{"requests": ("1", "1")}, {"requests": ("0.04", "1")}],
                [{"cpu_percent": ("1", "2")}])),
        ("idle_load_balancer", "lb", "load balancer", BALANCER, UNITS, {},
         _cases({"requests": ("0", "0")}, [{"requests": ("1", "1")}, {"requests": ("0.04", "1")}],
                [{"network_bytes": ("1", "2")}])),
        ("idle_gateway", "nat", "nat gateway", NAT, NAT_BYTES, {},
         _cases({"network_bytes": ("999999", "999999")}, [{"network_bytes": ("1000000", "1000000")}],
                [{"requests": ("0", "0")}])),
        ("idle_volume", "vol", "volume", VOLUME, "", on,
         _cases({"disk_ops": ("0.9", "0.9")}, [{"disk_ops": ("1", "1")}, {"disk_ops": ("0.04", "1")}],
                [{"cpu_percent": ("1", "2")}])),
        ("idle_notebook", "nb", "notebook", NOTEBOOK, "", {},
         _cases(note, [{"cpu_percent": ("5.0", "5.0")}, {"cpu_percent": ("1", "5.0")}, note | {"connections": ("1",
          "1")}],
                [{"connections": ("0", "0")}])),
        ("idle_notebook", "nb", "notebook", NOTEBOOK, "", {"gpus": "1"},
         _cases(note | {"gpu_percent": ("4.9", "4.9")}, [{"gpu_percent": ("5.0", "5.0")}, {"gpu_percent": ("1",
          "5.0")}],
                [note, {"gpu_percent": ("0", "0")}])),
    ):  # fmt: skip
        for loads, more, how, measured, expected in cases:
            one = thing(w, word, resource_type, sold, OLD | row | more, how, use=use)
            measure(w, one, loads, **measured)
            each(w, kind, one, expected, (resource_type, loads, more, how, measured))


def machines(w: World) -> None:
    """Machines by processor and network, machines with GPUs by these and their memory alone."""
    for sold, row, cases in (
        (BOX, {}, _cases(IDLE_BOX, [{"cpu_percent": ("5.0", "15")}, {"cpu_percent": ("1", "15.1")},
                                    {"network_bytes": ("5000000", "5000000")}],
                         [{"cpu_percent": ("1", "2")}, {"network_bytes": ("0", "0")}])),
        (P5, {"gpus": "8"}, _cases(IDLE_GPU, [{"gpu_percent": ("5.0", "15")}, {"gpu_percent": ("1", "15.1")},
                                              {"gpu_memory_percent": ("5.0", "15")}],
                                   [{"cpu_percent": ("0", "0"), "network_bytes": ("0", "0")}])),
    ):  # fmt: skip
        edge = {metric: (average, "15") for metric, (average, _) in cases[0][0].items() if metric.endswith("percent")}
        for loads, more, how, measured, expected in [*cases, (cases[0][0] | edge, {}, {}, {}, "near")]:
            one = thing(w, "i", "instance", sold, OLD | row | more, how)
            measure(w, one, loads, **measured)
            case = (sold.split("|")[2], loads, more, how, measured)
            each(w, "idle_by_utilization", one, expected, case, *MACHINE_KINDS[1:])


def together(w: World) -> None:
    """Clusters and reservations by the machines that are attached to them."""
    idle, busy = {"loads": IDLE_BOX}, {"loads": BUSY_BOX}
    one_day = {"loads": IDLE_BOX, "odd": {3: {"cpu_percent": ("1", "15.1")}}}
    few: dict[str, Any] = {"loads": IDLE_BOX, "skip": (5, 9, 12)}
    young: Row = {"created_at": ago(13)}
    cases: list[tuple[list[dict[str, Any]], Row, How, Expected]] = [
        ([idle, idle], {}, {}, "waste"), ([idle], {}, {"a_day": "60"}, "waste"), ([idle, idle, idle], {}, {}, "waste"),
        ([idle, {"loads": {}, "state": "stopped"}], {}, {}, "waste"),
        ([idle | {"how": {"october": "0.60"}}], {}, {"october": "0.40"}, "waste"), ([idle, busy], {}, {}, "near"),
        ([busy, busy], {}, {}, "near"), ([idle, one_day], {}, {}, "near"),
        ([idle | {"how": {"october": "0.50"}}], {}, {"october": "0.49"}, "near"),
        ([idle | {"row": young, "how": {"first": date(2026, 10, 28)}}], young, {"first": date(2026, 10, 28)}, "near"),
        ([busy, {"loads": {}}], {}, {}, "near"), ([idle, {"loads": {}}], {}, {}, "missing"), ([], {}, {}, "missing"),
        ([few], {}, {}, "missing"),
    ]  # fmt: skip
    for kind, word, resource_type, sold in (
        ("idle_cluster", "eks", "cluster", KUBERNETES), ("idle_reservation", "cr", "capacity reservation", RESERVED),
    ):  # fmt: skip
        for nodes, more, how, expected in cases:
            own = (
                how | {"october": "1.00"}
                if kind == "idle_reservation" and (how or {}).get("october") == "0.40"
                else how
            )
            subject = thing(w, word, resource_type, sold, OLD | more, own)
            for case in nodes:
                row = OLD | {"attached_to": subject, "state": case.get("state", "running")} | case.get("row", {})
                node = thing(w, "i", "instance", BOX, row, case.get("how", {"tags": of("orion")}))
                measure(w, node, case["loads"], **{key: case[key] for key in ("odd", "skip") if key in case})
                for other in (*MACHINE_KINDS, "stopped_long"):
                    w.say(other, node, "allowed", "machines are labelled elsewhere")
            each(w, kind, subject, expected, (nodes, more, how))


GROUPS: tuple[Any, ...] = (used, machines, together)
