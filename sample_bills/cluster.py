"""What ran on the sandbox node in the middle of October, as OpenCost answers: a window a day, by node and pod."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from world import instant

NODE = "mrd-sandbox-01"
_FIRST, _DAYS = date(2026, 10, 14), 3
_GPUS, _CORES, _GIB = 4, 64, 512
# Pod, namespace, labels, GPUs, cores, GiB, hours a day; the last pod runs on the first day alone.
_PODS: tuple[tuple[str, str, dict[str, str], int, int, int, tuple[str, ...]], ...] = (
    ("judge-0", "evals", {"project": "Aurora_7B", "stage": "eval"}, 2, 16, 128, ("24", "24", "18.5")),
    ("notebook-kofi", "notebooks", {"app_kubernetes_io_name": "notebook"}, 1, 8, 64, ("24", "24", "24")),
    (
        "reward-smoke-x7",
        "rlhf",
        {"project": "kestrel-reward", "stage": "rl", "experiment": "k-ppo-1"},
        1,
        8,
        64,
        ("6.25",),
    ),
)


def allocations() -> str:
    """The answer as it is saved; its prices are OpenCost's own and no bill's."""
    data = [_window(number) for number in range(_DAYS)]
    return json.dumps({"code": 200, "data": data}, indent=1) + "\n"


def _window(number: int) -> dict[str, Any]:
    day = _FIRST + timedelta(days=number)
    found: dict[str, Any] = {}
    used = [Decimal(0)] * 3
    for pod, namespace, labels, *sizes, hours in _PODS:
        if number < len(hours):
            amounts = [size * Decimal(hours[number]) for size in sizes]
            used = [one + more for one, more in zip(used, amounts, strict=True)]
            said = {"namespace": namespace, "pod": pod, "labels": labels}
            found[f"{NODE}/{namespace}/{pod}"] = _allocation(day, amounts, said)
    idle = [24 * size - one for size, one in zip((_GPUS, _CORES, _GIB), used, strict=True)]
    found[f"{NODE}/__idle__"] = _allocation(day, idle, {})
    return found


def _allocation(day: date, amounts: list[Decimal], said: dict[str, Any]) -> dict[str, Any]:
    gpu, core, gib = (float(one) for one in amounts)
    window = {"start": f"{instant(day):%Y-%m-%dT%H:%M:%SZ}", "end": f"{instant(day + timedelta(1)):%Y-%m-%dT%H:%M:%SZ}"}
    hours = {"gpuHours": gpu, "cpuCoreHours": core, "ramByteHours": gib * 2**30}
    money = {"gpuCost": round(gpu * 0.95, 5), "cpuCost": round(core * 0.03, 5), "ramCost": round(gib * 0.004, 5)}
    properties = {"cluster": "sandbox", "node": NODE, **said}
    return {"properties": properties, "window": window, "minutes": 1440, **hours, **money}
