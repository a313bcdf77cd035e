"""planned.csv and rates.csv, and costs in the workspace's currency by the rates."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path

import polars as pl
import pytest

from attribution.detection.budgets import plans_of
from attribution.detection.exchange import missing_rates, rates_on
from attribution.inputs import Read, read_planned, read_rates
from schemas.bills import Rejects
from schemas.check import verify
from schemas.exchange import convert
from schemas.faults import InputError
from schemas.money import MONEY
from schemas.plans import RATE_COLUMNS, Plan


def given(root: Path, *lines: str) -> list[Path]:
    (root / "input.csv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [root / "input.csv"]


def why(read: Read) -> list[tuple[int, str, str | None]]:
    verify(read.rejects, Rejects, "rejects")
    return sorted(read.rejects.select("line", "column", "value").rows())


def test_plans_hold_dimensions_under_their_names_and_blank_cells_say_nothing(tmp_path: Path) -> None:
    read = read_planned(
        given(
            tmp_path,
            "from,to,Project,experiment,cost center,amount,reason",
            '2026-10-01,2026-11-01,Orion,e-1,,1e4,"pretraining, agreed"',
            "2026-10-01,2026-11-01,Orion,,77,0,all of it",
        ),
        tmp_path,
    )
    assert why(read) == []
    plans = plans_of(read.frame, ("project", "experiment"), lambda _name, value: value.lower())
    since, until = dt.date(2026, 10, 1), dt.date(2026, 11, 1)
    assert plans == (
        Plan(since, until, {"project": "orion", "experiment": "e-1"}, Decimal(10_000), "pretraining, agreed"),
        Plan(since, until, {"project": "orion"}, Decimal(0), "all of it"),
    )


def test_bad_plans_are_refused_with_their_place(tmp_path: Path) -> None:
    read = read_planned(
        given(
            tmp_path,
            "from,to,project,amount,reason",
            "2026-10-01,2026-10-01,a,1,x",
            "October,2026-10-01,a,1,x",
            "2026-10-01,2026-11-01,a,-1,x",
            "2026-10-01,2026-11-01,a,1,",
            "2026-10-01,2026-11-01,a,much,x",
        ),
        tmp_path,
    )
    assert why(read) == [
        (2, "to", "2026-10-01"),
        (3, "from", "October"),
        (4, "amount", "-1.000000000000"),
        (5, "reason", None),
        (6, "amount", "much"),
    ]
    with pytest.raises(InputError, match='column "reason" is missing'):
        read_planned(given(tmp_path, "from,to,amount"), tmp_path)


WIDE = Context(prec=99)


def rates(root: Path, *lines: str) -> Read:
    return read_rates(given(root, "month,from,to,rate", *lines), root)


def test_rates_are_exact_and_contradictions_refused(tmp_path: Path) -> None:
    read = rates(
        tmp_path,
        "2026-10,EUR,USD,1.0875",
        "2026-10-01,EUR,USD,1.0875",
        "2026-10,EUR,USD,1.09",
        "2026-10,eur,USD,1",
        "2026-10,EUR,CNY,0",
        "2026-10,JPY,USD,0.0064",
    )
    assert [line for line, _, _ in why(read)] == [4, 5, 6]
    assert read.frame.get_column("rate").to_list() == [Decimal("1.0875"), Decimal("0.0064")]


def test_a_rate_that_no_currency_has_is_refused(tmp_path: Path) -> None:
    read = rates(
        tmp_path,
        "2026-10,EUR,USD,100000000",
        "2026-10,EUR,USD,1e17",
        "2026-10,USD,USD,1.5",
        "2026-10,EUR,USD,-1",
        "2026-10,KWD,USD,99999999.999999999999",
        "2026-10,EUR,USD,1e-12",  # a wrong row stands in no right row's place
    )
    assert [(line, column) for line, column, _ in why(read)] == [
        (line, "to" if line == 4 else "rate") for line in range(2, 6)
    ]
    largest = "999999999999999999.999999999999"
    found = convert(costs(("2026-10-01", "KWD", largest), ("2026-10-01", "EUR", f"-{largest}")), read.frame, "USD")
    wanted = [WIDE.multiply(Decimal(largest), Decimal("99999999.999999999999")), Decimal(-1_000_000)]
    rounded = [one.quantize(Decimal("1e-12"), ROUND_HALF_EVEN, WIDE) for one in wanted]
    assert found.costs.get_column("EffectiveCost").to_list() == rounded


def costs(*rows: tuple[str, str, str | None]) -> pl.DataFrame:
    made = [(dt.date.fromisoformat(day), code, None if one is None else Decimal(one)) for day, code, one in rows]
    columns = {"usage_date": pl.Date(), "BillingCurrency": pl.String(), "EffectiveCost": MONEY}
    return pl.DataFrame(made, schema=columns, orient="row")


def test_costs_are_converted_by_their_own_month_half_even_and_the_rest_stays_apart(tmp_path: Path) -> None:
    known = rates(tmp_path, "2026-10,EUR,USD,1.5", "2026-09,EUR,USD,2", "2026-10,USD,JPY,150").frame
    found = convert(
        costs(
            ("2026-10-31", "EUR", "0.000000000001"),  # 1.5 units: to the even one, 2
            ("2026-10-01", "EUR", "0.000000000003"),  # 4.5 units: 4
            ("2026-09-30", "EUR", "-10"),
            ("2026-08-31", "EUR", "7"),
            ("2026-10-01", "JPY", "100"),
            ("2026-10-01", "EUR", None),
            ("2026-10-01", "USD", "3"),
        ),
        known,
        "USD",
    )
    amounts = [Decimal(one) for one in ("3", "0.000000000002", "0.000000000004", "-20")]
    assert found.costs.get_column("EffectiveCost").to_list() == [*amounts, None]
    assert set(found.costs.get_column("BillingCurrency")) == {"USD"}
    assert found.apart.select("BillingCurrency", "EffectiveCost").rows() == [("EUR", 7), ("JPY", 100)]
    euro, yen = missing_rates(found.apart, "USD").to_dicts()
    assert (euro["subject"], euro["cost_at_stake"]) == ("currency=EUR", 7)
    assert "2026-08: 7.00 EUR" in euro["evidence"]
    assert yen["BillingCurrency"] == "JPY"  # a rate the other way round is none


def test_no_amount_is_too_large_or_a_rate_too_fine_to_be_converted(tmp_path: Path) -> None:
    known = rates(tmp_path, "2026-10,USD,IDR,16123.123456789012", "2026-10,EUR,IDR,0.000000000001").frame
    amounts = ["987654321098.765432109876", "-0.5", "123456789012345678"]
    found = convert(costs(*(("2026-10-01", "USD", one) for one in amounts), ("2026-10-01", "EUR", "3.5")), known, "IDR")
    exact = WIDE.multiply
    wanted = [exact(Decimal(one), Decimal("16123.123456789012")) for one in amounts] + [Decimal("0.0000000000035")]
    rounded = [one.quantize(Decimal("1e-12"), ROUND_HALF_EVEN, WIDE) for one in wanted]
    assert found.costs.get_column("EffectiveCost").to_list() == rounded
    assert found.apart.is_empty()


def test_severity_takes_the_newest_rate_up_to_the_day() -> None:
    months = [(dt.date(2026, month, 1), "EUR", "USD", Decimal(month)) for month in (8, 9, 11)]
    frame = pl.DataFrame(months, schema=RATE_COLUMNS, orient="row")
    assert rates_on(dt.date(2026, 10, 5), frame, "USD") == {"USD": 1, "EUR": 9}


@pytest.mark.parametrize(
    ("rate", "kept"),
    [("1.123456789012", True), ("1.1234567890120", True), ("1.1234567890123", False), ("1e-13", False)],
)
def test_a_rate_is_kept_as_written_or_refused(tmp_path: Path, rate: str, *, kept: bool) -> None:
    read = rates(tmp_path, f"2026-10,EUR,USD,{rate}", "2026-09,EUR,USD,2")
    assert read.frame.height == 1 + kept
    assert read.rejects.get_column("check").to_list() == ([] if kept else ["a plain number of at most 12 decimals"])
