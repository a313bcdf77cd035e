"""Growth, odd days and caps against labels of a second hand, beside the rules of others.

The labels were written by somebody who had read DESIGN, the documents and how the first benchmark scores, and no
detector. Mistakes of the labels were mended on the seeds in LOOKED alone; what is published is of REPORTED.

    python benchmarks/growth_labels.py            # prints its section of benchmarks/detection.md, and renews it
    python benchmarks/growth_labels.py --look     # of the seeds that were looked at; writes nothing
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

import budgets
import detection_quality as quality
import edges_night
import growth_caps
import growth_days
import growth_months
import peers
from detection_labels import write

HERE = Path(__file__).parent
MARK = "labels of a second hand"
LOOKED, REPORTED = range(5), range(5, 30)
NIGHTS = 10
"""Seeds of the cases on thresholds: only their amounts are drawn."""
FIRST_ANSWERS = (
    "The tables show the state after every disagreement was decided. When the labels first met the product:",
    "",
    "- The product was wrong: a service that fell silent was not told where one project was all of it (25 of 25).",
    "- The product was wrong: odd days within a plan alarmed, for their days counted as silent without it (25 of 25).",
    "- The product was wrong: a fee that fell on weekends was measured against weekdays, and alarmed on the next one.",
    "- The product was wrong: a base below zero was told once a subject, and above it as growth (precision 0.967).",
    "- The documents were silent on how far ahead a total's breach is looked for, and the product was a day short.",
    "- The documents were vague on the weeks of a leak, on how long an episode is told, and on warnings of the past.",
)
Scores = dict[str, quality.Score]


def days_of(seeds: range) -> Scores:
    """All rules on the daily series."""
    series = [one for seed in seeds for one in growth_days.make(seed)]
    said = {name: quality.their_alarms(series, rule) for name, rule in peers.DAILY.items()}
    return {quality.OURS: quality.score_days(series, quality.our_alarms(series), ours=True)} | {
        name: quality.score_days(series, alarms, ours=False) for name, alarms in said.items()
    }


def months_of(seeds: range) -> Scores:
    """All rules on the companies."""
    companies = [growth_months.make(seed) for seed in seeds]
    return {quality.OURS: quality.score_months(companies)} | {
        name: quality.score_months_of(companies, name) for name in peers.DAILY
    }


def caps_of(seeds: range) -> list[tuple[str, str]]:
    """How caps are foreseen; seeds of one month go through its nights together."""
    worlds: dict[budgets.Span, list[budgets.Capped]] = {}
    for seed in seeds:
        worlds.setdefault(growth_caps.month_of(seed), []).extend(growth_caps.make(seed))
    return budgets.measure(worlds.items())


def found_of(score: quality.Score) -> str:
    """Each kind of event: how many of how many were found."""
    return ", ".join(f"{name} {hit} of {all_}" for name, (hit, all_) in sorted(score.by_shape.items()))


def section(seeds: range) -> str:
    """The section of the page."""
    days, months, caps = days_of(seeds), months_of(seeds), caps_of(seeds)
    edges = edges_night.all_answers(seeds[:NIGHTS])
    wrong = Counter(one[0].threshold for one in edges if not edges_night.is_right(one))
    fates = Counter(fate for seed in seeds for fate in growth_months.make(seed).fates.values())
    quiet = ", ".join(f"{fate} {count}" for fate, count in sorted(fates.items()) if fate not in growth_months.GREW)
    return "\n".join([
        "## Labels by someone who had read only the documents", "",
        (f"`python benchmarks/growth_labels.py`: seeds {seeds[0]} to {seeds[-1]} of `growth_days.py`, "
         "`growth_months.py`, `growth_caps.py` and `edges*.py`. They were written by somebody who had read the design, "
         "the documents, and how the benchmark above labels and scores, and no detector before the labels stood. "
         f"Mistakes of the labels were mended on seeds {LOOKED[0]} to {LOOKED[-1]} alone, and no number of the product "
         "was chosen on either. Scoring and rules of others are those above."), "",
        *FIRST_ANSWERS, "",
        "### Odd days", "", *quality.table_of(days, days=True), "", f"Found: {found_of(days[quality.OURS])}.", "",
        "### Growth from month to month", "", *quality.table_of(months, days=False), "",
        f"Found: {found_of(months[quality.OURS])}. Rightly silent unless told: {quiet}.", "",
        "### Caps", "", "| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in caps), "",
        "### On each threshold, and one unit beside it", "",
        (f"Bills, plans, budgets, runs and checkpoints as files, through the whole night, {len(edges)} cases of seeds "
         f"{seeds[0]} to {seeds[:NIGHTS][-1]}; as a rule one cent or one day lies between what must fire and what must "
         "not."), "",
        *edges_night.table_of(edges), "",
        *(f"- {threshold}: {count} cases are judged otherwise." for threshold, count in wrong.items()), "",
    ])  # fmt: skip


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--look", action="store_true", help="the seeds that were looked at; writes nothing")
    look = parser.parse_args().look
    start = time.perf_counter()
    text = section(LOOKED if look else REPORTED)
    print(text, f"{time.perf_counter() - start:.0f} s", sep="\n")
    if not look:
        write(text, HERE / "detection.md", MARK)


if __name__ == "__main__":
    main()
