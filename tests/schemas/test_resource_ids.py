"""Ids of resources: Azure's in one case, all others exactly as billed."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.resource_ids import fold_azure_id, fold_azure_ids


@pytest.mark.parametrize(
    ("billed", "kept"),
    [
        ("/subscriptions/S1/resourceGroups/RG-AI/vm1", "/subscriptions/s1/resourcegroups/rg-ai/vm1"),
        ("/SUBSCRIPTIONS/s1/VM", "/subscriptions/s1/vm"),
        ("/providers/Microsoft.Capacity/reservationOrders/AB", "/providers/microsoft.capacity/reservationorders/ab"),
        (
            "arn:aws:lambda:us-east-1:012345678901:function:Train",
            "arn:aws:lambda:us-east-1:012345678901:function:Train",
        ),
        ("//compute.googleapis.com/projects/P/instances/A", "//compute.googleapis.com/projects/P/instances/A"),
        ("/providers/Other/Thing", "/providers/Other/Thing"),
    ],
)
def test_azure_compares_without_case_and_nobody_else(billed: str, kept: str) -> None:
    assert fold_azure_id(billed) == kept
    assert fold_azure_ids(pl.Series([None, billed, "i-1"])).to_list() == [None, kept, "i-1"]
