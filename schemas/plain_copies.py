"""Plain copies of a delivery's text files: each is unpacked and decoded once, for its reader and its control sum.

What they share is text. Columns, numbers and sums are each one's own.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Lock

from schemas.text_file import PlainText, plain_text

_USERS = 2


class PlainCopies:
    """A folder of copies; whoever asks first makes one, and the other waits for it."""

    def __init__(self, folder: Path) -> None:
        """The folder, which its owner removes."""
        self._folder = folder
        self._lock = Lock()
        self._making: dict[str, Lock] = {}
        self._made: dict[str, PlainText] = {}
        self._left: Counter[str] = Counter()

    def of(self, path: Path, where: str, name: str, encoding: str | None) -> PlainText:
        """The copy of a file, called `name`.

        Raises:
            UnfinishedFileError: as `plain_text`.
            InputError: as `plain_text`.
        """
        with self._lock:
            making = self._making.setdefault(name, Lock())
        with making:
            if name not in self._made:
                self._made[name] = plain_text(path, where, self._folder / f"{name}.csv", encoding)
            return self._made[name]

    def leave(self, name: str) -> None:
        """One of its users is done with a copy; when both are it goes, since a delivery may have many files."""
        with self._lock:
            self._left[name] += 1
            if self._left[name] == _USERS:
                self._left[name] = 0
                self._made.pop(name).path.unlink()
