"""A new workspace: two commented files and the folders that they name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from schemas.faults import Fault, InputError

FILES = ("attribution.toml", "rules.toml")
QUESTION = "QUESTION"
"""The word that a comment begins with where the files found cannot tell what a source must state."""

FOLDERS = ("bills", "tags", "inventory", "utilization")


def write_starter(directory: Path, texts: Mapping[str, str] | None = None) -> list[Path]:
    """Write the files of a new workspace; nothing that exists is touched.

    Args:
        directory: the folder to be.
        texts: what to write into FILES; their commented examples unless given.

    Raises:
        InputError: there is a workspace already, or the folder cannot be written.
    """
    refuse_existing(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for folder in () if texts else FOLDERS:
            (directory / folder).mkdir(exist_ok=True)
        written = []
        for name in FILES:
            path = directory / name
            text = texts[name] if texts else files(__name__).joinpath(name).read_text(encoding="utf-8")
            path.write_text(text, encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise InputError(Fault(str(directory), f"cannot be written: {error.strerror}")) from error
    return written


def refuse_existing(directory: Path) -> None:
    """Stop before anything is written, or read for long.

    Raises:
        InputError: there is a workspace already.
    """
    there = [name for name in FILES if (directory / name).exists()]
    if there:
        raise InputError(Fault(str(directory), f"{', '.join(there)} exists already", hint="Choose another folder."))
