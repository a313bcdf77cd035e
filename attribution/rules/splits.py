"""`[[split]]` sections: reading them, and finding the circles that can be seen without any bill."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from attribution.rules.complaints import Place, kind_of
from attribution.rules.records import All, Ask, Condition, Dimension, Idle, Split
from attribution.rules.weights import SPLITS
from attribution.rules.when import read_when
from schemas.dimensions import NOBODY
from schemas.inputs import USAGE_MEASURES
from schemas.money import SCALE

JOBS = "jobs"
MEASURE = "measure:"
_BY = (*(word for word in SPLITS if word != "measure"), JOBS, "measure:<csv>")
_WITHIN = ("month", "day")
_IDLE: tuple[Idle, ...] = ("keep", "even", "use", "owner")
# Key -> the words of `by` that take it; all others go with any.
_ONLY_WITH = {
    "weights": ("fixed",), "of": ("usage",), "measure": ("usage",), "idle": (JOBS,),
}  # fmt: skip
# Keys that mean nothing where each node is divided by the hour.
_NOT_OF_NODES = ("to", "inside", "within")
SPLIT_KEYS = ("name", "when", "across", "by", "to", "inside", "within", "because", *_ONLY_WITH)


def read_split(table: dict[str, Any], name: str, dimensions: dict[str, Dimension], place: Place) -> Split:
    """Read one `[[split]]`; what is wrong is noted, and a best guess stands in so that reading can go on."""
    place.only(table, SPLIT_KEYS)
    for key in ("when", "across", "by"):
        if key not in table:
            place.wrong(f"{key} is missing.")
    when = read_when(place.table(table["when"], "when"), dimensions, place) if "when" in table else All(())
    across = _names(table.get("across", []), "across", dimensions, place)
    if "across" in table and not table["across"]:
        place.wrong("across names no dimension.", dimensions)
    by, measure = _by(table["by"], place) if "by" in table else ("", None)
    for key, words in _ONLY_WITH.items():
        if by and key in table and by not in words:
            place.wrong(f'{key} goes with by = "{words[0]}", not with "{by}".')
    weights = _weights(table, across, dimensions, place) if by == "fixed" else {}
    of = read_when(place.table(table["of"], "of"), dimensions, place) if by == "usage" and "of" in table else None
    if by == "usage":
        measure = _pods_measure(table, place)
    split = Split(
        name,
        when,
        across,
        by,
        _to(table, across, dimensions, place) if "to" in table else None,
        weights,
        _within(table.get("within", "month"), place),
        because=str(table.get("because", "")),
        inside=_inside(table, across, dimensions, place),
        of=of,
        measure=measure,
        idle=_idle(table.get("idle", "keep"), place),
    )
    for key in _NOT_OF_NODES:
        if by and split.of_nodes and key in table:
            place.wrong(f"{key} means nothing here; each node is divided by itself, among those that ran on it.")
    return split


def _names(value: object, what: str, dimensions: dict[str, Dimension], place: Place) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else place.texts(value, what)
    for name in names:
        if name not in dimensions:
            place.unknown("dimension", name, dimensions)
    if len(set(names)) < len(names):
        place.wrong(f"{what} names a dimension twice.")
    return tuple(name for name in dict.fromkeys(names) if name in dimensions)


def _inside(
    table: dict[str, Any], across: tuple[str, ...], dimensions: dict[str, Dimension], place: Place
) -> tuple[str, ...]:
    inside = _names(table["inside"], "inside", dimensions, place) if "inside" in table else ()
    for name in set(inside) & set(across):
        place.wrong(f'"{name}" stands in both across and inside; money cannot move across it and stay inside it.')
    return inside


def _by(value: object, place: Place) -> tuple[str, str | None]:
    """The word, and the CSV that it names."""
    if isinstance(value, str) and value.startswith(MEASURE):
        path = value.removeprefix(MEASURE).strip()
        if not path:
            place.wrong('by = "measure:" lacks the file.', hint='by = "measure:measures/tokens.csv"')
        return "measure", path
    if isinstance(value, str) and (value == JOBS or (value in SPLITS and value != "measure")):
        return value, None
    if isinstance(value, str):
        place.unknown("word for by", value, _BY)
    else:
        place.wrong(f"by must be text, not {kind_of(value)}.", _BY)
    return "", None


def _pods_measure(table: dict[str, Any], place: Place) -> str | None:
    if ("of" in table) == ("measure" in table):
        hint = 'of = { ConsumedUnit = "GB" } counts what receivers consumed, measure = "cpu_core_hours" what pods used.'
        place.wrong('by = "usage" needs either of or measure.', hint=hint)
        return None
    measure = table.get("measure")
    if "measure" in table and measure not in USAGE_MEASURES:
        place.wrong(f'measure = "{measure}" is not known.', USAGE_MEASURES)
    return str(measure) if "measure" in table else None


def _idle(value: object, place: Place) -> Idle:
    for known in _IDLE:
        if value == known:
            return known
    place.wrong(f'idle = "{value}" is not known.', _IDLE)
    return "keep"


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
    table: dict[str, Any], across: tuple[str, ...], dimensions: dict[str, Dimension], place: Place
) -> dict[str, Decimal]:
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
        if _whole(split.when) and not split.of_nodes:
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
