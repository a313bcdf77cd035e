"""invoices.csv and people.csv: what is read, what is refused, and that no refused address is shown."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from attribution.inputs import Read, read_invoices, read_people
from schemas.bills import Rejects
from schemas.check import verify
from schemas.faults import InputError
from schemas.people import left, recipients_on


def given(root: Path, *lines: str) -> list[Path]:
    (root / "input.csv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [root / "input.csv"]


def why(read: Read) -> list[tuple[int, str, str | None, str]]:
    verify(read.rejects, Rejects, "rejects")
    return sorted(read.rejects.select("line", "column", "value", "outcome").rows())


PAID = "source,billing_account,billing_month,invoice_id,currency,amount"


def test_invoices_are_read_exactly_and_ids_stay_text(tmp_path: Path) -> None:
    read = read_invoices(
        given(
            tmp_path,
            PAID,
            "aws,0012, 2026-10 ,,USD,141039.18",
            "aws,0012,2026-10-01,,USD,141039.18",
            "gcp,A-1,2026-09,007,EUR,-1.5E-7",
        ),
        tmp_path,
    )
    assert why(read) == []
    assert read.frame.rows() == [
        ("aws", "0012", dt.date(2026, 10, 1), None, "USD", Decimal("141039.18")),
        ("gcp", "A-1", dt.date(2026, 9, 1), "007", "EUR", Decimal("-0.00000015")),
    ]


def test_bad_and_contradicting_invoices_are_refused_with_their_place(tmp_path: Path) -> None:
    read = read_invoices(
        given(
            tmp_path,
            PAID,
            "aws,0012,2026-10,a,USD,1",
            "aws,0012,2026-10,a,USD,2",
            "aws,0012,2026-10,b,USD,2",
            "aws,0012,October,a,USD,1",
            'aws,0012,2026-10,c,USD,"1,5"',
            "aws,0012,2026-10,d,usd,1",
            "aws,1.23457E+11,2026-10,d,USD,1",
            ",0012,2026-10,d,USD,1",
            "aws,0012,2026-10,d,USD,",
        ),
        tmp_path,
    )
    assert why(read) == [
        (3, "billing_account", "0012", "row refused"),
        (5, "billing_month", "October", "row refused"),
        (6, "amount", "1,5", "row refused"),
        (7, "currency", "usd", "row refused"),
        (8, "billing_account", "1.23457E+11", "row refused"),
        (9, "source", None, "row refused"),
        (10, "amount", None, "row refused"),
    ]
    assert read.frame.get_column("invoice_id").to_list() == ["a", "b"]
    with pytest.raises(InputError, match='column "amount" is missing'):
        read_invoices(given(tmp_path, PAID.removesuffix(",amount")), tmp_path)


def people(root: Path, *lines: str) -> Read:
    return read_people(given(root, "owner,team,lead,email,valid_from,valid_to", *lines), root)


def test_rows_of_an_owner_that_hold_together_and_disagree_are_refused(tmp_path: Path) -> None:
    read = people(
        tmp_path,
        "mira,a,,mira@example.com,,2026-10-01",
        "mira,b,,mira@example.com,2026-10-01,",
        "mira,c,,mira@example.com,2026-12-01,2027-01-01",
        "mira,b,,mira@example.com,2026-12-01,2027-01-01",
        "tomas,b,,,2026-10-01,2026-10-01",
        ",b,,who@example.com,,",
        "ines,b,,,yesterday,",
    )
    assert why(read) == [
        (4, "owner", "mira", "row refused"),
        (6, "valid_to", "2026-10-01", "row refused"),
        (7, "owner", None, "row refused"),
        (8, "valid_from", "yesterday", "row refused"),
    ]
    assert read.frame.get_column("owner").to_list() == ["mira"] * 3


@pytest.mark.parametrize(
    "address", ["mira", "@example.com", "mira@", "a@b@c", "Mira <mira@example.com>", "a@b.c,d@e.f", "mirá@example.com"]
)
def test_a_refused_address_is_not_shown_and_the_row_stays(tmp_path: Path, address: str) -> None:
    read = people(tmp_path, f'mira,a,kofi,"{address}",,', "kofi,a,,kofi@example.com,,", "ines,secret@example.com")
    assert why(read) == [(2, "email", None, "value unknown"), (4, "(row)", None, "row refused")]
    assert read.frame.select("owner", "email").rows() == [("mira", None), ("kofi", "kofi@example.com")]


def test_recipients_are_those_of_the_day_and_who_left_gets_nothing(tmp_path: Path) -> None:
    frame = people(
        tmp_path,
        "mira,a,kofi,old@example.com,,2026-10-01",
        "mira,a,kofi,new@example.com,2026-10-01,",
        "tomas,a,kofi,tomas@example.com,,2026-10-01",
        "ines,a,,ines@example.com,2026-12-01,",
        "kofi,a,,,,",
    ).frame
    stated = {"all": ("boss@example.com",), "tomas": ("box@example.com",), "kofi": ("k@example.com",)}
    september, october = dt.date(2026, 9, 30), dt.date(2026, 10, 1)
    assert recipients_on(september, frame, stated) == {
        **stated,
        "mira": ("old@example.com",),
    }
    assert recipients_on(october, frame, stated) == {
        "all": ("boss@example.com",),
        "kofi": ("k@example.com",),
        "mira": ("new@example.com",),
    }
    assert left(september, frame) == {}
    assert left(october, frame) == {"tomas": (october, "kofi")}
    assert recipients_on(october, frame.clear(), stated) == stated
    assert left(october, frame.filter(pl.col("owner") == "ines")) == {}
