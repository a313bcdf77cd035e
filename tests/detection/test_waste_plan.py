"""The reclaim plan: steps, limits from both sides, what is protected, and what the policy file may speak of."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from attribution.detection import plan_waste, policy_file
from attribution.detection.waste import DETECTORS
from attribution.detection.waste.custodian import POLICIES
from schemas.money import MONEY
from schemas.workspace import WastePlan

TODAY = date(2026, 11, 20)
PATH = {
    "kind": pl.String, "subject": pl.String, "owner": pl.String, "project": pl.String, "cost_at_stake": MONEY,
    "saving": MONEY, "BillingCurrency": pl.String, "confidence": pl.String, "step": pl.String, "marked_on": pl.Date,
    "warned_on": pl.Date, "due_on": pl.Date, "exempt_because": pl.String, "month": pl.Date, "evidence": pl.String,
}  # fmt: skip


def finding(number: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return dict.fromkeys(PATH) | {
        "kind": "unattached_volume", "subject": f"vol-{number:04x}", "owner": "lin", "project": "orion",
        "cost_at_stake": Decimal(number), "saving": Decimal(number), "BillingCurrency": "USD", "confidence": "high",
        "step": "due", "marked_on": date(2026, 11, 1), "warned_on": date(2026, 11, 3), "due_on": date(2026, 11, 10),
        "month": date(2026, 10, 1), "evidence": "Volume.",
    } | more  # fmt: skip


def planned(*rows: dict[str, Any], judged: int = 100, protected: dict[str, str] | None = None, **terms: Any) -> Any:  # noqa: ANN401
    kinds = pl.DataFrame([("unattached_volume", judged)], schema={"kind": pl.String, "judged": pl.Int64}, orient="row")
    spared = pl.DataFrame(list((protected or {}).items()), schema=dict.fromkeys(("subject", "protected"), pl.String),
                          orient="row")  # fmt: skip
    return plan_waste(pl.DataFrame(list(rows), schema=PATH), kinds, spared, WastePlan(**terms), TODAY)


def reasons(plan: pl.DataFrame) -> dict[str, str | None]:
    return dict(plan.select("subject", "why_not").iter_rows())


def test_only_what_is_due_is_planned_and_all_else_says_why() -> None:
    plan = planned(
        finding(9), finding(8, step="warn", due_on=date(2026, 11, 27)), finding(7, step="mark", due_on=None),
        finding(6, step="exempt", exempt_because="kept for audit"), finding(5, step="done"),
        finding(4, saving=Decimal(0)), finding(3, saving=None), finding(2, confidence="low"),
        finding(1, month=date(2026, 9, 1)),
    )  # fmt: skip
    told = reasons(plan)
    assert told.pop("vol-0009") is None
    assert told == {
        "vol-0008": "due on 2026-11-27",
        "vol-0007": "its owner was not told yet",
        "vol-0006": "exempt: kept for audit",
        "vol-0004": "nothing to save, or another finding of the same resource saves it",
        "vol-0003": "nothing to save, or another finding of the same resource saves it",
        "vol-0002": "of low confidence",
        "vol-0001": "its evidence is of 2026-09: the bill is behind",
    }
    assert plan.get_column("planned").to_list() == [True] + [False] * 7


def test_limits_hold_and_the_dearest_come_first() -> None:
    rows = [finding(number) for number in range(1, 31)]
    for judged, terms, count in (
        (1000, {}, 20), (100, {}, 10), (109, {}, 10), (110, {}, 11), (3, {}, 1), (0, {}, 1),
        (1000, {"max_resources": 2}, 2), (100, {"max_percent": Decimal(3)}, 3),
    ):  # fmt: skip
        plan = planned(*rows, judged=judged, **terms).filter("planned")
        assert plan.get_column("saving").to_list() == [Decimal(30 - number) for number in range(count)]
    left = reasons(planned(*rows, judged=3))
    assert left["vol-0001"] == "above the limit of 1 of this kind"


def test_what_is_protected_is_never_planned_whatever_its_step() -> None:
    plan = planned(
        finding(2), finding(1, step="exempt"), protected={"vol-0002": "stage serving", "vol-0001": "tag keep"}
    )
    assert reasons(plan) == {"vol-0002": "protected: stage serving", "vol-0001": "protected: tag keep"}
    assert json.loads(policy_file(plan, 7).split("\n", 4)[4])["policies"] == []


def test_policies_name_planned_resources_alone_and_only_mark() -> None:
    plan = planned(
        finding(2), finding(1, step="warn"), finding(3, subject="mrd-vol-3"),
        finding(4, kind="nat_gateway_without_traffic", subject="arn:aws:ec2:us-east-1:1:natgateway/nat-0a1b"),
        finding(5, kind="unused_commitment", subject="arn:aws:savingsplans::1:savingsplan/x"),
        max_percent=Decimal(100),
    )  # fmt: skip
    text = policy_file(plan, 9)
    assert "--dryrun" in text
    policies = {one["resource"]: one for one in json.loads(text[text.index("{\n") :])["policies"]}
    assert policies["aws.ebs"]["filters"][0]["value"] == ["vol-0002"]
    assert policies["aws.nat-gateway"]["filters"][0]["value"] == ["nat-0a1b"]
    assert set(policies) == {"aws.ebs", "aws.nat-gateway"}
    for one in policies.values():
        assert one["metadata"]["dry_run"] is True
        assert one["metadata"]["rollback"]
        assert {action["type"] for action in one["actions"]} <= {"snapshot", "mark-for-op"}
        assert one["actions"][-1]["days"] == 9
    told = dict(plan.select("subject", "policy").iter_rows())
    assert told["mrd-vol-3"] is None
    assert told["vol-0002"] == "reclaim-unattached-volume"


def test_every_policy_is_of_a_detector_that_wastes_money() -> None:
    assert set(POLICIES) <= {one.name for one in DETECTORS if one.wasted}
