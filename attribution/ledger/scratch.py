"""A ledger to try things on: it begins as a store's, and what is done to it is thrown away."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attribution.ledger.costs import SUBJECTS_FILES
from attribution.ledger.disk import charges_folder
from attribution.ledger.ledger import FILE, Ledger, open_ledger
from attribution.ledger.lock import write_lock


@contextmanager
def scratch_ledger(
    store: Path, *, wait_seconds: float = 60, on_wait: Callable[[str], None] = lambda _: None
) -> Iterator[Ledger]:
    """Open a copy of a store's ledger in the temporary folder, over the store's own charges.

    The store's lock is held while the ledger is copied, no longer. Links lead to the single files of the charges
    and never to a folder, so that whatever removes something from the copy removes a link.

    Raises:
        InputError: somebody else writes, or the ledger is damaged or of a newer program.
    """
    with tempfile.TemporaryDirectory(prefix="attribution-") as folder:
        copy = Path(folder) / "ledger"
        copy.mkdir()
        if (store / FILE).exists():
            with write_lock(store, wait_seconds, on_wait):
                for file in store.glob(f"{FILE}*"):
                    shutil.copyfile(file, copy / file.name)
                _link(store.resolve(), copy)
        with open_ledger(copy) as ledger:
            yield ledger


def _link(store: Path, copy: Path) -> None:
    charges = charges_folder(store).glob("*/charges-*.parquet")
    for file in [*charges, *store.glob(SUBJECTS_FILES)]:
        link = copy / file.relative_to(store)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(file)
