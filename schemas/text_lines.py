"""Where rows of a text file stand, and single rows as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from schemas.byte_counts import count_of


def physical_lines(copy: Path, rows: set[int]) -> dict[int, int]:
    """The line on which each data row (from 1) starts; a quoted field may hold line ends, so rows are not lines."""
    found: dict[int, int] = {}
    row, inside = -1, False
    with copy.open("rb") as file:
        for line, text in enumerate(file, 1):
            if not inside:
                row += 1
                if row in rows:
                    found[row] = line
                    if len(found) == len(rows):
                        break
            # A quote within a quoted field is doubled, so only the count being odd or even matters.
            inside ^= text.count(b'"') % 2 == 1
    return found


def rows_on_lines(copy: Path, lines: set[int], longest: int) -> dict[int, str]:
    """The rows that start on these lines, as written; of each no more than its first `longest` bytes."""
    found: dict[int, str] = {}
    at, text, inside, last = 0, b"", False, max(lines, default=0)
    with copy.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not inside:
                if number > last:
                    break
                at, text = (number if number in lines else 0), b""
            if at:
                text += line[: longest - len(text)]
                found[at] = text.rstrip(b"\r\n").decode(errors="ignore")  # a letter may be cut in two
            inside ^= line.count(b'"') % 2 == 1
    return found


class LinesAhead:
    """Lines of a text from its blocks, for who asks in ascending order: it is walked through once and never copied."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        """Blocks of whole lines, the first with line 1."""
        self._blocks = blocks
        self._block, self._first, self._after = b"", 1, 1

    def of(self, lines: Iterable[int], longest: int) -> dict[int, str] | None:
        """These lines, of each no more than its first `longest` bytes; None where one of them was passed already."""
        found: dict[int, str] = {}
        for line in sorted(lines):
            if line < self._first:
                return None
            while line >= self._after:
                self._block, self._first = next(self._blocks), self._after
                self._after += count_of(b"\n", self._block) + (not self._block.endswith(b"\n"))
            start = 0
            for _ in range(line - self._first):
                start = self._block.find(b"\n", start) + 1
            end = self._block.find(b"\n", start, start + longest)
            text = self._block[start : end if end >= 0 else start + longest]
            found[line] = text.rstrip(b"\r\n").decode(errors="ignore")  # a letter may be cut in two
        return found
