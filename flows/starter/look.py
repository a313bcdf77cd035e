"""A look at exports before there is a workspace: what they are, what is in them, what they cannot tell.

Every bill is read once, with the readers and checks of a run, into ledgers that are thrown away.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from glob import escape
from pathlib import Path

import polars as pl

from attribution import inputs, objects
from attribution.bills import Stream, Unknown, clock_of, survey
from attribution.ledger import open_ledger
from attribution.ledger.ledger import FILE as LEDGER
from attribution.rules.proposals import Proposals, propose
from flows.arrival import ingest
from flows.running import Watch, noting, quiet
from schemas.bills import by_reason
from schemas.faults import Fault, InputError
from schemas.paths import address_of, mirror_folder
from schemas.workspace import OWN_COSTS, Source, Workspace

_TOLD = 3
# A folder further away than so many steps up is named by its whole path.
_NEAR = 2
_NO_NAME = re.compile(r"[^0-9A-Za-z_-]+")


@dataclass(frozen=True)
class SeenSource:
    """One stream of bills as it was read. `money`: of BilledCost by currency. `questions`: what only people know."""

    source: Source
    reader: str
    files: int
    rows: int
    rejects: int
    providers: tuple[str, ...]
    accounts: tuple[str, ...]
    months: tuple[str, ...]
    money: tuple[tuple[str, Decimal | None], ...]
    questions: tuple[str, ...]


@dataclass(frozen=True)
class Look:
    """What was found. `inputs`: `[inputs]` name -> glob. `unknown`: tables that are neither bills nor inputs."""

    origin: str
    sources: tuple[SeenSource, ...]
    inputs: dict[str, str]
    unknown: tuple[Unknown, ...]
    proposals: Proposals | None


def look(origin: str, directory: Path, watch: Watch = quiet) -> Look:
    """Look at a folder or bucket of exports.

    Args:
        origin: a folder, or the address of one in an object store.
        directory: the workspace to be, which paths are made relative to.
        watch: told how far it is.

    Raises:
        InputError: there is no such folder, no bill in it, or the object store cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        folder, prefix = _reached(origin, directory, Path(scratch), watch)
        # Charges that a ledger keeps look like bills of their own.
        found = survey(folder, [ledger.parent for ledger in folder.rglob(LEDGER)])
        if not found.streams:
            raise InputError(_no_bill(origin, found.unknown))
        sources, charged = _read_all(found.streams, folder, Path(scratch), watch)
        if not any(one.accounts or not one.questions for one in sources):
            raise InputError([Fault(f"{origin}, format {one.reader}", one.questions[0]) for one in sources])
        proposals = propose(pl.concat(charged)) if charged else None
    stated, unknown = _inputs(found.unknown, prefix)
    named = tuple(replace(one, source=replace(one.source, path=f"{prefix}{one.source.path}")) for one in sources)
    return Look(origin, named, stated, unknown, proposals)


def _no_bill(origin: str, unknown: Sequence[Unknown]) -> Fault:
    """What lies in a folder without bills, and where it belongs."""
    kinds = {one.name: inputs.recognise(one.columns) for one in unknown}
    told = "; ".join(
        f"{one.name}: {f'looks like {kinds[one.name]}' if kinds[one.name] else one.reason}" for one in unknown[:_TOLD]
    )
    hint = 'Columns of any CSV can be mapped, with `format = "generic-csv"`; see docs/providers/generic-csv.md.'
    found = sorted({kind for kind in kinds.values() if kind})
    if found:
        hint = f"Tables without money are inputs: state [inputs] {', '.join(found)} in the workspace of your bills."
    return Fault(origin, f"no bill was recognised ({told})", hint=hint)


def _reached(origin: str, directory: Path, scratch: Path, watch: Watch) -> tuple[Path, str]:
    """Where the files lie now, and what stands before their names in the workspace's globs."""
    if "://" in origin:
        pattern = f"{origin.rstrip('/')}/**/*"
        address = address_of(pattern, "--from")
        if address is None:
            raise InputError(Fault("--from", f'"{origin}" is no address', "s3://, gs://, az://, or a folder"))
        objects.fetch([("--from", pattern)], scratch, watch)
        return mirror_folder(scratch) / address.scheme / address.bucket / address.prefix, f"{origin.rstrip('/')}/"
    folder = Path(origin)
    if not folder.is_dir():
        raise InputError(Fault("--from", f"{origin} is no folder", hint="Name the folder in which the exports lie."))
    away = Path(os.path.relpath(folder.resolve(), directory.resolve()))
    if len([part for part in away.parts if part == ".."]) > _NEAR:
        away = folder.resolve()
    return folder, "" if away == Path() else f"{escape(away.as_posix())}/"


def _read_all(
    streams: Sequence[Stream], folder: Path, scratch: Path, watch: Watch
) -> tuple[list[SeenSource], list[pl.DataFrame]]:
    """Read every stream into a ledger of its own; content that an earlier one had is not taken again."""
    seen: list[SeenSource] = []
    charged: list[pl.DataFrame] = []
    names: dict[str, int] = {}
    owner: dict[str, str] = {}
    for number, stream in enumerate(streams):
        watch(f"reading {stream.pattern}", number, len(streams))
        source = Source(_name(stream, names), stream.pattern, stream.reader, timezone=clock_of(stream.reader))
        one, sums, digests = _read(stream, source, folder, scratch / f"store-{number}", watch)
        twice = {owner[digest] for digest in digests if digest in owner}
        if twice:
            told = f"files of it have the very content of files of {', '.join(sorted(twice))}: name each content once"
            one = replace(one, questions=(told, *one.questions))
        owner |= {digest: source.name for digest in digests if digest not in owner}
        seen.append(one)
        if not twice:
            charged.append(sums)
    return seen, charged


def _read(
    stream: Stream, source: Source, folder: Path, store: Path, watch: Watch
) -> tuple[SeenSource, pl.DataFrame, set[str]]:
    """One stream: what was read, sums of its charges, and the digests of its files."""
    workspace = Workspace(folder, "USD", "UTC", store, (source,))
    questions: list[str] = []
    digests: set[str] = set()
    with open_ledger(store) as ledger, noting(ledger, workspace, "init", watch=watch) as run:
        try:
            arrived = ingest(run)
        except InputError as error:
            questions += [fault.sentence for fault in error.faults]
        else:
            held = by_reason(arrived.settled.held_back)
            questions += _few([f"{one.name}: {one.reason}" for one in held], "held back")
            digests = {file.digest for delivery in arrived.read for file in delivery.files}
        bills = ledger.bills()
        sums = ledger.query("charged")
        rejects = run.counts.get("rejects", 0)
    money = bills.drop_nulls("BillingCurrency").group_by("BillingCurrency").agg(pl.col("stored_BilledCost").sum())
    if (told := _effective(sums)) is not None:
        questions.append(told)
    months = bills.get_column("billing_month").unique().sort()
    one = SeenSource(
        source,
        stream.reader,
        len(stream.files),
        int(bills.get_column("rows").sum()),
        rejects,
        tuple(sums.get_column("ServiceProviderName").drop_nulls().unique().sort()),
        tuple(bills.get_column("BillingAccountId").unique().sort()),
        tuple(f"{month:%Y-%m}" for month in months),
        tuple(money.sort("BillingCurrency").iter_rows()),
        tuple(questions),
    )
    return one, sums, digests


def _few(told: Sequence[str], what: str) -> list[str]:
    more = [f"and {len(told) - _TOLD} more {what}"] if len(told) > _TOLD else []
    return [*told[:_TOLD], *more]


def _effective(sums: pl.DataFrame) -> str | None:
    """A question where an export never fills EffectiveCost."""
    filled = sums.select((pl.col("EffectiveCost").fill_null(0) != 0).any(), (pl.col("BilledCost") != 0).any()).row(0)
    if sums.is_empty() or filled != (False, True):
        return None
    return 'EffectiveCost is never filled: state effective = "billed" if the export cannot say it'


def _name(stream: Stream, names: dict[str, int]) -> str:
    """A name for a source: its folder's, else its format's; a second one of that name gets a number."""
    first = stream.pattern.split("/", 1)[0]
    fixed = not set(first) & set("*?[")
    parts = [part for part in stream.pattern.split("/")[:-1] if not set(part) & set("*?[")]
    name = _NO_NAME.sub("-", parts[-1] if fixed and parts else stream.reader).strip("-") or stream.reader
    if name == OWN_COSTS:
        name = f"{name}-bills"
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name}-{names[name]}"


def _inputs(unknown: Sequence[Unknown], prefix: str) -> tuple[dict[str, str], tuple[Unknown, ...]]:
    """Globs of the tables that are inputs, and what is left."""
    kinds = {one.name: inputs.recognise(one.columns) for one in unknown}
    stated: dict[str, str] = {}
    left = [one for one in unknown if kinds[one.name] is None]
    for kind in dict.fromkeys(kind for kind in kinds.values() if kind):
        mine = [one for one in unknown if kinds[one.name] == kind]
        pattern = _glob([one.name for one in mine], [one.name for one in unknown if kinds[one.name] != kind])
        if pattern is None:
            left += [
                replace(one, reason=f"looks like {kind}, and no one pattern takes it with its like") for one in mine
            ]
        else:
            stated[kind] = f"{prefix}{pattern}"
    return stated, tuple(left)


def _glob(names: Sequence[str], others: Sequence[str]) -> str | None:
    """One pattern for files of one folder, where no other file there has their ending."""
    if len(names) == 1:
        return escape(names[0])
    folders = {name.rpartition("/")[0] for name in names}
    endings = {
        "".join(Path(name).suffixes[-2:] if name.endswith(".gz") else Path(name).suffixes[-1:]) for name in names
    }
    if len(folders) > 1 or len(endings) > 1:
        return None
    folder, ending = folders.pop(), endings.pop()
    if any(other.rpartition("/")[0] == folder and other.endswith(ending) for other in others):
        return None
    return f"{escape(folder)}/*{ending}" if folder else f"*{ending}"
