"""Labels of detectors that read the inventory: age and cost on both sides, and what each of them spares."""

from __future__ import annotations

from datetime import date
from typing import Any

from label_world import Expected, World
from labels_bill import BALANCER, BUCKET, IN_USE, NAT, REQUESTS, SEPTEMBER_END, UNITS, VOLUME, of

OLD, YOUNG, AGED = "2026-07-01", "2026-10-28", "2026-10-26"
"""Made long ago, 13 days ago, 15 days ago."""
Case = tuple[dict[str, str], dict[str, Any], Expected]
KUBERNETES = "Amazon Elastic Kubernetes Service | | USE1-AmazonEKS-Hours:perCluster | Hours | Compute"
SERVING = "Amazon SageMaker | | USE1-Host:ml.m5.large | Hours | AI and Machine Learning"
VAULT = "AWS Secrets Manager | | USE1-AWSSecretsManager-Secrets | Secrets | Security"


def _each(fires: dict[str, str], spared: dict[str, str], blank: dict[str, str]) -> list[Case]:
    """Five that fire, near misses of age, cost and kind, and what nobody knows.

    A blank state beside a blank attachment may be read either way: other rows of the inventory fill both.
    """
    return [
        (fires | {"created_at": OLD}, {}, "waste"), (fires | {"created_at": AGED}, {}, "waste"),
        (fires | {"created_at": OLD}, {"october": "1.00"}, "waste"),
        (fires | {"created_at": OLD}, {"a_day": "90"}, "waste"),
        (fires | {"created_at": "2026-09-15"}, {}, "waste"), (fires | {"created_at": YOUNG}, {}, "near"),
        (fires | {"created_at": "2026-11-09"}, {}, "near"), (fires | {"created_at": OLD}, {"october": "0.99"}, "near"),
        (spared | {"created_at": OLD}, {}, "near"), (spared | {"created_at": AGED}, {"a_day": "90"}, "near"),
        (fires | {"created_at": ""}, {"first": date(2026, 10, 28)}, "missing"),
        (blank | {"created_at": OLD}, {}, "missing" if "targets" in blank else "allowed"),
    ]  # fmt: skip


def loose(w: World) -> None:
    """What is attached to nothing, and what has nothing behind it."""
    for kind, word, resource_type, sold, use, fires, spared, blank in (
        ("unattached_volume", "vol", "volume", VOLUME, None, {"state": "available"},
         {"state": "in-use", "attached_to": "i-elsewhere"}, {"state": ""}),
        ("detached_address", "ip", "public address", IN_USE, None, {"state": "available"},
         {"state": "in-use", "attached_to": "i-elsewhere"}, {"state": ""}),
        ("empty_load_balancer", "lb", "load balancer", BALANCER, UNITS, {"state": "active", "targets": "0"},
         {"state": "active", "targets": "1"}, {"state": "active", "targets": ""}),
        ("empty_gateway", "nat", "nat gateway", NAT, NAT.replace("Hours | Net", "Bytes | Net").replace("y-Hours",
         "y-Bytes"),
         {"state": "active", "targets": "0"}, {"state": "active", "targets": "1"}, {"state": "active", "targets": ""}),
        ("empty_cluster", "eks", "cluster", KUBERNETES, None, {"state": "active", "targets": "0"},
         {"state": "active", "targets": "1"}, {"state": "active", "targets": ""}),
        ("empty_endpoint", "ep", "endpoint", SERVING, None, {"state": "active", "targets": "0"},
         {"state": "active", "targets": "1"}, {"state": "active", "targets": ""}),
    ):  # fmt: skip
        for listed, how, expected in _each(fires, spared, blank):
            _one(w, kind, word, resource_type, sold, use, listed, how, expected)


def stores(w: World) -> None:
    """Volumes far beyond use, and buckets without a policy."""
    mount = {"attached_to": "i-elsewhere", "state": "in-use", "created_at": OLD}
    for size, used, how, expected in (
        ("1000", "300", {}, "waste"), ("1000", "299", {}, "waste"), ("100", "30", {}, "waste"),
        ("4000", "0", {}, "waste"),
        ("500", "20", {"october": "2.00"}, "waste"), ("1000", "301", {}, "near"), ("99", "10", {}, "near"),
        ("100", "31", {}, "near"), ("800", "100", {"october": "0.99"}, "near"), ("800", "800", {}, "near"),
        ("800", "", {}, "missing"), ("", "20", {}, "missing"),
    ):  # fmt: skip
        listed = mount | {"size_gb": size, "used_gb": used}
        _one(w, "oversized_volume", "vol", "volume", VOLUME, None, listed, how, expected)  # type: ignore[arg-type]
    for policy, october, created, expected in (
        ("none", "50.00", OLD, "waste"), ("none", "51", OLD, "waste"), ("none", "900", OLD, "waste"),
        ("none", "60", AGED, "waste"), ("none", "77", "2026-09-01", "waste"), ("none", "49.99", OLD, "near"),
        ("yes", "900", OLD, "near"), ("archive-after-90", "900", OLD, "near"), ("none", "60", YOUNG, "near"),
        ("none", "5", OLD, "near"), ("", "900", OLD, "missing"),
    ):  # fmt: skip
        listed = {"state": "active", "lifecycle_policy": policy, "created_at": created}
        _one(w, "no_lifecycle_policy", "bkt", "bucket", BUCKET, REQUESTS, listed, {"october": october}, expected)  # type: ignore[arg-type]


def disused(w: World) -> None:
    """Secrets last used 90 days ago (12 August), and tags that name a day that passed 7 days ago (3 November)."""
    for last, how, expected in (
        ("2026-08-11", {}, "waste"), ("2026-08-12", {}, "waste"), ("2026-06-01", {}, "waste"),
        ("2026-05-01", {"october": "1.00"}, "waste"), ("2026-07-07", {"a_day": "9"}, "waste"),
        ("2026-08-13", {}, "near"),
        ("2026-11-08", {}, "near"), ("2026-05-01", {"october": "0.99"}, "near"), ("2026-09-30", {}, "near"),
        ("2026-05-01", {"last": SEPTEMBER_END}, "near"), ("", {}, "missing"),
    ):  # fmt: skip
        listed = {"state": "active", "created_at": "2026-01-01", "last_used_at": last}
        _one(w, "disused_service", "key", "secret", VAULT, None, listed, how, expected)  # type: ignore[arg-type]
    for key, day, how, expected in (
        ("expiry", "2026-11-02", {}, "waste"), ("delete-after", "2026-10-01", {}, "waste"),
        ("expiry", "2026-08-30", {"october": "1.00"}, "waste"), ("expiry", "2026-10-20", {}, "waste"),
        ("delete-after", "2026-11-01", {"a_day": "70"}, "waste"), ("expiry", "2026-11-03", {}, "near"),
        ("expiry", "2026-11-04", {}, "near"), ("expiry", "2027-01-01", {}, "near"),
        ("created", "2026-08-01", {}, "near"),
        ("expiry", "2026-10-01", {"october": "0.99"}, "near"), ("expiry", "soon", {}, "missing"),
    ):  # fmt: skip
        one = _one(
            w,
            "expired_tag",
            "key",
            "secret",
            VAULT,
            None,
            {"last_used_at": "2026-11-08"},
            how,
            expected,
            f"{key} {day}",
        )  # type: ignore[arg-type]
        w.put("tags", resource_id=one, key=key, value=day, valid_from="2026-08-01")


def _one(  # noqa: PLR0917 - a row of a table
    w: World, kind: str, word: str, resource_type: str, sold: str, use: str | None, listed: dict[str, str],
    how: dict[str, str | None], expected: Expected, why: str = "",
) -> str:  # fmt: skip
    one = w.new(word)
    w.put("resources", resource_id=one, resource_type=resource_type, **listed)
    w.bill(one, sold, tags=of("orion"), **{"a_day": "3"} | how)  # type: ignore[arg-type]
    if use:
        w.bill(one, use, "0", "5", tags=of("orion"), **{key: how[key] for key in ("first", "last") if key in how})  # type: ignore[arg-type]
    w.say(kind, one, expected, f"{why} {listed}; {how}")
    return one


GROUPS = (loose, stores, disused)
