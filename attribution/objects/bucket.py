"""A bucket of S3, Google Cloud Storage or Azure: its listing, its objects, and what went wrong, in words.

Credentials come from the environment's standard chain (variables, files they name, the machine's role) and go
nowhere else: no message shows one.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from attribution.objects.trouble import fault_of
from schemas.faults import Fault, InputError

if TYPE_CHECKING:
    from obstore import GetOptions
    from obstore.store import ObjectStore

_CHUNK = 1 << 20
# A stalled connection is given up; a long transfer is not.
_TIMES = {"connect_timeout": timedelta(seconds=10), "read_timeout": timedelta(minutes=2), "timeout": timedelta(days=1)}
_RETRY = {"max_retries": 4, "retry_timeout": timedelta(minutes=3)}
_MD5 = re.compile(r'"?([0-9a-f]{32})"?')


@dataclass(frozen=True)
class Listed:
    """One object as the listing tells it. `version` differs whenever its content may."""

    key: str
    size: int
    etag: str | None
    modified: datetime

    @property
    def version(self) -> str:
        """What is remembered of a fetched object, to tell whether it changed."""
        return f"{self.etag or self.modified.isoformat()} {self.size}"


class Bucket:
    """One bucket or container, for listing and fetching."""

    def __init__(self, scheme: str, name: str) -> None:
        """Nothing is asked of the network yet.

        Raises:
            InputError: what the environment states is not enough to know where the bucket is.
        """
        self.scheme, self.name = scheme, name
        try:
            self._store = open_store(f"{scheme}://{name}")
        except Exception as error:
            raise self._error(error) from error

    def listing(self, prefix: str) -> Iterator[Listed]:
        """Every object below a prefix, however many pages the listing has.

        Raises:
            InputError: no such bucket, no credentials, not allowed, or no network.
        """
        import obstore  # noqa: PLC0415 - few workspaces need it

        try:
            for page in obstore.list(self._store, prefix or None):
                for one in page:
                    yield Listed(one["path"], one["size"], one["e_tag"], one["last_modified"])
        except Exception as error:
            raise self._error(error) from error

    def download(self, one: Listed, part: Path) -> None:
        """Fetch an object into `part`, going on from what is there already, and compare size and check sum.

        Raises:
            InputError: it could not be fetched whole; what was is kept in `part` for the next try.
        """
        digest = self._fetch(one, part)
        stated = _MD5.fullmatch(one.etag or "")
        if stated is None or digest == stated[1]:
            return
        # Where a bucket encrypts with a key of its own, ETags look like check sums and are none. Bytes that went
        # wrong on the way do not go wrong twice in the same way.
        part.unlink()
        again = self._fetch(one, part)
        if again not in (digest, stated[1]):
            part.unlink()
            what = f"its bytes do not have the check sum {stated[1]} that the object store states"
            raise InputError(Fault(self.url(one.key), what, hint="Run again; if it stays, deliver the object again."))

    def url(self, key: str) -> str:
        """What messages call an object."""
        return f"{self.scheme}://{self.name}/{key}"

    def _fetch(self, one: Listed, part: Path) -> str:
        """The MD5 of all of `part`, once it is whole."""
        import obstore  # noqa: PLC0415

        digest = hashlib.md5(usedforsecurity=False)
        with part.open("a+b") as file:
            file.seek(0)
            while block := file.read(_CHUNK):
                digest.update(block)
            have = file.tell()
            if have < one.size:
                options: GetOptions = {"range": {"offset": have}} if have else {}
                if one.etag:
                    options["if_match"] = one.etag
                try:
                    for chunk in obstore.get(self._store, one.key, options=options).stream(min_chunk_size=_CHUNK):
                        file.write(chunk)
                        digest.update(chunk)
                except Exception as error:
                    raise self._error(error, one.key) from error
                finally:
                    file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        if size != one.size:
            if size > one.size:
                part.unlink()
            what = f"{size} of {one.size} bytes came, so it was not wholly fetched"
            raise InputError(Fault(self.url(one.key), what, hint="Run again; it goes on where it stopped."))
        return digest.hexdigest()

    def _error(self, error: Exception, key: str = "") -> InputError:
        return InputError(fault_of(error, self.scheme, self.url(key).rstrip("/")))


def open_store(url: str) -> ObjectStore:
    """The store behind an address; settings and credentials are the environment's."""
    from obstore.store import from_url  # noqa: PLC0415

    # A server of one's own may speak without encryption; its address says so.
    plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
    return from_url(url, client_options=_TIMES | {"allow_http": plain}, retry_config=_RETRY)  # type: ignore[call-overload, no-any-return]
