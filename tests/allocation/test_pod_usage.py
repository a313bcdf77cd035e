"""Usage of pods as weights: labels in order of trust, the namespace, aliases, and what is nobody's."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import polars as pl

from attribution.allocation.nodes.uses import pod_uses
from attribution.rules import read_rules
from schemas.inputs import USAGE_COLUMNS

DAY = date(2026, 10, 3)


def used(*rows: tuple[str | None, str | None, str]) -> pl.DataFrame:
    made = [
        (DAY, "i-1", "n-1", namespace, "p", labels, "gpu_hours", Decimal(value)) for namespace, labels, value in rows
    ]
    made.append((DAY, "i-1", "n-1", "a", "p", None, "cpu_core_hours", Decimal(99)))
    return pl.DataFrame(made, schema=USAGE_COLUMNS, orient="row")


def weights(frame: pl.DataFrame, *tags: str) -> dict[str, str]:
    book = read_rules(
        f'[dimension.project]\ntags = {list(tags)}\nvalues = {{ atlas = ["atlas_7b"] }}\n'
        '[[split]]\nname = "pods"\nwhen = { source = "aws" }\nacross = ["project"]\nby = "usage"\nmeasure = "gpu_hours"'
    )
    found = pod_uses(book.splits[0], frame, book)
    assert found.select("resource_id", "hour").unique().height <= 1
    units = found.select("of project", "weight").rows()
    return {value: f"{Decimal(weight).scaleb(-12).normalize():f}" for value, weight in units}


def test_the_most_trusted_key_with_a_value_answers_by_its_aliases() -> None:
    frame = used(
        ("a", '{"Project":"Atlas_7B"}', "1.5"),
        ("a", '{"proj":"atlas"}', "0.000000000001"),
        ("a", '{"proj":"orion","pro_ject":"atlas"}', "2"),
        ("orion", '{"project":" "}', "4"),
        ("a", '{"project":"x","Pro-ject":"y"}', "8"),
    )
    assert weights(frame, "project", "proj", "namespace") == {
        "atlas": "3.500000000001",
        "orion": "4",
        "(tag conflict)": "8",
    }
    assert weights(frame, "project") == {"atlas": "3.5", "(tag conflict)": "8", "unallocated": "4.000000000001"}


def test_idle_is_idle_and_the_rest_is_unallocated() -> None:
    frame = used(("__idle__", '{"project":"atlas"}', "1"), ("__unmounted__", None, "2"), (None, None, "4"))
    assert weights(frame, "project", "namespace") == {"idle": "1", "unallocated": "6"}
    assert weights(used(), "project") == {}
