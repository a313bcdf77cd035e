"""Usage of pods as weights: labels in order of trust, the namespace, aliases, and what is nobody's."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl

from attribution.allocation.beside import Beside
from attribution.allocation.nodes.named import labelled, named_jobs
from attribution.allocation.nodes.uses import pod_uses
from attribution.rules import read_rules
from schemas.inputs import POD_COLUMNS, USAGE_COLUMNS

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


def test_labels_are_read_by_the_aliases_of_their_day() -> None:
    """On its first day an alias holds, on the day of its end it does no more; so also where a pod is a job."""
    book = read_rules(
        '[dimension.project]\ntags = ["project"]\nvalues = { atlas = [{ alias = "old", until = 2026-10-04 }], '
        'orion = [{ alias = "old", since = 2026-10-04, until = 2026-10-05 }] }\n[dimension.owner]\ntags = ["owner"]'
    )
    days = pl.Series([date(2026, 10, 3), date(2026, 10, 4), date(2026, 10, 5), None], dtype=pl.Date())
    frame = used(*[("a", '{"project":"OLD","owner":"old"}', "1")] * 4).filter(measure="gpu_hours")
    told = labelled(frame, days, ("project", "owner"), book.dimensions)
    assert told.get_column("of project").to_list() == ["atlas", "orion", "OLD", "OLD"]
    assert told.get_column("of owner").to_list() == ["old"] * 4
    pods = pl.DataFrame(
        [("p", "i-1", datetime(2026, 10, day, 12, tzinfo=UTC), 1.0, "a", '{"project":"old"}') for day in (3, 4, 5)],
        schema={name: POD_COLUMNS[name] for name in ("job_id", "resource_id", "start", "gpus", "namespace", "labels")},
        orient="row",
    )
    named = named_jobs(Beside(pods=pl.concat([pl.DataFrame(schema=POD_COLUMNS), pods], how="diagonal")), book)
    assert named.sort("start").get_column("of project").to_list() == ["atlas", "orion", "old"]


def test_idle_is_idle_and_the_rest_is_unallocated() -> None:
    frame = used(("__idle__", '{"project":"atlas"}', "1"), ("__unmounted__", None, "2"), (None, None, "4"))
    assert weights(frame, "project", "namespace") == {"idle": "1", "unallocated": "6"}
    assert weights(used(), "project") == {}
