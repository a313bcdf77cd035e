"""`make bench`: how often detection is right, beside the rules of others, on labelled days and months.

Numbers in the product were chosen on the seeds in TUNED, and what is published is of the seeds in REPORTED alone.

    python benchmarks/detection_quality.py            # prints the tables
    python benchmarks/detection_quality.py --write    # and renews benchmarks/detection.md and detection.json
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import labelled_days
import labelled_months
import peers
import polars as pl

from attribution.detection import detect_growth, growth, subjects_of
from attribution.detection.daily.baseline import expect
from attribution.detection.daily.episodes import LEAK_WEEKS, PROVISIONAL, SILENT_DAYS, episodes, worth_telling
from schemas.detection import Watermark, daily_columns
from schemas.workspace import Anomaly, Growth

HERE = Path(__file__).parent
TUNED = range(10)
REPORTED = range(100, 130)
OURS = "this product"
MINIMUM = Anomaly().minimum
WARM_UP = 30
"""Days that no rule is asked about: the longest warm-up of all of them."""

SLACK = timedelta(days=2)
Alarm = tuple[date, date, bool]  # first day, last day, whether it is about a silence


@dataclass
class Score:
    """Right and wrong alarms of one rule. `delays` are days from the beginning of an event to its first alarm."""

    events: int = 0
    caught: int = 0
    right: int = 0
    wrong: int = 0
    money: float = 0.0
    money_caught: float = 0.0
    months: float = 0.0
    delays: dict[str, list[int]] = field(default_factory=dict)
    by_shape: dict[str, list[int]] = field(default_factory=dict)

    @property
    def recall(self) -> float:
        """Share of events that were caught."""
        return self.caught / self.events if self.events else 1.0

    @property
    def precision(self) -> float:
        """Share of alarms that were about an event."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0


def days_of(series: list[labelled_days.Series]) -> pl.DataFrame:
    """All series as the product takes them."""
    rows = [(n, one.day(place), amount) for n, one in enumerate(series) for place, amount in enumerate(one.amounts)]
    schema = {"series": pl.Int32(), "usage_date": pl.Date(), "amount": pl.Float64()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def our_alarms(series: list[labelled_days.Series]) -> list[list[Alarm]]:
    """What the product says of each series."""
    found: list[list[Alarm]] = [[] for _ in series]
    for row in worth_telling(episodes(expect(days_of(series))), MINIMUM).iter_rows(named=True):
        found[row["series"]].append((row["start"], row["end"], row["shape"] == "silence"))
    return found


def their_alarms(series: list[labelled_days.Series], rule: peers.Odd) -> list[list[Alarm]]:
    """What a peer says of each series."""
    return [
        [
            (first, last, False)
            for first, last in peers.alarms(rule, one.amounts, [one.day(place) for place in range(len(one.amounts))])
        ]
        for one in series
    ]


def score_days(series: list[labelled_days.Series], said: list[list[Alarm]], *, ours: bool) -> Score:
    """Match alarms with labels: they overlap, or come within two days after (a leak: within a week)."""
    score = Score()
    for one, alarms in zip(series, said, strict=True):
        asked = [alarm for alarm in alarms if alarm[1] >= one.day(WARM_UP)]
        score.months += (len(one.amounts) - WARM_UP) / 30
        about: set[Alarm] = set()
        for label in one.labels:
            if abs(label.excess) < MINIMUM:
                continue
            late = timedelta(days=7) if label.shape == "leak" else SLACK
            mine = [
                alarm for alarm in asked
                if alarm[0] <= label.end + late and alarm[1] >= label.start - timedelta(days=1)
                and (alarm[2] == (label.shape == "silence") or not ours)
            ]  # fmt: skip
            about |= set(mine)
            if label.shape != "planned":
                _count(score, label, mine)
        score.right += len(about)
        score.wrong += len(set(asked) - about)
    return score


def _count(score: Score, label: labelled_days.Label, mine: list[Alarm]) -> None:
    score.events += 1
    score.money += abs(label.excess)
    found = score.by_shape.setdefault(label.shape, [0, 0])
    found[1] += 1
    if not mine:
        return
    found[0] += 1
    score.caught += 1
    score.money_caught += abs(label.excess)
    # A silence is called when its days are not provisional any more.
    wait = PROVISIONAL + SILENT_DAYS - 1 if label.shape == "silence" else 0
    score.delays.setdefault(label.shape, []).append(max((min(mine)[0] - label.start).days, 0) + wait)


# ---- months --------------------------------------------------------------------------------------------------------


def daily_frame(company: labelled_months.Company) -> pl.DataFrame:
    """A company's days as the product takes them."""
    blank = dict.fromkeys(daily_columns()) | {"source": "cloud", "BillingCurrency": "USD", "experiment": "unallocated"}
    return pl.DataFrame(
        [{**blank, **row, "BilledCost": row["EffectiveCost"]} for row in company.rows], schema=daily_columns()
    )


def score_months(companies: list[labelled_months.Company]) -> Score:
    """Our findings of the month judged: right where the subject truly grew and no lower finding has 80 % of that."""
    score = Score()
    for company in companies:
        rows = growth(
            daily_frame(company), {"cloud": Watermark(company.first_day, company.last_day)}, Growth(), subjects_of()
        )
        found = detect_growth(rows.filter(pl.col("month") == company.month)).filter(pl.col("verdict") == "finding")
        told = [pairs_of(company, subject) for subject in found.get_column("subject")]
        covered: set[tuple[str, str]] = set()
        for pairs in sorted(told, key=len):
            before, now = (sum((company.rates[pair][side] for pair in pairs), Decimal(0)) for side in (0, 1))
            already = sum((company.rates[pair][1] - company.rates[pair][0] for pair in pairs & covered), Decimal(0))
            days = (company.last_day - company.month).days + 1
            true = (now - before) * days >= 100 and now >= before * Decimal("1.3")  # noqa: PLR2004 - the defaults
            if true and already < (now - before) * Decimal("0.8"):
                score.right += 1
            else:
                score.wrong += 1
            covered |= pairs
        score.events += len(company.grew)
        score.caught += len(company.grew & covered)
        for pair in company.grew:
            found_of = score.by_shape.setdefault(company.fates[pair], [0, 0])
            found_of[1] += 1
            found_of[0] += pair in covered
    return score


def pairs_of(company: labelled_months.Company, subject: str) -> set[tuple[str, str]]:
    """Pairs whose money a subject is."""
    return {
        pair for pair, facts in company.facts.items()
        if all(f" {name}={value} " in f" {subject} " for name, value in facts.items() if f"{name}=" in subject)
    }  # fmt: skip


def score_months_of(companies: list[labelled_months.Company], rule: str) -> Score:
    """A peer's verdicts on each pair, of what the pair costs net of credits."""
    score = Score()
    for company in companies:
        spans = (company.last_day - company.first_day).days + 1
        days = [company.first_day + timedelta(days=place) for place in range(spans)]
        for pair in company.facts:
            sums = dict.fromkeys(days, 0.0)
            for row in company.rows:
                if (row["project"], row["stage"]) == pair:
                    sums[row["usage_date"]] += float(str(row["EffectiveCost"]))  # type: ignore[index]
            alarm = peers.grew(rule, list(sums.values()), days, company.month)
            score.events += pair in company.grew
            score.caught += alarm and pair in company.grew
            score.right += alarm and pair in company.grew
            score.wrong += alarm and pair not in company.grew
    return score


# ---- telling -------------------------------------------------------------------------------------------------------


def measure(seeds: range) -> dict[str, dict[str, Score]]:
    """All rules on all labelled days and months of some seeds."""
    series = [one for seed in seeds for one in labelled_days.make(seed)]
    companies = [labelled_months.make(seed) for seed in seeds]
    days = {OURS: score_days(series, our_alarms(series), ours=True)}
    days |= {name: score_days(series, their_alarms(series, rule), ours=False) for name, rule in peers.DAILY.items()}
    months = {OURS: score_months(companies)}
    months |= {name: score_months_of(companies, name) for name in peers.DAILY}
    return {"days": days, "months": months}


def table_of(scores: dict[str, Score], *, days: bool) -> list[str]:
    """A table in Markdown."""
    head = ["rule", "recall", "precision"]
    head += ["money caught", "false alarms a series and month", "median days to the first alarm"] if days else []
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    for name, score in scores.items():
        cells = [f"**{name}**" if name == OURS else name, f"{score.recall:.3f}", f"{score.precision:.3f}"]
        if days:
            told = ", ".join(f"{shape} {statistics.median(all_):.0f}" for shape, all_ in sorted(score.delays.items()))
            cells += [f"{score.money_caught / score.money:.3f}", f"{score.wrong / score.months:.3f}", told]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


INTRODUCTION = """# How often detection is right

Written by `python benchmarks/detection_quality.py --write` (part of `make bench`); nothing here is edited by hand.

Labels come from `labelled_days.py` and `labelled_months.py`, which import nothing of the product. Numbers in the
product were chosen on seeds {tuned}; **the tables are of seeds {reported}**, with the defaults of a workspace. The
rules of others are in `peers.py`, as their documents state them, and see the same days.

## Odd days

{series} series of {length} days: plain, with weekends, trends, fees at the start of a month, noisy, tiny, sparse
and late ones. Spikes, level shifts, leaks and silences are to be found; restated and late days are not; planned runs
are not counted either way.
"""
LEAKS = """
Found: {shapes}. No rule but ours looks for silences and leaks, so these count against the others. A leak needs {weeks}
weeks to be one. A silence is called when its days are not provisional any more.

## Growth from month to month

{companies} companies of 14 pairs of project and stage, months of 28 to 31 days, half of them running. The product must
name each cause once, among all subjects of a workspace; the others are asked of each pair alone.
"""


def report(found: dict[str, dict[str, Score]], tuned: dict[str, dict[str, Score]], seconds: float) -> str:
    """benchmarks/detection.md."""
    days, months = found["days"], found["months"]
    shapes, fates = (
        ", ".join(f"{name} {hit} of {all_}" for name, (hit, all_) in sorted(scores[OURS].by_shape.items()))
        for scores in (days, months)
    )
    spans = {"tuned": f"{TUNED[0]} to {TUNED[-1]}", "reported": f"{REPORTED[0]} to {REPORTED[-1]}"}
    lines = [
        INTRODUCTION.format(**spans, series=len(REPORTED) * 40, length=labelled_days.DAYS),
        *table_of(days, days=True),
        LEAKS.format(shapes=shapes, weeks=LEAK_WEEKS, companies=len(REPORTED)),
        *table_of(months, days=False),
        f"\nFound: {fates}.\n",
        "## The same on the seeds that numbers were chosen on\n",
        *table_of({OURS: tuned["days"][OURS]}, days=True),
        "",
        *table_of({OURS: tuned["months"][OURS]}, days=False),
        f"\n## Speed\n\n5,000 series of 400 days, baseline and episodes: {seconds:.1f} s on two cores.\n",
    ]
    return "\n".join(lines)


def speed() -> float:
    """Seconds that 5,000 series of 400 days take."""
    series = [one for seed in range(200, 325) for one in labelled_days.make(seed)]
    days = days_of(series)
    start = time.perf_counter()
    worth_telling(episodes(expect(days)), MINIMUM)
    return time.perf_counter() - start


def _plain(score: Score) -> dict[str, float]:
    return {"recall": round(score.recall, 4), "precision": round(score.precision, 4)}


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description="Measure how often detection is right.")
    parser.add_argument("--write", action="store_true", help="renew benchmarks/detection.md and detection.json")
    arguments = parser.parse_args()
    found, tuned = measure(REPORTED), measure(TUNED)
    text = report(found, tuned, speed())
    sys.stdout.write(text)
    if arguments.write:
        page = HERE / "detection.md"
        _, begin, labels = page.read_text(encoding="utf-8").partition("<!-- labels")  # of growth_labels.py; they stay
        page.write_text(text + (f"\n{begin}{labels}" if begin else ""), encoding="utf-8")
        plain = {part: {name: _plain(score) for name, score in scores.items()} for part, scores in found.items()}
        (HERE / "detection.json").write_text(json.dumps(plain, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
