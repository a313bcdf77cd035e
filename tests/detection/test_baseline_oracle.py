"""The baseline agrees with itself written down a second time, over series with every oddity that bills have."""

from __future__ import annotations

from datetime import date
from itertools import accumulate
from math import isclose
from random import Random

import polars as pl
import pytest
from baseline_oracle import Amounts, Baseline
from test_daily_baseline import FIRST, days

from attribution.detection.daily import episodes
from attribution.detection.daily.baseline import expect

LENGTH = 130
SERIES = 240


def drawn(rng: Random) -> Amounts:
    """Whole numbers, so that days lie on their limits; weekends, fees, ramps, shifts, silences, gaps, money back."""
    level = rng.choice([1, 10, 50, 100, 200])
    weekend = rng.choice([1.0, 1.0, 0.5, 0.02, 0.0])
    noise = rng.choice([0, 0, 1, 5, 20])
    step, odd = rng.choice([0, 0, 0, 0.02, 0.05, 0.1]) * level, rng.choice([0.0, 0.0, 0.02, 0.1])
    shift, by = rng.randrange(LENGTH), rng.choice([1.0, 1.0, 0.0, 0.02, 1.15, 1.5, 3.0])
    fee = rng.choice([0, 0, 0.2, 0.5, 2.0]) * level
    weeks = [rng.choice([0, 2, 2, 6, 8, 15]) * level / 100 for _ in range(LENGTH // 7 + 1)]
    rises = list(accumulate(weeks if rng.random() < 0.3 else [step] * len(weeks)))
    amounts: Amounts = []
    for at in range(LENGTH):
        base = (level + rises[at // 7]) * (weekend if at % 7 > 4 else 1) * (by if at >= shift else 1)
        amount = base + rng.randint(-noise, noise) + (fee if on_first(at) else 0)
        if rng.random() < odd:
            amount = rng.choice([0, 1, 2, amount * 1.15, amount * 4, -amount])
        amounts.append(None if rng.random() < odd / 8 else float(round(amount)))
    back, blank, scale = rng.randrange(LENGTH + 60), rng.randrange(3 * LENGTH), rng.choice([1, 1, 0.001])
    found = [0.0 if back <= at < back + 9 and amount is not None else amount for at, amount in enumerate(amounts)]
    return [None if blank <= at < blank + 10 or one is None else one * scale for at, one in enumerate(found)]


def on_first(at: int) -> bool:
    return date.fromordinal(FIRST.toordinal() + at).day in {1, 3}


def same(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_every_day_is_expected_as_the_words_say(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    series = [drawn(rng) for _ in range(SERIES)]
    judged = expect(pl.concat([days(amounts, series=number) for number, amounts in enumerate(series)]))
    found = episodes.episodes(judged)
    kinds: set[str] = set()
    for number, amounts in enumerate(series):
        second = Baseline(amounts, FIRST)
        mine = judged.filter(pl.col("series") == number).select("expected", "lower", "upper").rows()
        for at, (told, meant) in enumerate(zip(mine, second.bounds, strict=True)):
            assert all(map(same, told, meant)), (number, at, told, meant)
        shown = sorted(
            found.filter(pl.col("series") == number).select("shape", "start", "end", "days", "expected").rows()
        )
        meant_episodes = second.episodes()
        assert [one[:4] for one in shown] == [one[:4] for one in meant_episodes], number
        for one, other in zip(shown, meant_episodes, strict=True):
            assert same(one[4], other[4]), (number, one, other)
        kinds |= {shape for shape, *_ in shown}
    assert kinds == {"spike", "level shift", "leak", "silence"}
