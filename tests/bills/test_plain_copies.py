"""Text files are read without a copy; where one is out of the ordinary, reader and control sum share one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bills_kit import cur_text, focus_text, look, manifest, put

from attribution.bills import read, stated, unpacked_once
from schemas import plain_copies
from schemas.bills import Delivery
from schemas.packed import UnfinishedFileError
from schemas.text_file import PlainText, plain_text

FOOTER = "\nThis report was made for you.\n"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Copies in the order they were made."""
    copies: list[Path] = []

    def counted(path: Path, where: str, target: Path, encoding: str | None) -> PlainText:
        copies.append(target)
        return plain_text(path, where, target, encoding)

    monkeypatch.setattr(plain_copies, "plain_text", counted)
    return copies


def both(delivery: Delivery) -> tuple[int, int]:
    """Rows by the reader and by the control sum, at the same time."""
    with unpacked_once(delivery) as unpacked, ThreadPoolExecutor(1) as beside:
        summing = beside.submit(stated, unpacked)
        return sum(batch.rows for batch in read(unpacked)), summing.result().rows


def test_an_ordinary_file_is_never_copied(tmp_path: Path, made: list[Path]) -> None:
    put(tmp_path, "bill.csv.gz", focus_text({}, {"Tags": '{"team": "a, b"}'}))
    assert both(look(tmp_path).deliveries[0]) == (2, 2)
    assert not made


def test_reader_and_control_sum_share_the_copy_of_another(tmp_path: Path, made: list[Path]) -> None:
    put(tmp_path, "bill.csv.gz", focus_text({}, {}) + "\nTotal 2 rows\n")
    assert both(look(tmp_path).deliveries[0]) == (2, 2)
    assert len(made) == 1
    assert not made[0].parent.exists()


def test_a_part_that_both_have_read_no_longer_lies_on_disk(tmp_path: Path, made: list[Path]) -> None:
    parts = [f"20260901-20261001/run/cur-{part}.csv.gz" for part in range(3)]
    for number, part in enumerate(parts):
        put(tmp_path, f"bills/{part}", cur_text(*[{"lineItem/ResourceId": str(number)}] * (number + 1)) + FOOTER)
    manifest(tmp_path, "bills/20260901-20261001", "run", parts)
    with unpacked_once(look(tmp_path).deliveries[0]) as unpacked:
        assert stated(unpacked).rows == 6
        for number, batch in enumerate(read(unpacked)):
            assert batch.rows == number + 1
            assert [copy.exists() for copy in made] == [at >= number for at in range(3)]
    assert len(made) == 3


def test_what_cannot_be_read_fails_for_both(tmp_path: Path) -> None:
    path = put(tmp_path, "bill.csv.gz", focus_text(*({"ResourceId": str(one)} for one in range(999))))
    path.write_bytes(path.read_bytes()[:-40])
    with unpacked_once(look(tmp_path).deliveries[0]) as unpacked:
        for use in (stated, lambda one: list(read(one))):
            with pytest.raises(UnfinishedFileError, match="stops before its end"):
                use(unpacked)


def test_two_parts_of_one_content_have_a_copy_each(tmp_path: Path, made: list[Path]) -> None:
    """What one of them gave up is not taken from under the other."""
    parts = [f"20260901-20261001/run/cur-{part}.csv.gz" for part in range(2)]
    for part in parts:
        put(tmp_path, f"bills/{part}", cur_text({}) + FOOTER)
    manifest(tmp_path, "bills/20260901-20261001", "run", parts)
    with unpacked_once(look(tmp_path).deliveries[0]) as unpacked:
        assert stated(unpacked).rows == sum(batch.rows for batch in read(unpacked)) == 2
    assert len(made) == 2
