"""A new workspace: two commented files and the folders that they name."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from schemas.faults import Fault, InputError

FILES = ("attribution.toml", "rules.toml")
FOLDERS = ("bills", "tags", "inventory", "utilization")


def write_starter(directory: Path) -> list[Path]:
    """Write the files of a new workspace; nothing that exists is touched.

    Raises:
        InputError: there is a workspace already, or the folder cannot be written.
    """
    there = [name for name in FILES if (directory / name).exists()]
    if there:
        raise InputError(Fault(str(directory), f"{', '.join(there)} exists already", hint="Choose another folder."))
    try:
        for folder in FOLDERS:
            (directory / folder).mkdir(parents=True, exist_ok=True)
        written = []
        for name in FILES:
            path = directory / name
            path.write_text(files(__name__).joinpath(name).read_text(encoding="utf-8"), encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise InputError(Fault(str(directory), f"cannot be written: {error.strerror}")) from error
    return written
