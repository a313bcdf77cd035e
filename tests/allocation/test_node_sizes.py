"""How many GPUs a machine type has, each type by its own line, and who is believed where several say it."""

from __future__ import annotations

import json

import polars as pl
import pytest

from attribution.allocation.nodes.capacity import capacities
from schemas.inputs import RESOURCE_COLUMNS

TYPES = {
    1: "p3.2xlarge p5.4xlarge g4dn.xlarge g4dn.16xlarge g5.xlarge g6.8xlarge g6e.4xlarge a2-highgpu-1g a3-highgpu-1g "
    "g2-standard-4 g2-standard-8 g2-standard-12 g2-standard-16 g2-standard-32 Standard_NC24ads_A100_v4 "
    "Standard_NC40ads_H100_v5 VM.GPU.A10.1",
    2: "g2-standard-24 a2-ultragpu-2g Standard_NC48ads_A100_v4 Standard_NC80adis_H100_v5 VM.GPU2.2",
    4: "p3.8xlarge g4dn.12xlarge g5.12xlarge g5.24xlarge g6.12xlarge g6e.24xlarge a3-highgpu-4g g2-standard-48 "
    "Standard_NC96ads_A100_v4 BM.GPU.GB200.4",
    8: "p3.16xlarge p3dn.24xlarge p4d.24xlarge p4de.24xlarge p5.48xlarge p5e.48xlarge p5en.48xlarge "
    "p6-b200.48xlarge p6-b300.48xlarge g5.48xlarge g6.48xlarge g6e.48xlarge a2-highgpu-8g a2-ultragpu-8g "
    "a3-highgpu-8g a3-edgegpu-8g a3-megagpu-8g a3-ultragpu-8g a4-highgpu-8g g2-standard-96 Standard_ND40rs_v2 "
    "Standard_ND96asr_v4 Standard_ND96isr_H100_v5 BM.GPU.H100.8",
    16: "a2-megagpu-16g",
}
NOT_GUESSED = "m7i.48xlarge p4d.12xlarge g2-standard-64 Standard_NC24s_v3 n1-standard-8 g5g.xlarge xp5.48xlarge"


def node(resource: str = "n", **columns: str | None) -> dict[str, str | None]:
    empty = dict.fromkeys(("ResourceType", "SkuMeter", "SkuId", "SkuPriceDetails"))
    return {"resource_id": resource} | empty | columns


def sizes(
    *nodes: dict[str, str | None], inventory: float | None = None, jobs: float | None = None
) -> dict[str, tuple[float | None, str | None]]:
    known = [{"resource_id": "n", "gpus": inventory}] if inventory is not None else []
    resources = pl.DataFrame(known, schema=RESOURCE_COLUMNS)
    had = pl.DataFrame([("n", jobs)], schema={"resource_id": pl.String(), "gpus": pl.Float64()}, orient="row")
    text = dict.fromkeys(node(), pl.String())
    found = capacities(pl.DataFrame(nodes, schema=text), resources, had if jobs is not None else had.clear())
    return {name: (gpus, said_by) for name, gpus, said_by in found.iter_rows()}


@pytest.mark.parametrize(("gpus", "name"), [(gpus, name) for gpus, names in TYPES.items() for name in names.split()])
def test_a_machine_type_has_its_gpus_wherever_it_stands(gpus: int, name: str) -> None:
    for column in ("ResourceType", "SkuMeter", "SkuId"):
        for text in (name, name.upper(), f"EUW1-BoxUsage:{name}", f"{name} Linux"):
            assert sizes(node(**{column: text})) == {"n": (gpus, "type")}, text


@pytest.mark.parametrize("name", NOT_GUESSED.split())
def test_a_type_that_is_not_in_the_table_is_not_guessed(name: str) -> None:
    assert sizes(node(ResourceType=name)) == {"n": (None, None)}


def details(gpus: float | str) -> str:
    return json.dumps({"GpuCount": gpus})


def test_the_inventory_is_believed_then_the_bill_then_the_type_then_the_jobs() -> None:
    both = node(ResourceType="p5.48xlarge", SkuPriceDetails=details(2))
    assert sizes(both, inventory=4, jobs=1)["n"] == (4, "inventory")
    assert sizes(both, inventory=0, jobs=1)["n"] == (2, "bill")  # none, of a node that jobs run on, says nothing
    assert sizes(node(ResourceType="p5.48xlarge", SkuPriceDetails=details(0)), jobs=1)["n"] == (8, "type")
    assert sizes(node(), jobs=0.5)["n"] == (0.5, "jobs")
    assert sizes(node(), jobs=0)["n"] == (None, None)


def test_of_several_lines_of_a_node_the_largest_number_counts() -> None:
    lines = [node(SkuPriceDetails=details(size)) for size in ("1", 4, 2)]
    assert sizes(*lines) == {"n": (4, "bill")}
    types = [node(ResourceType=name) for name in ("g2-standard-24", "a2-highgpu-8g", "g2-standard-4")]
    assert sizes(*types) == {"n": (8, "type")}
