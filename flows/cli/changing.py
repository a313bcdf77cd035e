"""Commands that change something: a workspace begun, bills taken in, reports sent, the file published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import HERE, AcceptShrink, AsJson, AsOf, Folder, app, load
from schemas.words import counted


@app.command()
def init(
    directory: Annotated[Path, typer.Argument(help="The folder to make.")],
    origin: Annotated[
        str | None, typer.Option("--from", help="A folder or bucket of exports to look into.", metavar="PATH")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Write a new workspace: commented files, or one that fits the exports found in a folder or bucket.

    Example: attribution init my-costs --from exports
    """
    from rich.console import Group

    from flows.plain_data import tell
    from flows.starter import FILES, refuse_existing, write_starter
    from flows.terminal import watching, wide

    if origin is None:
        written = write_starter(directory)
        following = f"put bills under {directory / 'bills'}, then: attribution check --workspace {directory}"
        tell({"written": written}, Group(*map(str, written), f"\nNext: {following}"), as_json=as_json)
        return
    from flows.starter.described import rules_text, settings_text
    from flows.starter.look import look
    from flows.starter.shown import shown

    refuse_existing(directory)
    with watching() as watch:
        found = look(origin, directory, watch)
    written = write_starter(directory, dict(zip(FILES, (settings_text(found), rules_text(found)), strict=True)))
    open_questions = any(one.questions for one in found.sources)
    first = "read both files, answer their questions" if open_questions else "read both files"
    following = f"{first}, then: attribution check --workspace {directory}"
    if not as_json:
        wide.print(shown(found))
    tell({"written": written, "found": found}, Group(*map(str, written), f"\nNext: {following}"), as_json=as_json)


@app.command()
def check(workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Read the configuration alone and name every fault in it.

    Example: attribution check --workspace sample_bills
    """
    from flows.checking import check_workspace
    from flows.plain_data import tell

    lines = check_workspace(workspace)
    tell({"said": lines}, "\n".join(lines), as_json=as_json)


@app.command()
def ingest(
    workspace: Folder = HERE,
    as_of: AsOf = None,
    accept_shrink: AcceptShrink = None,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would do, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take in new bills, without attributing them yet.

    Example: attribution ingest --dry-run --workspace sample_bills
    """
    from flows.arrival import arrived_data, arrived_text, complain
    from flows.plain_data import as_json_text, tell
    from flows.preview import preview, preview_data, shown
    from flows.steps import ingest_only
    from flows.terminal import print_plain, read_instant, watching, wide

    stated = load(workspace), read_instant(as_of)
    with watching() as watch:
        if dry_run:
            found = preview(*stated, watch, accept_shrink or ())
        else:
            arrived = ingest_only(*stated, watch, accept_shrink or ())
    if not dry_run:
        tell(arrived_data(arrived), arrived_text(arrived), as_json=as_json)
    elif as_json:
        print_plain(as_json_text(preview_data(found)))
    else:
        wide.print(shown(found))
    complain(found.arrived.settled.held_back if dry_run else arrived.settled.held_back)


@app.command()
def run(
    workspace: Folder = HERE, as_of: AsOf = None, accept_shrink: AcceptShrink = None, *, as_json: AsJson = False
) -> None:
    """Do what the nightly flow does: bills in, costs and findings out, costs.duckdb replaced.

    Example: attribution run --workspace sample_bills --as-of 2026-11-05T06:00:00Z
    """
    from attribution.reports.nightly import nightly_summary
    from flows.arrival import complain
    from flows.plain_data import tell
    from flows.steps import nightly
    from flows.terminal import read_instant, watching

    with watching() as watch:
        summary = nightly(load(workspace), read_instant(as_of), watch, accept_shrink=accept_shrink or ())
    tell(summary, nightly_summary(summary), as_json=as_json)
    complain(summary.held_back)


@app.command()
def detect(
    workspace: Folder = HERE,
    as_of: AsOf = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(help="End with exit code 1 where a finding stands above it. May be given more than once."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Detect anew over what is attributed, without reading bills; a gate for scripts.

    Example: attribution detect --fail-on "growth>20%" --fail-on "severity>=critical" --workspace sample_bills
    """
    from flows.gates import check_gates, read_gates
    from flows.plain_data import tell
    from flows.steps import detect_again
    from flows.terminal import ABOVE_GATE, read_instant, watching

    stated = load(workspace)
    gates = read_gates(fail_on or ())
    with watching() as watch:
        found = detect_again(stated, read_instant(as_of), watch)
    lines = check_gates(stated.store, gates)
    said = [f"{counted(found, 'finding')} (see: attribution findings)", *lines]
    tell({"findings": found, "above": lines}, "\n".join(said), as_json=as_json)
    if lines:
        raise typer.Exit(ABOVE_GATE)


@app.command()
def backfill(first: str, last: str, workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Look back over a range of months, so that findings have the age they would have.

    Example: attribution backfill 2026-08 2026-10 --workspace sample_bills
    """
    from attribution.reports.nightly import nightly_summary
    from flows.plain_data import tell
    from flows.steps import backfill as look_back
    from flows.terminal import read_month, watching

    with watching() as watch:
        nights = look_back(load(workspace), read_month(first), read_month(last), watch)
    tell(nights, nightly_summary(nights[-1]), as_json=as_json)


@app.command()
def weekly(
    workspace: Folder = HERE,
    as_of: AsOf = None,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write each mail as a file, send none.")] = False,
    approve: Annotated[bool, typer.Option("--approve", help="The recipients are right: send to them from now on.")] = (
        False
    ),
    again: Annotated[
        list[str] | None,
        typer.Option(help="An address whose mail goes once more, though it may have arrived. May be given repeatedly."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the reports of the last complete week and mail them; nothing is sent twice.

    Mails go to recipients that were approved. Where they changed, mails are left as files until --approve.

    Example: attribution weekly --dry-run --workspace sample_bills --as-of 2026-11-05T06:00:00Z
    """
    from flows.mailing import Asked, complain, weekly_table
    from flows.plain_data import tell
    from flows.steps import weekly as write_and_mail
    from flows.terminal import read_instant, watching
    from schemas.faults import Fault, InputError

    if dry_run and (approve or again):
        raise InputError(Fault("weekly", "--dry-run sends nothing, so it goes with no other of these options"))
    asked = Asked(dry_run=dry_run, approve=approve, again=tuple(again or ()))
    with watching() as watch:
        done = write_and_mail(load(workspace), read_instant(as_of), watch, asked=asked)
    tell(done, weekly_table(done), as_json=as_json)
    complain(done)


@app.command()
def dispute(
    reference: Annotated[str | None, typer.Argument(help="The reference that the mail names.")] = None,
    subject: Annotated[str | None, typer.Argument(help="What it is about, for example experiment=b30-run-1.")] = None,
    workspace: Folder = HERE,
    *,
    says: Annotated[str, typer.Option(help="The reader's words; with --settle, what was done about it.")] = "",
    settle: Annotated[int | None, typer.Option(help="Close the dispute of this number.")] = None,
    as_json: AsJson = False,
) -> None:
    """Record what the reader of a mail says is not theirs, settle it, or list what is open.

    It stands in the findings until it is settled.

    Example: attribution dispute --workspace sample_bills
    """
    from flows.answering import open_disputes, record_answer, settle_answer
    from flows.plain_data import tell
    from flows.questions import show
    from schemas.faults import Fault, InputError

    stated = load(workspace)
    if settle is not None and reference is None:
        settle_answer(stated, settle, says)
        tell({"dispute": settle, "state": "settled"}, f"Dispute {settle} is settled.", as_json=as_json)
    elif reference is None:
        show(open_disputes(stated.store), as_json=as_json)
    elif subject is None or settle is not None:
        raise InputError(Fault("dispute", "name a reference and what it is about, or --settle and a number"))
    else:
        number = record_answer(stated, reference, subject, says)
        said = f"Recorded as dispute {number}. It stands in the findings from the next run on."
        tell({"dispute": number, "state": "open"}, said, as_json=as_json)


@app.command()
def publish(
    workspace: Folder = HERE,
    *,
    with_charges: Annotated[bool, typer.Option("--with-charges", help="Put the charges inside the file too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write costs.duckdb anew from the ledger.

    Example: attribution publish --with-charges --workspace sample_bills
    """
    from attribution.ledger import open_ledger
    from attribution.ledger import publish as publish_ledger
    from flows.plain_data import tell
    from flows.terminal import watching

    with watching() as watch, open_ledger(load(workspace).store, on_wait=lambda said: watch(said, 0, 0)) as ledger:
        path = publish_ledger(ledger, with_charges=with_charges)
    tell({"published": path}, str(path), as_json=as_json)


@app.command()
def close(month: str, workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Keep a billing month as reported: what comes later waits as a pending difference until it is opened again.

    Example: attribution close 2026-09 --workspace sample_bills
    """
    from flows.closing import close_month
    from flows.plain_data import tell
    from flows.terminal import read_month, watching

    with watching() as watch:
        said = close_month(load(workspace), read_month(month), watch)
    tell({"said": said}, said, as_json=as_json)


@app.command()
def reopen(month: str, workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Open a closed month again: the next run restates it, and `restatements` says what changed and why.

    Example: attribution reopen 2026-09 --workspace sample_bills
    """
    from flows.closing import reopen_month
    from flows.plain_data import tell
    from flows.terminal import read_month, watching

    with watching() as watch:
        said = reopen_month(load(workspace), read_month(month), watch)
    tell({"said": said}, said, as_json=as_json)
