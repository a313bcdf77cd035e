"""Resources that another one creates by itself: an autoscaling group its machines, a node pool its nodes.

Their bill tags name the creator, as the cloud or Kubernetes sets them. Where the name is that of one resource of the
inventory, that is the parent. Sources: AWS tag keys reserved with `aws:` and `eks:`, ParallelCluster, eksctl and
Karpenter; labels that GKE and Dataproc put on bills of Google Cloud; tags that AKS puts on its machines.
"""

from __future__ import annotations

import json

import polars as pl

# The nearest creator first: a pool knows more than its cluster.
CREATORS = (
    "aws:autoscaling:groupName",
    "eks:nodegroup-name",
    "alpha.eksctl.io/nodegroup-name",
    "karpenter.sh/nodepool",
    "parallelcluster:queue-name",
    "goog-k8s-node-pool-name",
    "aks-managed-poolName",
    "aws:ec2:fleet-id",
    "aws:ec2spot:fleet-request-id",
    "aws:ec2launchtemplate:id",
    "aws:ecs:serviceName",
    "aws:elasticmapreduce:job-flow-id",
    "aws:batch:compute-environment",
    "goog-dataproc-cluster-name",
    "aws:ecs:clusterName",
    "eks:cluster-name",
    "aws:eks:cluster-name",
    "eks:eks-cluster-name",
    "alpha.eksctl.io/cluster-name",
    "parallelcluster:cluster-name",
    "goog-k8s-cluster-name",
    "aks-managed-cluster-name",
    "KubernetesCluster",
    "aws:cloudformation:stack-name",
)
"""Tag keys whose value names the creator. Case and marks do not matter: exports write keys in several ways."""
# Kubernetes writes the cluster's name into the key itself.
_IN_KEY = "kubernetes.io/cluster/"
CREATED_COLUMNS: dict[str, pl.DataType] = {
    "ResourceId": pl.String(),
    "parent": pl.String(),
    "label": pl.String(),  # the parent as an explanation names it: with the key that told
}


def _bare(key: str) -> str:
    return "".join(letter for letter in key.casefold() if letter.isalnum())


_RANKS = {_bare(key): rank for rank, key in reversed(list(enumerate(CREATORS)))}
# Tag sets without any of these are not looked into.
_MARKS = ("autoscaling", "node", "karpenter", "queue", "pool", "fleet", "launchtemplate", "launch_template", "ecs",
          "elasticmapreduce", "batch", "cluster", "cloudformation")  # fmt: skip


def created(subjects: pl.DataFrame, resources: pl.DataFrame) -> pl.DataFrame:
    """Who created whom, by the bill's tags.

    Args:
        subjects: with `ResourceId` and `Tags`.
        resources: the inventory.

    Returns:
        CREATED_COLUMNS, one row a resource. A name that several resources have names none; a resource that two of
        the same key claim has no creator.
    """
    none = pl.DataFrame(schema=CREATED_COLUMNS)
    names = _names(resources)
    if names.is_empty():
        return none
    marked = pl.col("Tags").str.contains_any(list(_MARKS), ascii_case_insensitive=True)
    told = _told(subjects.select("Tags").drop_nulls().unique().filter(marked).to_series())
    if told.is_empty():
        return none
    found = (
        subjects.select("ResourceId", "Tags")
        .drop_nulls()
        .join(told, on="Tags")
        .join(names, on="name")
        .filter(pl.col("parent") != pl.col("ResourceId"))
        .filter(pl.col("rank") == pl.col("rank").min().over("ResourceId"))
        .select("ResourceId", "parent", pl.format("{} ({})", "parent", "key").alias("label"))
        .unique(subset=["ResourceId", "parent"], keep="first", maintain_order=True)
    )
    return found.filter(pl.len().over("ResourceId") == 1).sort("ResourceId")


def _names(resources: pl.DataFrame) -> pl.DataFrame:
    """What each resource of the inventory is called, by id and by name, where that means one: (name, parent)."""
    called = [resources.select(pl.col(column).alias("name"), pl.col("resource_id").alias("parent"))
              for column in ("resource_id", "name")]  # fmt: skip
    known = pl.concat(called).drop_nulls().unique()
    return known.filter(pl.len().over("name") == 1)


def _told(sets: pl.Series) -> pl.DataFrame:
    """What tag sets say of creators: (Tags, name, key, rank)."""
    rows = []
    for text in sets:
        for key, value in json.loads(text).items():
            name, rank = str(value).strip(), _RANKS.get(_bare(key))
            if rank is None and key.startswith(_IN_KEY):
                name, rank = key.removeprefix(_IN_KEY), len(CREATORS)
            if rank is not None and name:
                rows.append((text, name, key, rank))
    schema = {"Tags": pl.String(), "name": pl.String(), "key": pl.String(), "rank": pl.Int32()}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("rank", "key")
