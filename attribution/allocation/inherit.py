"""Parents: what a resource is told by the one it is attached to, that one by its own, and so on.

Every parent's answer is worked out once over time and handed to all its children; there are fewer parents
than children. A circle of attachments ends where it closes.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from attribution.allocation.answers import Answers, answer
from attribution.allocation.tagging import Slots, settled
from attribution.allocation.timeline import EVER, FOREVER, during, laid, timelines
from attribution.rules import TAG
from schemas.inputs import WAS_ATTACHED

_PIECE = ("resource_no", "start", "end", "field", "slot", "value_no")


EDGE_COLUMNS: dict[str, pl.DataType] = {
    "ResourceId": pl.String(),
    "parent": pl.String(),
    "label": pl.String(),  # the parent as an explanation names it
    "start": pl.Date(),
    "end": pl.Date(),
}


def attachments(resources: pl.DataFrame, made: pl.DataFrame) -> pl.DataFrame:
    """Which resource hangs on which, and on which days.

    Args:
        resources: the inventory; one that names two parents for one resource at once names none.
        made: who created whom, see `created`; asked where the inventory says nothing.

    Returns:
        EDGE_COLUMNS; the days of one resource do not overlap.
    """
    now = resources.select(
        pl.col("resource_id").alias("ResourceId"),
        pl.col("attached_to").alias("parent"),
        pl.lit(EVER).alias("start"),
        pl.lit(FOREVER).alias("end"),
    )
    if WAS_ATTACHED in resources.columns:
        dated = resources.filter(pl.col(WAS_ATTACHED).is_not_null())
        now = now.filter(~pl.col("ResourceId").is_in(dated.get_column("resource_id").implode()))
        now = pl.concat([now, _dated(dated)])
    now = now.filter(
        pl.col("parent").str.contains(r"\S").fill_null(value=False) & (pl.col("parent") != pl.col("ResourceId"))
    )
    stated = now.unique().filter(pl.len().over("ResourceId", "start") == 1).with_columns(label="parent")
    others = made.join(stated, on="ResourceId", how="anti").with_columns(start=pl.lit(EVER), end=pl.lit(FOREVER))
    return pl.concat([stated.select(list(EDGE_COLUMNS)), others.select(list(EDGE_COLUMNS))])


def _dated(resources: pl.DataFrame) -> pl.DataFrame:
    """Attachments of an inventory with days: each row holds to its end, or until the next one begins."""
    rows = resources.select(pl.col("resource_id").alias("ResourceId"), WAS_ATTACHED).explode(WAS_ATTACHED)
    rows = rows.unnest(WAS_ATTACHED).sort("ResourceId", "valid_from", nulls_last=False)
    following = pl.col("valid_from").shift(-1).over("ResourceId")
    return rows.select(
        "ResourceId",
        pl.col("attached_to").alias("parent"),
        pl.col("valid_from").fill_null(EVER).alias("start"),
        pl.min_horizontal(pl.col("valid_to").fill_null(FOREVER), following.fill_null(FOREVER)).alias("end"),
    )


@dataclass(frozen=True)
class Ancestry:
    """Who inherits from whom: a giver is a direct parent, as some of its children see it.

    `heirs`: (ResourceId, giver, start, end), the days on which a resource hears a giver. `chain`: (giver, ancestor,
    hop, path, start, end), the way up from it; hop 0 is the direct parent itself.
    """

    heirs: pl.DataFrame
    chain: pl.DataFrame


def ancestry(attached: pl.DataFrame, children: pl.Series) -> Ancestry:
    """The way up from the children. A circle ends where it closes: nobody hears itself through others.

    Args:
        attached: EDGE_COLUMNS.
        children: ResourceIds that may inherit.
    """
    edges = attached.filter(pl.col("ResourceId").is_in(children.implode()))
    up = _up(attached, edges.select("parent", "label").unique())
    own_way = up.select("parent", "label", "ancestor").unique()
    circling = edges.join(
        own_way, left_on=["parent", "label", "ResourceId"], right_on=["parent", "label", "ancestor"], how="semi"
    ).select("ResourceId")
    heirs = edges.join(circling.unique().with_columns(alone="ResourceId"), on="ResourceId", how="left")
    givers = heirs.select("parent", "label", "alone").unique(maintain_order=True).with_row_index("giver")
    key = ["parent", "label", "alone"]
    chain = givers.join(up, on=["parent", "label"])
    own = pl.col("trail").list.contains(pl.col("alone")).fill_null(value=False)
    return Ancestry(
        heirs.join(givers, on=key, nulls_equal=True).select("ResourceId", "giver", "start", "end"),
        chain.filter(~own).select("giver", "ancestor", "hop", "path", "start", "end"),
    )


def _up(attached: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """The chain of every direct parent, with the `trail` that leads there."""
    here = first.select(
        "parent",
        "label",
        pl.col("parent").alias("ancestor"),
        pl.lit(0, pl.Int32).alias("hop"),
        pl.col("label").alias("path"),
        pl.concat_list("parent").alias("trail"),
        pl.lit(EVER).alias("start"),
        pl.lit(FOREVER).alias("end"),
    )
    steps = [here]
    while here.height:
        here = (
            here.join(attached.rename({"parent": "next", "label": "named", "start": "since", "end": "until"}),
                      left_on="ancestor", right_on="ResourceId")
            .filter(~pl.col("trail").list.contains(pl.col("next")))
            .select(
                "parent",
                "label",
                pl.col("next").alias("ancestor"),
                pl.col("hop") + 1,
                pl.format("{} > {}", "path", "named").alias("path"),
                pl.concat_list("trail", "next").alias("trail"),
                pl.max_horizontal("start", "since").alias("start"),
                pl.min_horizontal("end", "until").alias("end"),
            )
            .filter(pl.col("start") < pl.col("end"))
        )  # fmt: skip
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
    """What each giver tells its heirs.

    Args:
        chain: (giver, ancestor_no, hop, path, start, end), see Ancestry.
        csv: pieces of the tag CSV.
        bill: pieces of the bill's tags, see `billed`.
        where: the slots.
        answers: gets the voices `parent <path> tag:<key>`.

    Returns:
        Rows (giver, start, end, field, answer), not overlapping for a field.
    """
    pieces = pl.concat([csv.select(_PIECE).with_columns(bill=0), bill.select(_PIECE).with_columns(bill=1)])
    pieces = pieces.filter(~pl.col("field").str.starts_with(TAG))
    pieces = during(
        chain.rename({"giver": "resource_no"}), pieces.rename({"resource_no": "ancestor_no"}), "ancestor_no"
    ).with_columns((pl.col("hop") * 2 + pl.col("bill")).alias("order"))
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
        pl.col("resource_no").alias("giver"), "start", "end", "field", answer(pl.col("voice"), pl.col("value_no"))
    )
