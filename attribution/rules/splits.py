"""`[[split]]` sections: reading them, and finding the circles that can be seen without any bill."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from attribution.rules.complaints import Place, kind_of
from attribution.rules.records import All, Ask, Condition, Dimension, Split
from attribution.rules.weights import SPLITS
from attribution.rules.when import read_when
from schemas.dimensions import NOBODY
from schemas.money import SCALE

SPLIT_KEYS = ("name", "when", "across", "by", "to", "weights", "within", "because")
LATER = ("jobs", "usage", "measure:<csv>")
_WITHIN = ("month", "day")


def read_split(table: dict[str, Any], name: str, dimensions: dict[str, Dimension], place: Place) -> Split:
    """Read one `[[split]]`; what is wrong is noted, and a best guess stands in so that reading can go on."""
    place.only(table, SPLIT_KEYS)
    for key in ("when", "across", "by"):
        if key not in table:
            place.wrong(f"{key} is missing.")
    when = read_when(place.table(table["when"], "when"), dimensions, place) if "when" in table else All(())
    across = _across(table.get("across", []), dimensions, place)
    by = _by(table["by"], place) if "by" in table else ""
    weights = _weights(table, by, across, dimensions, place)
    to = _to(table, across, dimensions, place) if "to" in table else None
    return Split(name, when, across, by, to, weights, _within(table.get("within", "month"), place))


def _across(value: object, dimensions: dict[str, Dimension], place: Place) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else place.texts(value, "across")
    for name in names:
        if name not in dimensions:
            place.unknown("dimension", name, dimensions)
    if len(set(names)) < len(names):
        place.wrong("across names a dimension twice.")
    return tuple(name for name in dict.fromkeys(names) if name in dimensions)


def _by(value: object, place: Place) -> str:
    if isinstance(value, str) and value in SPLITS:
        return value
    if isinstance(value, str) and (value in LATER or value.startswith("measure:")):
        place.wrong(f'by = "{value}" is not in this version.', SPLITS)
    elif isinstance(value, str):
        place.unknown("word for by", value, SPLITS)
    else:
        place.wrong(f"by must be text, not {kind_of(value)}.", SPLITS)
    return ""


def _within(value: object, place: Place) -> Literal["month", "day"]:
    if value not in _WITHIN:
        place.wrong(f'within = "{value}" is not known.', _WITHIN)
    return "day" if value == "day" else "month"


def _to(
    table: dict[str, Any], across: tuple[str, ...], dimensions: dict[str, Dimension], place: Place
) -> tuple[str, ...] | None:
    written = place.texts(table["to"], "to")
    if not written:
        place.wrong("to names nobody.")
    if not across:
        return None
    values = tuple(dict.fromkeys(dimensions[across[0]].canonical(value) for value in written))
    _not_special(values, "to", place)
    return values


def _not_special(values: tuple[str, ...], what: str, place: Place) -> None:
    for value in values:
        if value in NOBODY:
            place.wrong(f'{what} names "{value}", which is nobody; nobody cannot receive.')


def _weights(
    table: dict[str, Any], by: str, across: tuple[str, ...], dimensions: dict[str, Dimension], place: Place
) -> dict[str, Decimal]:
    if by != "fixed":
        if by and "weights" in table:
            place.wrong(f'weights go with by = "fixed", not with "{by}".')
        return {}
    if len(across) > 1:
        place.wrong('by = "fixed" needs exactly one dimension in across.')
    if not table.get("weights"):
        place.wrong('by = "fixed" needs weights.', hint="weights = { atlas = 3, borealis = 1 }")
        return {}
    found: dict[str, Decimal] = {}
    for value, weight in place.table(table["weights"], "weights").items():
        canonical = dimensions[across[0]].canonical(value) if across else value
        if canonical in found:
            place.wrong(f'weights names "{canonical}" twice.')
        if isinstance(weight, bool) or not isinstance(weight, int | Decimal):
            place.wrong(f'the weight of "{value}" must be a number, not {kind_of(weight)}.')
        elif not Decimal(weight).is_finite() or weight < 0:
            place.wrong(f'the weight of "{value}" must not be {weight}.')
        else:
            found[canonical] = Decimal(weight)
    _not_special(tuple(found), "weights", place)
    _add_up(found, place)
    return found


def _add_up(weights: dict[str, Decimal], place: Place) -> None:
    """Whole numbers are proportions; with decimals people mean parts of one, and a sum of 0.99 is a mistake."""
    total = sum(weights.values(), Decimal(0))
    if any(weight != weight.to_integral_value() for weight in weights.values()):
        if total != 1:
            place.wrong(f"the weights sum to {total}.", hint="Use whole numbers, or decimals that sum to 1.")
        if any(-int(weight.as_tuple().exponent) > SCALE for weight in weights.values()):
            place.wrong(f"a weight has more than {SCALE} decimals.")
    elif total == 0:
        place.wrong("every weight is 0.")


def find_circles(splits: Sequence[tuple[Split, Place]]) -> None:
    """Money must not be sent to a pool that is empty by then, nor to itself; what cannot be seen here shows later."""
    emptied: dict[tuple[str, str], str] = {}
    for split, where in splits:
        own = _pool(split)
        named = (*(split.to or ()), *split.weights)
        for value in named:
            key = (split.across[0], value) if split.across else ("", value)
            if key in own:
                where.wrong(f'"{value}" would give to itself.')
            elif key in emptied:
                hint = "Put this split before the other one, or take the value out."
                where.wrong(
                    f'"{value}" was emptied by split "{emptied[key]}"; the money would go in a circle.', "", hint
                )
        if _whole(split.when):
            emptied |= dict.fromkeys(own, split.name)


def _pool(split: Split) -> set[tuple[str, str]]:
    """The values of its `across` dimensions that a split surely takes from, as its `when` names them."""
    parts: tuple[Condition, ...] = split.when.parts if isinstance(split.when, All) else (split.when,)
    found: set[tuple[str, str]] = set()
    for part in parts:
        if isinstance(part, Ask) and part.column in split.across and part.word in ("equals", "any_of"):
            values = part.argument if isinstance(part.argument, tuple) else (part.argument,)
            found |= {(part.column, value) for value in values if not isinstance(value, bool | date)}
    return found


def _whole(when: Condition) -> bool:
    """Whether the pool is all that has the value: nothing else narrows it."""
    return isinstance(when, Ask)
