"""polars is believed only where every byte of a CSV is accounted for; else the file is read with care."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bills_kit import focus_text, look, put
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attribution.bills import ordinary_csv, read, table_file, with_texts
from attribution.bills.listing import read_head
from attribution.bills.ordinary_csv import Form, OutOfTheOrdinaryError, ordinary_rows
from attribution.bills.readers import bill_file
from attribution.bills.table_file import OpenTable, Ragged, open_table, raw_rows
from schemas import packed
from schemas.bills import BillFile
from schemas.faults import InputError
from schemas.text_file import plain_blocks
from schemas.text_lines import LinesAhead
from schemas.workspace import Source

if TYPE_CHECKING:
    import polars as pl

COLUMNS = ("resource", "cost", "tags")
FORM = Form(COLUMNS, ",", ("NULL",), rows=1 << 30, size=1 << 40)
PIECES = st.sampled_from(
    [
        "",
        "a",
        "5",
        '"',
        '""',
        ",",
        "\n",
        "\r\n",
        "\r",
        " ",
        "NULL",
        "é",
        "\ufeff",
        '{"a":"b, c"}',
        "\n\n",
        '","',
        "\x00",
        "\t",
    ]
)
CELLS = st.lists(PIECES, max_size=3).map("".join)


def parsed(block: bytes, columns: tuple[str, ...] = COLUMNS) -> list[tuple[str | None, ...]]:
    return [row for frame in ordinary_rows(iter([block]), replace(FORM, columns=columns)) for row in frame.rows()]


def opened(path: Path, encoding: str | None = None) -> OpenTable:
    head = read_head(bill_file(path, path.parent), Source("cloud", "*", encoding=encoding))
    return open_table(head, path.parent, encoding)


Read = tuple[list[tuple[int, tuple[str | None, ...]]], list[Ragged]]


def everything(table: OpenTable) -> Read | str:
    """Rows with their numbers and rows of a wrong width; or what is said of the file."""
    rows: list[tuple[int, tuple[str | None, ...]]] = []
    ragged: list[Ragged] = []
    try:
        for part in raw_rows(table, ("NULL",)):
            rows.extend(zip(part.numbers.to_list(), part.frame.rows(), strict=True))
            ragged.extend(part.ragged)
    except InputError as error:
        return str(error)
    return rows, ragged


def in_blocks_of(size: int) -> Callable[..., Generator[bytes] | None]:
    """As `plain_blocks`, in blocks of so many bytes at least."""
    return lambda path, where, encoding, *_: plain_blocks(path, where, encoding, size)


def with_care(table: OpenTable) -> Read | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_file, "plain_blocks", lambda *_: None)
        return everything(table)


def test_cells_are_as_written() -> None:
    block = b'i-1,0.50,"{""team"": ""a, b""}"\ni-2,,NULL\n"",-1e-7,"x"\ni 3, 5 ,\xc3\xa9\n'
    assert parsed(block) == [
        ("i-1", "0.50", '{"team": "a, b"}'),
        ("i-2", None, None),
        (None, "-1e-7", "x"),
        ("i 3", " 5 ", "é"),
    ]


def test_lines_may_end_in_either_way_and_the_last_in_none() -> None:
    assert parsed(b"a,1,x\r\nb,2,y\nc,3,z") == [("a", "1", "x"), ("b", "2", "y"), ("c", "3", "z")]


@pytest.mark.parametrize(
    "odd",
    [
        b"a,1\n",  # polars fills it with nulls
        b"a,1,x\nb,2\nc,3,z\n",
        b"a,1,x,y\n",
        b"a,1,x\nb\nc,2,y,z\n",  # as many delimiters as there should be
        b"a,1,x\n\nb,2,y\n",
        b"a,1,x\nb,2,y\n\n",
        b'a,1,"two\nlines"\n',
        b'a,1,"x\n',
        b'a,1,"x"y\n',
        b'5" disk,1,x\n6" disk,2\n',
        b"\xef\xbb\xbfa,1,x\n",
        b'a,1,x\n,{"a":"b, c"},',
        b',"\r",\n\r',  # two bytes without a cell, and two delimiters too few
    ],
)
def test_what_is_out_of_the_ordinary_is_not_taken(odd: bytes) -> None:
    with pytest.raises(OutOfTheOrdinaryError):
        parsed(odd)


@pytest.mark.parametrize("odd", [b"a\n\nb\n", b"\na\n", b"a\n\n"])
def test_a_blank_line_is_out_of_the_ordinary_where_there_is_one_column(odd: bytes) -> None:
    assert parsed(b"a\nb\n", ("one",)) == [("a",), ("b",)]
    with pytest.raises(OutOfTheOrdinaryError):
        parsed(odd, ("one",))


def test_rows_before_the_odd_block_are_given() -> None:
    rows = ordinary_rows(iter([b"a,1,x\n", b"b,2,y\n", b"c,3\n"]), FORM)
    assert next(rows).rows() == [("a", "1", "x"), ("b", "2", "y")]
    with pytest.raises(OutOfTheOrdinaryError):
        next(rows)


@pytest.mark.parametrize(("size", "heights"), [((2, 99), [2, 2, 1]), ((99, 12), [2, 2, 1]), ((99, 99), [5])])
def test_a_frame_is_given_at_so_many_rows_or_bytes(size: tuple[int, int], heights: list[int]) -> None:
    rows = ordinary_rows(iter([b"a,1,x\n"] * 5), replace(FORM, rows=size[0], size=size[1]))
    assert [frame.height for frame in rows] == heights


def test_quotes_are_looked_for_in_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    count = ordinary_csv._quotes

    def noted(cells: pl.Series) -> int:
        looked.append(cells.name)
        return count(cells)

    monkeypatch.setattr(ordinary_csv, "_quotes", noted)
    block = b'a,1,"say ""x"""\n'
    assert list(ordinary_rows(iter([block, block]), FORM))
    assert looked == ["resource", "cost", "tags", "tags"]
    assert parsed(b'"a ""1""","""",""""\n') == [('a "1"', '"', '"')]


@settings(max_examples=300, deadline=None)
@example(rows=[["a", "1", "x"], ["b", "2"]], end="\n", raw="", size=1)
@example(rows=[["a", "1", "x"]], end="\r\n", raw='b,2,"y\nz"\n', size=1)
@example(rows=[["a", "1", "x"]], end="\n", raw="\nThe end\n", size=1)
@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=4) | st.lists(CELLS, min_size=3, max_size=3), max_size=6),
    end=st.sampled_from(["\n", "\r\n", ""]),
    raw=st.lists(PIECES, max_size=6).map("".join) | st.just(""),
    size=st.sampled_from([1, 20, 1 << 20]),
)
def test_both_ways_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], end: str, raw: str, size: int
) -> None:
    """Whatever a program, a spreadsheet or an accident wrote: polars says the same as pyarrow, or nothing."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=end or "\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    path = tmp_path_factory.mktemp("csv") / "bill.csv"
    path.write_bytes((text.getvalue() + raw).encode().removesuffix(b"" if end else b"\n"))
    carefully = with_care(opened(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_file, "BATCH_ROWS", 1)
        patch.setattr(packed, "_READ", size)
        patch.setattr(table_file, "plain_blocks", in_blocks_of(size))
        assert everything(opened(path)) == carefully


def test_a_stated_encoding_is_not_taken_for_utf8_before_the_whole_file_was_seen(tmp_path: Path) -> None:
    """A byte deep in the file may tell that what could be UTF-8 before was not."""
    path = tmp_path / "bill.csv"
    path.write_bytes("resource,cost,tags\nÃ©,1,x\n".encode("cp1252") + b"\xe9,2,y\n")
    assert everything(opened(path, "cp1252")) == ([(1, ("Ã©", "1", "x")), (2, ("é", "2", "y"))], [])


def test_a_reader_left_in_the_middle_ends_its_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "BATCH_ROWS", 1)
    monkeypatch.setattr(packed, "_READ", 60)
    monkeypatch.setattr(table_file, "plain_blocks", in_blocks_of(60))
    path = tmp_path / "bill.csv"
    path.write_text("resource,cost,tags\n" + "a,1,x\n" * 1000)
    with closing(raw_rows(opened(path), ())) as rows:  # type: ignore[type-var]  # a generator
        assert 0 < next(rows).frame.height < 1000
        assert [one for one in threading.enumerate() if one.name.startswith("reading ahead")]
    assert not [one for one in threading.enumerate() if one.name.startswith("reading ahead")]


def test_lines_are_found_on_one_walk_through_the_blocks() -> None:
    blocks = iter([b"header\nfirst\n", b"second\n", b"a third, long one\r\nfourth\nlast"])
    lines = LinesAhead(blocks)
    assert lines.of([3, 2], 99) == {2: "first", 3: "second"}
    assert lines.of([], 99) == {}
    assert lines.of([4, 6], 7) == {4: "a third", 6: "last"}
    assert lines.of([5], 99) == {5: "fourth"}
    assert lines.of([2], 99) is None


def test_refused_rows_of_an_ordinary_file_are_told_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BillFile, "plain_text", lambda *_: pytest.fail("an ordinary file is not copied"))
    rows = [{"ResourceId": f'"i" {number}', "BilledCost": "a lot" if number % 2 else "1"} for number in range(1, 5)]
    put(tmp_path, "bill.csv", focus_text(*rows))
    (batch,) = read(look(tmp_path).deliveries[0])
    told = with_texts(batch.refused, batch, 10)
    assert told.get_column("line").to_list() == [2, 4]
    assert [text.count('"""i"" 1"') for text in told.get_column("raw").to_list()] == [1, 0]
    assert told.get_column("raw").to_list()[1] == focus_text(*rows).splitlines()[3]
