"""How many GPUs a node has: the inventory says it, else the bill, else its type, else what jobs had at once.

Source of the table: the providers' pages of instance types. A type that is not in it is not guessed.
"""

from __future__ import annotations

import polars as pl

# pattern of a type, without regard to case -> its GPUs; where the pattern captures a number, that is it
_TYPES: tuple[tuple[str, int], ...] = (
    (r"\b(?:p3\.16xlarge|p3dn\.24xlarge|p4de?\.24xlarge|p5(?:e|en)?\.48xlarge|p6-b[23]00\.48xlarge)\b", 8),
    (r"\b(?:g5|g6|g6e)\.48xlarge\b", 8),
    (r"\b(?:p3\.8xlarge|g4dn\.12xlarge|(?:g5|g6|g6e)\.(?:12|24)xlarge)\b", 4),
    (r"\b(?:p3\.2xlarge|p5\.4xlarge|g4dn\.(?:|2|4|8|16)xlarge|(?:g5|g6|g6e)\.(?:|2|4|8|16)xlarge)\b", 1),
    (r"\b(?:a2-(?:high|ultra)gpu|a3-(?:high|edge)gpu|a3-(?:mega|ultra)gpu|a4-highgpu)-(\d+)g\b", 0),
    (r"\ba2-megagpu-16g\b", 16),
    (r"\bg2-standard-(?:4|8|12|16|32)\b", 1),
    (r"\bg2-standard-24\b", 2),
    (r"\bg2-standard-48\b", 4),
    (r"\bg2-standard-96\b", 8),
    (r"(?:\b|_)ND(?:40rs|96)\w*", 8),
    (r"(?:\b|_)(?:NC24ads_A100_v4|NC40ads_H100_v5)", 1),
    (r"(?:\b|_)(?:NC48ads_A100_v4|NC80adis_H100_v5)", 2),
    (r"(?:\b|_)NC96ads_A100_v4", 4),
    (r"\b(?:BM|VM)\.GPU[.\w-]*\.(\d+)\b", 0),
)
_SAYS_TYPE = ("ResourceType", "SkuMeter", "SkuId")


def capacities(nodes: pl.DataFrame, resources: pl.DataFrame, at_once: pl.DataFrame) -> pl.DataFrame:
    """GPUs of each node, and who says so.

    Args:
        nodes: one row a line of a node: `resource_id`, `SkuPriceDetails` and columns that may name the type.
        resources: RESOURCE_COLUMNS.
        at_once: `resource_id`, `gpus`: the most that jobs had in one hour.

    Returns:
        One row a node: `resource_id`, `gpus` (null: nobody says), `said_by`: inventory, bill, type or jobs.
    """
    type_text = pl.concat_str([pl.col(name) for name in _SAYS_TYPE], separator=" ", ignore_nulls=True)
    found = nodes.group_by("resource_id").agg(
        pl.col("SkuPriceDetails")
        .str.extract(r'"GpuCount"\s*:\s*"?(\d+(?:\.\d+)?)')
        .cast(pl.Float64)
        .max()
        .alias("bill"),
        _by_type(type_text).max().cast(pl.Float64).alias("type"),
    )
    counted = resources.select("resource_id", pl.col("gpus").alias("inventory"))
    found = found.join(counted, on="resource_id", how="left")
    found = found.join(at_once.select("resource_id", pl.col("gpus").alias("jobs")), on="resource_id", how="left")
    said = ("inventory", "bill", "type", "jobs")
    first = pl.coalesce(*(pl.when(pl.col(name) > 0).then(pl.lit(name)) for name in said))
    gpus = pl.coalesce(*(pl.when(pl.col(name) > 0).then(name) for name in said))
    return found.select("resource_id", gpus.alias("gpus"), first.alias("said_by"))


def _by_type(text: pl.Expr) -> pl.Expr:
    found = []
    for pattern, gpus in _TYPES:
        known = text.str.contains(f"(?i){pattern}")
        number = pl.lit(gpus) if gpus else text.str.extract(f"(?i){pattern}", 1).cast(pl.Int32)
        found.append(pl.when(known).then(number))
    return pl.coalesce(*found)
