"""What the documents show is run: commands, SQL and rules. `UPDATE_DOCS=1 pytest tests/test_docs.py` renews results.

In a `console` block a line `...` stands for lines left out; what follows it begins at a line of the output that begins
alike. A `sql` block is followed by a `text` block with its result.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console, RenderableType

from attribution.allocation import resolve
from attribution.allocation.review.lint import KINDS
from attribution.ledger.views import view_files
from attribution.reports.nightly import nightly_summary
from attribution.rules import CONDITIONS, SPLITS, RuleBook, coded, holds, read_rules
from attribution.rules.dimensions import ALIAS_KEYS, DIMENSION_KEYS
from attribution.rules.read import RULE_KEYS, SECTIONS
from attribution.rules.records import OURS
from attribution.rules.splits import JOBS, SPLIT_KEYS
from attribution.rules.values import TAKE_KEYS
from attribution.rules.when import GROUPS
from flows import cli, steps
from flows.closing import close_month
from flows.questions import as_table, ask
from flows.settings import load_workspace
from schemas.costs import LINE_COLUMNS, SIGNS, SUBJECT_COLUMNS
from schemas.dimensions import METHODS, NOBODY, fold
from schemas.faults import InputError
from schemas.inputs import RESOURCE_COLUMNS, TAG_COLUMNS
from schemas.money import COSTS
from schemas.tagsets import canonical as tag_text

ROOT = Path(__file__).parents[1]
UPDATE = bool(os.environ.get("UPDATE_DOCS"))
AS_OF = datetime(2026, 11, 5, 6, tzinfo=UTC)
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
EXAMPLES = [
    "README.md",
    "docs/budgets.md",
    "docs/findings.md",
    "docs/focus_use_cases.md",
    "docs/explain.md",
    "docs/how_it_works.md",
    "docs/jobs.md",
    "docs/operations.md",
    "docs/own-bills.md",
    "docs/providers/aws-cur.md",
    "docs/providers/kubernetes.md",
    "docs/providers/own-costs.md",
    "docs/reports.md",
    "docs/questions.md",
    "docs/rules.md",
    "docs/sql.md",
    "docs/growth.md",
]
LEFT_OUT = "..."
_SAME = 12  # letters by which the first line after one left out is found, so that its figures may change
NIGHTLY = "make nightly"
WEIGHTS = '"borealis-30b" = 60, "aurora-7b" = 40'
BLOCK = re.compile(r"^```(?P<kind>\w*) ?(?P<mark>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)")


@dataclass(frozen=True)
class Sample:
    """sample_bills after one night, and `second_night`: a copy after its week, with August closed, and a night with
    other weights in a split and a second delivery of a bill, of which nothing says how it belongs to the first."""

    root: Path
    nightly: str

    def run(self, command: str) -> list[str]:
        if command == NIGHTLY:
            return lines_of(self.nightly)
        program, *arguments = shlex.split(command)
        assert program == "attribution", f"{command}: a console block holds commands that this test can run"
        said = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            patch.chdir(self.root)
            patch.setattr(sys, "argv", [program, *arguments])
            with pytest.raises(SystemExit):
                cli.main()
        return lines_of(said.getvalue())

    def ask(self, query: str, mark: str) -> str:
        store = self.root / (mark or "sample_bills") / "ledger"
        return "\n".join(lines_of(drawn(as_table(ask(store, query)), 240)))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    root = tmp_path_factory.mktemp("docs")
    shutil.copytree(
        ROOT / "sample_bills", root / "sample_bills", ignore=shutil.ignore_patterns("ledger", "__pycache__")
    )
    with contextlib.chdir(root):
        nightly = drawn(nightly_summary(steps.nightly(load_workspace(Path("sample_bills")), AS_OF)), 100)
        shutil.copytree("sample_bills", "second_night")
        second = Path("second_night")
        steps.weekly(load_workspace(second), AS_OF)
        close_month(load_workspace(second), date(2026, 8, 1))
        rules = second / "rules.toml"
        text = rules.read_text(encoding="utf-8")
        assert WEIGHTS in text
        rules.write_text(text.replace(WEIGHTS, '"borealis-30b" = 50, "aurora-7b" = 50'), encoding="utf-8")
        starter = second / "bills" / "meridian" / "starter-2026-10.csv"
        shorter = starter.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]
        starter.with_stem("starter-again").write_text("".join(shorter), encoding="utf-8")
        steps.nightly(load_workspace(second), AS_OF.replace(day=6))
    return Sample(root, nightly)


def drawn(what: RenderableType, width: int) -> str:
    sink = io.StringIO()
    Console(file=sink, width=width, color_system=None, highlight=False).print(what)
    return sink.getvalue()


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


# ---- documents and their blocks ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    kind: str
    mark: str
    body: str
    start: int
    end: int


def blocks_of(text: str) -> list[Block]:
    return [
        Block(one["kind"], one["mark"], one["body"], one.start("body"), one.end("body")) for one in BLOCK.finditer(text)
    ]


def settle(document: str, renewed: Sequence[tuple[Block, str]]) -> None:
    """Compare the blocks with what they should be, or write that in their place."""
    if UPDATE:
        text = (ROOT / document).read_text(encoding="utf-8")
        for block, body in sorted(renewed, key=lambda one: one[0].start, reverse=True):
            text = f"{text[: block.start]}{body}\n{text[block.end :]}"
        (ROOT / document).write_text(text, encoding="utf-8")
        return
    for block, body in renewed:
        assert block.body == f"{body}\n", f"{document}: run UPDATE_DOCS=1 pytest {Path(__file__).name} if this is meant"


def session(sample: Sample, block: Block) -> str:
    """A console block with the outputs that its commands have now."""
    told: list[str] = []
    for part in re.split(r"^(?=\$ )", block.body, flags=re.MULTILINE):
        if part.strip():
            first, *shown = lines_of(part)
            said = sample.run(first.removeprefix("$ "))
            told += [first, *excerpt(shown, said), ""]
    return "\n".join(told[:-1])


def excerpt(shown: list[str], said: list[str]) -> list[str]:
    """As many lines of an output as are shown of it, piece by piece; all of it where nothing is left out."""
    if LEFT_OUT not in shown:
        return said
    pieces: list[list[str]] = [[]]
    for line in shown:
        if line == LEFT_OUT:
            pieces.append([])
        else:
            pieces[-1].append(line)
    made: list[str] = []
    at = 0
    for number, piece in enumerate(pieces):
        if number:
            made.append(LEFT_OUT)
        if piece:
            at = next(n for n in range(at, len(said)) if said[n].startswith(piece[0][:_SAME])) if number else 0
            made += said[at : at + len(piece)]
            at += len(piece)
    return made


@pytest.mark.parametrize("document", EXAMPLES)
def test_commands_and_queries_print_what_the_document_shows(sample: Sample, document: str) -> None:
    blocks = blocks_of((ROOT / document).read_text(encoding="utf-8"))
    renewed = []
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        if block.kind == "console":
            renewed.append((block, session(sample, block)))
        elif block.kind == "sql":
            assert after is not None, block.body
            assert after.kind == "text", f"{document}: no result after {block.body}"
            renewed.append((after, sample.ask(block.body, block.mark)))
    settle(document, renewed)


# ---- the rule language ---------------------------------------------------------------------------------------------


def rule_blocks() -> Iterator[tuple[Block, str]]:
    """TOML blocks of docs/rules.md, each with what is written up to the next block."""
    text = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    blocks = blocks_of(text)
    for block, after in zip(blocks, [*[one.start for one in blocks[1:]], len(text)], strict=True):
        if block.kind == "toml":
            yield block, text[block.end : after]


def rows_of_the_document() -> pl.DataFrame:
    (block,) = [one for one in blocks_of((ROOT / "docs/rules.md").read_text(encoding="utf-8")) if one.kind == "csv"]
    rows = pl.read_csv(io.StringIO(block.body), infer_schema=False)
    days = pl.col("usage_date", "billing_month").str.to_date()
    return rows.with_columns(days, pl.Series("BilledCost_sign", [sign(Decimal(one)) for one in rows["BilledCost"]]))


def sign(amount: Decimal) -> str:
    return "zero" if not amount else "positive" if amount > 0 else "negative"


def matched(book: RuleBook, rows: pl.DataFrame) -> list[str]:
    (rule,) = book.rules
    columns = {fold(name): name for name in rows.columns}
    found = holds(rule.when, lambda name: coded(rows.get_column(columns[fold(name)])), rows.height)
    day = rows.get_column("usage_date")
    if rule.since:
        found &= day >= rule.since
    if rule.until:
        found &= day < rule.until
    return rows.get_column("row").filter(found).to_list()


def given_by(book: RuleBook, rows: pl.DataFrame, dimension: str) -> dict[str, list[str]]:
    """Who has which value of a dimension once the rows are resolved as charges of a bill."""
    subjects, lines = [], []
    for number, row in enumerate(rows.to_dicts()):
        tags = {name.removeprefix("tag:"): row[name] for name in rows.columns if name.startswith("tag:")}
        own = {name: row[name] for name in rows.columns if name in SUBJECT_COLUMNS}
        bill = {"BillingAccountId": "1", "BillingCurrency": "USD", "ChargeCategory": "Usage", "bill_no": 1}
        subjects.append({**bill, **own, "subject_id": number, "Tags": tag_text(tags)})
        lines.append({"subject_id": number, "usage_date": row["usage_date"], "EffectiveCost": Decimal(1)})
    inputs = (pl.DataFrame(schema=columns) for columns in (TAG_COLUMNS, RESOURCE_COLUMNS))
    frames = pl.DataFrame(subjects, schema=SUBJECT_COLUMNS), pl.DataFrame(lines, schema=LINE_COLUMNS)
    resolved = resolve(*frames, *inputs, book)
    values = resolved.costs.join(resolved.allocations, on="allocation_id", maintain_order="left")[dimension]
    found: dict[str, list[str]] = {}
    for row, value in zip(rows["row"], values, strict=True):
        found.setdefault(value, []).append(row)
    return found


def test_every_rule_example_is_read_and_matches_the_rows_it_names() -> None:
    rows = rows_of_the_document()
    told = 0
    for block, after in rule_blocks():
        if block.mark == "wrong":
            continue
        book = read_rules(block.body)
        named = re.match(r"```\n+Matches ([^.\n]*)\.", after)
        if named:
            told += 1
            expected = [] if named[1] == "nothing" else re.findall(r"`(\w+)`", named[1])
            assert matched(book, rows) == expected, block.body
        for dimension, gives in re.findall(r"^Gives `(\w+)`: (.*)\.$", after, re.MULTILINE):
            told += 1
            expected = {}
            for one in gives.split("; "):
                value, *who = re.findall(r"`([^`]+)`", one)
                expected[value] = who
            found = given_by(book, rows, dimension)
            assert {value: found.get(value, []) for value in expected} == expected, block.body
            if dimension == "team":
                assert {value for value in found if value != "unallocated"} == expected.keys(), block.body
        for dimension, written, becomes in re.findall(r"^- `(\w+)`: `([^`]*)` becomes `([^`]*)`", after, re.MULTILINE):
            assert book.dimensions[dimension].canonical(written) == becomes
    assert told >= len(CONDITIONS)


def test_wrong_rules_are_answered_as_the_document_says() -> None:
    text = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    blocks = blocks_of(text)
    renewed = []
    for block, after in itertools.pairwise(blocks):
        if (block.kind, block.mark) == ("toml", "wrong"):
            with pytest.raises(InputError) as caught:
                read_rules(block.body)
            renewed.append((after, str(caught.value)))
    assert renewed
    settle("docs/rules.md", renewed)


def test_every_rule_word_is_explained() -> None:
    text = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    words = {*CONDITIONS, *GROUPS, *SPLITS, *SPLIT_KEYS, *RULE_KEYS, *SECTIONS, *OURS, *NOBODY, *METHODS}
    words |= {*TAKE_KEYS, *DIMENSION_KEYS, *ALIAS_KEYS, *SIGNS, *COSTS, "csv", "bill", "month", "day", "id"}
    assert {word for word in words if f"`{word}`" not in text} == set()


def test_every_remark_of_lint_is_explained() -> None:
    told = dict(
        re.findall(r"^\| `(\w+)` \| (.*) \|$", (ROOT / "docs/rules.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert {kind: told.get(kind) for kind in KINDS} == KINDS


def test_every_rule_word_has_an_example() -> None:
    shown = "\n".join(block.body for block, _ in rule_blocks() if block.mark != "wrong")
    keys = {*CONDITIONS, *GROUPS, *SPLIT_KEYS, *RULE_KEYS, *OURS, *TAKE_KEYS, *DIMENSION_KEYS, *ALIAS_KEYS}
    assert {word for word in keys if not re.search(rf'(^|[\s{{."]){word}"? *=|\.{word}\]', shown)} == set()
    assert {word for word in SECTIONS if not re.search(rf"^\[\[?{word}[\].]", shown, re.MULTILINE)} == set()
    assert {word for word in (*SPLITS, JOBS, *SIGNS) if not re.search(rf'"{word}[":]', shown)} == set()


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name != "docs/rules.md"])
def test_settings_that_a_document_shows_are_read(tmp_path: Path, document: str) -> None:
    for block in blocks_of((ROOT / document).read_text(encoding="utf-8")):
        if block.kind == "toml":
            source = "" if "[[source]]" in block.body else '\n[[source]]\nname = "any"\npath = "bills/*"\n'
            (tmp_path / "attribution.toml").write_text(f'currency = "USD"\n{block.body}{source}', encoding="utf-8")
            load_workspace(tmp_path)


# ---- completeness and links ----------------------------------------------------------------------------------------


def test_every_command_is_in_the_readme() -> None:
    names = {command.name or command.callback.__name__ for command in cli.app.registered_commands if command.callback}
    names |= {group.name for group in cli.app.registered_groups if group.name}
    told = set(re.findall(r"^\| `attribution (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert told == names


def test_every_view_has_its_grain_and_a_query() -> None:
    text = (ROOT / "docs/sql.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    grains = {
        file.stem: file.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("-- ") for file in view_files()
    }
    assert sections.keys() == grains.keys()
    for view, grain in grains.items():
        assert grain in sections[view], view
        assert any(re.search(rf"\b{view}\b", one.body) for one in blocks_of(sections[view]) if one.kind == "sql"), view


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for path, anchor in LINK.findall(re.sub(BLOCK, "", text)):
        target = (ROOT / document).parent / path if path else ROOT / document
        assert target.exists(), f"{document}: {path}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor[1:] in {re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in headings}


def test_pictures_are_small_and_shown() -> None:
    shown = "".join((ROOT / document).read_text(encoding="utf-8") for document in DOCUMENTS)
    sizes = {picture.name: picture.stat().st_size for picture in (ROOT / "docs/pictures").glob("*.png")}
    assert {name: size for name, size in sizes.items() if size > 400_000} == {}
    assert [name for name in sizes if f"pictures/{name})" not in shown] == []
