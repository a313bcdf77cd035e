"""Rules in several files: one book, one version, and each fault under the name of its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from attribution.rules import read_rules, rule_files
from schemas.faults import InputError

FIRST = """
[dimension.project]
tags = ["proj"]
values = { "atlas" = ["a7"], "zephyr" = [] }

[[account]]
id = "1"
assign = { project = "A7" }

[[rule]]
name = "one"
when = { source = "aws" }
assign = { project = "a_7" }
"""
SECOND = """
[dimension.project.values]
"atlas" = ["a-seven"]

[dimension.team]
first = "bill"

[[rule]]
name = "two"
when = { project = "A Seven" }
assign = { team = "red" }

[[split]]
name = "s"
when = { project = "shared" }
across = ["project"]
by = "even"
to = ["a-seven"]
"""


def files(root: Path, *texts: str) -> list[Path]:
    (root / "rules").mkdir(exist_ok=True)
    names = ["rules.toml", "rules/b.toml", "rules/c.toml"]
    for name, text in zip(names, texts, strict=False):
        (root / name).write_text(text, encoding="utf-8")
    return [root / name for name in names[: len(texts)]]


def faults(root: Path, *texts: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_rules(files(root, *texts), root)
    return [str(fault) for fault in caught.value.faults]


def test_several_files_are_one_book_in_their_order(tmp_path: Path) -> None:
    book = read_rules(files(tmp_path, FIRST, SECOND), tmp_path)
    assert [(one.name, one.file) for one in book.rules] == [("one", "rules.toml"), ("two", "rules/b.toml")]
    assert book.dimensions["project"].tags == ("proj",)
    assert {book.dimensions["project"].canonical(word) for word in ("A7", "a seven", "ATLAS")} == {"atlas"}
    assert book.splits[0].to == ("atlas",)
    assert book.splits[0].file == "rules/b.toml"
    assert book.dimensions["team"].first == "bill"


def test_the_version_is_of_what_the_files_say_together(tmp_path: Path) -> None:
    whole = read_rules(files(tmp_path, FIRST, SECOND), tmp_path)
    tables, rule = FIRST.split("[[rule]]")
    moved = read_rules(files(tmp_path, tables, f"[[rule]]{rule}", SECOND), tmp_path)
    assert moved.digest == whole.digest
    assert read_rules(files(tmp_path, FIRST)[0]).digest == read_rules(FIRST).digest
    assert read_rules(files(tmp_path, SECOND, FIRST), tmp_path).digest != whole.digest


def test_faults_of_all_files_come_at_once_each_with_its_file(tmp_path: Path) -> None:
    said = faults(
        tmp_path,
        FIRST + '[tags]\nfirst = "csv"\n[[rule]]\nname = "x"\nwhen = { Foo = "a" }\nassign = { project = "p" }\n',
        SECOND
        + '[tags]\nfirst = "bill"\n[[rule]]\nname = "one"\nwhen = { source = "a" }\nassign = { projekt = "p" }\n',
    )
    assert len(said) == 4
    text = "\n".join(said)
    assert "rules/b.toml: [tags]: first stands in rules.toml already" in text
    assert 'rules.toml: rule "x": unknown condition "Foo"' in text
    assert 'rules/b.toml: rule "one": the name is used twice' in text
    assert 'rules/b.toml: rule "one": unknown dimension "projekt"' in text


def test_what_stands_in_two_files_must_agree(tmp_path: Path) -> None:
    said = "\n".join(
        faults(
            tmp_path,
            FIRST,
            '[dimension.project]\ntags = ["p"]\nvalues = { "zephyr" = ["A7"], "ATLAS" = [] }\n'
            '[[account]]\nid = "1"\nassign = { project = "q" }\n',
        )
    )
    assert "rules/b.toml: [dimension.project]: tags stands in rules.toml already" in said
    assert 'rules/b.toml: [dimension.project]: alias "A7" stands for both "atlas" and "zephyr"' in said
    assert 'rules/b.toml: [dimension.project]: values "atlas" and "ATLAS" are one' in said
    assert 'rules/b.toml: account 1: account "1" is given twice' in said


def test_circles_are_seen_over_files(tmp_path: Path) -> None:
    split = '[[split]]\nname = "{}"\nwhen = {{ project = "{}" }}\nacross = ["project"]\nby = "even"\nto = ["{}"]\n'
    said = faults(tmp_path, split.format("a", "p", "q"), split.format("b", "q", "p"))
    assert said[0].startswith('rules/b.toml: split "b": "p" was emptied by split "a"')


def test_files_that_are_none_are_told_together(tmp_path: Path) -> None:
    paths = files(tmp_path, "[tags]\nfirst = \n", "[[rule]\n")
    with pytest.raises(InputError) as caught:
        read_rules([*paths, tmp_path / "gone.toml"], tmp_path)
    said = [str(fault).split(":")[0] for fault in caught.value.faults]
    assert said == ["rules.toml", "rules/b.toml", "gone.toml"]


def test_files_are_found_in_the_order_stated(tmp_path: Path) -> None:
    files(tmp_path, "", "", "")
    (tmp_path / "rules" / "a.toml").touch()
    names = [path.relative_to(tmp_path).as_posix() for path in rule_files(tmp_path, ["rules/b.toml", "rules/*.toml"])]
    assert names == ["rules/b.toml", "rules/a.toml", "rules/c.toml"]
    assert rule_files(tmp_path, ["rules.toml", "more/*.toml"]) == (tmp_path / "rules.toml",)
    assert rule_files(tmp_path, ["gone.toml", "more/*.toml"]) == (tmp_path / "gone.toml",)  # missed when it is read
    with pytest.raises(InputError, match=r"no file matches more/\*\.toml"):
        rule_files(tmp_path, ["more/*.toml"])
