"""Files of a workspace: what a glob matches, and what a file is called in messages and in the ledger.

A glob over an object store matches the files that were fetched from there; they keep the object's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from schemas.faults import Fault, InputError

SCHEMES = ("s3", "gs", "az")
_REMOTE = tuple(f"{scheme}://" for scheme in SCHEMES)
_MIRROR = "fetched-objects"
_WILD = "*?["
# Readers look for these beside and above the bills that they name.
_MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Address:
    """A glob over the objects of one bucket. `prefix`: the folder that all of its objects lie below."""

    scheme: str
    bucket: str
    pattern: str

    @property
    def url(self) -> str:
        """As it is written."""
        return f"{self.scheme}://{self.bucket}/{self.pattern}"

    @property
    def prefix(self) -> str:
        """Folders before the first wildcard; the metadata of an export lies beside its folder `data`."""
        fixed = fixed_parts(self.pattern)
        return "/".join(fixed[:-1] if fixed and fixed[-1] == "data" else fixed)

    def matches(self, key: str) -> bool:
        """Whether the glob matches an object, as it would match a file of that name."""
        return not _hidden(PurePath(key)) and re.fullmatch(_regex(self.pattern), key) is not None

    def takes(self, key: str) -> bool:
        """Whether an object is wanted: it matches, or is a manifest that speaks of some that do."""
        return self.matches(key) or (key.lower().endswith(_MANIFEST) and not _hidden(PurePath(key)))

    def files(self, home: Path) -> Iterator[Path]:
        """Files below `home` that are wanted, by their names."""
        for path in (home / self.prefix).rglob("*"):
            if path.is_file() and self.takes(path.relative_to(home).as_posix()):
                yield path


def address_of(pattern: str, where: str) -> Address | None:
    """The address of an object store that a pattern is, or None where it is one of files.

    Raises:
        InputError: it names no bucket or no objects in it, or holds what may be a password.
    """
    if not pattern.startswith(_REMOTE):
        return None
    scheme, _, rest = pattern.partition("://")
    bucket, _, keys = rest.partition("/")
    if "@" in bucket or ":" in bucket:
        hint = "Credentials come from the environment and stand in no file."
        raise InputError(Fault(where, f"the {scheme}:// path holds more than a bucket's name", hint=hint))
    if not bucket or not keys or keys.endswith("/"):
        hint = f"Write it as {scheme}://bucket/folder/**/*.parquet."
        raise InputError(Fault(where, f'"{pattern}" names no objects', hint=hint))
    if any("**" in part and part != "**" for part in keys.split("/")) or "" in keys.split("/"):
        raise InputError(_no_pattern(where, pattern))
    return Address(scheme, bucket, keys)


def mirror_folder(store: Path) -> Path:
    """Where a store keeps what was fetched from object stores."""
    return store / _MIRROR


def matching(root: Path, pattern: str, where: str, apart: Path | None = None) -> list[Path]:
    """Files that a glob of a workspace matches, sorted by name; hidden files and folders are passed over.

    Args:
        root: the workspace.
        pattern: the glob; over an object store it matches what was fetched from there.
        where: what messages call it.
        apart: the store, whose files are none of these, however wide the glob is, but for the fetched ones.

    Raises:
        InputError: it matches nothing or is no glob.
    """
    address = address_of(pattern, where)
    if address:
        home = mirror_folder(apart or root) / address.scheme / address.bucket
        here = [path for path in home.glob(address.pattern) if path.is_file() and not _hidden(path.relative_to(home))]
        if not here:
            hint = "`attribution run` fetches it."
            raise InputError(Fault(where, f'nothing was fetched from "{pattern}"', hint=hint))
        return sorted(here)
    base, rest = (Path(PurePath(pattern).anchor), PurePath(pattern)) if Path(pattern).is_absolute() else (root, None)
    relative = str(rest.relative_to(rest.anchor)) if rest else pattern
    try:
        found = sorted(path for path in base.glob(relative) if path.is_file() and not _hidden(path.relative_to(base)))
    except (ValueError, IndexError) as error:  # the latter for a root alone
        raise InputError(_no_pattern(where, pattern)) from error
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
    """A file's name relative to the workspace, with `/`; one outside keeps its whole path, an object its address."""
    parts = path.parts
    at = parts.index(_MIRROR) + 1 if _MIRROR in parts else len(parts)
    if parts[at : at + 1] and parts[at] in SCHEMES:
        return f"{parts[at]}://{'/'.join(parts[at + 1 :])}"
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _no_pattern(where: str, pattern: str) -> Fault:
    hint = "Write it as bills/*.csv, or bills/**/*.csv for all folders below."
    return Fault(where, f'"{pattern}" is no pattern of files', hint=hint)


def _regex(pattern: str) -> str:
    """A glob as pathlib reads it, as a regular expression: `*` stays within a folder, `**` is any folders or none."""
    *folders, name = pattern.split("/")
    parts = ["(?:[^/]+/)*" if part == "**" else f"{_part(part)}/" for part in folders]
    return "".join([*parts, "(?!)" if name == "**" else _part(name)])


def _part(part: str) -> str:
    """One folder or name of a glob."""
    pieces = re.findall(r"\*+|\?|\[!?\]?[^\]]*\]|.", part, re.DOTALL)
    return "".join(map(_piece, pieces))


def _piece(piece: str) -> str:
    if piece.startswith("*"):
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if len(piece) > 1:
        inside = piece[1:-1].replace("\\", r"\\").replace("[", r"\[")
        return f"(?!/)[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]"
    return re.escape(piece)


def _hidden(path: PurePath) -> bool:
    return any(part.startswith(".") and part != ".." for part in path.parts)
