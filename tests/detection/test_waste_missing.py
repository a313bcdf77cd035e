"""What five detectors of the bill say where data is missing: nothing, or that the cost is unknown; never a guess."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from waste_cases import answers, billed, cases, listed, result_of, world_of

SEPTEMBER_END = date(2026, 9, 30)
COMPUTE = "Amazon Elastic Compute Cloud"
VOLUME, NO_METER = f"{COMPUTE} | Storage | EBS:VolumeUsage.gp3", f"{COMPUTE} | Compute Instance | "
OLD, SURCHARGE = f"{COMPUTE} | Compute Instance | BoxUsage:m4.large", "Amazon RDS | | ExtendedSupport:Yr1-Yr2:MySQL5.7"
GONE = datetime(2026, 10, 5, tzinfo=UTC)
NOBODY = {"project": "unallocated", "owner": "unallocated"}


def machine(**more: Any) -> Any:  # noqa: ANN401
    return billed(
        f"{COMPUTE} | Compute Instance | BoxUsage:m6i.large", "9", until=SEPTEMBER_END, ResourceId="i-@", **more
    )


SILENT = (
    *cases(
        "billed_after_deletion",
        ("active", "neither a day of deletion nor a state", listed("volume"), billed(VOLUME)),
        ("active", "a state that nobody knows", listed("volume", state="limbo"), billed(VOLUME)),
        (
            "active",
            "deleted on an unknown day, as of an unknown day",
            listed("volume", state="deleted"),
            billed(VOLUME),
        ),
        ("active", "no day of usage", listed("volume", deleted_at=GONE), billed(VOLUME, last_day=None)),
    ),
    *cases(
        "extended_support",
        ("active", "no meter", billed("Amazon RDS | Database Instance | ")),
        ("active", "no resource", billed(SURCHARGE, ResourceId=None)),
    ),
    *cases(
        "previous_generation",
        ("active", "no meter", billed(NO_METER)),
        ("active", "no resource", billed(OLD, ResourceId=None)),
        ("active", "no day of usage", billed(OLD, first_day=None, last_day=None)),
    ),
    *cases(
        "storage_without_compute",
        ("active", "no account", billed(VOLUME, SubAccountId=None), machine(SubAccountId=None)),
        ("active", "the machines have no meter", billed(VOLUME), billed(f"{COMPUTE} | | ", ResourceId="i-@")),
        ("active", "the volume has no resource", billed(VOLUME, ResourceId=None), machine()),
        ("active", "no day of the machines' usage", billed(VOLUME), machine(last_day=None)),
    ),
    *cases(
        "untagged_resource",
        ("active", "no cost", billed(VOLUME, None, **NOBODY)),
        ("active", "no resource", billed(VOLUME, ResourceId=None, **NOBODY)),
    ),
)
UNKNOWN_COST = (
    *cases("billed_after_deletion", ("waste", "no cost", listed("volume", deleted_at=GONE), billed(VOLUME, None))),
    *cases("extended_support", ("waste", "no cost", billed(SURCHARGE, None))),
    *cases("previous_generation", ("waste", "no cost", billed(OLD, None))),
    *cases("storage_without_compute", ("waste", "no cost", billed(VOLUME, None), machine())),
)


@pytest.mark.parametrize("case", SILENT, ids=str)
def test_missing_data_is_no_waste(case: Any) -> None:  # noqa: ANN401
    assert result_of(case) == case.label


@pytest.mark.parametrize("case", UNKNOWN_COST, ids=str)
def test_an_unknown_cost_is_told_as_unknown(case: Any) -> None:  # noqa: ANN401
    ((row,),) = answers(world_of([case]), case.kind).values()
    assert (row["cost_at_stake"], row["saving"]) == (None, None)
    assert "unknown" in row["evidence"]


@pytest.mark.parametrize("word", ["public address", "Public IP Address", "floating_ip", "elastic-ip", "EIP"])
def test_an_address_is_known_by_any_of_its_names(word: str) -> None:
    address = billed("Amazon Virtual Private Cloud | | PublicIPv4:InUseAddress", "3")
    assert [result_of(case) for case in cases("detached_address", ("waste", word, _free(word), address))] == ["waste"]


def _free(word: str) -> Any:  # noqa: ANN401
    return listed(word, state="available")
