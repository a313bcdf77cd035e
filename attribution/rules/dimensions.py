"""`[dimension.<name>]` sections: which tags say it, which source of tags is trusted first, other spellings."""

from __future__ import annotations

from typing import Any

from attribution.rules.complaints import Place, kind_of
from attribution.rules.records import OURS, TAG, Dimension, First, Take
from attribution.rules.values import read_take
from attribution.rules.when import GROUPS
from schemas.charges import CHARGE_COLUMNS
from schemas.costs import sign_of
from schemas.dimensions import DIMENSIONS, STAGES, fold
from schemas.money import COSTS

DIMENSION_KEYS = ("tags", "values", "first")
_RESERVED = frozenset(
    {*OURS, *GROUPS, *CHARGE_COLUMNS, *map(sign_of, COSTS), "subject_id", "bill_no", "allocation_id", "elasticity"}
)


def read_dimensions(value: object, place: Place) -> dict[str, Dimension]:
    """Read all sections; the four dimensions that are always there come first."""
    sections = place.table(value, "dimension")
    found = {}
    for name in dict.fromkeys((*DIMENSIONS, *sections)):
        here = place.at(f"[dimension.{name}]")
        if name in _RESERVED or name.startswith(("x_", "tag:")) or not name.isidentifier() or name != name.lower():
            here.wrong(
                f'"{name}" cannot name a dimension.', hint="Use lower case letters, digits and _, and no column's name."
            )
        table = here.table(sections.get(name, {}), name)
        here.only(table, DIMENSION_KEYS)
        takes = _takes(table["tags"], here) if "tags" in table else (Take(f"{TAG}{name}"),)
        own = _spellings(here.table(table.get("values", {}), "values"), here)
        shipped = _spellings(STAGES, here) if name == "stage" else {}
        # A workspace's own words win over those shipped, and a shipped stage that it renamed takes its aliases along.
        renamed = {spelling: own.get(fold(value), value) for spelling, value in shipped.items()}
        first = read_first(table["first"], here) if "first" in table else None
        found[name] = Dimension(name, takes, renamed | own, first)
    return found


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


def _spellings(values: dict[str, Any], place: Place) -> dict[str, str]:
    """Folded spelling -> canonical value; a value's own name comes first, so that no alias can take it."""
    found: dict[str, str] = {}
    for canonical in values:
        if fold(canonical) in found:
            place.wrong(
                f'values "{found[fold(canonical)]}" and "{canonical}" are one; case, -, _ and spaces do not matter.'
            )
        found[fold(canonical)] = canonical
    for canonical, aliases in values.items():
        written = aliases if isinstance(aliases, tuple) else place.texts(aliases, f'values: "{canonical}"')
        for alias in written:
            other = found.setdefault(fold(alias), canonical)
            if other != canonical:
                place.wrong(f'alias "{alias}" stands for both "{other}" and "{canonical}".')
    return found
