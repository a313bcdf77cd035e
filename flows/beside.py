"""What splits divide by: jobs, pods, runs, the inventory, and measures, as they were handed in."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from attribution.allocation import Beside
from attribution.inputs import InputFrames, read_measure
from attribution.rules import RuleBook
from schemas.bills import no_rejects
from schemas.faults import Fault, InputError
from schemas.workspace import Workspace


def read_measures(workspace: Workspace, rules: RuleBook) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """The measures that splits name, by the split's name with values by their aliases; and what was refused.

    Raises:
        InputError: with every fault of every file.
    """
    faults: list[Fault] = []
    measures: dict[str, pl.DataFrame] = {}
    rejects = [no_rejects()]
    for split in rules.splits:
        if split.by != "measure" or split.measure is None:
            continue
        names = (*split.inside, *split.across)
        try:
            read = read_measure(workspace.root / split.measure, workspace.root, names)
        except InputError as error:
            faults.extend(error.faults)
            continue
        measures[split.name] = read.frame.with_columns(
            pl.Series(name, map(rules.dimensions[name].canonical, read.frame.get_column(name)), dtype=pl.String)
            for name in names
        )
        rejects.append(read.rejects)
    if faults:
        raise InputError(faults)
    return measures, pl.concat(rejects).unique(maintain_order=True)


def beside_of(
    inputs: InputFrames, measures: dict[str, pl.DataFrame], periods: Callable[[pl.Series], pl.DataFrame]
) -> Beside:
    """All of it as one record.

    Args:
        inputs: the workspace's.
        measures: see `read_measures`.
        periods: gives the charges of resources by their own periods.
    """
    return Beside(
        jobs=inputs.jobs,
        pods=inputs.pods,
        node_states=inputs.node_states,
        runs=inputs.runs,
        resources=inputs.resources,
        usage=inputs.usage,
        measures=measures,
        periods=periods,
    )
