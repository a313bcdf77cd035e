"""Odd days on their thresholds: bounds, shapes, warm-up, fees, what is provisional, what is told and how long."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal

from edges import CENT, FIRST, LAST, NOVEMBER, TODAY, Case, Costs, Edges, days, flat, with_days

MIDDLE = date(2026, 10, 20)
"""A Tuesday in the middle of the last complete month."""
ONE = timedelta(days=1)


def shapes_of(w: Edges, threshold: str, subject: str, told: str, why: str, *, fires: bool) -> None:
    """Expect these shapes of a subject, in the order of days."""
    query = (
        f"SELECT coalesce(string_agg(shape, ', ' ORDER BY start), 'none') FROM anomalies WHERE subject = '{subject}'"
    )
    w.want(threshold, query, told, fires=fires, why=why)


def status_of(w: Edges, threshold: str, subject: str, day: date, status: str, *, why: str) -> None:
    """Expect how a day is judged."""
    query = f"SELECT status FROM daily_bounds WHERE subject = '{subject}' AND usage_date = '{day}'"
    w.want(threshold, query, status, fires=status in ("above", "below"), why=why)


def odd(costs: Costs, on: Iterable[date], level: Decimal, times: str = "1.5") -> dict[date, Decimal]:
    """Some days that cost so many times the level."""
    return with_days(costs, on, level * Decimal(times))


def run_of(first: date, count: int) -> list[date]:
    """So many days in a row."""
    return [first + ONE * place for place in range(count)]


def bounds(w: Edges) -> None:
    """At least 15 % above what is expected; an excess of 100 is a finding."""
    for more, status in ((-CENT, "usual"), (CENT, "above")):
        level = w.level()
        subject = w.spend(f"bound{more}", with_days(flat(level), [MIDDLE], level * Decimal("1.15") + more))
        status_of(w, "bounds of 15 %", subject, MIDDLE, status, why=f"15 % and {more}")
    for less, fires in ((Decimal(0), True), (CENT, False)):
        costs = with_days(flat(Decimal(200)), [LAST - ONE * 4], Decimal(300) - less)
        subject = w.spend(f"excess-{less}", costs)
        w.told("anomaly minimum", "anomaly", subject, f"an excess of 100 less {less}", fires=fires)


def shapes(w: Edges) -> None:
    """Up to 3 days are a spike, 4 a level shift; at most 2 usual ones lie within one episode."""
    for count, shape in ((1, "spike"), (3, "spike"), (4, "level shift")):
        level = w.level()
        subject = w.spend(f"odd-{count}", odd(flat(level), run_of(MIDDLE, count), level))
        shapes_of(w, "spike or level shift", subject, shape, f"{count} days", fires=shape != "spike")
    for gap, told in ((2, "spike"), (3, "spike, spike")):
        level = w.level()
        subject = w.spend(f"gap-{gap}", odd(flat(level), [MIDDLE, MIDDLE + ONE * (gap + 1)], level))
        shapes_of(w, "one episode", subject, told, f"{gap} usual days between two odd ones", fires=gap > 2)  # noqa: PLR2004


def warm_up(w: Edges) -> None:
    """A series is judged from its 15th day on; silence needs 14 days that all had cost."""
    for before in (13, 14):
        level = w.level()
        subject = w.spend(f"young-{before}", odd(flat(level, MIDDLE - ONE * before), [MIDDLE], level, "3"))
        status = "above" if before == 14 else "not judged"  # noqa: PLR2004 - the warm-up of the documents
        status_of(w, "warm-up of 14 days", subject, MIDDLE, status, why=f"{before} days before")
    for before in (13, 14):
        level = w.level()
        gap = [MIDDLE - ONE * (before + 1)]
        subject = w.spend(f"whole-{before}", with_days(flat(level), gap + run_of(MIDDLE, 3), Decimal(0)))
        told = "silence" if before == 14 else "none"  # noqa: PLR2004
        shapes_of(w, "silence after 14 days with cost", subject, told, f"{before} whole days", fires=told != "none")


def silence(w: Edges) -> None:
    """2 days at or below 2 %; told of services, sources and accounts, not by the last 2 days."""
    for count, told in ((1, "none"), (2, "silence")):
        level = w.level()
        subject = w.spend(f"quiet-{count}", with_days(flat(level), run_of(MIDDLE, count), Decimal(0)))
        shapes_of(w, "silence of 2 days", subject, told, f"{count} days", fires=count > 1)
    for more, told in ((Decimal(0), "silence"), (CENT, "none")):
        level = w.level()
        subject = w.spend(f"little-{more}", with_days(flat(level), run_of(MIDDLE, 3), level / 50 + more))
        shapes_of(w, "silence of 2 %", subject, told, f"2 % and {more}", fires=not more)
    for count in (3, 4):
        project = f"stopped-{count}"
        subject = w.spend(project, flat(w.level(), FIRST, LAST - ONE * count))
        fires = count > 3  # noqa: PLR2004 - two days, and two provisional ones
        w.told("silence is not called by 2 provisional days", "sudden_silence", f"service=Service @{project}",
               f"silent for {count} days", fires=fires, answer="coalesce(max(verdict), 'none')",
               must_be="undetermined" if fires else "none")  # fmt: skip
        for kind in ("sudden_silence", "anomaly"):
            for told_of in (subject, f"project=@{project}"):
                w.told("a project may end", kind, told_of, f"silent for {count} days", fires=False)
    subject = w.spend("provisional", flat(w.level()))
    for place in (1, 2):
        query = (
            f"SELECT provisional FROM daily_bounds WHERE subject = '{subject}' AND usage_date = '{LAST - ONE * place}'"
        )
        w.want("2 provisional days", query, place < 2, fires=place < 2, why=f"{place + 1} days before the end")  # noqa: PLR2004


def leaks(w: Edges) -> None:
    """4 weeks that rise by 25 % in all, over the week before them."""
    monday = date(2026, 9, 7)
    for step, told in ((Decimal("0.0565"), "none"), (Decimal("0.0585"), "leak")):
        level = w.level()
        costs = flat(level)
        for week in range(1, 9):
            rises = min(week, 4)
            costs |= dict.fromkeys(
                run_of(monday + ONE * 7 * (week - 1), 7), (level * (1 + step) ** rises).quantize(CENT)
            )
        costs |= flat(costs[monday + ONE * 28], monday + ONE * 56)
        subject = w.spend(f"leak-{told}", costs)
        shapes_of(w, "leak of 25 %", subject, told, f"four weeks of {step} each", fires=told == "leak")
    level = w.level()
    costs = flat(level)
    for week, times in enumerate(("1.08", "1.08", "1.08", "1.16", "1.25")):
        costs |= flat(level * Decimal(times), monday + ONE * 7 * week)
    shapes_of(
        w, "leak of weeks that all rise", w.spend("plateau", costs), "none", "a plateau of two weeks", fires=False
    )


def fees(w: Edges) -> None:
    """A fee of the 1st to 3rd counts from 20 % of the level on, where one of the two months before had it."""

    def with_fee(level: Decimal, share: str, months: Iterable[int], day: int, more: Decimal) -> dict[date, Decimal]:
        return with_days(flat(level), [date(2026, month, day) for month in months], level * Decimal(share) + more)

    every = range(6, 12)
    for more, status in ((-CENT, "above"), (CENT, "usual")):
        subject = w.spend(f"fee{more}", with_fee(w.level(), "1.2", every, 1, more))
        status_of(w, "fee of 20 %", subject, NOVEMBER, status, why=f"20 % and {more}, each month")
    for day, status in ((3, "usual"), (4, "above")):
        subject = w.spend(f"fee-on-{day}", with_fee(w.level(), "2", every, day, Decimal(0)))
        status_of(w, "fee of the 1st to 3rd", subject, date(2026, 11, day), status, why=f"on the {day}th of each month")
    for month, status in ((8, "above"), (9, "usual")):
        subject = w.spend(f"fee-of-{month}", with_fee(w.level(), "2", (month, 11), 1, Decimal(0)))
        status_of(w, "fee of two months before", subject, NOVEMBER, status, why=f"last in month {month}")


def lasting(w: Edges) -> None:
    """An episode is told until 14 days after its end, counted to the run's date."""
    for age, fires in ((14, True), (15, False)):
        level = w.level()
        subject = w.spend(f"age-{age}", odd(flat(level), [TODAY - ONE * age], level))
        w.told("told for 14 days", "anomaly", subject, f"{age} days ago", fires=fires)


def left_out(w: Edges) -> None:
    """Long charges, own costs, credits; what growth tells, and what a plan foresaw."""
    level = w.level()
    subject = w.spend("yearly", flat(level))
    for month in (10, 11):
        w.spend("yearly", {date(2026, month, 5): level * 5}, ChargePeriodEnd=f"2026-{month}-28T00:00:00Z")
    shapes_of(w, "charges of longer than a day", subject, "none", "five times the level, for three weeks", fires=False)
    subject = w.spend("granted", flat(level))
    w.spend("granted", {MIDDLE: -level, MIDDLE + ONE: -level}, ChargeCategory="Credit")
    shapes_of(w, "credits on a day", subject, "none", "two days paid by a credit", fires=False)
    subject = w.spend(
        "batch", {day: level * (5 if day == MIDDLE else 1) for day in days() if day.weekday() in (1, 3, 5)}
    )
    shapes_of(w, "what usually costs nothing", subject, "none", "three days of seven", fires=False)
    subject = w.spend("grew", flat(level) | flat(level * 2, date(2026, 10, 27)))
    w.told("growth tells of it already", "anomaly", subject, "November is twice October's first days", fires=False)
    w.grows("growth tells of it already", subject, NOVEMBER, "finding", "twice")
    subject = w.spend("foreseen", odd(flat(level), run_of(LAST - ONE * 5, 2), level))
    w.put(
        "planned",
        **{"from": "2026-11-03", "to": "2026-11-05"},
        project="@foreseen",
        amount=str(level * 4),
        reason="a test",
    )
    w.told("a plan foresaw it", "anomaly", subject, "two days within their plan", fires=True,
           answer="coalesce(max(state), 'none')", must_be="planned")  # fmt: skip


CASES: tuple[Case, ...] = (bounds, shapes, warm_up, silence, leaks, fees, lasting, left_out)
