"""Waste detectors against labels written from docs/detectors.md alone, through the whole night and on files.

    python benchmarks/detection_labels.py               # puts its table into benchmarks/detection.md, figures beside it

Seeded workspaces of bills and of every input beside them are written, `attribution run` is run on each, and what
`findings` then says is held against the labels. A finding on a subject of another detector counts as wrong,
unless that detector's own words fit the subject too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import labels_bill  # noqa: E402
import labels_bill_work  # noqa: E402
import labels_inventory  # noqa: E402
import labels_inventory_owners  # noqa: E402
import labels_inventory_traces  # noqa: E402
import labels_short  # noqa: E402
import labels_training_jobs  # noqa: E402
import labels_training_runs  # noqa: E402
import labels_training_stores  # noqa: E402
import labels_utilization  # noqa: E402
import labels_utilization_sizes  # noqa: E402
from label_world import AS_OF, Label, World  # noqa: E402
from labels_healthy import healthy  # noqa: E402

from attribution.ledger import query  # noqa: E402
from flows.settings import load_workspace  # noqa: E402
from flows.steps import nightly  # noqa: E402

Told = list[tuple[str, str, str]]  # kind, subject, verdict
LABELLED = (labels_bill, labels_bill_work)
LISTED = (labels_inventory, labels_inventory_owners, labels_inventory_traces, labels_utilization,
          labels_utilization_sizes)  # fmt: skip
TRAINED = (labels_training_jobs, labels_training_runs, labels_training_stores)
GROUPED: tuple[tuple[ModuleType, ...], ...] = (LABELLED, LISTED, TRAINED, (labels_short,))
FIRST_ANSWERS = (
    "The table shows the state after every disagreement was decided. When the first labels met the product:",
    "",
    "- The product was wrong: file systems and stored logs were taken for buckets, since their meters share a name.",
    "- The product was wrong: 60 days without a request fired on the 61st; a line without a meter counted as none.",
    "- The product was wrong: volumes younger than `min_age_days` were called left over.",
    "- The labels were wrong: unknown cost is told as unknown; transfer names where to; a stopped machine is told too.",
    "- The product was wrong: the type `public address` in an inventory was no address to it.",
    "- The documents were silent on unknown cost and on what ended within the month; they say it now.",
)
SECOND_ANSWERS = (
    "",
    "When the second labels met it:",
    "",
    "- The product was wrong: a queue was not seen to wait behind a job that had begun before the window.",
    "- The product was wrong: a completed run without an end counted as going on.",
    "- The product was wrong: a savings plan was called a resource that no inventory lists.",
    """- The documents were wrong, and the labels were changed with them: a peak that reaches its threshold is use;
  peaks and GPUs' memory are asked for only where they are told; sizes are compared by their names; what peaks below
  5 % is left to the detectors of idle things; debug logging costs what is paid for logs; a failed run of the
  experiment, whenever it was, tells of its jobs.""",
    """- The product was silent where one blank cell decides: a class of storage, a level of logs, tokens or
  GPUs, the state of a machine, a size, a metric, the end of a run. It says undetermined now, or the page says why
  not.""",
    "- The product named no machine with a quiet processor, a busy network and a smaller size beside it.",
)
WRITERS = (
    "Two people wrote labels, neither of them the writer of the detectors they label:",
    "",
    """- of the detectors of the bill, of what is loose, of stores and of what is out of use: somebody who had read
  `docs/detectors.md` and a few cases of `tests/detection`, and no detector before these labels stood;""",
    """- of all others, and of the healthy company's work: somebody who had read the pages in `docs/`, the design and
  the labels that were there, and no line of the detectors nor of their tests before these labels stood.""",
)
OPEN: tuple[str, ...] = ()
"""Faults of the product that are known and not mended yet; the table counts them as what they are."""
MARK = "labels from the docs"
UNKNOWN = {"missing", "undetermined"}


def main() -> None:
    """Run the workspaces, print and write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=20261110)
    parser.add_argument("--keep", type=Path, help="write the workspaces here and leave them")
    wanted = parser.parse_args()
    root = wanted.keep or Path(tempfile.mkdtemp(prefix="labels-"))
    worlds = [_world(wanted.seed + n, modules) for n, modules in enumerate(GROUPED)]
    told = [one for n, world in enumerate(worlds) for one in night(world, root / f"labelled-{n}")]
    labels = [label for world in worlds for label in world.labels]
    alarms = [one for one in night(healthy(wanted.seed), root / "healthy") if one[2] == "finding"]
    bare = World(wanted.seed, lines=worlds[1].lines + worlds[2].lines)
    kinds = [{label.kind for label in world.labels} for world in worlds]
    beside = (kinds[1] | kinds[2]) - kinds[0]
    guesses = [one for one in night(bare, root / "bare") if one[2] == "finding" and one[0] in beside]
    scores, wrong = score(labels, told)
    page = table(scores, wrong, {"healthy": alarms, "bare": guesses}, wanted.seed)
    print(page)
    write(page, HERE / "detection.md")
    figures = {"scores": scores, "disagreements": len(wrong), "healthy": len(alarms), "bare": len(guesses)}
    (HERE / "detection_labels.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if wanted.keep is None:
        shutil.rmtree(root)


def _world(seed: int, modules: tuple[ModuleType, ...]) -> World:
    world = World(seed)
    for module in modules:
        for group in module.GROUPS:
            group(world)
    return world


def night(world: World, root: Path) -> Told:
    """Write a workspace, run its night, and read what detectors said."""
    root.mkdir(parents=True)
    workspace = load_workspace(world.write(root))
    nightly(workspace, datetime.fromisoformat(AS_OF))
    kinds = query(workspace.store, "SELECT DISTINCT kind FROM detectors")["kind"].to_list()
    rows = query(workspace.store, "SELECT kind, subject, verdict FROM findings")
    return [row for row in rows.iter_rows() if row[0] in kinds]


def score(labels: list[Label], told: Told) -> tuple[list[dict[str, object]], list[str]]:
    """One detector a row, and each disagreement in words."""
    fired = {(kind, subject) for kind, subject, verdict in told if verdict == "finding"}
    left_open = {(kind, subject) for kind, subject, verdict in told if verdict == "undetermined"}
    own = {(one.kind, one.subject): one for one in labels if one.expected != "allowed"}
    also = {(kind, one.subject) for one in labels for kind in one.also}
    also |= {(one.kind, one.subject) for one in labels if one.expected == "allowed"}
    wrong = [
        f"missed `{one.kind}`: {one.why}" for key, one in own.items() if one.expected == "waste" and key not in fired
    ]
    kinds = sorted({kind for kind, _ in own} | {kind for kind, _ in fired - also})
    strays = {kind: [s for k, s in sorted(fired - also) if k == kind and (k, s) not in own] for kind in kinds}
    wrong += [
        f"silent `{kind}`: {one.why}"
        for (kind, of), one in own.items()
        if one.expected == "undetermined" and (kind, of) not in left_open
    ]
    wrong += [f"wrong `{key[0]}`: {own[key].why}" for key in sorted(fired & set(own)) if own[key].expected != "waste"]
    wrong += [f"stray `{kind}`: on {subject}" for kind in kinds for subject in strays[kind]]
    rows: list[dict[str, object]] = []
    for kind in kinds:
        mine = {key: one for key, one in own.items() if key[0] == kind}
        count = Counter(one.expected for one in mine.values())
        right = sum(one.expected == "waste" and key in fired for key, one in mine.items())
        false = sum(one.expected != "waste" and key in fired for key, one in mine.items()) + len(strays[kind])
        rows.append({
            "kind": kind, "must": count["waste"], "near": count["near"],
            "missing": sum(one.expected in UNKNOWN for one in mine.values()),
            "precision": right / (right + false) if right + false else 1.0,
            "recall": right / count["waste"] if count["waste"] else 1.0,
            "open": sum(one.expected in UNKNOWN and key in left_open for key, one in mine.items()),
        })  # fmt: skip
    return rows, wrong


def table(scores: list[dict[str, object]], wrong: list[str], alarms: dict[str, Told], seed: int) -> str:
    """The section of the page."""
    return "\n".join([
        "## Waste, by labels written from the documents alone", "",
        (f"`python benchmarks/detection_labels.py --seed {seed}`: workspaces of files go through the whole night. "
         "Wrong are findings on near misses, on subjects with missing data, and on subjects of other detectors, unless "
         "the detector's own words fit these too; and silence on what must be told as undetermined."), "",
        *WRITERS, "", *FIRST_ANSWERS, *SECOND_ANSWERS, "", *OPEN,
        "| detector | must fire | near misses | missing data | precision | recall | told as undetermined |",
        "|---|---|---|---|---|---|---|",
        *("| `{kind}` | {must} | {near} | {missing} | {precision:.3f} | {recall:.3f} | {open} |".format(**one)
          for one in scores), "",
        (f"A healthy company of three projects, with every input: {len(alarms['healthy'])} findings of waste. The "
         f"bills of the labelled ones without any other file: {len(alarms['bare'])} findings of detectors that need "
         "one."), "",
        *(f"- {kind}: {subject}" for told in alarms.values() for kind, subject, _ in told),
        *(["Disagreements:", "", *(f"- {line}" for line in wrong), ""] if wrong else ["No disagreement is left.", ""]),
    ])  # fmt: skip


def write(section: str, page: Path, mark: str = MARK) -> None:
    """Put the section in place of the former one, or at the end of the page; what others wrote stays."""
    opening, closing = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    before, begin, rest = text.partition(opening)
    after = rest.partition(closing)[2].lstrip("\n") if begin else ""
    page.write_text(
        f"{before.rstrip()}\n\n{opening}\n{section}{closing}\n" + (f"\n{after}" if after else ""), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
