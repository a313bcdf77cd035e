"""Waste detectors against labels written from docs/detectors.md alone, through the whole night and on files.

    python benchmarks/detection_labels.py               # puts its table into benchmarks/detection_waste.md

A seeded workspace of bills, tags, an inventory, measurements and jobs is written, `attribution run` is run on it, and
what `findings` then says is held against the labels. A finding on a subject of another detector counts as wrong,
unless that detector's own words fit the subject too.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import labels_bill  # noqa: E402
import labels_bill_work  # noqa: E402
import labels_inventory  # noqa: E402
from label_world import AS_OF, Label, World  # noqa: E402
from labels_healthy import healthy  # noqa: E402

from attribution.ledger import query  # noqa: E402
from flows.settings import load_workspace  # noqa: E402
from flows.steps import nightly  # noqa: E402

Told = list[tuple[str, str, str]]  # kind, subject, verdict
FIRST_ANSWERS = (
    "The table shows the state after every disagreement was decided. When the labels first met the product:",
    "",
    "- The product was wrong: file systems and stored logs were taken for buckets, since their meters share a name.",
    "- The product was wrong: 60 days without a request fired on the 61st; a line without a meter counted as none.",
    "- The product was wrong: volumes younger than `min_age_days` were called left over.",
    "- The labels were wrong: unknown cost is told as unknown; transfer names where to; a stopped machine is told too.",
    "- The product was wrong: the type `public address` in an inventory was no address to it.",
    "- The documents were silent on unknown cost and on what ended within the month; they say it now.",
)
BEGIN, END = "<!-- labels from the docs: begin -->", "<!-- labels from the docs: end -->"


def main() -> None:
    """Run both workspaces, print and write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=20261110)
    parser.add_argument("--keep", type=Path, help="write the workspaces here and leave them")
    wanted = parser.parse_args()
    root = wanted.keep or Path(tempfile.mkdtemp(prefix="labels-"))
    world = World(wanted.seed)
    for group in labels_bill.GROUPS + labels_bill_work.GROUPS:
        group(world)
    told = night(world, root / "labelled")
    listed = World(wanted.seed + 1)
    for group in labels_inventory.GROUPS:
        group(listed)
    told += night(listed, root / "listed")
    world.labels += listed.labels
    alarms = [one for one in night(healthy(wanted.seed), root / "healthy") if one[2] == "finding"]
    scores, wrong = score(world.labels, told)
    page = table(scores, wrong, alarms, wanted.seed)
    print(page)
    write(page, HERE / "detection_waste.md")
    if wanted.keep is None:
        shutil.rmtree(root)


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
    wrong += [f"wrong `{key[0]}`: {own[key].why}" for key in sorted(fired & set(own)) if own[key].expected != "waste"]
    wrong += [f"stray `{kind}`: on {subject}" for kind in kinds for subject in strays[kind]]
    rows: list[dict[str, object]] = []
    for kind in kinds:
        mine = {key: one for key, one in own.items() if key[0] == kind}
        count = Counter(one.expected for one in mine.values())
        right = sum(one.expected == "waste" and key in fired for key, one in mine.items())
        false = sum(one.expected != "waste" and key in fired for key, one in mine.items()) + len(strays[kind])
        rows.append({
            "kind": kind, "must": count["waste"], "near": count["near"], "missing": count["missing"],
            "precision": right / (right + false) if right + false else 1.0,
            "recall": right / count["waste"] if count["waste"] else 1.0,
            "open": sum(one.expected == "missing" and key in left_open for key, one in mine.items()),
        })  # fmt: skip
    return rows, wrong


def table(scores: list[dict[str, object]], wrong: list[str], alarms: Told, seed: int) -> str:
    """The section of the page."""
    return "\n".join([
        "## Labels written from the documents alone", "",
        (f"`python benchmarks/detection_labels.py --seed {seed}`: subjects and labels were written by somebody who had "
         "read `docs/detectors.md` and a few cases of `tests/detection`, and no detector before its labels stood. "
         "Whole workspaces of files go through the whole night. Wrong "
         "are findings on near misses, on subjects with missing data, and on subjects of other detectors, unless the "
         "detector's own words fit these too."), "",
        *FIRST_ANSWERS, "",
        "| detector | must fire | near misses | missing data | precision | recall | told as undetermined |",
        "|---|---|---|---|---|---|---|",
        *("| `{kind}` | {must} | {near} | {missing} | {precision:.3f} | {recall:.3f} | {open} |".format(**one)
          for one in scores), "",
        f"A healthy company of three projects: {len(alarms)} findings of waste.", "",
        *(f"- {kind}: {subject}" for kind, subject, _ in alarms),
        *(["Disagreements:", "", *(f"- {line}" for line in wrong), ""] if wrong else ["No disagreement is left.", ""]),
    ])  # fmt: skip


def write(section: str, page: Path) -> None:
    """Put the section at the end of the page, in place of the former one."""
    kept = page.read_text(encoding="utf-8").split(BEGIN)[0].rstrip() if page.exists() else ""
    page.write_text(f"{kept}\n\n{BEGIN}\n{section}{END}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
