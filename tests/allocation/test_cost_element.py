"""Cost elements: what kind of cost, told from the bill's own words."""

from __future__ import annotations

import pytest
from allocation_worlds import World

from attribution.allocation.cost_element import cost_elements
from schemas.dimensions import COST_ELEMENTS, ELASTICITY


@pytest.mark.parametrize(
    ("columns", "element", "elasticity"),
    [
        ({"ServiceCategory": "Compute"}, "compute", "elastic"),
        ({"ServiceCategory": "Compute", "SkuMeter": "USW2-EBS:VolumeUsage.gp3"}, "storage", "elastic"),
        ({"ServiceCategory": "Compute", "SkuMeter": "USW2-DataTransfer-Out-Bytes"}, "network", "elastic"),
        ({"ServiceCategory": "Databases", "SkuMeter": "GP3-Storage"}, "database", "elastic"),
        ({"ServiceCategory": "Storage", "ServiceName": "Amazon Simple Storage Service"}, "storage", "elastic"),
        ({"ServiceName": "AWS Support (Business)"}, "operations", "elastic"),
        ({"ServiceName": "AmazonCloudWatch"}, "observability", "elastic"),
        ({"ServiceName": "AWS Key Management Service"}, "security", "elastic"),
        ({"ServiceName": "Something Else"}, "other", "elastic"),
        ({"ServiceName": "AWS Support", "ChargeCategory": "Tax"}, "other", "elastic"),
        ({"ServiceCategory": "Compute", "ChargeCategory": "Purchase"}, "compute", "fixed"),
        ({"ServiceCategory": "Compute", "PricingCategory": "Committed"}, "compute", "fixed"),
        ({"ServiceCategory": "Compute", "ChargeFrequency": "Recurring"}, "compute", "fixed"),
    ],
)
def test_cost_elements(columns: dict[str, str], element: str, elasticity: str) -> None:
    world = World().bill("a", "1", ServiceName=None)
    world.subjects[0] |= columns
    subjects = world.frames[0]
    row = cost_elements(subjects).row(0, named=True)
    assert (row["cost_element"], row["elasticity"]) == (element, elasticity)
    assert element in COST_ELEMENTS
    assert elasticity in ELASTICITY
