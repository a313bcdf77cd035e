"""What people.csv says beside the settings: who receives whose report, and whose team an owner's money is."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from attribution.inputs import read_people
from attribution.rules import Rule, RuleBook, read_rules
from attribution.rules.records import Ask
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


def with_teams(rules: RuleBook, people: pl.DataFrame) -> RuleBook:
    """The rules, and after all of them one a person: the owner's money is the team's where nothing else names a team.

    Args:
        rules: of the workspace; where they have no dimension `team` they stay as they are.
        people: PEOPLE_COLUMNS; a team holds on the days of its row.
    """
    if "team" not in rules.dimensions:
        return rules
    team = rules.dimensions["team"]
    told = as_owners(people, rules).filter(pl.col("team").is_not_null())
    rows = told.select("owner", "team", "valid_from", "valid_to").unique().sort(pl.all())
    more = (
        Rule(
            name=f"{owner} is in team {named}",
            when=Ask("owner", "equals", owner),
            assign={"team": (team.canonical(named),)},
            since=since,
            until=until,
            because="people.csv",
            default=True,
            file="people.csv",
        )
        for owner, named, since, until in rows.iter_rows()
    )
    return replace(rules, rules=(*rules.rules, *more))


_SAID_BY = {"user": "owner", "account": "project"}
"""Columns of jobs -> the dimension that they stand for."""


def as_reported(rows: pl.DataFrame, rules: RuleBook) -> pl.DataFrame:
    """Jobs or runs with their dimensions as reports write them: an unknown value stays, stripped."""
    meant = {name: _SAID_BY.get(name, name) for name in rows.columns}
    known = {column: rules.dimensions[name] for column, name in meant.items() if name in rules.dimensions}
    return rows.with_columns(
        pl.Series(column, [one and dimension.canonical(one) for one in rows.get_column(column)], dtype=pl.String)
        for column, dimension in known.items()
    )


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
