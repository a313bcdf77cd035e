"""Text as it is delivered: marks, encodings, line ends, footers and packing."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from bills_kit import csv_text, focus_text, look, put, read_only
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attribution.bills import read as read_batches
from schemas.faults import InputError
from schemas.text_file import head_line, header_columns, physical_lines, plain_text

BOM = b"\xef\xbb\xbf"
TEXT = focus_text({"ChargeDescription": "Zoë 训练"})


@pytest.mark.parametrize(
    "data",
    [
        BOM + TEXT.encode(),
        BOM + TEXT.encode().replace(b"\n", b"\n" + BOM, 1),
        BOM + BOM + TEXT.encode(),
        TEXT.encode("utf-16"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r\r\n").encode(),
        TEXT.rstrip("\n").encode(),
        TEXT.encode() + b"\n\n",
        gzip.compress(TEXT.encode()[:100]) + gzip.compress(TEXT.encode()[100:]),
    ],
    ids=["bom", "second bom at the data", "double bom", "utf-16", "utf-16-be", "crlf", "cr cr lf", "no last line end",
         "blank end", "two gzip members"],
)  # fmt: skip
def test_the_same_bill_in_many_wrappings_is_the_same_bill(tmp_path: Path, data: bytes) -> None:
    put(tmp_path, "bill.csv", data)
    bill = read_only(tmp_path)
    assert bill.texts("ChargeDescription") == ["Zoë 训练"]
    assert bill.texts("BillingAccountId") == ["004418230975"]
    assert not bill.notices


@pytest.mark.parametrize("encoding", ["cp1252", "gb18030", "utf-16-le"])
def test_an_encoding_that_the_source_states_is_used(tmp_path: Path, encoding: str) -> None:
    word = "Zoë" if encoding == "cp1252" else "训练 Zoë"
    put(tmp_path, "bill.csv", focus_text({"ChargeDescription": word}).encode(encoding))
    assert read_only(tmp_path, encoding=encoding).texts("ChargeDescription") == [word]


def test_bytes_that_nobody_can_read_are_told_with_their_line_and_never_replaced(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({}, {"ChargeDescription": "Zoë"}).encode("cp1252"))
    with pytest.raises(InputError, match=r"byte 0xeb is not utf-8 \(line 3\)"):
        list(read_batches(look(tmp_path).deliveries[0]))


def test_an_unknown_encoding_is_a_message(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"ChargeDescription": "Zoë"}).encode("cp1252"))
    with pytest.raises(InputError, match='unknown encoding "latin-99"'):
        list(read_batches(look(tmp_path, encoding="latin-99").deliveries[0]))


def test_many_rows_with_doubled_carriage_returns_are_read_once_each(tmp_path: Path) -> None:
    text = focus_text(*({"ResourceId": f"r{number}"} for number in range(10_000)))
    put(tmp_path, "bill.csv", text.replace("\n", "\r\r\n"))
    bill = read_only(tmp_path)
    assert bill.charges.get_column("ResourceId").n_unique() == bill.rows == 10_000
    assert bill.total("BilledCost") == 10_000


def test_a_footer_after_a_blank_line_is_no_charge_and_is_told(tmp_path: Path) -> None:
    text = focus_text({"BilledCost": "1234,56"}, {"BilledCost": "0,44"}, delimiter=";").replace("\n", "\r\n")
    text = text.replace("1.00", "1,00").replace("2.00", "2,00").replace("1.50", "1,50")
    put(tmp_path, "bill.csv", (text + "\r\nSumme;1235,00\r\nErläuterung: netto\r\n").encode("latin-1"))
    bill = read_only(tmp_path, decimal=",", encoding="latin-1")
    assert (bill.rows, bill.total("BilledCost")) == (2, 1235)
    (notice,) = bill.notices
    assert notice.kind == "footer"
    assert "line 4" in notice.sentence
    assert "Summe;1235,00 / Erläuterung: netto" in notice.sentence


def test_rows_after_a_blank_line_are_never_taken_for_a_footer(tmp_path: Path) -> None:
    header, first, second = focus_text({}, {}).splitlines()
    put(tmp_path, "bill.csv", f"{header}\n{first}\n\n{second}\n")
    with pytest.raises(InputError, match="line 3 is blank and rows follow it"):
        list(read_batches(look(tmp_path).deliveries[0]))


def test_a_blank_line_inside_quotes_is_text(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"ChargeDescription": "two\n\nparts"}, {"BilledCost": "x"}))
    bill = read_only(tmp_path)
    assert bill.texts("ChargeDescription") == ["two\n\nparts"]
    assert [line for line, *_ in bill.why()] == [5]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_separator_is_the_headers(tmp_path: Path, delimiter: str) -> None:
    put(tmp_path, "bill.csv", focus_text({"ChargeDescription": "a,b;c"}, delimiter=delimiter))
    assert read_only(tmp_path).texts("ChargeDescription") == ["a,b;c"]


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    header, row = focus_text({}).splitlines()
    put(tmp_path, "bill.csv", f"{header},BilledCost\n{row},9\n")
    with pytest.raises(InputError, match='column "BilledCost" stands twice'):
        list(read_batches(look(tmp_path).deliveries[0]))


CELLS = st.text(st.sampled_from('ab,"\n é;'), max_size=6).filter(lambda cell: cell.strip() == cell)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(CELLS, min_size=1, max_size=6))
def test_lines_are_counted_right_whatever_is_quoted(tmp_path: Path, cells: list[str]) -> None:
    text = csv_text([{"a": "x", "b": cell} for cell in cells])
    copy = tmp_path / "copy.csv"
    plain_text(put(tmp_path, "in.csv", text), "in.csv", copy)
    assert copy.read_text(encoding="utf-8") == text
    lines = physical_lines(copy, set(range(1, len(cells) + 1)))
    rows = text.split("\n")
    assert all(rows[line - 1].startswith(("x,", '"x"')) for line in lines.values())
    assert len(lines) == len(cells)


def test_a_header_is_read_alone(tmp_path: Path) -> None:
    path = put(tmp_path, "in.csv", BOM + b'"a,b" ; c\r\n1;2\n')
    assert header_columns(head_line(path, "in.csv")) == ("a,b", "c")
