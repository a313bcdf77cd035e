"""Ids of resources and accounts are text: what a spreadsheet does to them, and how Azure spells them."""

from __future__ import annotations

import re

import polars as pl

DAMAGED = "an id, not a number in E-notation (the file was saved by a spreadsheet)"
_AZURE = ("/subscriptions/", "/providers/microsoft.")
_PATTERN = f"(?i)^({'|'.join(map(re.escape, _AZURE))})"
# Where decimals have a comma, the spreadsheet writes one here too; data tools write a small e.
_DAMAGED = r"^\s*\d([.,]\d+)?[Ee]\+\d{1,3}\s*$"


def damaged_ids(ids: pl.Series) -> pl.Series:
    """Mask of ids that a spreadsheet has made into numbers, as 1.00346E+18 or 1,00346E+18: their digits are lost."""
    return ids.str.contains(_DAMAGED).fill_null(value=False)


def fold_azure_id(resource: str) -> str:
    """Azure writes one id in several cases, so it is lowered; ids of other providers stay exact."""
    return resource.lower() if resource.lower().startswith(_AZURE) else resource


def fold_azure_ids(ids: pl.Series) -> pl.Series:
    """A column of ids as `fold_azure_id` makes each."""
    azure = ids.str.contains(_PATTERN).fill_null(value=False)
    if not azure.any():
        return ids
    return pl.select(pl.when(azure).then(ids.str.to_lowercase()).otherwise(ids).alias(ids.name)).to_series()


def folded(ids: pl.Expr) -> pl.Expr:
    """An expression of ids as `fold_azure_id` makes each."""
    return pl.when(ids.str.contains(_PATTERN)).then(ids.str.to_lowercase()).otherwise(ids)
