"""Inputs with a header alone, figures below zero, dates yet to come: no detector breaks, and none takes them for waste.

A column that cannot be right may say no more than one that is missing; so where a world fires with it, the world fires
without it too. Figures below zero are refused where inputs are read, but for those of bills, which have credits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import polars as pl
import pytest
from detection_worlds import AS_OF
from firing_worlds import Firing, firing
from waste_cases import answers

from attribution.detection import WasteInputs

INPUTS = ("tags", "resources", "utilization", "jobs", "runs", "checkpoints", "people")
WORLDS = tuple(firing())
MONEY_OF_BILLS = ("EffectiveCost", "ConsumedQuantity")
FUTURE = {pl.Date: AS_OF.date() + timedelta(days=400), pl.Datetime: AS_OF + timedelta(days=400)}


def fires(one: Firing, world: WasteInputs) -> bool:
    return any(row["verdict"] == "finding" for row in answers(world, one.kind).get(one.subject, ()))


def there(one: Firing) -> Iterator[tuple[str, pl.DataFrame]]:
    for name in INPUTS:
        frame = getattr(one.world, name)
        if frame is not None:
            yield name, frame


@pytest.mark.parametrize("one", WORLDS, ids=str)
def test_a_header_alone_says_no_more_than_no_file(one: Firing) -> None:
    wrong = []
    for name, frame in there(one):
        empty, missing = (replace(one.world, **{name: given}) for given in (frame.clear(), None))
        if fires(one, empty) and not fires(one, missing):
            wrong.append(name)
    assert wrong == []
    nothing = {name: frame.clear() for name, frame in there(one)}
    assert answers(replace(one.world, costs=one.world.costs.clear(), **nothing), one.kind) == {}


def below_zero(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Figures turned below zero, even those that are 0: all of them, or those of some columns."""
    asked = [name for name in columns or frame.columns if frame.schema[name].is_numeric()]
    return frame.with_columns((-1 - pl.col(name).abs()).cast(frame.schema[name]).alias(name) for name in asked)


def _impossible(one: Firing) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Input, column, and the input with what cannot be in that column."""
    for column in MONEY_OF_BILLS:
        yield "costs", column, below_zero(one.world.costs, column)
    for name, frame in there(one):
        for column, dtype in frame.schema.items():
            if dtype.base_type() in FUTURE and frame.get_column(column).count():
                yield name, column, frame.with_columns(pl.lit(FUTURE[dtype.base_type()], dtype).alias(column))


@pytest.mark.parametrize("one", WORLDS, ids=str)
def test_credits_and_dates_to_come_are_no_evidence(one: Firing) -> None:
    wrong = []
    for name, column, odd in _impossible(one):
        blank = odd.with_columns(pl.lit(None, odd.schema[column]).alias(column))
        if fires(one, replace(one.world, **{name: odd})) and not fires(one, replace(one.world, **{name: blank})):
            wrong.append(f"{name}.{column}")
    assert wrong == []


@pytest.mark.parametrize("one", WORLDS, ids=str)
def test_figures_below_zero_break_no_detector(one: Firing) -> None:
    frames = {name: below_zero(frame) for name, frame in there(one)}
    assert answers(replace(one.world, **frames), one.kind).keys() <= answers(one.world, one.kind).keys()
