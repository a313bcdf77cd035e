"""Money as text becomes units of 1e-12 and back, and nothing is lost on the way. The judge is `decimal` alone."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from schemas.money import (
    COSTS,
    LARGEST,
    MONEY,
    add,
    add_money,
    from_units,
    grouped,
    known_sum,
    multiply,
    read_money,
    shortest,
    split_units,
    sum_exactly,
    to_units,
    without_long_exponents,
)

EXACT = Context(prec=400)
AMOUNTS = st.decimals(min_value=Decimal(-(10**17)), max_value=Decimal(10**17), allow_nan=False, allow_infinity=False)


def exact_sum(amounts: list[Decimal]) -> Decimal:
    total = Decimal(0)
    for amount in amounts:
        total = EXACT.add(total, amount)
    return total


@settings(max_examples=150, deadline=None)
@given(st.lists(AMOUNTS, max_size=8))
def test_what_is_stored_and_what_rounding_cut_are_what_was_written(written: list[Decimal]) -> None:
    money, residual = read_money(pl.Series("a", [str(amount) for amount in written], dtype=pl.String))
    assert money.dtype == MONEY
    assert money.null_count() == 0
    assert EXACT.add(exact_sum(money.to_list()), residual) == exact_sum(written)
    rounded = [amount.quantize(Decimal("1E-12"), ROUND_HALF_EVEN, EXACT) for amount in written]
    assert money.to_list() == rounded


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1e-7", "0.0000001"), ("4E-07", "0.0000004"), ("-1.0E+2", "-100"), ("+3", "3"), (".5", "0.5"), ("5.", "5"),
     ("1.0000000000005", "1"), ("1.0000000000015", "1.000000000002"), ("-1.0000000000005", "-1")],
)  # fmt: skip
def test_numbers_are_read_as_written_half_to_even(text: str, amount: str) -> None:
    assert read_money(pl.Series([text]))[0].to_list() == [Decimal(amount)]


@pytest.mark.parametrize(
    "text", ["abc", "", " 2", "1,000.5", "NaN", "inf", "1_000", "--1", "0x10", "1 000", "١٢", "1e400"]
)
def test_what_is_no_number_is_unknown_and_not_zero(text: str) -> None:
    money, residual = read_money(pl.Series([text]))
    assert (money.to_list(), residual) == ([None], 0)


def test_a_double_is_read_through_its_shortest_text() -> None:
    money, residual = read_money(pl.Series([0.1, 1e-7, 0.1 + 0.2]))
    assert money.to_list() == [Decimal("0.1"), Decimal("0.0000001"), Decimal("0.300000000000")]
    assert residual == Decimal("0.00000000000000004")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False, min_value=-1e17, max_value=1e17)
        | st.integers(-(10**15), 10**15).map(lambda units: float(f"{units}e-12"))
        | st.floats(-1000.001, 1000.001).map(lambda amount: round(amount, 11)),
        max_size=12,
    )
)
def test_doubles_near_and_far_from_short_texts_are_read_as_python_writes_them(written: list[float]) -> None:
    money, residual = read_money(pl.Series("a", written, dtype=pl.Float64))
    texts = [Decimal(repr(one)) for one in written]
    assert money.to_list() == [text.quantize(Decimal("1E-12"), ROUND_HALF_EVEN, EXACT) for text in texts]
    assert EXACT.add(exact_sum(money.to_list()), residual) == exact_sum(texts)


def test_many_large_amounts_with_long_tails_keep_their_residual() -> None:
    text = "999999999999.1234567890123"
    money, residual = read_money(pl.Series([text] * 50))
    assert EXACT.add(exact_sum(money.to_list()), residual) == Decimal(text) * 50


@settings(max_examples=150, deadline=None)
@given(st.integers(-(10**30), 10**30), st.lists(st.integers(-5, 10**24), min_size=1, max_size=9))
def test_a_split_loses_nothing_and_differs_from_the_exact_share_by_less_than_a_unit(
    total: int, weights: list[int]
) -> None:
    positive = [max(weight, 0) for weight in weights]
    if not any(positive):
        with pytest.raises(ValueError, match="no positive weight"):
            split_units(total, weights)
        return
    shares = split_units(total, weights)
    assert sum(shares) == total
    whole = sum(positive)
    for share, weight in zip(shares, positive, strict=True):
        assert abs(share * whole - total * weight) < whole
    assert split_units(-total, weights) == [-share for share in shares]


def test_of_equal_remainders_the_earlier_gets_the_unit() -> None:
    assert split_units(10, [1, 1, 1]) == [4, 3, 3]
    assert split_units(-1, [1, 1]) == [-1, 0]


def test_units_and_amounts_are_the_same_money() -> None:
    assert from_units([1, None, -(10**12)]).to_list() == [Decimal("1E-12"), None, Decimal(-1)]
    assert to_units(Decimal("1.5")) == 1_500_000_000_000
    assert add(Decimal("1E+25"), Decimal("1E-25")) == Decimal("10000000000000000000000000.0000000000000000000000001")
    assert [shortest(Decimal(text)) for text in ("1.500", "100", "0E-12", "1E-7")] == ["1.5", "100", "0", "0.0000001"]


def test_the_sum_of_nothing_known_is_unknown() -> None:
    rows = pl.DataFrame({"key": ["a", "a", "b"], COSTS[0]: pl.Series([None, None, Decimal(1)], dtype=MONEY)})
    sums = rows.group_by("key").agg(known_sum(COSTS[0])).sort("key")
    assert sums.get_column(COSTS[0]).to_list() == [None, Decimal(1)]


FACTORS = st.decimals(-(10**9), 10**9, allow_nan=False, places=12)


@given(st.lists(st.tuples(FACTORS, FACTORS), min_size=1))
def test_a_product_is_the_exact_one_half_to_even(pairs: list[tuple[Decimal, Decimal]]) -> None:
    left, right = ([f"{pair[at]:f}" for pair in pairs] for at in (0, 1))
    exact = Context(prec=100)
    for (one, other), product in zip(pairs, multiply(pl.Series(left), pl.Series(right)), strict=True):
        expected = exact.multiply(one, other)
        if product is None:
            assert abs(expected) > Decimal("9.9e12")
        else:
            assert product == expected.quantize(Decimal("1e-12"), ROUND_HALF_EVEN, exact)


@pytest.mark.parametrize("factor", ["1e-3", "0.1234567890123", "x", None, ""])
def test_a_factor_that_is_not_exact_makes_no_product(factor: str | None) -> None:
    assert multiply(pl.Series([factor], dtype=pl.String), pl.Series(["2"])).to_list() == [None]


def test_a_column_of_whole_numbers_or_decimals_is_read_as_it_is_and_what_is_cut_is_kept() -> None:
    whole, cut = read_money(pl.Series([1, None, -3], dtype=pl.Int64))
    assert (whole.to_list(), cut) == ([1, None, -3], 0)
    exact, cut = read_money(pl.Series([Decimal("0.123456789012")], dtype=pl.Decimal(38, 12)))
    assert (exact.to_list(), cut) == ([Decimal("0.123456789012")], 0)
    longer, cut = read_money(
        pl.Series([Decimal("0.1234567890125"), Decimal("1.0000000000006")], dtype=pl.Decimal(38, 13))
    )
    assert longer.to_list() == [Decimal("0.123456789012"), Decimal("1.000000000001")]
    assert cut == Decimal("0.0000000000001")


@pytest.mark.parametrize("sign", ["", "-"])
def test_an_amount_of_ten_to_the_eighteenth_is_damage_and_a_unit_less_is_money(sign: str) -> None:
    most = f"{sign}999999999999999999.999999999999"
    for text, read in ((most, Decimal(most)), (f"{sign}1000000000000000000", None)):
        longer = f"{text}{'.' * ('.' not in text)}{'0' * 30}"  # more digits than polars parses at once
        assert read_money(pl.Series([text, longer]))[0].to_list() == [read, read]


@pytest.mark.parametrize(
    ("total", "weights", "shares"),
    [
        (10, [1, 1, 1], [4, 3, 3]),
        (-10, [1, 1, 1], [-4, -3, -3]),
        (11, [1, 1, 1], [4, 4, 3]),
        (10, [0, 3, -5, 1], [0, 8, 0, 2]),
        (10, [0, 1], [0, 10]),
        (7, [1, 2, 4], [1, 2, 4]),
        (3, [1, 5], [1, 2]),
        (1, [2, 3, 2], [0, 1, 0]),
        (0, [1, 2], [0, 0]),
    ],
)
def test_units_left_over_go_to_the_largest_remainders(total: int, weights: list[int], shares: list[int]) -> None:
    assert split_units(total, weights) == shares


@pytest.mark.parametrize("weights", [[], [0], [-1, 0]])
def test_without_a_positive_weight_nothing_is_split(weights: list[int]) -> None:
    with pytest.raises(ValueError, match="no positive weight"):
        split_units(5, weights)


def test_a_product_rounds_half_to_even_and_is_unknown_where_it_is_large() -> None:
    def product(left: str, right: str) -> Decimal | None:
        found: Decimal | None = multiply(pl.Series([left]), pl.Series([right])).item()
        return found

    assert product("0.000000000001", "0.5") == 0
    assert product("0.000000000003", "0.5") == Decimal("0.000000000002")
    assert product("-0.000000000003", "0.5") == Decimal("-0.000000000002")
    assert product("0.000000000001", "0.500000000001") == Decimal("0.000000000001")
    assert product("9999999999999", "1") == 9999999999999
    assert product("10000000000000", "1") is None
    assert product("0.1234567890123", "1") is None


def test_sums_are_exact_beyond_the_digits_of_the_standard_context() -> None:
    column = pl.Series([Decimal("999999999999999999.999999999999")] * 3, dtype=MONEY)
    assert sum_exactly(column) == add(*column) == Decimal("2999999999999999999.999999999997")
    assert sum_exactly(column.clear()) == 0
    assert sum_exactly(pl.Series([Decimal("0.5")], dtype=pl.Decimal(10, 1))) == Decimal("0.5")
    sums = {"USD": Decimal("0.000000000001")}
    add_money(sums, {"USD": Decimal("999999999999999999.999999999999"), "EUR": Decimal(2)})
    assert sums == {"USD": Decimal(10**18), "EUR": Decimal(2)}
    assert grouped(Decimal("1234567.890")) == "1,234,567.89"


ODD_CELLS = (
    "1", "-2.5", "1e-7", "0.1234567890123", ".1234567890123", "-0.12345678901250000000000000", "0." + "0" * 26 + "1",
    "7" * 17 + ".123456789012345", "1" * 40, "1e400", "1" + "0" * 18, "-1" + "0" * 18, "12345678901234567.5", "abc", "",
    "0." + "9" * 45, None,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(ODD_CELLS), min_size=1, max_size=6))
def test_a_cell_is_read_as_it_would_be_alone(cells: list[str | None]) -> None:
    """Odd cells go ways of their own; what stands beside them does not come along, and nothing cut is lost."""
    alone = [read_money(pl.Series([cell], dtype=pl.String)) for cell in cells]
    money, residual = read_money(pl.Series(cells, dtype=pl.String))
    assert money.to_list() == [amounts[0] for amounts, _ in alone]
    assert residual == exact_sum([cut for _, cut in alone])


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("0.123456789012", "0"), (".123456789012", "0"), (".1234567890123", "3E-13"), ("1.1234567890123", "3E-13"),
        ("0." + "0" * 25 + "1", "1E-26"), ("0." + "0" * 26 + "1", "1E-27"), ("0." + "0" * 45 + "1", "1E-46"),
    ],
)  # fmt: skip
def test_what_is_cut_is_kept_from_the_thirteenth_place_on(text: str, cut: str) -> None:
    assert read_money(pl.Series([text]))[1] == Decimal(cut)


def test_what_is_cut_of_one_row_is_kept_beside_others() -> None:
    money, cut = read_money(pl.Series(["1" + "0" * 18, "1", "0.1234567890123", "0." + "0" * 26 + "1"]))
    assert money.to_list() == [None, Decimal(1), Decimal("0.123456789012"), Decimal(0)]
    assert cut == Decimal("3.00000000000001E-13")


def test_a_double_below_the_last_place_is_cut_and_kept() -> None:
    money, cut = read_money(pl.Series([1e-13, 1.0]))
    assert money.to_list() == [Decimal(0), Decimal(1)]
    assert cut == Decimal("1E-13")


def test_money_has_twelve_places_and_sums_of_other_decimals_keep_their_own() -> None:
    assert pl.Decimal(38, 12) == MONEY
    for scale in (0, 3, 12):
        amounts = pl.Series([Decimal(3), Decimal(4), None], dtype=pl.Decimal(38, scale))
        assert sum_exactly(amounts) == Decimal(7)


DIGITS = st.text("0123456789", max_size=60)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["", "+", "-"]),
    DIGITS,
    DIGITS,
    st.none() | st.tuples(st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 999)),
)
def test_every_plain_number_in_reach_is_read_to_the_last_digit(
    sign: str, whole: str, rest: str, exponent: tuple[str, str, int] | None
) -> None:
    """However many digits it has and wherever its point stands: rounded half to even, and what was cut is kept."""
    assume(whole or rest)
    text = f"{sign}{whole}.{rest}" + ("" if exponent is None else "".join(map(str, exponent)))
    wide = Context(prec=3000)
    exact = wide.create_decimal(text)
    money, cut = read_money(pl.Series([text, "1"]))
    if abs(exact) < LARGEST - 1:
        assert money.to_list() == [exact.quantize(Decimal("1E-12"), ROUND_HALF_EVEN, wide), Decimal(1)]
        assert wide.add(money[0], cut) == exact
    elif abs(exact) >= LARGEST:
        assert money.to_list() == [None, Decimal(1)]
        assert cut == 0


def test_exponents_of_four_digits_are_none_and_stay_in_the_texts_they_came_in() -> None:
    texts = pl.Series("cost", ["1e5000", "1", None, "2E-0003", "1e3"])
    read, exponent = without_long_exponents(texts)
    assert read.to_list() == [None, "1", None, None, "1e3"]
    assert exponent.to_list() == [True, False, None, True, True]
    assert read_money(texts)[0].to_list() == [None, Decimal(1), None, None, Decimal(1000)]
    assert texts.to_list() == ["1e5000", "1", None, "2E-0003", "1e3"]
