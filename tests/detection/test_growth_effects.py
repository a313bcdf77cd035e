"""Price, usage, mix, new and vanished: they name the cause, sum to the change, and no order of rows matters."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
from detection_worlds import cost, daily, every_day, mark
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from attribution.detection import growth, subjects_of
from schemas.detection import EFFECTS, GROWTH_COLUMNS
from schemas.money import SCALE, add
from schemas.workspace import Growth

SEP, OCT = date(2026, 9, 1), date(2026, 10, 1)
END = date(2026, 10, 31)


def effects(*groups: list[dict[str, Any]], last: date = END) -> tuple[Decimal | int, ...]:
    rows = growth(daily(*groups), {"nimbus": mark(last, SEP)}, Growth(), [("project",)])
    row = rows.filter(pl.col("month") == OCT).row(0, named=True)
    assert sum(row[name] for name in EFFECTS) == row["change"]
    assert EFFECTS[:3] == ("price_effect", "usage_effect", "mix_effect")
    found = tuple(row[name] for name in EFFECTS)
    return found if any(found[3:]) else found[:3]


def gpu(first: date, last: date, amount: str, quantity: float | None, sku: str | None = "gpu") -> list[dict[str, Any]]:
    return every_day(first, last, amount, SkuId=sku, ConsumedQuantity=quantity)


def test_a_dearer_hour_is_price() -> None:
    assert effects(gpu(SEP, date(2026, 9, 30), "20", 10.0), gpu(OCT, END, "25", 10.0)) == (155, 0, 0)


def test_more_hours_are_usage() -> None:
    assert effects(gpu(SEP, date(2026, 9, 30), "20", 10.0), gpu(OCT, END, "30", 15.0)) == (0, 310, 0)


def test_price_is_taken_at_the_new_quantity_and_usage_at_the_old_price() -> None:
    # 10 hours at 2 a day became 15 at 3: price (3 - 2) x 15, usage (15 - 10) x 2, over 31 days
    assert effects(gpu(SEP, date(2026, 9, 30), "20", 10.0), gpu(OCT, END, "45", 15.0)) == (465, 310, 0)


def test_a_running_month_has_the_same_effects_over_its_days() -> None:
    last = date(2026, 10, 4)
    assert effects(gpu(SEP, date(2026, 9, 30), "20", 10.0), gpu(OCT, last, "45", 15.0), last=last) == (60, 40, 0)


def test_shares_are_mix_and_skus_of_one_month_alone_are_new_or_vanished() -> None:
    september = (gpu(SEP, date(2026, 9, 30), "20", 10.0), gpu(SEP, date(2026, 9, 30), "3", None, None))
    swapped = effects(*september, gpu(OCT, END, "20", 10.0, "other"), gpu(OCT, END, "5", None, None))
    assert swapped == (0, 0, 62, 620, -620)
    assert effects(*september, gpu(OCT, END, "20", 10.0), gpu(OCT, END, "5", None)) == (0, 0, 62)


def test_of_a_subject_that_is_new_or_gone_as_a_whole_all_of_the_change_is_that() -> None:
    other = every_day(SEP, END, "1", project="vega")
    only_now = daily(other, gpu(OCT, END, "20", None, None))
    only_before = daily(other, gpu(SEP, date(2026, 9, 30), "20", None, None), [cost(OCT, "0")])
    for frame, expected in ((only_now, (0, 0, 0, 620, 0)), (only_before, (0, 0, 0, 0, -620))):
        rows = growth(frame, {"nimbus": mark(END, SEP)}, Growth(), [("project",)])
        row = rows.filter((pl.col("month") == OCT) & (pl.col("project") == "orion")).row(0, named=True)
        assert tuple(row[name] for name in EFFECTS) == expected


def test_quantities_that_are_no_numbers_are_unknown_and_their_cost_is_mix() -> None:
    for strange in (float("nan"), float("inf"), 1e300):
        assert effects(gpu(SEP, date(2026, 9, 30), "20", strange), gpu(OCT, END, "25", strange)) == (0, 0, 155)


amounts = st.integers(-(10**20), 10**20).map(lambda units: Decimal(units).scaleb(-SCALE))
rows_of_a_world = st.lists(
    st.builds(
        lambda day, amount, quantity, sku, more: cost(
            date.fromordinal(SEP.toordinal() + day), str(amount), ConsumedQuantity=quantity, SkuId=sku, **more
        ),
        st.integers(0, 50),
        amounts,
        st.none() | st.floats(0, 1e9),
        st.sampled_from(("a", "b", None)),
        st.fixed_dictionaries(
            {
                "project": st.sampled_from(("orion", "vega")),
                "source": st.sampled_from(("nimbus", "cirrus")),
                "ChargeCategory": st.sampled_from(("Usage", "Usage", "Credit")),
            }
        ),
    ),
    min_size=1,
    max_size=12,
)
MARKS = {"nimbus": mark(date(2026, 10, 20), SEP), "cirrus": mark(date(2026, 10, 12), SEP)}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows_of_a_world, st.randoms(use_true_random=False))
def test_effects_sum_to_the_change_and_the_order_of_rows_changes_nothing(rows: list[dict[str, Any]], rng: Any) -> None:  # noqa: ANN401
    found = growth(daily(rows), MARKS, Growth(), subjects_of())
    known = found.filter(pl.col("change").is_not_null())
    for row in known.iter_rows(named=True):
        # Effects may be so large that 28 digits, which is what sums have else, do not hold them.
        assert add(*(row[name] for name in EFFECTS)) == row["change"]
    assert found.filter(pl.col("percent").is_not_null() & (pl.col("previous_per_day") < 0)).is_empty()
    rng.shuffle(rows)
    assert_frame_equal(growth(daily(rows), MARKS, Growth(), subjects_of()), found)


@settings(max_examples=30, deadline=None)
@given(st.lists(amounts, min_size=2, max_size=2), st.integers(0, 29))
def test_the_day_within_the_month_changes_nothing(two: list[Decimal], shift: int) -> None:
    def rows(day: int) -> pl.DataFrame:
        placed = [cost(month.replace(day=1 + day), str(amount)) for month, amount in zip((SEP, OCT), two, strict=True)]
        return growth(daily(placed), {"nimbus": mark(END, SEP)}, Growth(), [("project",)])

    assert_frame_equal(rows(0), rows(shift))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 10**17), st.integers(0, 10**17))
def test_the_verdict_is_that_of_whole_numbers(before: int, now: int) -> None:
    rows = growth(
        daily([cost(SEP, str(Decimal(before).scaleb(-SCALE))), cost(OCT, str(Decimal(now).scaleb(-SCALE)))]),
        {"nimbus": mark(END, SEP)},
        Growth(minimum=Decimal(0)),
        [("project",)],
    )
    fired = rows.filter(pl.col("month") == OCT).row(0, named=True)["verdict"] == "finding"
    # now / 31 against 1.3 x before / 30, multiplied out
    assert fired == (now * 300 >= before * 403)


def test_no_float_is_in_what_growth_tells() -> None:
    assert not any(dtype.is_float() for dtype in GROWTH_COLUMNS.values())
    tiny_to_huge = daily([cost(SEP, "0.000000000001"), cost(OCT, "90000000000000000000000000")])
    row = growth(tiny_to_huge, {"nimbus": mark(END, SEP)}, Growth(), [("project",)]).row(1, named=True)
    assert (row["percent"], row["verdict"]) == (None, "finding")
