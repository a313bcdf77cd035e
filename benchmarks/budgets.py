"""How well breaches of caps are foreseen, on seeds that nothing was tuned on; prints a table, writes budgets.md.

python benchmarks/budgets.py            # seeds 100 to 124
python benchmarks/budgets.py --tuning   # seeds 0 to 9, those the limits were chosen on
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

import polars as pl
from budget_worlds import CENT, END, FIRST, MONTH, Capped, world

import flows  # noqa: F401 - as every command does before polars comes, whose allocator it sets
from attribution.detection.budgets import Clock, budget_rows
from schemas.detection import Watermark, daily_columns
from schemas.plans import Budget

TUNED, REPORTED = range(10), range(100, 125)
Span = tuple[date, date, date]
"""First day of the data, first of the month with the caps, and the day after it."""


def frame_of(capped: list[Capped]) -> pl.DataFrame:
    """Daily costs as detection gets them."""
    blank = dict.fromkeys(daily_columns())
    rows = [
        blank | {"usage_date": day, "source": "cloud", "BillingCurrency": "USD", "ChargeCategory": "Usage",
                 "ServiceName": "Nodes", "cost_element": "compute", "project": one.project, "stage": "s",
                 "experiment": "e", "owner": "o", "EffectiveCost": cost, "BilledCost": cost}
        for one in capped for day, cost in one.days.items()
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=daily_columns())


def first_alarms(capped: list[Capped], span: Span) -> dict[str, date]:
    """Project -> the first night of the month on which its budget was at risk or breached."""
    costs = frame_of(capped)
    budgets = [Budget({"project": one.project}, one.cap, name=one.project) for one in capped]
    alarms: dict[str, date] = {}
    first, month, end = span
    night = month + timedelta(days=1)
    while night <= end:
        last = night - timedelta(days=1)
        seen = costs.filter(pl.col("usage_date") <= last)
        rows = budget_rows(seen, budgets, Clock(night, {"cloud": Watermark(first, last)}), "USD")
        told = rows.filter(pl.col("period_start") == month, pl.col("status").is_in(["at risk", "breached"]))
        for project in told.get_column("budget"):
            alarms.setdefault(project, night)
        night += timedelta(days=1)
    return alarms


def measure(worlds: Iterable[tuple[Span, list[Capped]]]) -> list[tuple[str, str]]:
    """What came of all projects of some worlds."""
    overruns = foreseen = eve = alarmed = false = kept = short = 0
    late: Counter[str] = Counter()
    ahead: list[int] = []
    for span, capped in worlds:
        alarms = first_alarms(capped, span)
        for one in capped:
            night = alarms.get(one.project)
            if one.breach is None:
                kept += 1
                false += night is not None
                spent = sum(cost for day, cost in one.days.items() if day >= span[1])
                short += night is not None and spent == one.cap - CENT
            else:
                overruns += 1
                # A night's run is of 06:00; a whole day must lie between it and the first hour of the breach's day.
                in_time = night is not None and night <= one.breach - timedelta(days=2)
                eve += night is not None and night < one.breach
                foreseen += in_time
                late[one.kind] += not in_time
                ahead += [(one.breach - night).days] if night and in_time else []
            alarmed += night is not None
    ahead.sort()
    return [
        ("projects", str(overruns + kept)),
        ("overruns", str(overruns)),
        ("foreseen at least 24 h ahead", f"{foreseen} ({foreseen / overruns:.1%}; aim 90 %)"),
        ("foreseen by the night before, 18 h ahead", f"{eve} ({eve / overruns:.1%})"),
        ("days ahead, median", str(ahead[len(ahead) // 2])),
        ("not foreseen in time, by kind", ", ".join(f"{kind} {n}" for kind, n in late.most_common() if n)),
        ("alarms", str(alarmed)),
        ("false alarms, of all alarms", f"{false} ({false / alarmed:.1%}; aim at most 5 %)"),
        ("false alarms, of budgets that were kept", f"{false / kept:.1%}"),
        (
            "false alarms without those of budgets kept by one cent",
            f"{false - short} ({(false - short) / alarmed:.1%})",
        ),
    ]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--tuning", action="store_true", help="the seeds that limits were chosen on; writes nothing")
    tuning = parser.parse_args().tuning
    seeds = TUNED if tuning else REPORTED
    table = measure(((FIRST, MONTH, END), world(seed)) for seed in seeds)
    text = "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in table)])
    print(text)
    if not tuning:
        head = (
            "# How well budgets are foreseen\n\n`python benchmarks/budgets.py`, part of `make bench`: seeds "
            f"{seeds.start} to {seeds.stop - 1} of `budget_worlds.py`; limits were chosen on seeds 0 to 9. A month of "
            "nights over each project; an alarm is the status `at risk` or `breached`. In time is an alarm of 06:00 "
            "that lies 24 hours or more before the day of the breach begins.\n\n"
        )
        Path(__file__).with_name("budgets.md").write_text(f"{head}{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
