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
        self._making: dict[Path, Lock] = {}
        self._made: dict[Path, PlainText] = {}
        self._left: Counter[Path] = Counter()

    def of(self, path: Path, where: str, encoding: str | None) -> PlainText:
        """The copy of a file. Each file has its own, also where two have the same content.

        Raises:
            UnfinishedFileError: as `plain_text`.
            InputError: as `plain_text`.
        """
        with self._lock:
            making = self._making.setdefault(path, Lock())
            name = f"{list(self._making).index(path)}.csv"
        with making:
            if path not in self._made:
                self._made[path] = plain_text(path, where, self._folder / name, encoding)
            return self._made[path]

    def leave(self, path: Path) -> None:
        """One of a file's users is done; when both are, its copy goes if there is one: a delivery has many files."""
        with self._lock:
            self._left[path] += 1
            if self._left[path] == _USERS:
                self._left[path] = 0
                if copy := self._made.pop(path, None):
                    copy.path.unlink()
