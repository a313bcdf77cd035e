"""Names of nodes as Slurm folds them: `gpu[001-004,007],login1`, several ranges in one name too.

Source: the host list expressions of Slurm's `scontrol show hostnames`.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product

_MOST = 100_000
_PIECES = re.compile(r"((?:[^,\[\]]|\[[^\[\]]*\])+)(?:,|$)")
_PARTS = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


@cache
def hosts(text: str) -> tuple[str, ...] | None:
    """The names that an expression stands for, in its order; None where it is none."""
    found: list[str] = []
    at = 0
    for piece in _PIECES.finditer(text):
        if piece.start() != at:
            return None
        at = piece.end()
        names = _expanded(piece.group(1).strip())
        if names is None or len(found) + len(names) > _MOST:
            return None
        found += names
    return tuple(dict.fromkeys(found)) if found and at == len(text) else None


def _expanded(piece: str) -> list[str] | None:
    choices: list[list[str]] = []
    many = 1
    for inside, plain in _PARTS.findall(piece):
        numbers = [plain] if plain else _numbers(inside)
        if numbers is None:
            return None
        many *= len(numbers)
        if many > _MOST:
            return None
        choices.append(numbers)
    return ["".join(parts) for parts in product(*choices)]


def _numbers(inside: str) -> list[str] | None:
    """`001-003,7` as 001, 002, 003, 7: a range keeps the width of its first number."""
    found: list[str] = []
    for part in inside.split(","):
        match = _RANGE.fullmatch(part.strip())
        if not match:
            return None
        first, last = match.group(1), match.group(2) or match.group(1)
        if int(last) < int(first) or int(last) - int(first) >= _MOST:
            return None
        found += [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
    return found
