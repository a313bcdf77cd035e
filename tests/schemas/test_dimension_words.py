"""How words are compared: one rule for a word and for a column of them."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.dimensions import fold, folds

WORDS = ["Atlas-7B", "atlas_7b", "ATLAS 7 b", "Straße", "STRASSE", "ſft", "SFT", "İzmir", "ΟΔΟΣ", "", "-_ ", "预训练"]


@pytest.mark.parametrize("words", [WORDS, [*WORDS, None, None, *WORDS], [None], []])
def test_a_column_folds_as_each_of_its_words_does(words: list[str | None]) -> None:
    folded = folds(pl.Series("word", words, dtype=pl.String))
    assert folded.dtype == pl.String
    assert folded.to_list() == [None if word is None else fold(word) for word in words]


def test_spellings_of_one_name_are_one_and_of_two_are_two() -> None:
    names = folds(pl.Series(["Straße", "STRASSE", "straß-e", "strase"]))
    assert names.to_list() == ["strasse", "strasse", "strasse", "strase"]
