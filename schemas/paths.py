"""Files of a workspace: what a glob matches, and what a file is called in messages and in the ledger."""

from __future__ import annotations

from pathlib import Path, PurePath

from schemas.faults import Fault, InputError

_REMOTE = ("s3://", "gs://", "az://")
_WILD = "*?["


def matching(root: Path, pattern: str, where: str, apart: Path | None = None) -> list[Path]:
    """Files that a glob of a workspace matches, sorted by name; hidden files and folders are passed over.

    Args:
        root: the workspace.
        pattern: the glob.
        where: what messages call it.
        apart: a folder whose files are none of these, however wide the glob is: the store.

    Raises:
        InputError: it matches nothing, is no glob, or names an object store.
    """
    if pattern.startswith(_REMOTE):
        hint = "Sync the bucket to a folder first and name that."
        raise InputError(Fault(where, f'"{pattern}" is in an object store, which is not read', hint=hint))
    base, rest = (Path(PurePath(pattern).anchor), PurePath(pattern)) if Path(pattern).is_absolute() else (root, None)
    relative = str(rest.relative_to(rest.anchor)) if rest else pattern
    try:
        found = sorted(path for path in base.glob(relative) if path.is_file() and not _hidden(path, base))
    except ValueError as error:
        hint = "Write it as bills/*.csv, or bills/**/*.csv for all folders below."
        raise InputError(Fault(where, f'"{pattern}" is no pattern of files', hint=hint)) from error
    met = len(found)
    if apart is not None:
        found = [path for path in found if not path.resolve().is_relative_to(apart.resolve())]
    if not found:
        hint = f"Looked in {base.joinpath(*fixed_parts(relative))}."
        if met:
            hint += f" The store {apart} lies there, whose own files are left out: move it elsewhere."
        raise InputError(Fault(where, f'no file matches "{pattern}"', hint=hint))
    return found


def fixed_parts(pattern: str) -> tuple[str, ...]:
    """The folders of a glob before its first wildcard; what follows them may name a delivery."""
    parts = PurePath(pattern).parts[:-1]
    wild = next((at for at, part in enumerate(parts) if any(mark in part for mark in _WILD)), len(parts))
    return parts[:wild]


def relative_name(path: Path, root: Path) -> str:
    """A file's name relative to the workspace, with `/`; a file outside keeps its whole path."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _hidden(path: Path, base: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(base).parts)
