"""All that was said: for each context and dimension the answer of every source, before one of them wins.

`resolve` takes the first, `explain` shows them all; both read them here, so that they cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from attribution.allocation.answers import Answers, answer, value_of
from attribution.allocation.cost_element import cost_elements
from attribution.allocation.inherit import attachments, billed, chains, given
from attribution.allocation.tagging import Slots, bill_tags, csv_tags, settled, slots
from attribution.allocation.timeline import eras, laid, timelines
from attribution.rules import TAG, Coded, RuleBook, coded
from schemas.faults import LawBrokenError

SOURCES = ("csv", "bill", "parent", "account")


@dataclass(frozen=True)
class Evidence:
    """What every source says.

    `contexts`: one row a context, with `subject_row`, `era`, `first_day` and columns `<source> <field>` of
    answers. `of_line`: the context of each line, in the order of the lines.
    """

    book: RuleBook
    subjects: pl.DataFrame
    contexts: pl.DataFrame
    of_line: pl.Series
    answers: Answers

    def heard(self, source: str, field: str) -> pl.Series:
        """The answers of one source to one field, null where it says nothing."""
        name = f"{source} {field}"
        if name in self.contexts.columns:
            return self.contexts.get_column(name)
        return pl.repeat(None, self.contexts.height, dtype=pl.Int64, eager=True)

    def own_tags(self, field: str) -> pl.Series:
        """The row's own tags: of the CSV and of the bill, in the order that the rules set."""
        first, second = ("csv", "bill") if self.book.first == "csv" else ("bill", "csv")
        return pl.select(pl.coalesce(self.heard(first, field), self.heard(second, field))).to_series()

    def column(self, name: str) -> Coded:
        """A column that conditions may ask, one value a context; dimensions are not here."""
        if name == "usage_date":
            return coded(self.contexts.get_column("first_day"))
        if name.startswith(TAG):
            found = self.own_tags(name).alias("answer").to_frame()
            return Coded(self.answers.texts(), found.select(value_of(pl.col("answer"))).to_series())
        rows = self.contexts.get_column("subject_row")
        if name not in self.subjects.columns:
            return Coded(pl.Series([None], dtype=pl.String()), pl.zeros(rows.len(), pl.UInt32, eager=True))
        return coded(self.subjects.get_column(name)).at(rows)


def gather_evidence(
    subjects: pl.DataFrame, lines: pl.DataFrame, tags: pl.DataFrame, resources: pl.DataFrame, book: RuleBook
) -> Evidence:
    """Ask every source about every context. Arguments as for `resolve`."""
    answers = Answers()
    keys = book.tag_keys(*(rule.when for rule in book.rules), *(split.when for split in book.splits))
    where = slots(book, keys)
    subjects = cost_elements(subjects)
    attached = attachments(resources)
    chain = chains(attached, subjects.get_column("ResourceId"))
    numbers = _numbers(subjects, chain)
    placed = subjects.select("subject_id", "ResourceId", "Tags").with_row_index("subject_row")
    placed = placed.join(numbers, on="ResourceId", how="left", maintain_order="left")
    slotted = bill_tags(subjects.get_column("Tags"), where, answers)
    csv = csv_tags(tags, numbers, where, answers)
    chain = chain.join(numbers.rename({"ResourceId": "ancestor", "resource_no": "ancestor_no"}), on="ancestor")
    chain = chain.join(numbers, left_on="first", right_on="ResourceId")
    days = _tagged_days(placed, lines, chain.select(pl.col("ancestor_no").alias("resource_no")).unique())
    inherited = _inherited(attached, numbers, given(chain, csv, billed(days, slotted, where), where, answers))
    spans = timelines(csv, inherited)
    contexts, of_line = _contexts(placed, lines, spans, eras(book, lines.get_column("usage_date")))
    in_span = ["resource_no", "span"]
    csv = _voiced(csv, "tag", where, answers)
    contexts = contexts.join(
        _wide(laid(csv, spans), in_span, "csv"), on=in_span, how="left", maintain_order="left", validate="m:1"
    ).join(
        _wide(laid(inherited, spans), in_span, "parent"), on=in_span, how="left", maintain_order="left", validate="m:1"
    )
    own = _wide(_voiced(settled(slotted, ["Tags"], where), "bill-tag", where, answers), ["Tags"], "bill")
    of_bill = placed.select("Tags").join(own, on="Tags", how="left", maintain_order="left", validate="m:1").drop("Tags")
    of_account = _accounts(subjects, book, answers)
    per_subject = pl.concat([of_bill, of_account], how="horizontal")[contexts.get_column("subject_row")]
    return Evidence(book, subjects, pl.concat([contexts, per_subject], how="horizontal"), of_line, answers)


def _numbers(subjects: pl.DataFrame, chain: pl.DataFrame) -> pl.DataFrame:
    """A number for each resource that is billed or gives to one that is."""
    names = pl.concat([subjects.get_column("ResourceId"), chain.get_column("ancestor").alias("ResourceId")])
    return names.drop_nulls().unique().to_frame().with_row_index("resource_no")


def _tagged_days(placed: pl.DataFrame, lines: pl.DataFrame, ancestors: pl.DataFrame) -> pl.DataFrame:
    """The days on which parents were billed with tags: distinct (resource_no, usage_date, Tags)."""
    billed_as = placed.filter(pl.col("Tags").is_not_null()).join(ancestors, on="resource_no", how="semi")
    days = lines.select("subject_id", "usage_date").join(billed_as, on="subject_id")
    return days.select("resource_no", "usage_date", "Tags").unique()


def _inherited(attached: pl.DataFrame, numbers: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """What children hear from their parents: rows (resource_no of the child, start, end, field, answer)."""
    children = (
        attached.join(numbers, on="ResourceId")
        .rename({"resource_no": "child_no"})
        .join(numbers, left_on="parent", right_on="ResourceId")
        .select("child_no", "resource_no")
    )
    return told.join(children, on="resource_no").drop("resource_no").rename({"child_no": "resource_no"})


def _contexts(
    placed: pl.DataFrame, lines: pl.DataFrame, spans: pl.DataFrame, days: pl.DataFrame
) -> tuple[pl.DataFrame, pl.Series]:
    """The contexts that occur (subject_row, resource_no, Tags, era, first_day, span), and each line's context.

    The day is looked at only where it can matter: for resources with several spans, and for rules with dates.
    """
    moving = spans.filter(pl.len().over("resource_no") > 1)
    at = lines.select("subject_id", "usage_date").join(
        placed.select("subject_id", "subject_row", "resource_no"), on="subject_id", how="left", maintain_order="left",
        validate="m:1",
    )  # fmt: skip
    at = at.join(days, on="usage_date", how="left", maintain_order="left", validate="m:1")
    moved = at.select("resource_no", "usage_date").join(moving.select("resource_no").unique(), on="resource_no")
    moved = (
        moved.unique()
        .join(moving, on="resource_no")
        .filter((pl.col("start") <= pl.col("usage_date")) & (pl.col("usage_date") < pl.col("end")))
        .select("resource_no", "usage_date", "span")
    )
    at = at.join(moved, on=["resource_no", "usage_date"], how="left", maintain_order="left", validate="m:1")
    at = at.with_columns(pl.col("span").fill_null(0))
    lost = at.get_column("subject_row").null_count()
    if lost:
        message = f"resolve: {lost} lines have no subject"
        raise LawBrokenError(message)
    key = ["subject_row", "era", "span"]
    contexts = at.select(*key, "resource_no", "first_day").unique().sort(key).with_row_index("context")
    of_line = at.join(contexts.select(*key, "context"), on=key, how="left", maintain_order="left", validate="m:1")
    tags = placed.get_column("Tags").gather(contexts.get_column("subject_row"))
    return contexts.with_columns(tags), of_line.get_column("context")


def _voiced(rows: pl.DataFrame, method: str, where: Slots, answers: Answers) -> pl.DataFrame:
    """Settled rows with their answer in place of slot and value."""
    labels = where.table.get_column("label")
    voices = where.table.select("slot").with_columns(
        answers.voices(pl.repeat(method, labels.len(), eager=True), labels)
    )
    return (
        rows.join(voices, on="slot")
        .with_columns(answer(pl.col("voice"), pl.col("value_no")))
        .drop("slot", "value_no", "voice")
    )


def _wide(rows: pl.DataFrame, owner: list[str], source: str) -> pl.DataFrame:
    """One row an owner, a column `<source> <field>` for each field that has an answer anywhere."""
    fields = rows.get_column("field").unique().sort().to_list()
    columns = [pl.col("answer").filter(pl.col("field") == field).first().alias(f"{source} {field}") for field in fields]
    return rows.group_by(owner).agg(columns)


def _accounts(subjects: pl.DataFrame, book: RuleBook, answers: Answers) -> pl.DataFrame:
    """The defaults of each subject's account: its sub-account's, else the billing account's."""
    columns: list[pl.Series] = []
    for dimension in book.dimensions:
        known = {
            account: answers.one(assign[dimension], "account", f"account {account}")
            for account, assign in book.accounts.items()
            if dimension in assign
        }
        if known:
            table = pl.DataFrame({"account": list(known), "answer": list(known.values())})
            found = [
                subjects.select(pl.col(name).alias("account"))
                .join(table, on="account", how="left", maintain_order="left", validate="m:1")
                .get_column("answer")
                for name in ("SubAccountId", "BillingAccountId")
            ]
            columns.append(pl.select(pl.coalesce(found).alias(f"account {dimension}")).to_series())
    return pl.DataFrame(columns)
