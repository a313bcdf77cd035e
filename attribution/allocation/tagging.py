"""Tags: from what people wrote to one answer a field. A field is a dimension, or a tag that a condition asks.

The surprise: two values for one key are no answer by luck but the value `(tag conflict)`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import polars as pl

from attribution.allocation.answers import CONFLICT, Answers
from attribution.allocation.timeline import EVER, FOREVER, laid, timelines
from attribution.rules import TAG, RuleBook, Take, taken
from schemas.dimensions import fold
from schemas.workspace import OWN_COSTS

SLOT_COLUMNS: dict[str, pl.DataType] = {
    "slot": pl.Int32(),
    "field": pl.String(),
    "folded": pl.String(),  # null: no tag key fills it, but a column of own costs
    "label": pl.String(),
    "rank": pl.Int32(),
}


@dataclass(frozen=True)
class Slots:
    """Which tag keys answer which field, in order of trust; `table` has SLOT_COLUMNS, one row a key and field.

    `writes`: how each slot writes a value. `parts`: the slots that take a part of their tag.
    """

    table: pl.DataFrame
    book: RuleBook
    writes: list[Callable[[str], str]]
    parts: dict[int, Take]


def slots(book: RuleBook) -> Slots:
    """The keys of every dimension, and those that conditions ask, each as a field `tag:<key>` of its own.

    What own costs state for a dimension has a slot of its own, trusted first, whatever the keys are.
    """
    rows: list[tuple[str, str | None, str, int]] = []
    writes: list[Callable[[str], str]] = []
    parts: dict[int, Take] = {}
    for dimension in book.dimensions.values():
        for edition in dimension.editions:
            field = dimension.field(edition)
            rows.append((field, None, f"{OWN_COSTS}:{dimension.name}", -1))
            for rank, take in enumerate(dimension.takes):
                parts |= {} if take.plain else {len(rows): take}
                rows.append((field, fold(take.key), str(take), rank))
            writes += [partial(dimension.canonical, edition=edition)] * (1 + len(dimension.takes))
    rows += [(f"{TAG}{key}", fold(key), f"{TAG}{key}", 0) for key in book.tag_keys]
    writes += [str.strip] * len(book.tag_keys)
    table = pl.DataFrame([(slot, *row) for slot, row in enumerate(rows)], schema=SLOT_COLUMNS, orient="row")
    return Slots(table, book, writes, parts)


def _numbered(where: Slots, answers: Answers) -> Callable[[int, str], int]:
    """Gives the number of a value in a slot, as its dimension writes it; each spelling is looked at once.

    Where a slot takes a part of its tag the whole is numbered; `_in_parts` follows.
    """

    @cache
    def number(slot: int, value: str) -> int:
        return answers.value(value if slot in where.parts else where.writes[slot](value))

    return number


def _in_parts(rows: pl.DataFrame, where: Slots, answers: Answers) -> pl.DataFrame:
    """Rows (slot, value_no, ...) with the part that each slot takes; a tag that has no such part says nothing."""
    pieces = [rows.filter(~pl.col("slot").is_in(list(where.parts)))] if where.parts else [rows]
    for slot, take in where.parts.items():
        mine = rows.filter(pl.col("slot") == slot)
        whole = mine.get_column("value_no").unique()
        texts = taken(take, answers.texts().gather(whole))
        part = [None if text is None else answers.value(where.writes[slot](text)) for text in texts]
        known = pl.DataFrame({"value_no": whole, "part": part}, schema_overrides={"part": pl.Int64()})
        joined = mine.join(known, on="value_no").with_columns(value_no="part").drop("part")
        pieces.append(joined.drop_nulls("value_no").select(rows.columns))
    return pl.concat(pieces)


def _keyed(where: Slots) -> Callable[[str], tuple[int, ...]]:
    """Gives the slots that a tag key fills, as people write it."""
    by_key: dict[str, tuple[int, ...]] = {}
    for slot, folded in where.table.select("slot", "folded").drop_nulls().iter_rows():
        by_key[folded] = (*by_key.get(folded, ()), slot)
    return cache(lambda key: by_key.get(fold(key), ()))


def _stated(where: Slots) -> Callable[[str], tuple[int, ...]]:
    """Gives the slots that a column of own costs fills: as all keys of its dimension at once, or as a tag key."""
    by_key = _keyed(where)
    named: dict[str, tuple[int, ...]] = {}
    for dimension in where.book.dimensions.values():
        keys = [fold(dimension.name), *map(fold, dimension.tags)]
        own = pl.col("label") == f"{OWN_COSTS}:{dimension.name}"
        asked = pl.col("field").str.starts_with(TAG) & pl.col("folded").is_in(keys)
        named[keys[0]] = tuple(where.table.filter(own | asked).get_column("slot"))
    return cache(lambda key: named.get(fold(key)) or by_key(key))


def settled(tags: pl.DataFrame, owner: list[str], where: Slots) -> pl.DataFrame:
    """One row an owner and field: the most trusted key that has a value, or the conflict inside it.

    Returns:
        Owner columns with `field`, `slot` and `value_no`.
    """
    value = pl.when(pl.col("value_no").min() == pl.col("value_no").max()).then(pl.col("value_no").min())
    one = tags.group_by(*owner, "slot").agg(value.otherwise(CONFLICT).alias("value_no"))
    return (
        one.join(where.table.select("slot", "field", "rank"), on="slot")
        .sort("rank")
        .unique(subset=[*owner, "field"], keep="first", maintain_order=True)
        .select(*owner, "field", "slot", "value_no")
    )


def bill_tags(sets: pl.DataFrame, where: Slots, answers: Answers) -> pl.DataFrame:
    """The bill's own tags: rows (tagset_no, slot, value_no), `tagset_no` the place among the distinct `sets`.

    Every set is parsed once; of its tags only those that somebody asks for are kept.

    Args:
        sets: distinct rows (Tags, own_costs); where `own_costs` is true the keys are columns of own costs.
        where: the slots.
        answers: numbers of values.
    """
    of_key, of_column, number = _keyed(where), _stated(where), _numbered(where, answers)
    columns: tuple[list[int], list[int], list[int]] = ([], [], [])
    for tagset, (text, own) in enumerate(sets.iter_rows()):
        for key, value in json.loads(text).items():
            for slot in of_column(key) if own else of_key(key):
                if written := str(value).strip():
                    columns[0].append(tagset)
                    columns[1].append(slot)
                    columns[2].append(number(slot, written))
    schema = {"tagset_no": pl.UInt32(), "slot": pl.Int32(), "value_no": pl.Int64()}
    return _in_parts(pl.DataFrame(dict(zip(schema, columns, strict=True)), schema=schema), where, answers).unique()


def csv_tags(tags: pl.DataFrame, numbers: pl.DataFrame, where: Slots, answers: Answers) -> pl.DataFrame:
    """The tag CSV as pieces of time that do not overlap.

    Args:
        tags: TAG_COLUMNS, repeated and contradicting rows allowed.
        numbers: (ResourceId, resource_no) of all resources that matter.
        where: the slots.
        answers: numbers of values.

    Returns:
        Rows (resource_no, start, end, field, slot, value_no), [start, end) partitioning what is tagged.
    """
    tags = tags.filter(pl.col("value").str.contains(r"\S"))
    slots_of, number = _keyed(where), _numbered(where, answers)
    keys = [(key, slot) for key in tags.get_column("key").unique() for slot in slots_of(key)]
    found = tags.join(numbers, left_on="resource_id", right_on="ResourceId").join(
        pl.DataFrame(keys, schema={"key": pl.String(), "slot": pl.Int32()}, orient="row"), on="key"
    )
    written = found.select("slot", "value").unique().sort("slot", "value")
    values = pl.Series("value_no", [number(*one) for one in written.iter_rows()], dtype=pl.Int64())
    rows = found.join(written.with_columns(values), on=["slot", "value"]).select(
        "resource_no",
        pl.col("valid_from").fill_null(EVER).alias("start"),
        pl.col("valid_to").fill_null(FOREVER).alias("end"),
        "slot",
        "value_no",
    )
    rows = _in_parts(rows, where, answers)
    return settled(laid(rows, timelines(rows)), ["resource_no", "start", "end"], where)
