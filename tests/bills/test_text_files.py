"""Text as it is delivered: marks, encodings, line ends, footers and packing."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from bills_kit import FOCUS_ROW, csv_text, cur_text, focus_text, look, put, read_delivery, read_only
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attribution.bills import read as read_batches
from schemas.faults import InputError
from schemas.text_file import head_line, header_columns, plain_text
from schemas.text_lines import physical_lines

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


CHINESE = "产品名称,资源ID,应付金额\n对象存储,bkt-语料,1.50\n"


def plain(root: Path, data: bytes, encoding: str | None = None) -> str:
    copy = root / "copy.csv"
    path = put(root, "in.csv", data)
    text = plain_text(path, "in.csv", copy, encoding)
    assert head_line(path, "in.csv", encoding) == copy.read_text(encoding="utf-8").split("\n", 1)[0]
    return text.path.read_bytes().decode()


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "utf-8-sig", "utf-16"])
def test_a_chinese_bill_says_so_in_its_header_and_needs_no_statement(tmp_path: Path, encoding: str) -> None:
    assert plain(tmp_path, CHINESE.encode(encoding)) == CHINESE


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Förderung,Größe,Erläuterung\na,b,c\n", "cp1252"),
        ("Дата,Стоимость,Ресурс\nа,б,в\n", "cp1251"),
        ("비용,날짜,자원\na,b,c\n", "euc-kr"),
        ("帳單,費用,資源\na,b,c\n", "big5"),
        ("date,cost,owner\n1,2,训练\n", "gb18030"),
        (CHINESE.replace("对象存储", "\udc80\udcff"), "gb18030"),
    ],
)
def test_no_other_encoding_is_taken_for_chinese(tmp_path: Path, text: str, encoding: str) -> None:
    """Western, Cyrillic and Korean bytes are valid GB18030 too, and would come out as other words."""
    data = text.encode(encoding, "surrogateescape") if "\udc80" not in text else text.encode("gb18030", "replace")
    data = data.replace(b"??", b"\x80\xff")
    with pytest.raises(InputError, match=r"byte 0x\w\w is not (utf-8|gb18030) \(line \d\)"):
        plain(tmp_path, data)


def test_what_is_stated_comes_before_chinese_and_after_utf_8(tmp_path: Path) -> None:
    assert plain(tmp_path, CHINESE.encode(), "cp1252") == CHINESE
    assert plain(tmp_path, CHINESE.encode("gb18030"), "latin-1") == CHINESE.encode("gb18030").decode("latin-1")
    assert plain(tmp_path, ("a,b\n" * 3 + "x,Zoë\n").encode("cp1252"), "cp1252").endswith("x,Zoë\n")
    with pytest.raises(InputError, match=r"byte 0x81 is not cp1252 \(line 2\)"):
        plain(tmp_path, b"a,b\nx,\x81\n", "cp1252")
    with pytest.raises(InputError, match=r"byte 0x81 is not cp1252 \(line 1\)"):
        plain(tmp_path, b"a,\x81\nx,y\n", "cp1252")
    with pytest.raises(InputError, match=r"byte 0xeb is not utf-8 \(line 2\)"):
        plain(tmp_path, BOM + b"a,b\nx,Zo\xeb\n", "cp1252")


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "gb18030"])
def test_blocks_are_cut_between_lines_whatever_the_encoding(
    tmp_path: Path, codec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("schemas.text_file._BLOCK", 64)
    monkeypatch.setattr("schemas.packed._READ", 7)
    text = "账单,ḊĊ\n" + "".join(f"训练{number},Ċ{number}\n" for number in range(200))
    assert plain(tmp_path, text.replace("\n", "\r\r\n").encode(codec)) == text.replace("\n", "\r\n")


def test_a_late_row_that_breaks_a_type_is_refused_alone(tmp_path: Path) -> None:
    """Kind of cases 03 and 04: types guessed from the first rows break on what comes after them."""
    rows = [{"ResourceId": str(1000 + number), "BilledCost": "1"} for number in range(40_000)]
    rows[35_000] = {"ResourceId": "007-late", "BilledCost": "1.25"}
    rows[36_000] = {"ResourceId": "008", "BilledCost": "n/a"}
    put(tmp_path, "bill.csv", focus_text(*rows))
    bill = read_only(tmp_path)
    assert bill.why() == [(36_002, "BilledCost", "n/a", "row refused")]
    assert bill.total("BilledCost") == 40_000 - 1 + Decimal("0.25")
    assert bill.texts("ResourceId")[35_000] == "007-late"


def test_columns_that_differ_by_case_are_two(tmp_path: Path) -> None:
    """Kind of case 40, in both kinds of bill."""
    put(tmp_path, "a/bill.csv", focus_text({"x_Team": "atlas", "x_team": ""}, {"x_Team": "", "x_team": "borealis"}))
    extras = read_only(tmp_path, "a/*").charges.select(pl.col("^x_.*$"))
    assert extras.rows() == [("atlas", None), (None, "borealis")]
    tags = ("resourceTags/user:Project", "resourceTags/user:project")
    put(
        tmp_path,
        "b/bill.csv",
        cur_text(*(dict(zip(tags, row, strict=True)) for row in (("atlas", ""), ("", "borealis")))),
    )
    told = [json.loads(one) for one in read_only(tmp_path, "b/*").texts("Tags") if one]
    assert told == [{"Project": "atlas"}, {"project": "borealis"}]


def test_files_of_one_source_may_differ_in_their_columns(tmp_path: Path) -> None:
    """Columns are added, moved and dropped in mid-month; each file is read by its own header."""
    put(tmp_path, "1.csv", focus_text({"ResourceId": "r1"}))
    added = FOCUS_ROW | {"x_Team": "atlas", "ResourceId": "r2"}
    put(tmp_path, "2.csv", csv_text([added], sorted(added)))
    put(tmp_path, "3.csv", focus_text({"ResourceId": "r3"}, drop=("ListCost", "Tags")))
    bills = [read_delivery(one).charges for one in look(tmp_path).deliveries]
    both = pl.concat(bills, how="diagonal").select("ResourceId", "x_Team", "BilledCost", "ListCost")
    one, two = Decimal("1.000000000000"), Decimal("2.000000000000")
    assert both.rows() == [("r1", None, one, two), ("r2", "atlas", one, two), ("r3", None, one, None)]
