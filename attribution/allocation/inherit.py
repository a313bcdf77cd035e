"""Parents: what a resource is told by the one it is attached to, that one by its own, and so on.

Every parent's answer is worked out once over time and handed to all its children; there are fewer parents
than children. A circle of attachments ends where it closes.
"""

from __future__ import annotations

import polars as pl

from attribution.allocation.answers import Answers, answer
from attribution.allocation.tagging import Slots, settled
from attribution.allocation.timeline import FOREVER, laid, timelines
from attribution.rules import TAG

_PIECE = ("resource_no", "start", "end", "field", "slot", "value_no")


def attachments(resources: pl.DataFrame) -> pl.DataFrame:
    """Rows (ResourceId, parent); an inventory that names two parents for one resource names none."""
    attached = resources.select(pl.col("resource_id").alias("ResourceId"), pl.col("attached_to").alias("parent"))
    attached = attached.filter(
        pl.col("parent").str.contains(r"\S").fill_null(value=False) & (pl.col("parent") != pl.col("ResourceId"))
    )
    return attached.unique().filter(pl.len().over("ResourceId") == 1)


def chains(attached: pl.DataFrame, children: pl.Series) -> pl.DataFrame:
    """The way up from every direct parent of the children.

    Returns:
        Rows (first, ancestor, hop, path): `first` is the direct parent, hop 0 is that parent itself.
    """
    first = attached.filter(pl.col("ResourceId").is_in(children.implode())).select(pl.col("parent").alias("first"))
    here = first.unique().with_columns(
        pl.col("first").alias("ancestor"), pl.lit(0, pl.Int32).alias("hop"), pl.col("first").alias("path")
    )
    steps = [here]
    seen = here.select("first", "ancestor")
    while here.height:
        here = (
            here.join(attached, left_on="ancestor", right_on="ResourceId")
            .with_columns(pl.col("hop") + 1, pl.format("{} > {}", "path", "parent").alias("path"))
            .select("first", pl.col("parent").alias("ancestor"), "hop", "path")
            .join(seen, on=["first", "ancestor"], how="anti")
        )
        seen = pl.concat([seen, here.select("first", "ancestor")])
        steps.append(here)
    return pl.concat(steps)


def billed(days: pl.DataFrame, tagged: pl.DataFrame, where: Slots) -> pl.DataFrame:
    """The bill tags of resources as pieces of time, each lasting until the next one.

    Args:
        days: (resource_no, usage_date, tagset_no) of billed rows that have tags, repeated or not.
        tagged: (tagset_no, slot, value_no) of the bill.
        where: the slots.

    Returns:
        Rows (resource_no, start, end, field, slot, value_no).
    """
    # Most resources keep one set of tags: it holds from its first day, and no day of it need be looked at.
    sets = days.group_by("resource_no", "tagset_no").agg(pl.col("usage_date").min())
    several = sets.filter(pl.col("resource_no").is_duplicated()).select("resource_no").unique()
    changing = days.join(several, on="resource_no", how="semi").unique()
    kept = sets.join(several, on="resource_no", how="anti").select(changing.columns)
    rows = pl.concat([kept, changing]).join(tagged, on="tagset_no").drop("tagset_no")
    key = ["resource_no", "field"]
    found = settled(rows, ["resource_no", "usage_date"], where).sort(*key, "usage_date")
    new = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in (*key, "slot", "value_no"))
    found = found.filter(new)
    last = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(-1)) for name in key)
    following = pl.when(last).then(pl.lit(FOREVER)).otherwise(pl.col("usage_date").shift(-1))
    return found.select(
        "resource_no", pl.col("usage_date").alias("start"), following.alias("end"), "field", "slot", "value_no"
    )


def given(chain: pl.DataFrame, csv: pl.DataFrame, bill: pl.DataFrame, where: Slots, answers: Answers) -> pl.DataFrame:
    """What each direct parent tells its children.

    Args:
        chain: (resource_no of the direct parent, ancestor_no, hop, path).
        csv: pieces of the tag CSV.
        bill: pieces of the bill's tags, see `billed`.
        where: the slots.
        answers: gets the voices `parent <path> tag:<key>`.

    Returns:
        Rows (resource_no of the direct parent, start, end, field, answer), not overlapping for a field.
    """
    pieces = pl.concat([csv.select(_PIECE).with_columns(bill=0), bill.select(_PIECE).with_columns(bill=1)])
    pieces = pieces.filter(~pl.col("field").str.starts_with(TAG))
    pieces = chain.join(pieces.rename({"resource_no": "ancestor_no"}), on="ancestor_no")
    pieces = pieces.with_columns((pl.col("hop") * 2 + pl.col("bill")).alias("order"))
    best = (
        laid(pieces, timelines(pieces))
        .sort("order")
        .unique(subset=["resource_no", "span", "field"], keep="first", maintain_order=True)
    )
    voices = best.select("path", "bill", "slot").unique().sort("path", "bill", "slot")
    voices = voices.join(where.table.select("slot", "label"), on="slot", how="left", maintain_order="left")
    source = pl.when(pl.col("bill") == 1).then(pl.lit("bill-")).otherwise(pl.lit(""))
    rules = voices.select(pl.format("parent {} {}{}", "path", source, "label")).to_series()
    voices = voices.with_columns(answers.voices(pl.repeat("parent", voices.height, eager=True), rules))
    return best.join(voices.drop("label"), on=["path", "bill", "slot"]).select(
        "resource_no", "start", "end", "field", answer(pl.col("voice"), pl.col("value_no"))
    )
