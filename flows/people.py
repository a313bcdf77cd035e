"""Who receives whose report: the settings and people.csv together, under the names that costs have."""

from __future__ import annotations

import polars as pl

from attribution.inputs import read_people
from attribution.rules import RuleBook, read_rules
from flows.running import Run
from schemas.inputs import PEOPLE_COLUMNS
from schemas.paths import matching
from schemas.people import recipients_on


def as_owners(people: pl.DataFrame, rules: RuleBook) -> pl.DataFrame:
    """People with owner and lead as the owner's aliases write them."""
    owner = rules.dimensions["owner"]
    names = {
        name: pl.Series(
            [None if one is None else owner.canonical(one) for one in people.get_column(name)], dtype=pl.String
        )
        for name in ("owner", "lead")
    }
    return people.with_columns(**names)


def recipients_of(run: Run) -> dict[str, tuple[str, ...]]:
    """Owner (or `all`) -> addresses on the day of the run.

    Raises:
        InputError: people.csv or rules.toml cannot be read.
    """
    workspace = run.workspace
    people = pl.DataFrame(schema=PEOPLE_COLUMNS)
    if workspace.inputs.people:
        paths = matching(workspace.root, workspace.inputs.people, "[inputs] people", workspace.store)
        people = as_owners(read_people(paths, workspace.root).frame, read_rules(workspace.rules, workspace.root))
    return recipients_on(run.today, people, workspace.mail.recipients)
