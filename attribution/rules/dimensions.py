"""`[dimension.<name>]` sections: which tags say it, which source of tags is trusted first, other spellings."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from attribution.rules.complaints import Place, kind_of
from attribution.rules.records import OURS, TAG, Alias, Dimension, First, Take
from attribution.rules.values import read_take
from attribution.rules.when import GROUPS
from schemas.charges import CHARGE_COLUMNS
from schemas.costs import sign_of
from schemas.dimensions import DIMENSIONS, STAGES, fold
from schemas.money import COSTS

DIMENSION_KEYS = ("tags", "values", "first", "other_below")
ALIAS_KEYS = ("alias", "since", "until")
_RESERVED = frozenset(
    {*OURS, *GROUPS, *CHARGE_COLUMNS, *map(sign_of, COSTS), "subject_id", "bill_no", "allocation_id", "elasticity"}
)


Section = tuple[Place, dict[str, Any]]


def read_dimensions(written: Sequence[tuple[Place, object]]) -> dict[str, Dimension]:
    """Read all sections of all files; the four dimensions that are always there come first.

    Several files may speak of one dimension: their `values` count together, all else stands in one of them.
    """
    sections: dict[str, list[Section]] = {name: [] for name in DIMENSIONS}
    for place, value in written:
        for name, table in place.table(value, "dimension").items():
            here = place.at(f"[dimension.{name}]")
            if name in _RESERVED or name.startswith(("x_", "tag:")) or not name.isidentifier() or name != name.lower():
                hint = "Use lower case letters, digits and _, and no column's name."
                here.wrong(f'"{name}" cannot name a dimension.', hint=hint)
            section = here.table(table, name)
            here.only(section, DIMENSION_KEYS)
            sections.setdefault(name, []).append((here, section))
    return {name: _dimension(name, pieces) for name, pieces in sections.items()}


def _dimension(name: str, pieces: list[Section]) -> Dimension:
    tags, first = once("tags", pieces), once("first", pieces)
    takes = _takes(tags[1], tags[0]) if tags else (Take(f"{TAG}{name}"),)
    own, dated = _spellings([(here, here.table(table.get("values", {}), "values")) for here, table in pieces])
    shipped, _ = _spellings([(Place(""), dict(STAGES))]) if name == "stage" else ({}, ())
    # A workspace's own words win over those shipped, and a shipped stage that it renamed takes its aliases along.
    renamed = {spelling: own.get(fold(value), value) for spelling, value in shipped.items()}
    limit = once("other_below", pieces)
    return Dimension(
        name,
        takes,
        renamed | own,
        read_first(first[1], first[0]) if first else None,
        dated,
        _limit(limit[1], limit[0]) if limit else None,
    )


def _limit(value: object, place: Place) -> Decimal | None:
    """An amount under which a value is shown as `other`."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool) and Decimal(value).is_finite() and value > 0:
        return Decimal(value)
    place.wrong("other_below must be an amount above 0.", hint="other_below = 100")
    return None


def once(key: str, pieces: Sequence[Section]) -> tuple[Place, Any] | None:
    """A setting that one file alone may state."""
    stated = [(here, table[key]) for here, table in pieces if key in table]
    for here, _ in stated[1:]:
        here.wrong(f"{key} stands in {stated[0][0].file} already.")
    return stated[0] if stated else None


def read_first(value: object, place: Place) -> First | None:
    """Which source of tags is trusted first."""
    if value == "csv" or value == "bill":  # noqa: PLR1714 - so that the type is known
        return value
    place.wrong(f'first = "{value}" is not known.', ("csv", "bill"))
    return None


def _takes(value: object, place: Place) -> tuple[Take, ...]:
    """Tag keys, or tables that take a part of a tag; one key in two spellings is one."""
    if not isinstance(value, list):
        place.wrong(f"tags must be a list of texts, not {kind_of(value)}.")
        return ()
    found: dict[tuple[str, Take], Take] = {}
    for one in value:
        if isinstance(one, dict):
            take = read_take(one, "tags", {}, place)
            if take is not None and not take.key:
                place.wrong(f'tags: "{take.column}" is no tag.', hint="Take it in a [[rule]].")
        else:
            key = place.text(one, "tags: an entry")
            take = None if key is None else Take(f"{TAG}{key}")
        if take is not None and take.key:
            found.setdefault((fold(take.key), Take("", take.split, take.part, take.regex, take.trim, take.lower)), take)
    return tuple(found.values())


def _spellings(pieces: Sequence[Section]) -> tuple[dict[str, str], tuple[Alias, ...]]:
    """Folded spelling -> canonical value; a value's own name comes first, so that no alias can take it."""
    found: dict[str, str] = {}
    for place, values in pieces:
        for canonical in values:
            other = found.setdefault(fold(canonical), canonical)
            if other != canonical:
                place.wrong(f'values "{other}" and "{canonical}" are one; case, -, _ and spaces do not matter.')
    timed: list[tuple[Place, str, dict[str, Any]]] = []
    for place, values in pieces:
        for canonical, aliases in values.items():
            written = aliases if isinstance(aliases, list | tuple) else place.texts(aliases, f'values: "{canonical}"')
            timed += [(place, canonical, alias) for alias in written if isinstance(alias, dict)]
            for alias in (one for one in written if not isinstance(one, dict)):
                text = place.text(alias, f'values: "{canonical}": an entry')
                other = found.setdefault(fold(text), canonical) if text else canonical
                if other != canonical:
                    place.wrong(f'alias "{text}" stands for both "{other}" and "{canonical}".')
    dated: list[Alias] = []
    for place, canonical, table in timed:
        dated += _dated(table, canonical, place)
        _collide(dated, found, place)
    return found, tuple(dated)


def _dated(table: dict[str, Any], canonical: str, place: Place) -> list[Alias]:
    """An alias with the days on which it holds."""
    here = place.at(f'{place.name}: values: "{canonical}"')
    here.only(table, ALIAS_KEYS, "word")
    text = here.text(table.get("alias", ""), "alias")
    if not {"since", "until"} & set(table):
        here.wrong("since or until is missing.", hint="An alias that always holds is a text alone.")
    return [Alias(fold(text), canonical, *here.days(table))] if text else []


def _collide(dated: list[Alias], always: dict[str, str], place: Place) -> None:
    """Note a spelling that stands for two values on one day; the last of `dated` is looked at."""
    if not dated:
        return
    last = dated[-1]
    for other in (*dated[:-1], Alias(last.spelling, always.get(last.spelling, last.value))):
        apart = (other.until and last.since and other.until <= last.since) or (
            last.until and other.since and last.until <= other.since
        )
        if other.spelling == last.spelling and other.value != last.value and not apart:
            place.wrong(f'alias "{last.spelling}" stands for both "{other.value}" and "{last.value}" on some days.')
