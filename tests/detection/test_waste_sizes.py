"""Sizes of machines by the names that bills give them, and what an hour of each cost."""

from __future__ import annotations

import pytest
from waste_cases import Case, billed, world_of

from attribution.detection.waste.estate import Estate
from attribution.detection.waste.sizes import sized
from schemas.workspace import Waste


def sizes(*meters: tuple[str, str, float]) -> list[tuple[str, float, float | None, str | None]]:
    """Size, units, rate an hour and the next smaller size of machines billed so much a day for so many hours."""
    rows = [row | {"ResourceId": f"r-{at}"} for at, (meter, a_day, hours) in enumerate(meters)
            for row in billed(f"Compute | | {meter}", a_day, hours)[1]]  # fmt: skip
    estate = Estate(world_of([Case("", "waste", "", {"costs": rows}, "one")]), Waste().silent_days)
    found = sized(estate).sort("key").select("size", "units", "rate", "smaller").collect()
    return [(size, units, rate, smaller) for size, units, rate, smaller in found.iter_rows()]


@pytest.mark.parametrize(
    ("meter", "size", "units"),
    [
        ("BoxUsage:t3.nano", "t3.nano", 0.25),
        ("BoxUsage:t3.micro", "t3.micro", 0.5),
        ("BoxUsage:t3.small", "t3.small", 1),
        ("BoxUsage:t3.medium", "t3.medium", 2),
        ("BoxUsage:m6i.large", "m6i.large", 4),
        ("BoxUsage:m6i.xlarge", "m6i.xlarge", 8),
        ("BoxUsage:p5.48xlarge", "p5.48xlarge", 384),
        ("InstanceUsage:db.r6g.2xlarge", "db.r6g.2xlarge", 16),
        ("node H100-8x", "h100-8x", 8),
        ("D8s v5", "D8s v5", 8),
        ("Standard NC48ads v4", "NC48ads v4", 48),
    ],
)
def test_a_size_is_read_off_its_name(meter: str, size: str, units: float) -> None:
    ((named, many, _, _),) = sizes((meter, "24", 24))
    assert (named, many) == (size, units)


def test_an_hour_costs_what_all_hours_of_the_size_did_and_the_next_smaller_one_is_named() -> None:
    found = sizes(
        ("m6i.2xlarge", "48", 24), ("m6i.2xlarge", "24", 24), ("m6i.xlarge", "12", 24), ("m6i.large", "6", 24)
    )
    assert [(size, smaller) for size, _, _, smaller in found] == [
        ("m6i.2xlarge", "m6i.xlarge"), ("m6i.2xlarge", "m6i.xlarge"), ("m6i.xlarge", "m6i.large"), ("m6i.large", None),
    ]  # fmt: skip
    assert [rate for _, _, rate, _ in found] == pytest.approx([1.5, 1.5, 0.5, 0.25])


def test_a_smaller_size_that_costs_as_much_is_none_and_free_hours_have_no_rate() -> None:
    ((_, _, _, smaller), _) = sizes(("m6i.2xlarge", "24", 24), ("m6i.xlarge", "24", 24))
    assert smaller is None
    ((_, _, rate, _),) = sizes(("m6i.large", "0", 24))
    assert rate is None
    ((_, _, rate, _),) = sizes(("m6i.large", "24", 0))
    assert rate is None
