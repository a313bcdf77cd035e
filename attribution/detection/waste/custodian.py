"""The policy file for Cloud Custodian: one policy a kind of waste, over the planned resources alone, as a dry run.

The surprise: even run without its dry run, a policy only marks resources for a later operation. Cloud Custodian has no
setting for a dry run inside a policy, so the file says the command, and `metadata.dry_run` says what it is meant for.

Source of the words: Cloud Custodian's reference, resource types and the actions mark-for-op, snapshot and stop.
"""

from __future__ import annotations

import json
from typing import Any

import polars as pl

# kind -> resource type, key of its id, operation that a later run would carry out
POLICIES: dict[str, tuple[str, str, str]] = {
    "unattached_volume": ("aws.ebs", "VolumeId", "delete"),
    "storage_without_compute": ("aws.ebs", "VolumeId", "delete"),
    "volume_of_stopped_instance": ("aws.ebs", "VolumeId", "delete"),
    "snapshot_outlives_volume": ("aws.ebs-snapshot", "SnapshotId", "delete"),
    "idle_public_address": ("aws.elastic-ip", "AllocationId", "release"),
    "nat_gateway_without_traffic": ("aws.nat-gateway", "NatGatewayId", "delete"),
    "load_balancer_without_traffic": ("aws.app-elb", "LoadBalancerArn", "delete"),
    "gpu_node_without_trace": ("aws.ec2", "InstanceId", "stop"),
    "dev_nights_and_weekends": ("aws.ec2", "InstanceId", "stop"),
    "idle_by_utilization": ("aws.ec2", "InstanceId", "stop"),
}
_AWS_ID = r"^(?:arn:aws[^:]*:.*[:/])?((?:i|vol|snap|nat|eipalloc)-[0-9a-f]+)$"
_AWS_ARN = r"^(arn:aws[^:]*:elasticloadbalancing:.+)$"
_HEAD = """\
# Written by `attribution waste plan`; nothing was done. Try it:
#   custodian run --dryrun --output-dir out policies.yml
# Without --dryrun these policies take a snapshot of each volume and mark resources (tag: reclaim) for an operation
# {grace} days later; they remove nothing themselves.
"""


def policy_names() -> pl.DataFrame:
    """Kind and the name of its policy."""
    names = [(kind, f"reclaim-{kind.replace('_', '-')}") for kind in POLICIES]
    return pl.DataFrame(names, schema={"kind": pl.String, "policy": pl.String}, orient="row")


def policy_file(plan: pl.DataFrame, grace_days: int) -> str:
    """The planned rows that a policy can speak of, as Custodian's YAML (of which JSON is a part).

    Args:
        plan: PLAN_COLUMNS; rows whose subject is no id of the policy's provider stay with people.
        grace_days: days between a mark and its operation.
    """
    policies = [_policy(str(kind), rows, grace_days) for (kind,), rows in _by_kind(plan)]
    body = json.dumps({"policies": policies}, indent=2, ensure_ascii=True)
    return _HEAD.format(grace=grace_days) + body + "\n"


def _by_kind(plan: pl.DataFrame) -> list[tuple[Any, pl.DataFrame]]:
    named = plan.filter("planned").with_columns(reclaimed_id())
    rows = named.filter(pl.col("kind").is_in(list(POLICIES)) & pl.col("id").is_not_null())
    return sorted(rows.group_by("kind", maintain_order=True), key=lambda one: str(one[0]))


def reclaimed_id() -> pl.Expr:
    """The id that AWS's interfaces take, of a ResourceId as billed; null where it is none."""
    return pl.coalesce(pl.col("subject").str.extract(_AWS_ID), pl.col("subject").str.extract(_AWS_ARN)).alias("id")


def _policy(kind: str, rows: pl.DataFrame, grace_days: int) -> dict[str, Any]:
    resource, key, operation = POLICIES[kind]
    mark = {"type": "mark-for-op", "tag": "reclaim", "op": operation, "days": grace_days}
    return {
        "name": f"reclaim-{kind.replace('_', '-')}",
        "resource": resource,
        "description": f"{kind}: {rows.height} resources of the reclaim plan. {rows.item(0, 'rollback')}",
        "metadata": {"dry_run": True, "rollback": rows.item(0, "rollback")},
        "max-resources": rows.height,
        "filters": [{"type": "value", "key": key, "op": "in", "value": sorted(rows.get_column("id"))}],
        "actions": [*([{"type": "snapshot"}] if resource == "aws.ebs" else []), mark],
    }
