"""Which parts of which deliveries make a bill: rows in, a choice out, the same for any order of files.

A bill is chosen anew from all deliveries that stand, never patched. Where nothing says how two deliveries of
one bill belong together, nothing is guessed: they are held back whole, with a message what to state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from attribution.ledger.shrinkage import Guard
from schemas.bills import BillKey

NO_GUARD = Guard()
# Kinds of findings.
SHRANK = "delivery_shrank"
REFUSED = "delivery_refused"
FREE = "delivery_free"


@dataclass(frozen=True)
class Candidate:
    """A delivery that may count, and the bills it holds rows of.

    `settled_run`: the run that first took it in. `seen_run`: the last run that met it on disk.
    `replaced_by`: for each place that it had, the deliveries found there now; none while it has a place itself.
    It still stands where all of those are held back.
    """

    digest: str
    source: str
    name: str
    content: str
    order_key: str | None
    current: bool | None
    mode: str | None
    settled_run: int
    seen_run: int
    keys: frozenset[BillKey]
    replaced_by: tuple[frozenset[str], ...] = ()

    def stands(self, held: Collection[str]) -> bool:
        """Whether it still has a place on disk, or had one that only held-back deliveries took."""
        return not self.replaced_by or any(takers <= set(held) for takers in self.replaced_by)


@dataclass
class Choice:
    """`counting`: the deliveries whose parts make each bill. `held`: digest -> why nothing of it counts.

    `kinds`: of those of `held` that are findings, which. `accepted`: such as make a bill fall and were let through.
    `undecided`: bills that only held-back deliveries, or such as a manifest calls outdated, speak of. What counted
    for them before goes on counting.
    """

    counting: dict[BillKey, tuple[str, ...]] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    undecided: set[BillKey] = field(default_factory=set)
    kinds: dict[str, str] = field(default_factory=dict)
    accepted: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Contest:
    """What may count for one bill, and how those belong together."""

    key: BillKey
    mode: str | None
    candidates: tuple[Candidate, ...]


def choose(candidates: Iterable[Candidate], guard: Guard = NO_GUARD) -> Choice:
    """Choose for every bill the deliveries that count.

    Args:
        candidates: deliveries that stand, of any sources, and those that count although their places were taken.
        guard: what counts now, and how far it may fall.
    """
    candidates = list(candidates)
    refused = {one.digest: guard.refused[one.digest] for one in candidates if one.digest in guard.refused}
    doubted = [one for one in candidates if one.digest in guard.free and one.digest not in refused]
    free = {one.digest: guard.free[one.digest] for one in doubted if one.source not in guard.accept}
    kinds = dict.fromkeys(refused, REFUSED) | dict.fromkeys(free, FREE)
    choice = Choice(held=refused | free, kinds=kinds)
    choice.accepted |= {one.digest for one in doubted} - free.keys()
    while True:
        standing = _same_content_once(one for one in candidates if one.stands(choice.held))
        contests = _contests(standing, choice.held)
        held = _unstated(contests) or _settle(contests, choice)
        if not held:
            spoken = {key for one in standing for key in one.keys}
            choice.undecided = spoken - choice.counting.keys()
            held = _shrunk(candidates, contests, choice, guard)
            choice.kinds |= dict.fromkeys(held, SHRANK)
        if not held:
            return choice
        choice.held |= held


def _settle(contests: Sequence[_Contest], choice: Choice) -> dict[str, str]:
    """Fill in what counts for each bill; snapshots that nothing orders, and why they are held back."""
    ties: dict[str, str] = {}
    choice.counting = {}
    for contest in contests:
        counting = contest.candidates
        if contest.mode == "snapshot":
            counting = _newest(contest.candidates)
            if len(counting) > 1:
                ties |= {candidate.digest: _tie_message(contest.key, counting) for candidate in counting}
        if counting:
            choice.counting[contest.key] = tuple(sorted(candidate.digest for candidate in counting))
    return ties


def _shrunk(
    candidates: Sequence[Candidate], contests: Sequence[_Contest], choice: Choice, guard: Guard
) -> dict[str, str]:
    """New deliveries that make a bill fall by more than its source allows, and in words how far.

    What fell is told from what counts now; where nothing does yet, from the snapshot before the newest.
    """
    older = {contest.key: _before_newest(contest) for contest in contests if contest.key not in guard.standing}
    adding = {contest.key for contest in contests if contest.mode in ("parts", "append")}
    by_digest = {one.digest: one for one in candidates}
    held: dict[str, str] = {}
    for key in sorted((guard.standing.keys() | choice.counting.keys()) - choice.undecided):
        before = guard.standing.get(key) or older.get(key, frozenset())
        after = frozenset(choice.counting.get(key, ()))
        gone = (by_digest[digest] for digest in before - after if digest in by_digest)
        takers = frozenset[str]().union(*(names for one in gone for names in one.replaced_by))
        # Where files add up, what took the place of one makes the bill fall, not the new ones beside it.
        ways = (takers, after - before) if key in adding else (after - before, takers)
        asked = next((new for way in ways if (new := way - guard.accepted - choice.held.keys())), frozenset())
        fall = guard.fall(key, before, after) if asked else ""
        for digest in asked if fall else ():
            if key.source in guard.accept:
                choice.accepted.add(digest)
            else:
                held.setdefault(digest, _shrunk_message(key, fall))
    return held


def _before_newest(contest: _Contest) -> frozenset[str]:
    """The snapshot that would count if the newest were not there."""
    if contest.mode != "snapshot":
        return frozenset()
    newest = _newest(contest.candidates)
    left = _newest(tuple(one for one in contest.candidates if one not in newest))
    return frozenset(one.digest for one in left) if len(left) == 1 else frozenset()


def _same_content_once(candidates: Iterable[Candidate]) -> list[Candidate]:
    """One delivery a content: what a newer reader made of the same bytes counts, not both."""
    best: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        known = best.setdefault((candidate.source, candidate.content), candidate)
        if (candidate.settled_run, candidate.digest) > (known.settled_run, known.digest):
            best[candidate.source, candidate.content] = candidate
    return sorted(best.values(), key=lambda one: (one.settled_run, one.name, one.digest))


def _contests(candidates: Sequence[Candidate], held: Collection[str]) -> list[_Contest]:
    by_key: Mapping[BillKey, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.digest not in held:
            for key in candidate.keys:
                by_key[key].append(candidate)
    return [_contest(key, by_key[key]) for key in by_key]


def _contest(key: BillKey, candidates: list[Candidate]) -> _Contest:
    seen = max(candidate.seen_run for candidate in candidates)
    stated = sorted({one.mode for one in candidates if one.seen_run == seen and one.mode})
    mode = stated[0] if stated else None
    named = [candidate for candidate in candidates if candidate.current]
    if named:  # a manifest names what counts; the one read last is right, should two files of it disagree
        last = max(candidate.seen_run for candidate in named)
        latest = tuple(candidate for candidate in named if candidate.seen_run == last)
        return _Contest(key, mode if mode in ("parts", "append") else "snapshot", latest)
    return _Contest(key, mode, tuple(candidate for candidate in candidates if candidate.current is None))


def _newest(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The newest snapshot; several where nothing orders them. File times are never compared."""
    if len(candidates) <= 1:
        return candidates
    ordered = _last_by_order_key(candidates)
    if ordered:
        return ordered
    latest = max(candidate.settled_run for candidate in candidates)
    of_latest = tuple(candidate for candidate in candidates if candidate.settled_run == latest)
    return _last_by_order_key(of_latest) or of_latest


def _last_by_order_key(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    keys = {candidate.order_key for candidate in candidates}
    if None in keys or len(keys) < len(candidates):
        return ()
    return (max(candidates, key=lambda one: one.order_key or ""),)


def _unstated(contests: Iterable[_Contest]) -> dict[str, str]:
    """Deliveries that meet rows of a bill another holds already, where nothing says how they belong together.

    The first one (by run, then by path) counts, so that a bill of one file needs no statement.
    """
    contests = [contest for contest in contests if contest.mode is None and len(contest.candidates) > 1]
    keys_of: dict[Candidate, list[BillKey]] = defaultdict(list)
    for contest in contests:
        for candidate in contest.candidates:
            keys_of[candidate].append(contest.key)
    first: dict[BillKey, Candidate] = {}
    beside: dict[Candidate, list[Candidate]] = defaultdict(list)
    bills: dict[Candidate, set[BillKey]] = defaultdict(set)
    for candidate in sorted(keys_of, key=lambda one: (one.settled_run, one.name, one.digest)):
        taken = sorted(key for key in keys_of[candidate] if key in first)
        if taken:
            counts = first[taken[0]]
            beside[counts].append(candidate)
            bills[counts].update(key for key in taken if first[key] == counts)
        else:
            first |= dict.fromkeys(keys_of[candidate], candidate)
    # One sentence for all that one file meets, so that it is read once.
    return {
        second.digest: _unstated_message(sorted(bills[counts]), counts)
        for counts, others in beside.items()
        for second in others
    }


def _bill(key: BillKey) -> str:
    return f"bill {key.billing_month:%Y-%m} of billing account {key.billing_account}"


def _unstated_message(keys: list[BillKey], counts: Candidate) -> str:
    months = sorted(key.billing_month for key in keys)
    bills = _bill(keys[0]) if len(keys) == 1 else f"{len(keys)} bills, {months[0]:%Y-%m} to {months[-1]:%Y-%m},"
    return (
        f"rows of {bills} that {counts.name} holds, too, and nothing says how they belong together; "
        f"{counts.name} counts. "
        f'State in [[source]] "{keys[0].source}": delivery = "snapshot" (the newer one replaces the older), '
        '"parts" (together they are the bill) or "append" (each adds its rows once).'
    )


def _shrunk_message(key: BillKey, fall: str) -> str:
    return (
        f"{_bill(key)} would fall {fall}; what counted before goes on counting. If that is right: "
        f"`attribution ingest --accept-shrink {key.source}`, or the same with `run`. If not: have it delivered again."
    )


def _tie_message(key: BillKey, tied: tuple[Candidate, ...]) -> str:
    names = " and ".join(sorted(candidate.name for candidate in tied))
    return (
        f"{names} are snapshots of {_bill(key)} that came in one run, and neither a manifest nor a date or run id in "
        "their paths says which is newer; none of them counts. "
        "Leave only the newest in place, or put its date or run id into the path; or, if together they are the bill, "
        f'state in [[source]] "{key.source}": delivery = "parts".'
    )
