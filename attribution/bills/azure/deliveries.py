"""Runs of Azure exports as deliveries: an actual and an amortized run of one period are read together.

What a run holds is told by its manifest, else by the word "actual" or "amortized" in its path; one of which nothing
tells is taken for actual, and refused when its rows prove otherwise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from attribution.bills.azure.manifest import Run, find_runs, is_narrower
from attribution.bills.listing import delivery_digest
from schemas.bills import BillFile, Delivery, HeldBack
from schemas.workspace import Mode, Source

ACTUAL, AMORTIZED, UNTOLD = "actual", "amortized", "untold"
_WORD = re.compile(r"(?<![a-z])(actual|amorti[sz]ed)(?:[-_ ]?costs?)?(?![a-z])", re.IGNORECASE)
_DATASETS = {"actualcost": ACTUAL, "amortizedcost": AMORTIZED, "usage": ACTUAL}


def of_runs(
    source: Source, files: Sequence[BillFile], reader: str, version: int
) -> tuple[list[Delivery], list[HeldBack]]:
    """Each run is a delivery: for exports of which one dataset is enough."""
    runs, held = find_runs(source, files)
    mode = _mode(runs)
    made = [replace(_delivery(source, [run], reader, version), current=_current(run, runs), mode=mode) for run in runs]
    return made, held


def of_pairs(
    source: Source, files: Sequence[BillFile], reader: str, version: int
) -> tuple[list[Delivery], list[HeldBack]]:
    """Each actual run with the amortized one that goes with it; one that has no partner is a delivery alone."""
    runs, held = find_runs(source, files)
    by_kind: dict[str, list[Run]] = {ACTUAL: [], AMORTIZED: []}
    for run in runs:
        by_kind[AMORTIZED if kind_of(run) == AMORTIZED else ACTUAL].append(run)
    made: list[Delivery] = []
    by_key = {kind: _by_key(found, alike=_alike(by_kind)) for kind, found in by_kind.items()}
    for key in sorted(by_key[ACTUAL].keys() | by_key[AMORTIZED].keys()):
        actual, amortized = by_key[ACTUAL].get(key, []), by_key[AMORTIZED].get(key, [])
        if actual and amortized and (not _ordered(actual) or not _ordered(amortized)):
            reason = (
                "several actual or amortized runs of one period lie here, and neither a manifest nor a time in their "
                "paths says which is newest; leave only the newest of each in place"
            )
            held += [HeldBack(source.name, run.files[0].name, reason) for run in (*actual, *amortized)]
            continue
        for together, current in _partners(actual, amortized):
            like = by_kind[AMORTIZED if kind_of(together[0]) == AMORTIZED else ACTUAL]
            counts = _current(together[0], like) if current else False
            roles = tuple(kind_of(run) for run in together for _ in run.files)
            delivery = _delivery(source, together, reader, version, roles)
            made.append(replace(delivery, current=counts, mode=_mode(like)))
    return made, held


def kind_of(run: Run) -> str:
    """What a run is: actual or amortized cost, or untold."""
    stated = _DATASETS.get(run.dataset.lower())
    words = [stated] if stated else _WORD.findall(run.files[0].name)
    if not words:
        return UNTOLD
    return ACTUAL if words[-1].lower() == ACTUAL else AMORTIZED


def _alike(by_kind: Mapping[str, Sequence[Run]]) -> bool:
    """Whether there is one actual and one amortized export, so that their names need not match."""
    return all(
        len({run.identity for run in runs}) <= 1 and all(run.period for run in runs) for runs in by_kind.values()
    )


def _by_key(runs: Sequence[Run], *, alike: bool) -> dict[tuple[str, str], list[Run]]:
    """Runs of one scope and period, oldest first."""
    found: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        file = PurePosixPath(run.files[0].name)
        place = run.export if run.period else f"{run.export}/{file.name.split('.', 1)[0]}"
        scope = "" if alike else run.scope or _WORD.sub("*", place.lower())
        found[scope, run.period].append(run)
    return {key: sorted(members, key=lambda run: run.order or "") for key, members in found.items()}


def _ordered(runs: Sequence[Run]) -> bool:
    orders = {run.order for run in runs}
    return len(runs) == 1 or (None not in orders and len(orders) == len(runs))


def _partners(actual: Sequence[Run], amortized: Sequence[Run]) -> list[tuple[tuple[Run, ...], bool]]:
    """Actual runs, each with the newest amortized one from before the next actual run, and whether it may count.

    An amortized run that goes with none, because a newer one does, counts for nothing but is kept.
    """
    if not actual:
        return [((run,), True) for run in amortized]
    made: list[tuple[tuple[Run, ...], bool]] = []
    used: set[Run] = set()
    for at, run in enumerate(actual):
        following = actual[at + 1].order if at + 1 < len(actual) else None
        before = [one for one in amortized if following is None or (one.order or "") < following]
        used |= set(before[-1:])
        made.append(((run, *before[-1:]), True))
    return made + [((run,), False) for run in amortized if run not in used]


def _mode(runs: Sequence[Run]) -> Mode | None:
    """Runs of one scope replace each other; of several exports nothing says whether they overlap."""
    dated = all(run.period or run.dataset for run in runs)
    return "snapshot" if dated and len({run.identity for run in runs}) == 1 else None


def _current(run: Run, runs: Sequence[Run]) -> bool | None:
    return False if any(is_narrower(run, other) for other in runs) else None


def _delivery(source: Source, runs: Sequence[Run], reader: str, version: int, roles: tuple[str, ...] = ()) -> Delivery:
    files = tuple(file for run in runs for file in run.files)
    orders = [run.order for run in runs]
    rows = [run.rows for run in runs]
    # What a file is taken for is part of what the delivery reads as.
    taken = sorted(f"{role}={file.digest}" for role, file in zip(roles, files, strict=False))
    return Delivery(
        source,
        reader,
        files,
        delivery_digest(",".join([reader, *taken]), version, source, files),
        None if None in orders else "/".join(order for order in orders if order),
        roles=roles,
        rows=None if None in rows else sum(row for row in rows if row),
    )
