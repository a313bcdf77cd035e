"""`attribution check`: the configuration alone, all faults of all files at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attribution.detection import threshold_faults
from attribution.detection.budgets import budget_faults
from attribution.rules import read_rules
from flows.beside import read_measures
from flows.journal import journal_faults
from flows.settings import load_workspace
from flows.starter import FILES, QUESTION
from schemas.faults import Fault, InputError
from schemas.paths import address_of, matching, relative_name
from schemas.words import counted
from schemas.workspace import Workspace


def check_workspace(root: Path) -> list[str]:
    """What the configuration says, in a few lines.

    Raises:
        InputError: every fault of attribution.toml, rules.toml and the measures that splits divide by.
    """
    faults: list[Fault] = []
    lines: list[str] = []
    rules: tuple[Path, ...] = (root / "rules.toml",)
    workspace = None
    try:
        workspace = load_workspace(root)
    except InputError as error:
        faults.extend(error.faults)
    else:
        rules = workspace.rules
        sources = ", ".join(source.name for source in workspace.sources)
        lines.append(
            f"attribution.toml: {counted(len(workspace.sources), 'source')} ({sources}), store {workspace.store}"
        )
        lines.extend(_files(workspace))
        lines.extend(_questions(root / FILES[0]))
    try:
        if (root / "attribution.toml").is_file():
            book = read_rules(rules, root)
            if workspace is not None:
                faults.extend(threshold_faults(workspace.waste, book.names))
                faults.extend(budget_faults(workspace.budgets, book.names))
                faults.extend(journal_faults(workspace.journal, book.names))
                read_measures(workspace, book)
            named = ", ".join(relative_name(one, root) for one in rules)
            lines.append(
                f"{named}: {counted(len(book.rules), 'rule')}, {counted(len(book.splits), 'split')}, "
                f"{counted(len(book.accounts), 'account')}; "
                f"dimensions {', '.join(book.names)}"
            )
    except InputError as error:
        faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    return [*lines, "No fault found."]


def _questions(file: Path) -> Iterator[str]:
    """Questions that `init --from` wrote and nobody answered; no fault, but what a source delivers may not count."""
    text = file.read_text(encoding="utf-8")
    open_ = [number for number, line in enumerate(text.splitlines(), start=1) if line.startswith(f"# {QUESTION} ")]
    if open_:
        where = f"{'line' if len(open_) == 1 else 'lines'} {', '.join(map(str, open_))}"
        yield f"{file.name}: {counted(len(open_), 'open question')}, {where}: answer, then take the comment out"


def _files(workspace: Workspace) -> Iterator[str]:
    """How many files each source's path matches; none is no fault yet, but a run would stop."""
    for source in workspace.sources:
        place = f'source "{source.name}"'
        try:
            if address_of(source.path, place):
                yield f"{place}: {source.path} is in an object store, which a run lists and this does not"
                continue
            found = matching(workspace.root, source.path, place, workspace.store)
        except InputError as error:
            yield f"{place}: {error.faults[0].what}; a run would stop here"
        else:
            yield f"{place}: {source.path} matches {counted(len(found), 'file')}"
