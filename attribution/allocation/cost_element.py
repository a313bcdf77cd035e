"""What kind of cost a subject is (compute, storage, ...) and whether it moves with use.

Derived from the bill's own words by a table read from the top; the first line that fits decides. A cost
that nothing fits is `other`, never a guess. Own costs state theirs, as their SkuMeter.
"""

from __future__ import annotations

import polars as pl

from schemas.workspace import OWN_COSTS

_SERVICE = ("source", "ChargeCategory", "ServiceCategory", "ServiceSubcategory", "ServiceName", "SkuMeter")

# column, pattern without regard to case, cost element
_ELEMENTS: tuple[tuple[str, str, str], ...] = (
    ("ChargeCategory", r"^tax$", "other"),
    ("ServiceName", r"support|professional services|managed services", "operations"),
    ("ServiceName", r"data ?exchange|ground ?truth|mechanical turk|data ?label|open data|datasets?\b", "data"),
    ("ServiceName", r"migration|transfer family|data ?sync|snowball|data box", "migration"),
    (
        "SkuMeter",
        r"data ?transfer|nat ?gateway|egress|ingress|bandwidth|load ?balanc|elastic ?ip|public ?ip",
        "network",
    ),
    (
        "ServiceName",
        r"cloud ?watch|monitor|logging|log analytics|log service|prometheus|grafana|x-ray",
        "observability",
    ),
    ("ServiceSubcategory", r"^observability$", "observability"),
    ("ServiceName", r"kms|key ?vault|key management|guard ?duty|\bwaf\b|shield|secrets? manager|firewall", "security"),
    ("ServiceName", r"redis|rds\b|postgres|mysql|cosmos|dynamo|sql|bigquery|spanner|elasticache|kafka", "database"),
    ("SkuMeter", r"ebs:|snapshot|volume ?usage|managed ?disk|disk|capacity ?storage|timedstorage", "storage"),
    ("ServiceName", r"s3\b|simple storage|object storage|blob|\befs\b|\bfsx\b|filestore|elastic file", "storage"),
    ("ServiceCategory", r"^compute$|^ai and machine learning$", "compute"),
    ("ServiceCategory", r"^storage$", "storage"),
    ("ServiceCategory", r"^networking$", "network"),
    ("ServiceCategory", r"^databases$|^integration$|^analytics$", "database"),
    ("ServiceCategory", r"^security$|^identity$", "security"),
    ("ServiceCategory", r"^migration$", "migration"),
    ("ServiceCategory", r"^management and governance$|^developer tools$", "operations"),
    (
        "ServiceName",
        r"elastic compute|\bec2\b|virtual machines?|compute engine|\bgpu\b|kubernetes|sagemaker",
        "compute",
    ),
)


def cost_elements(subjects: pl.DataFrame) -> pl.DataFrame:
    """Add `cost_element` and `elasticity` to subjects; their order and number stay."""
    kinds = subjects.select(_SERVICE).unique()
    element = pl.lit("other")
    for column, pattern, name in reversed(_ELEMENTS):
        fits = pl.col(column).str.contains(f"(?i){pattern}").fill_null(value=False)
        element = pl.when(fits).then(pl.lit(name)).otherwise(element)
    element = pl.when(pl.col("source") == OWN_COSTS).then("SkuMeter").otherwise(element)
    kinds = kinds.with_columns(element.alias("cost_element"))
    fixed = (
        pl.col("ChargeCategory").eq_missing("Purchase")
        | pl.col("PricingCategory").eq_missing("Committed")
        | pl.col("ChargeFrequency").eq_missing("Recurring")
    )
    return (
        subjects.drop("cost_element", "elasticity", strict=False)
        .join(kinds, on=_SERVICE, how="left", nulls_equal=True, maintain_order="left", validate="m:1")
        .with_columns(pl.when(fixed).then(pl.lit("fixed")).otherwise(pl.lit("elastic")).alias("elasticity"))
    )
