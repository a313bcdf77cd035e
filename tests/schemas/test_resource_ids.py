"""Ids of resources: Azure's in one case, all others exactly as billed; such as spreadsheets damaged are told."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.resource_ids import damaged_ids, fold_azure_id, fold_azure_ids


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


@pytest.mark.parametrize("id_", ["7.30021E+17", "7,30021E+17", "7.300215559012e+17", "4E+06", "4,00E+06", " 9.1E+11 "])
def test_ids_made_into_numbers_are_damaged_whatever_the_language_of_the_spreadsheet(id_: str) -> None:
    assert damaged_ids(pl.Series([None, id_])).to_list() == [False, True]


@pytest.mark.parametrize("id_", ["0004E6", "4E6", "4000000", "730021555901234567", "node-7.3E+17", "vm 1E+2", "1E+2-a"])
def test_ids_that_only_look_like_numbers_stay(id_: str) -> None:
    assert damaged_ids(pl.Series([id_])).to_list() == [False]
