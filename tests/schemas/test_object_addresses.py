"""A glob over a bucket takes the objects that the same glob would take as files."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.faults import InputError
from schemas.paths import Address, address_of, matching, mirror_folder, relative_name

NAMES = st.text(st.sampled_from("ab.[x1"), min_size=1, max_size=3).filter(lambda name: name not in {".", ".."})
KEYS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PARTS = st.sampled_from(["**", "*", "a*", "*b", "?", "[ab]*", "[!a]", "a", "b.x", "*.*", "[[]*", "x1?"])
PATTERNS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@settings(max_examples=300, deadline=None)
@given(keys=st.sets(KEYS, max_size=8), pattern=PATTERNS)
def test_listing_and_folder_agree(keys: set[str], pattern: str) -> None:
    folders = {parent.as_posix() for key in keys for parent in PurePath(key).parents}
    keys -= folders  # a name is a file or a folder
    with tempfile.TemporaryDirectory() as root:
        home = mirror_folder(Path(root)) / "s3/costs"
        for key in keys:
            (home / key).parent.mkdir(parents=True, exist_ok=True)
            (home / key).write_text("")
        listed = sorted(f"s3://costs/{key}" for key in keys if Address("s3", "costs", pattern).matches(key))
        try:
            found = matching(Path(root), f"s3://costs/{pattern}", "source", Path(root))
        except InputError:
            found = []
        assert sorted(relative_name(path, Path(root)) for path in found) == listed


@pytest.mark.parametrize(
    ("pattern", "prefix"),
    [
        ("s3://costs/a/b/**/*.csv", "a/b"),
        ("gs://costs/*.csv", ""),
        ("az://costs/a/b.csv", "a"),
        ("s3://costs/export/data/**/*.parquet", "export"),
        ("s3://costs/a[1]/b/*.csv", ""),
    ],
)
def test_a_listing_starts_where_the_wildcards_do(pattern: str, prefix: str) -> None:
    address = address_of(pattern, "source")
    assert address
    assert (address.prefix, address.url) == (prefix, pattern)


def test_what_names_no_bucket_is_a_pattern_of_files() -> None:
    assert address_of("bills/**/*.csv", "source") is None
    assert address_of("/srv/s3/costs/*.csv", "source") is None


def test_files_that_were_never_fetched_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'source: nothing was fetched from "s3://costs/\*.csv"'):
        matching(tmp_path, "s3://costs/*.csv", "source", tmp_path)
