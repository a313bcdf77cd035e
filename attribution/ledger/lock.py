"""One writer: a lock on the store that the operating system lets go of, however the writer ends.

The file stays where it is; whether somebody writes is told by the lock on it, never by its being there.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from schemas.faults import Fault, InputError

_STEP = 0.2  # seconds between two tries


@contextmanager
def write_lock(store: Path, wait_seconds: float, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Hold the store's lock; wait for it, saying so once.

    Raises:
        InputError: another process still writes when the waiting is over.
    """
    try:
        descriptor = os.open(store / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise InputError(_unusable(store, error.strerror or str(error))) from error
    try:
        _take(descriptor, store, wait_seconds, on_wait)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, store: Path, wait_seconds: float, on_wait: Callable[[str], None]) -> None:
    waited = 0.0
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        else:
            return
        holder = _holder(descriptor)
        if waited == 0 and wait_seconds > 0:
            on_wait(f"{store}: {holder}; waiting up to {wait_seconds:g} s")
        if waited >= wait_seconds:
            hint = "Wait until it is done, or end it; nothing of the ledger is lost by that. Then run again."
            raise InputError(Fault(str(store), f"the ledger is being written: {holder}", hint=hint))
        time.sleep(_STEP)
        waited += _STEP


def _holder(descriptor: int) -> str:
    """Who wrote its number into the file, and when: the file's own time, so no clock is read here."""
    process = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
    since = datetime.fromtimestamp(os.fstat(descriptor).st_mtime, UTC)
    return f"process {process} holds it since {since:%Y-%m-%d %H:%M:%S} UTC"


def _unusable(store: Path, why: str) -> Fault:
    return Fault(
        str(store), f"the store cannot be written: {why}", hint="Set `store` in attribution.toml to a writable folder."
    )


def make_store(store: Path) -> Path:
    """Make the store's folder where it is missing; its absolute path.

    Raises:
        InputError: something else is in the way, or it cannot be written.
    """
    try:
        store.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError(_unusable(store, "it is a file, not a folder")) from error
    except OSError as error:
        raise InputError(_unusable(store, error.strerror or str(error))) from error
    return store.resolve()
