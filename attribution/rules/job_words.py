"""`[jobs]`: where a job says whose it is. A dimension takes the first of its columns that says anything."""

from __future__ import annotations

from attribution.rules.complaints import Place
from attribution.rules.records import Dimension, Take
from attribution.rules.values import TAKE_KEYS, take_of

# Slurm's words for what a team calls project, experiment and owner; the plain list may use either.
_SHIPPED = {"project": ("project", "account"), "experiment": ("experiment", "name"), "owner": ("owner", "user")}


def read_job_words(value: object, dimensions: dict[str, Dimension], place: Place) -> dict[str, tuple[Take, ...]]:
    """Read `[jobs]`; a dimension that it does not name keeps what ships."""
    here = place.at("[jobs]")
    table = here.table(value, "jobs")
    for name in table:
        if name not in dimensions:
            here.unknown("dimension", name, dimensions)
    return {
        name: _takes(table[name], name, here) if name in table else tuple(map(Take, _SHIPPED.get(name, (name,))))
        for name in dimensions
    }


def _takes(value: object, name: str, place: Place) -> tuple[Take, ...]:
    found = []
    for one in value if isinstance(value, list) else [value]:
        table = one if isinstance(one, dict) else {"take": one}
        here = place.at(f"{place.name}: {name}")
        here.only(table, TAKE_KEYS, "word")
        if "take" not in table:
            here.wrong("take is missing.", hint='{ take = "comment", regex = "stage=(\\w+)" }')
        elif (column := here.text(table["take"], "take")) is not None:
            found.append(take_of(column, table, here))
    return tuple(found)
