"""Whose money: every dimension of every line gets a value, and writes down who gave it.

First answer wins: rule, own tags (CSV and bill), parent, account, unallocated. All is decided on contexts; lines
learn one whole number each, so nothing here can change or multiply money, and that is checked too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import polars as pl

from attribution.allocation.answers import Answers, value_of
from attribution.allocation.evidence import ACCOUNT, Evidence, gather_evidence
from attribution.allocation.timeline import EVER
from attribution.rules import Coded, RuleBook, Take, Values, alike, holds, taken
from attribution.rules.records import Ask, Rule, asks, takes
from schemas.costs import COST_COLUMNS, allocation_columns
from schemas.dimensions import UNALLOCATED
from schemas.faults import LawBrokenError
from schemas.money import COSTS, sum_exactly


@dataclass(frozen=True)
class Resolved:
    """Costs with their allocations.

    `costs`: COST_COLUMNS, one row a line, in the order of the lines. `allocations`: the distinct combinations.
    `subjects`: as given, with `cost_element` and `elasticity`. `evidence` is what splits and explanations need.
    """

    costs: pl.DataFrame
    allocations: pl.DataFrame
    subjects: pl.DataFrame
    evidence: Evidence
    notices: tuple[str, ...] = ()


def resolve(
    subjects: pl.DataFrame, lines: pl.DataFrame, tags: pl.DataFrame, resources: pl.DataFrame, rules: RuleBook
) -> Resolved:
    """Say whose every line is.

    Args:
        subjects: SUBJECT_COLUMNS, with the columns that `rules.columns` names.
        lines: LINE_COLUMNS; days before matter too, where a parent's tags are to be taken from them.
        tags: TAG_COLUMNS.
        resources: RESOURCE_COLUMNS.
        rules: the rule book.

    Raises:
        LawBrokenError: a line has no subject, or money changed on the way.
    """
    evidence = gather_evidence(subjects, lines, tags, resources, rules)
    decided = decide(evidence)
    chosen = decided.unique(maintain_order=True).with_row_index("allocation_id")
    allocations = _allocations(chosen, rules, evidence.answers)
    names = list(rules.dimensions)
    of_context = decided.join(chosen, on=names, how="left", maintain_order="left", validate="m:1")
    ids = of_context.get_column("allocation_id").cast(pl.Int32).gather(evidence.of_line)
    costs = lines.with_columns(ids).select(list(COST_COLUMNS))
    same_money(lines, costs, "resolve")
    return Resolved(costs, allocations, evidence.subjects, evidence, _notices(evidence))


Note = Callable[[Rule, str, pl.Series], None]
"""Told of every rule, a dimension it assigns, and what it says of each context: an answer, or null."""


def decide(evidence: Evidence, note: Note | None = None) -> pl.DataFrame:
    """The winning answer of every context and dimension, a column of whole numbers a dimension.

    `note` hears of every rule that met anything, also where it came too late to win.
    """
    won = ruled(evidence, note)
    for dimension in evidence.book.dimensions:
        said = [won[dimension], evidence.own_tags(dimension)]
        said += [evidence.heard(source, dimension) for source in ("parent", ACCOUNT)]
        won[dimension] = pl.select(pl.coalesce(said)).to_series()
    last = [rule for rule in evidence.book.rules if rule.default]
    if last:
        _ask(last, _Look(evidence, won, {}), note)
    nobody = evidence.answers.one(UNALLOCATED, "unallocated")
    return pl.DataFrame([said.fill_null(nobody).alias(dimension) for dimension, said in won.items()])


def ruled(evidence: Evidence, note: Note | None = None) -> dict[str, pl.Series]:
    """What the rules say, in file order: a dimension once set stays, and later rules may ask it. See `decide`.

    Half a million contexts differ in a few hundred ways that any rule can see: one context of each kind is asked.
    """
    rules = [rule for rule in evidence.book.rules if not rule.default]
    asked: dict[str, set[Ask]] = {"usage_date": set()}  # since and until look at the day
    for rule in rules:
        for ask in asks(rule.when):
            asked.setdefault(ask.column, set()).add(ask)
        for take in takes(rule):
            asked.setdefault(take.column, set())
    columns = {
        name: evidence.column(name).asked(questions)
        for name, questions in asked.items()
        if name not in evidence.book.dimensions
    }
    by_value = {"usage_date"} | {take.column for rule in rules for take in takes(rule)}
    kind = alike(
        [column for name, column in columns.items() if name not in by_value],
        [column for name, column in columns.items() if name in by_value],
    )
    first = kind.arg_unique()
    place = first.gather(kind.gather(first).arg_sort())
    one = replace(evidence, contexts=evidence.contexts[place])
    won = {name: pl.repeat(None, one.contexts.height, dtype=pl.Int64, eager=True) for name in evidence.book.dimensions}
    noted = note and (lambda rule, dimension, said: note(rule, dimension, said.gather(kind)))
    _ask(rules, _Look(one, won, {name: column.at(place) for name, column in columns.items()}), noted)
    return {name: said.gather(kind) for name, said in won.items()}


def _ask(rules: list[Rule], look: _Look, note: Note | None) -> None:
    """Ask rules in their order, and fill in what they say of dimensions that nobody has set yet."""
    for rule in rules:
        matched = look.matches(rule)
        if not matched.any():
            continue
        said = {dimension: look.says(rule, dimension, values, matched) for dimension, values in rule.assign.items()}
        for dimension, answer in said.items():
            if note is not None:
                note(rule, dimension, answer)
            look.won[dimension] = _first(look.won[dimension], answer)


class _Look:
    """Columns for conditions, each made once; a dimension is looked at anew, since rules set it."""

    def __init__(self, evidence: Evidence, won: dict[str, pl.Series], columns: dict[str, Coded]) -> None:
        self.evidence = evidence
        self.won = won
        self.columns = columns
        self.none = pl.Series("answer", [None], dtype=pl.Int64()).new_from_index(0, evidence.contexts.height)

    def __call__(self, name: str) -> Coded:
        if name in self.won:
            codes = self.won[name].alias("answer").to_frame().select(value_of(pl.col("answer"))).to_series()
            return Coded(self.evidence.answers.texts(), codes)
        if name not in self.columns:
            self.columns[name] = self.evidence.column(name)
        return self.columns[name]

    def matches(self, rule: Rule) -> pl.Series:
        """The contexts that a rule speaks of; `since` and `until` fall between eras, so the first day tells."""
        matched = holds(rule.when, self, self.evidence.contexts.height)
        first = self.evidence.contexts.get_column("first_day")
        if rule.since:
            matched &= first >= rule.since
        if rule.until:
            matched &= first < rule.until
        return matched

    def says(self, rule: Rule, dimension: str, values: Values, where: pl.Series) -> pl.Series:
        """What a rule says of a dimension in some contexts: the first of its values that is there."""
        said = self.none
        for value in values:
            if isinstance(value, Take):
                heard = self._taken(value, dimension, rule, self(value.column), where).set(~where, None)
            else:
                heard = self.none.set(where, self.evidence.answers.one(value, "rule", rule.name))
            said = _first(said, heard)
        return said

    def _taken(self, take: Take, dimension: str, rule: Rule, column: Coded, where: pl.Series) -> pl.Series:
        """What a rule reads off a column; distinct values are looked at once, those that stand nowhere not at all."""
        asked = column.codes.filter(where).unique().drop_nulls()
        texts = taken(take, column.values.gather(asked))
        distinct = texts.unique().drop_nulls()
        written = self.evidence.book.dimensions[dimension]
        first = self.evidence.contexts.get_column("first_day")
        said = pl.repeat(None, where.len(), dtype=pl.Int64, eager=True)
        for edition in written.editions:
            values = pl.Series([written.canonical(text, edition) for text in distinct], dtype=pl.String())
            answers = self.evidence.answers.all_of(values, "rule", rule.name)
            known = pl.DataFrame({"text": distinct, "answer": answers})
            found = texts.alias("text").to_frame().join(known, on="text", how="left", maintain_order="left")
            none = pl.repeat(None, column.values.len(), dtype=pl.Int64, eager=True)
            here = none.scatter(asked, found.get_column("answer")).gather(column.codes)
            said = (
                here if edition == EVER else pl.select(pl.when(first >= edition).then(here).otherwise(said)).to_series()
            )
        return said


def _first(said: pl.Series, other: pl.Series) -> pl.Series:
    return said.zip_with(said.is_not_null(), other)


def _allocations(chosen: pl.DataFrame, book: RuleBook, answers: Answers) -> pl.DataFrame:
    columns = [chosen.get_column("allocation_id").cast(pl.Int32)]
    for dimension in book.dimensions:
        columns += answers.told(chosen.get_column(dimension), dimension)
    return pl.DataFrame(columns, schema=allocation_columns(book.names))


def same_money(before: pl.DataFrame, after: pl.DataFrame, step: str) -> None:
    """Assert that a step kept every row and every cost to the last decimal.

    Raises:
        LawBrokenError: it did not, or it left a key null.
    """
    for column in COSTS:
        had, has = sum_exactly(before.get_column(column)), sum_exactly(after.get_column(column))
        if had != has:
            message = f"{step}: {column} was {had} and is {has}"
            raise LawBrokenError(message)
    if before.height != after.height:
        message = f"{step}: {before.height} rows became {after.height}"
        raise LawBrokenError(message)
    for key in ("subject_id", "usage_date", "allocation_id"):
        if after.get_column(key).null_count():
            message = f"{step}: {key} is null in {after.get_column(key).null_count()} rows"
            raise LawBrokenError(message)


def _notices(evidence: Evidence) -> tuple[str, ...]:
    """What is no fault but should be known: a column named by a condition that no bill has."""
    book = evidence.book
    strange = set(book.columns) - set(evidence.subjects.columns)
    asked = [
        (f'rule "{rule.name}"', {ask.column for ask in asks(rule.when)} | {take.column for take in takes(rule)})
        for rule in book.rules
    ]
    asked += [(f'split "{split.name}"', {ask.column for ask in asks(split.when)}) for split in book.splits]
    return tuple(
        f"{who} asks {column}, which no bill has; it sees nothing there"
        for who, columns in asked
        for column in sorted(columns & strange)
    )
