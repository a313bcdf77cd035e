"""Small cases with right answers that lie beside this repository, where they do; each once went wrong in some tool."""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cases_bill_storage import SNAP, volume
from detection_worlds import AS_OF
from waste_cases import Case, answers, billed, listed, world_of

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not CASES.exists(), reason="the cases are not beside this repository")


def table(case: str, name: str) -> list[dict[str, str]]:
    with (CASES / case / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expected(case: str) -> Any:  # noqa: ANN401
    return json.loads((CASES / case / "expected.json").read_text(encoding="utf-8"))["exact"]


def told(kind: str, *parts: tuple[str, list[dict[str, Any]]]) -> dict[str, Decimal]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for frame, given in parts:
        rows.setdefault(frame, []).extend(given)
    found = answers(world_of([Case(kind, "waste", "", rows, "x")]), kind)
    return {subject: row["cost_at_stake"] for subject, (row,) in found.items() if row["verdict"] == "finding"}


def snapshot(name: str, age: int, cost: str, of: str, label: str | None = None) -> list[tuple[str, Any]]:
    born = AS_OF - timedelta(days=age)
    row = billed(SNAP, "0", 1, since=max(born.date(), date(2026, 8, 1)), ResourceId=name)
    october = [one for one in row[1] if one["month"] == date(2026, 10, 1)]
    for one in october:
        one["EffectiveCost"] = Decimal(cost)
    return [listed("snapshot", name, attached_to=of, created_at=born, name=label), row]


def test_an_image_in_any_state_holds_its_snapshot() -> None:
    parts = [volume(ResourceId="vol-gone", until=date(2026, 8, 20))]
    for row in table("80-snapshot-of-disabled-image", "snapshots.csv"):
        parts += snapshot(row["snapshot_id"], int(row["age_days"]), row["monthly_cost"], row["volume_id"])
    for row in table("80-snapshot-of-disabled-image", "images.csv"):
        parts.append(listed("image", row["image_id"], attached_to=row["snapshot_id"], state=row["state"]))
    right = expected("80-snapshot-of-disabled-image")
    found = told("snapshot_outlives_volume", *parts)
    assert found == {right["orphans"][0]: Decimal(right["orphan_cost"])}


def test_young_snapshots_and_those_of_backups_are_left_alone() -> None:
    parts = [volume(ResourceId="gone", until=date(2026, 8, 20)), volume(ResourceId="there")]
    for row in table("87-young-snapshots", "snapshots.csv"):
        of = "there" if row["volume_exists"] == "yes" else "gone"
        label = "AwsBackup" if row["backup_tool"] == "yes" else None
        parts += snapshot(row["id"], int(row["age_days"]), row["monthly_cost"], of, label)
        if row["used_by_image"] == "yes":
            parts.append(listed("image", f"ami-{row['id']}", attached_to=row["id"]))
    right = expected("87-young-snapshots")
    found = told("snapshot_outlives_volume", *parts)
    assert sorted(found) == right["orphans"]
    assert sum(found.values()) == Decimal(right["monthly"])


def test_usage_after_deletion_counts_by_its_own_day() -> None:
    parts = []
    for row in table("84-billed-after-delete", "inventory.csv"):
        gone = datetime.fromisoformat(row["deleted_on"]).replace(tzinfo=UTC)
        parts.append(listed("instance", row["resource_id"], deleted_at=gone + timedelta(days=214)))  # to October
    for row in table("84-billed-after-delete", "bill.csv"):
        day = date.fromisoformat(row["usage_date"]) + timedelta(days=214)
        parts.append(
            billed("x | | BoxUsage:m6i.large", row["cost"], since=day, until=day, ResourceId=row["resource_id"])
        )
    found = told("billed_after_deletion", *parts)
    assert set(found) == set(expected("84-billed-after-delete")["flagged"])
