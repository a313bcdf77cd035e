"""Whole nights over the workspaces of edges: what the published file says, against what the documents promise.

python benchmarks/edges_night.py            # of the seeds that were looked at: each disagreement
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import edges_caps  # noqa: E402
import edges_days  # noqa: E402
import edges_months  # noqa: E402
from edges import AS_OF, Edges, Expectation  # noqa: E402

from attribution.ledger import query  # noqa: E402
from flows.settings import load_workspace  # noqa: E402
from flows.steps import nightly  # noqa: E402

Answer = tuple[Expectation, str]


def answers_of(seeds: Iterable[int], root: Path) -> list[Answer]:
    """One night of the cases of some seeds in one workspace; what it says to each expectation."""
    world = Edges(0)
    for seed in seeds:
        world.begin(seed)
        for case in edges_months.CASES + edges_days.CASES + edges_caps.CASES:
            case(world)
    root.mkdir(parents=True)
    workspace = load_workspace(world.write(root))
    nightly(workspace, datetime.fromisoformat(AS_OF))
    wanted = " UNION ALL ".join(
        f"SELECT {n} AS n, ({one.query})::VARCHAR AS said" for n, one in enumerate(world.expected)
    )
    said = query(workspace.store, f"{wanted} ORDER BY n")["said"].to_list()
    return [(one, str(answer)) for one, answer in zip(world.expected, said, strict=True)]


def all_answers(seeds: Sequence[int]) -> list[Answer]:
    """The nights of several seeds, five to a workspace."""
    with tempfile.TemporaryDirectory(prefix="edges-") as root:
        each = [seeds[place : place + 5] for place in range(0, len(seeds), 5)]
        return [answer for some in each for answer in answers_of(some, Path(root) / str(some[0]))]


def is_right(answer: Answer) -> bool:
    """Whether the night said what the label says."""
    expected, said = answer
    return said.lower() == expected.must_be.lower()


def table_of(answers: list[Answer]) -> list[str]:
    """One threshold a row: how many cases on either side, and how many of them were judged rightly."""
    lines = ["| threshold | must fire: rightly | must not: rightly |", "|---|--:|--:|"]
    for threshold in dict.fromkeys(expected.threshold for expected, _ in answers):
        cells = []
        for fires in (True, False):
            mine = [one for one in answers if one[0].threshold == threshold and one[0].fires == fires]
            cells.append(f"{sum(map(is_right, mine))} of {len(mine)}" if mine else "")
        lines.append(f"| {threshold} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Show what a night says otherwise than its labels."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--seeds", type=int, nargs="*", default=range(5))
    answers = all_answers(parser.parse_args().seeds)
    print("\n".join(table_of(answers)))
    for expected, said in answers:
        if not is_right((expected, said)):
            print(f"{expected.threshold} ({expected.why}): {said}, not {expected.must_be}\n    {expected.query}")


if __name__ == "__main__":
    main()
