"""Bills in: find what is new, read, check, post; then settle which revision of each bill counts.

What is wrong with one delivery holds that delivery back and no other.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from attribution import bills, objects
from attribution.ledger import PrunedError, RollUp, Settled
from flows.running import Run, Watch, quiet, rollup_of
from flows.terminal import UnfinishedError
from schemas.bills import Batch, Delivery, Found, HeldBack, Notice, PeriodState, Stated, Totals, by_reason, no_rejects
from schemas.charges import Charges, without_blanks
from schemas.check import check
from schemas.faults import Fault, InputError, LawBrokenError, in_one_line, suggest
from schemas.money import add, add_money
from schemas.reading_ahead import ahead
from schemas.words import counted
from schemas.workspace import ALL, Workspace

TEXTS_KEPT = 10_000
"""Of so many refused values of a delivery the text of the row is kept: a file that is wrong as a whole says no more."""


@dataclass(frozen=True)
class Arrived:
    """What a run took in. `read`: deliveries that were new. `settled`: bills revised and all that is held back."""

    read: tuple[Delivery, ...]
    rejects: int
    settled: Settled


def ingest(run: Run, columns: Sequence[str] = (), accept_shrink: Sequence[str] = ()) -> Arrived:
    """Take in every delivery that is not in the ledger yet.

    Args:
        run: the run in progress.
        columns: charge columns that rules name beyond those every cost line has.
        accept_shrink: sources whose deliveries are right although a bill falls; `all` is every source.

    Raises:
        InputError: such a source is not configured, a source's path matches nothing or two sources claim one file.
        LawBrokenError: a delivery's own total is not what was stored, rejected and rounded.
    """
    accepted = accepting(run.workspace, accept_shrink)
    found = find_all(run.workspace, run.watch)
    deliveries, held = list(found.deliveries), list(found.held_back)
    rollup = rollup_of(run.workspace, columns)
    new = [delivery for delivery in deliveries if not run.ledger.is_read(delivery.digest)]
    taken, rejects = _take_each(run, new, held, rollup)
    if new:
        run.watch("bills", len(new), len(new))
    run.ledger.keep_periods(found.periods)
    settled = _settle(run, deliveries, held, accepted, rollup)
    run.counts |= {"deliveries": len(taken), "rejects": rejects, "bills_revised": len(settled.revised)}
    return Arrived(tuple(taken), rejects, settled)


def _settle(
    run: Run, deliveries: list[Delivery], held: list[HeldBack], accepted: Collection[str], rollup: RollUp
) -> Settled:
    """Settle the bills. What counts again after its charges were pruned is read again first."""
    while True:
        try:
            return run.ledger.settle_bills(deliveries, held, run.number, accepted)
        except PrunedError as pruned:
            again = {delivery.digest: delivery for delivery in deliveries if delivery.digest in pruned.digests}
            taken, _ = _take_each(run, list(again.values()), held, rollup)
            stored = {delivery.digest for delivery in taken}
            deliveries = [one for one in deliveries if one.digest in stored or one.digest not in again]


def _take_each(
    run: Run, deliveries: Sequence[Delivery], held: list[HeldBack], rollup: RollUp
) -> tuple[list[Delivery], int]:
    """Read deliveries; those that were taken, and how many values were refused. The others are added to `held`."""
    rejects = 0
    taken: list[Delivery] = []
    for number, delivery in enumerate(deliveries):
        run.watch(f"reading {delivery.name}", number, len(deliveries))
        try:
            rejects += take(run, delivery, rollup)
        except InputError as error:
            held.append(HeldBack(delivery.source.name, delivery.name, in_one_line(error.faults)))
        else:
            taken.append(delivery)
    return taken, rejects


def accepting(workspace: Workspace, words: Sequence[str]) -> set[str]:
    """`--accept-shrink`: names of sources, or `all`.

    Raises:
        InputError: no source has that name.
    """
    names = [source.name for source in workspace.sources]
    unknown = [word for word in words if word not in (ALL, *names)]
    if unknown:
        raise InputError(
            [
                Fault("--accept-shrink", f'no source "{word}"', ", ".join(names), suggest(word, names))
                for word in unknown
            ]
        )
    return set(names) if ALL in words else set(words)


def arrived_text(arrived: Arrived) -> str:
    """What came in and what was held back, a line each."""
    read = [f"read       {one.source.name}  {one.name}" for one in arrived.read]
    held = [f"held back  {one.source}  {one.name}: {one.reason}" for one in by_reason(arrived.settled.held_back)]
    deliveries = counted(len(arrived.read), "delivery", "deliveries")
    return "\n".join([*read, *held, f"{deliveries} read, {counted(len(arrived.settled.revised), 'bill')} revised"])


def arrived_data(arrived: Arrived) -> dict[str, object]:
    """The same for scripts."""
    read = [{"source": one.source.name, "name": one.name} for one in arrived.read]
    settled = arrived.settled
    return {"read": read, "held_back": settled.held_back, "bills_revised": len(settled.revised)}


def complain(held_back: Sequence[HeldBack]) -> None:
    """End a run whose figures stand but lack something.

    Raises:
        UnfinishedError: something is held back, so whoever watches the run must see it.
    """
    if held_back:
        told = (f"held back: {one.source} {one.name}: {one.reason}" for one in by_reason(held_back))
        raise UnfinishedError("; ".join(told))


def find_all(workspace: Workspace, watch: Watch = quiet) -> Found:
    """What all sources have now, object stores included.

    Raises:
        InputError: an object store cannot be read; or faults of all sources at once; or one file, or two with the
            same content, in two sources, since its money would count twice.
    """
    deliveries: list[Delivery] = []
    held: list[HeldBack] = []
    periods: list[PeriodState] = []
    faults: list[Fault] = []
    objects.fetch([(f'source "{one.name}"', one.path) for one in workspace.sources], workspace.store, watch)
    for source in workspace.sources:
        try:
            found = bills.find(source, workspace.root, workspace.store)
        except InputError as error:
            faults.extend(error.faults)
        else:
            deliveries.extend(found.deliveries)
            held.extend(found.held_back)
            periods.extend(found.periods)
    claimed: dict[str, tuple[str, str]] = {}
    for delivery in deliveries:
        for file in delivery.files:
            owner, name = claimed.setdefault(file.digest, (delivery.source.name, file.name))
            if owner != delivery.source.name:
                same = "it" if name == file.name else f"the same content ({name})"
                faults.append(
                    Fault(
                        file.name,
                        f'source "{delivery.source.name}" claims this file and source "{owner}" claims {same}',
                        hint="Its money would count twice: narrow the path of one of them.",
                    )
                )
    if faults:
        raise InputError(faults)
    return Found(tuple(deliveries), tuple(held), tuple(periods))


def take(run: Run, delivery: Delivery, rollup: RollUp) -> int:
    """Read one delivery, check it, and post it; how many values were refused.

    Raises:
        InputError: it cannot be read whole; nothing of it is kept.
        LawBrokenError: its totals do not add up.
    """
    totals = Totals()
    refused: list[pl.DataFrame] = []
    notices: list[Notice] = []
    # The control sum reads the files apart from the reader, so it can do so at the same time.
    with (
        bills.unpacked_once(delivery) as unpacked,
        ThreadPoolExecutor(1, "control sum") as beside,
        run.ledger.writing(delivery, rollup) as writer,
        closing(ahead(_checked(bills.read(unpacked)))) as batches,
    ):
        summing = beside.submit(bills.stated, unpacked)
        for batch, good, rejects, money in batches:
            writer.write(good)
            refused.append(rejects)
            notices.extend(batch.notices)
            totals.rows += batch.rows
            for into, more in (
                (totals.residual, batch.residual),
                (totals.rejected, money),
                (totals.netted, batch.netted),
            ):
                add_money(into, more)
        parts = writer.finish()
        for part in parts:
            for sums in part.sums.values():
                add_money(totals.stored, {name: amount for name, amount in sums.items() if amount is not None})
        stated = summing.result()
        bills.ask_unchanged(delivery.files)
        totals.stated = dict(stated.totals)
        prove(delivery, totals, stated)
        rejects = pl.concat([no_rejects(), *refused], how="diagonal")
        run.ledger.post(delivery, parts, totals, rejects=rejects, notices=notices, run=run.number)
    return rejects.height


def _checked(
    batches: Iterator[Batch],
) -> Generator[tuple[Batch, pl.DataFrame, pl.DataFrame, dict[str, Decimal]]]:
    """Each batch, its good charges, all refused values with the texts of their rows, and the money of refused rows.

    Checked where it is read, since rejects ask for their lines while the reader's copies still lie there.
    """
    texts = TEXTS_KEPT
    for batch in batches:
        checked = check(without_blanks(batch.charges), Charges)
        refused = bills.refuse(batch, checked.failures)
        money = dict(batch.rejected)
        add_money(money, refused.money)
        rejects = bills.with_texts(pl.concat([batch.refused, refused.rejects]), batch, texts)
        texts -= rejects.height
        yield batch, checked.good, rejects, money


def prove(delivery: Delivery, totals: Totals, stated: Stated) -> None:
    """The law of the door: the file's own total = stored + residual + rejected + netted, and no row is missing.

    Raises:
        LawBrokenError: with both totals.
    """
    if totals.rows != stated.rows:
        message = f"{delivery.name}: the files hold {stated.rows} rows, {totals.rows} were read"
        raise LawBrokenError(message)
    for name, total in stated.totals.items():
        pieces = (totals.stored, totals.residual, totals.rejected, totals.netted)
        ours = add(*(piece.get(name, Decimal(0)) for piece in pieces))
        if ours != total:
            told = ", ".join(
                f"{word} {piece.get(name, Decimal(0))}"
                for word, piece in zip(("stored", "residual", "rejected", "netted"), pieces, strict=True)
            )
            message = f"{delivery.name}: the files sum to {name} {total}, we have {ours} ({told})"
            raise LawBrokenError(message)
