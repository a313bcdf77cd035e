"""All that was said: for each context and dimension the answer of every source, before one of them wins.

`resolve` takes the first, `explain` shows them all; both read them here, so that they cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from attribution.allocation.answers import Answers, answer, value_of
from attribution.allocation.cost_element import cost_elements
from attribution.allocation.created import created
from attribution.allocation.inherit import ancestry, attachments, billed, given
from attribution.allocation.tagging import Slots, bill_tags, csv_tags, settled, slots
from attribution.allocation.timeline import EVER, during, eras, laid, spans_on, timelines
from attribution.rules import TAG, Coded, RuleBook, coded
from schemas.faults import LawBrokenError
from schemas.workspace import OWN_COSTS

ACCOUNT = "account"
# A tag set with what its keys are: tags of a bill, or columns of own costs.
_TAGSET = ("Tags", (pl.col("source") == OWN_COSTS).alias("own_costs"))


@dataclass(frozen=True)
class Evidence:
    """What every source says.

    `contexts`: one row a context, with `subject_row`, `first_day` and columns `<source> <field>` of
    answers. `of_line`: the context of each line, in the order of the lines. `coded`: the subjects' columns looked at
    so far.
    """

    book: RuleBook
    subjects: pl.DataFrame
    contexts: pl.DataFrame
    of_line: pl.Series
    answers: Answers
    coded: dict[str, Coded]

    def heard(self, source: str, field: str) -> pl.Series:
        """The answers of one source to one field, null where it says nothing; each day by its own aliases."""
        # What an account stands for is written out in the rules, so that no alias of any day reads it.
        dimension = None if source == ACCOUNT else self.book.dimensions.get(field)
        editions = {day: dimension.field(day) for day in dimension.editions} if dimension else {EVER: field}
        first = self.contexts.get_column("first_day")
        said = self._said(f"{source} {editions.pop(EVER)}")
        for day, name in editions.items():
            found = self._said(f"{source} {name}")
            said = pl.select(pl.when(first >= day).then(found).otherwise(said)).to_series()
        return said

    def _said(self, name: str) -> pl.Series:
        if name in self.contexts.columns:
            return self.contexts.get_column(name)
        return pl.repeat(None, self.contexts.height, dtype=pl.Int64, eager=True)

    def own_tags(self, field: str) -> pl.Series:
        """The row's own tags: of the CSV and of the bill, in the order that the rules set."""
        first, second = self.book.first_of(field)
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
        if name not in self.coded:
            self.coded[name] = coded(self.subjects.get_column(name))
        return self.coded[name].at(rows)


def gather_evidence(
    subjects: pl.DataFrame, lines: pl.DataFrame, tags: pl.DataFrame, resources: pl.DataFrame, book: RuleBook
) -> Evidence:
    """Ask every source about every context. Arguments as for `resolve`."""
    answers = Answers()
    where = slots(book)
    subjects = cost_elements(subjects)
    attached = attachments(resources, created(subjects, resources))
    line = ancestry(attached, subjects.get_column("ResourceId").unique())
    resource = coded(subjects.get_column("ResourceId"))
    numbers = _numbers(resource, line.chain)
    sets = subjects.select(_TAGSET).drop_nulls("Tags").unique()
    placed = _placed(subjects, resource, sets)
    rows = _rows_of(lines, placed)
    slotted = bill_tags(sets, where, answers)
    csv = csv_tags(tags, numbers, where, answers)
    chain = line.chain.join(numbers.rename({"ResourceId": "ancestor", "resource_no": "ancestor_no"}), on="ancestor")
    days = _tagged_days(placed, rows, lines.get_column("usage_date"), chain.get_column("ancestor_no"))
    told = given(chain, csv, billed(days, slotted, where), where, answers)
    inherited = during(line.heirs.join(numbers, on="ResourceId").drop("ResourceId"), told, "giver").drop("giver")
    spans = timelines(csv, inherited)
    contexts, of_line = _contexts(placed, rows, lines.get_column("usage_date"), spans, eras(book))
    csv = _voiced(csv, "tag", where, answers)
    own = _voiced(settled(slotted, ["tagset_no"], where), "bill-tag", where, answers)
    for heard, source, key in (
        (laid(csv, spans), "csv", ["resource_no", "span"]),
        (laid(inherited, spans), "parent", ["resource_no", "span"]),
        (own, "bill", ["tagset_no"]),
    ):
        wide = _wide(heard, key, source)
        contexts = contexts.join(wide, on=key, how="left", maintain_order="left", validate="m:1")
    of_account = _accounts(subjects, book, answers)
    if of_account.width:
        contexts = contexts.hstack(of_account[contexts.get_column("subject_row")])
    return Evidence(book, subjects, contexts, of_line, answers, {"ResourceId": resource})


def _numbers(billed: Coded, chain: pl.DataFrame) -> pl.DataFrame:
    """A number for each resource that is billed, which is its code, or gives to one that is."""
    ancestors = chain.get_column("ancestor").unique()
    names = pl.concat([billed.values, ancestors.filter(~ancestors.is_in(billed.values.implode()))])
    return names.alias("ResourceId").to_frame().with_row_index("resource_no").drop_nulls()


def _placed(subjects: pl.DataFrame, resource: Coded, sets: pl.DataFrame) -> pl.DataFrame:
    """Subjects by whole numbers: (subject_id, resource_no, tagset_no), in their order."""
    numbered = sets.with_row_index("tagset_no")
    return (
        subjects.select("subject_id", *_TAGSET, resource_no=resource.known())
        .join(numbered, on=sets.columns, how="left", maintain_order="left", validate="m:1")
        .select("subject_id", "resource_no", "tagset_no")
    )


def _rows_of(lines: pl.DataFrame, placed: pl.DataFrame) -> pl.Series:
    """The row of each line's subject."""
    at = lines.select("subject_id").join(
        placed.select("subject_id").with_row_index("subject_row"), on="subject_id", how="left", maintain_order="left",
        validate="m:1",
    )  # fmt: skip
    rows = at.get_column("subject_row")
    if rows.null_count():
        message = f"resolve: {rows.null_count()} lines have no subject"
        raise LawBrokenError(message)
    return rows


def _tagged_days(placed: pl.DataFrame, rows: pl.Series, days: pl.Series, ancestors: pl.Series) -> pl.DataFrame:
    """The days on which parents were billed with tags: (resource_no, usage_date, tagset_no), repeated."""
    told = placed.select(
        pl.col("tagset_no").is_not_null() & pl.col("resource_no").is_in(ancestors.unique().implode())
    ).to_series()
    there = told.gather(rows).fill_null(value=False)
    at = placed[rows.filter(there)].select("resource_no", "tagset_no")
    return at.select("resource_no", days.filter(there).alias("usage_date"), "tagset_no")


def _contexts(
    placed: pl.DataFrame, rows: pl.Series, days: pl.Series, spans: pl.DataFrame, first_days: pl.Series
) -> tuple[pl.DataFrame, pl.Series]:
    """The contexts that occur (subject_row, resource_no, tagset_no, span, first_day), and each line's context.

    A context is a subject in one span of its resource and one era of the rules; the three make one whole number,
    so that a million lines are told apart by one column.
    """
    many = first_days.len()
    era = first_days.search_sorted(days, side="right") - 1 if many > 1 else pl.zeros(rows.len(), pl.Int64, eager=True)
    span = spans_on(placed.get_column("resource_no"), rows, days, spans)
    width = max([0, *spans.get_column("span").unique()]) + 1
    key = ((rows.cast(pl.Int64) * many + era.cast(pl.Int64)) * width + span).alias("key").to_frame()
    found = key.unique().sort("key")
    # Lines come by subject, and what is nearly sorted is found by halving in a third of the time of a join.
    of_line = found.get_column("key").search_sorted(key.get_column("key")).alias("context")
    parts = found.select(
        (pl.col("key") // (many * width)).cast(pl.UInt32).alias("subject_row"),
        (pl.col("key") // width % many).cast(pl.UInt32).alias("era"),
        (pl.col("key") % width).cast(pl.Int32).alias("span"),
    )
    its = placed[parts.get_column("subject_row")].select("resource_no", "tagset_no")
    first = first_days.gather(parts.get_column("era")).alias("first_day")
    return parts.drop("era").hstack(its).with_columns(first), of_line


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
            account: answers.one(assign[dimension], ACCOUNT, f"account {account}")
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
            columns.append(pl.select(pl.coalesce(found).alias(f"{ACCOUNT} {dimension}")).to_series())
    return pl.DataFrame(columns)
