"""Objects that a glob matches, as files of the same names in the store folder: only what is new is fetched.

An object counts as fetched once its bytes are whole, have been compared and carry their final name; a break anywhere
before leaves a part, from which the next run goes on. What the object store no longer has goes here too.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from attribution.objects.bucket import Bucket, Listed
from schemas.faults import Fault, InputError
from schemas.paths import Address, address_of, mirror_folder

Watch = Callable[[str, int, int], None]

_AT_ONCE = 8
_PARTS = ".parts"
_FETCHED = ".fetched.jsonl"
_LONGEST = 255


def fetch(patterns: Sequence[tuple[str, str]], store: Path, watch: Watch) -> None:
    """Bring the files behind every address of an object store up to date; other patterns are passed over.

    Args:
        patterns: what messages call each, and the pattern.
        store: the folder in which the files are kept.
        watch: told how many of how many objects were fetched.

    Raises:
        InputError: an address is none, nothing matches it, or the object store refuses or cannot be reached; what
            was fetched whole is kept.
    """
    faults: list[Fault] = []
    remote = [(where, pattern) for where, pattern in dict.fromkeys(patterns) if address_of(pattern, where)]
    if not remote:
        return
    with _locked(mirror_folder(store)) as folder:
        for where, pattern in remote:
            address = address_of(pattern, where)
            try:
                if address:
                    _bring(address, where, folder, watch)
            except InputError as error:
                faults.extend(error.faults)
        if faults:
            raise InputError(faults)
        for part in (folder / _PARTS).iterdir():
            part.unlink()  # of a version that was replaced before it was whole


@contextmanager
def _locked(folder: Path) -> Iterator[Path]:
    """One process fetches at a time; another waits."""
    try:
        (folder / _PARTS).mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise InputError(Fault(str(folder), f"the store cannot be written: {error.strerror}")) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _bring(address: Address, where: str, folder: Path, watch: Watch) -> None:
    watch(f"listing {address.url}", 0, 0)
    bucket = Bucket(address.scheme, address.bucket)
    listed = {one.key: one for one in bucket.listing(address.prefix) if address.takes(one.key)}
    if not any(address.matches(key) for key in listed):
        hint = f"Looked below {address.scheme}://{address.bucket}/{address.prefix}."
        raise InputError(Fault(where, f'no object matches "{address.url}"', hint=hint))
    for key in listed:
        _refuse_name(bucket, key)
    home = folder / address.scheme / address.bucket
    home.mkdir(parents=True, exist_ok=True)
    fetched = _Fetched(home / _FETCHED)
    new = {home / key: one for key, one in listed.items() if not fetched.holds(one, home / key)}
    _fetch_all(bucket, new, folder / _PARTS, fetched, watch)
    for path in address.files(home):
        if path.relative_to(home).as_posix() not in listed:
            path.unlink()
    fetched.tidy(home)


def _fetch_all(bucket: Bucket, new: dict[Path, Listed], parts: Path, fetched: _Fetched, watch: Watch) -> None:
    """Fetch several at once; the first that fails ends it, since the others would as well."""
    what = f"fetching from {bucket.scheme}://{bucket.name}"
    with ThreadPoolExecutor(_AT_ONCE, "fetch") as several:
        running = {
            several.submit(bucket.download, one, _part(bucket, one, parts)): (target, one)
            for target, one in new.items()
        }
        try:
            for done, future in enumerate(as_completed(running)):
                watch(what, done, len(new))
                future.result()
                target, one = running[future]
                target.parent.mkdir(parents=True, exist_ok=True)
                _part(bucket, one, parts).replace(target)
                fetched.add(one)
        except BaseException:
            several.shutdown(wait=True, cancel_futures=True)
            raise
    if new:
        watch(what, len(new), len(new))


def _part(bucket: Bucket, one: Listed, parts: Path) -> Path:
    """Where the bytes of one version of an object gather; another version has another part."""
    named = f"{bucket.url(one.key)} {one.version}"
    return parts / hashlib.sha256(named.encode()).hexdigest()


def _refuse_name(bucket: Bucket, key: str) -> None:
    if any(len(part.encode()) > _LONGEST or part in ("", ".", "..") for part in key.split("/")):
        hint = "Leave it out of the path, or give the object another name."
        raise InputError(Fault(bucket.url(key), "an object of this name cannot be kept as a file", hint=hint))


class _Fetched:
    """Which version of each object lies here: a line for each fetch, the last one counts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._versions: dict[str, str] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    self._versions |= json.loads(line)
                except ValueError:  # a line that a break cut short
                    continue

    def holds(self, one: Listed, path: Path) -> bool:
        """Whether this version lies here whole."""
        return self._versions.get(one.key) == one.version and path.is_file() and path.stat().st_size == one.size

    def add(self, one: Listed) -> None:
        """Note that a version lies here."""
        self._versions[one.key] = one.version
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({one.key: one.version}) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def tidy(self, home: Path) -> None:
        """Forget what no longer lies here."""
        kept = {key: version for key, version in self._versions.items() if (home / key).is_file()}
        temporary = self._path.with_suffix(".writing")
        temporary.write_text("".join(json.dumps({key: kept[key]}) + "\n" for key in sorted(kept)), encoding="utf-8")
        temporary.replace(self._path)
