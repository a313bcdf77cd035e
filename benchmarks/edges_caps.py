"""Budgets, caps and experiments on their thresholds: lines, periods, what is foreseen, days without progress."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from edges import CENT, FIRST, LAST, NOVEMBER, OCTOBER, SEPTEMBER, TODAY, Case, Costs, Edges, flat, with_days

ONE = timedelta(days=1)
END = date(2026, 10, 31)


def budget(w: Edges, name: str, amount: Decimal, period: str = "month", **more: object) -> None:
    """State a budget of a project named like it, unless told otherwise."""
    name = f"{w.mark}{name}"
    facts = {"project": name, "name": name, "period": period} | more
    lines = [
        f"{key} = {value}" if isinstance(value, date | Decimal) else f'{key} = "{value}"'
        for key, value in facts.items()
    ]
    w.settings += "\n".join(["", "[[budget]]", *lines, f"amount = {amount}", ""])


def status(
    w: Edges, threshold: str, name: str, month: date, want: str, *, why: str, kind: str | None = None
) -> None:  # fmt: skip
    """Expect the status of a period, and that its finding is told."""
    query = f"SELECT status FROM budgets WHERE budget = '@{name}' AND period_start = '{month}'"
    w.want(threshold, query, want, fires=want not in ("kept", "may breach"), why=why)
    if kind:
        query = f"SELECT count(*) > 0 FROM findings WHERE kind = '{kind}' AND subject LIKE 'budget=@{name}%'"
        w.want(f"{threshold}, told", query, "true", fires=True, why=why)


def lines(w: Edges) -> None:
    """The amount, the warning line, and the days on which they are reached."""
    for more, want, kind in ((Decimal(0), "breached", "budget_breached"), (CENT, "warned", None)):
        level, name = w.level(), f"hard{more}"
        w.spend(name, flat(level))
        budget(w, name, level * 31 + more)
        status(w, "budget, hard line", name, OCTOBER, want, why=f"all of the amount less {more}", kind=kind)
        if not more:
            query = f"SELECT breach_date FROM budgets WHERE budget = '@{name}' AND period_start = '{OCTOBER}'"
            w.want("day of the breach", query, END, fires=True, why="the last day")
    for less, want in ((Decimal(0), "warned"), (CENT, "kept")):
        level, name = w.level(), f"warn{less}"
        w.spend(name, with_days(flat(level), [OCTOBER], level - less))
        budget(w, name, level * 31 / Decimal("0.8"))
        status(w, "budget, warning line of 0.8", name, OCTOBER, want, why=f"four fifths less {less}")
    for less, want in ((Decimal(0), "warned"), (CENT, "kept")):
        level, name = w.level(), f"half{less}"
        w.spend(name, with_days(flat(level), [OCTOBER], level - less))
        budget(w, name, level * 62, warn_at=Decimal("0.5"))
        status(w, "budget, stated warning line", name, OCTOBER, want, why=f"half less {less}")
    level = w.level()
    w.spend("ages", flat(level))
    budget(w, "ages", level * 30)
    for month, told in ((SEPTEMBER, False), (OCTOBER, True)):
        like = f"budget=@ages%{month:%Y-%m}%"
        query = f"SELECT count(*) > 0 FROM findings WHERE kind = 'budget_breached' AND subject LIKE '{like}'"
        w.want("a breach is told until the month after next", query, told, fires=told, why=f"a breach of {month:%B}")


def periods(w: Edges) -> None:
    """Quarters of the calendar, totals from their first day on, and how far each is foreseen."""
    for more, want in ((Decimal(0), "breached"), (CENT, "warned")):
        level, name = w.level(), f"quarter{more}"
        w.spend(name, flat(level))
        budget(w, name, level * 92 + more, "quarter")
        status(w, "quarter of the calendar", name, date(2026, 7, 1), want, why="July to September")
        name = f"total{more}"
        w.spend(name, flat(level))
        budget(w, name, level * ((LAST - SEPTEMBER).days + 1) + more, "total", since=SEPTEMBER)
        also = want if want == "breached" else "at risk"
        status(w, "total since a day", name, SEPTEMBER, also, why=f"all since September, {more} left")
    for more, want in ((Decimal(0), "may breach"), (CENT, "kept")):
        level, name = w.level(), f"month-end{more}"
        w.spend(name, flat(level))
        budget(w, name, level * 30 + more)
        status(w, "forecast of the month", name, NOVEMBER, want, why=f"30 even days, {more} left")
        name = f"thirty{more}"
        w.spend(name, flat(level))
        budget(
            w, name, level * ((LAST - SEPTEMBER).days + 31) + more, "total", since=SEPTEMBER, warn_at=Decimal("0.99")
        )
        query = f"SELECT round(forecast, 2) = amount - {more} FROM budgets WHERE budget = '@{name}'"
        w.want("forecast of 30 days more", query, "true", fires=not more, why=f"30 even days more, {more} left")
        name = f"horizon{more}"
        w.spend(name, flat(level))
        budget(
            w, name, level * ((LAST - SEPTEMBER).days + 93) + more, "total", since=SEPTEMBER, warn_at=Decimal("0.99")
        )
        status(w, "a total's breach within 92 days", name, SEPTEMBER, want, why=f"92 even days more, {more} left")


def risks(w: Edges) -> None:
    """Within 8 days of the data, where all days are alike."""
    for more, want in ((Decimal(0), "at risk"), (CENT, "may breach")):
        level, name = w.level(), f"eight{more}"
        w.spend(name, flat(level))
        budget(w, name, level * 16 + more, warn_at=Decimal("0.9"))
        status(w, "at risk within 8 days", name, NOVEMBER, want, why=f"reached on the 16th, {more} left")


def foreseen(w: Edges) -> None:
    """Steps count after two days, fees once a month, and a source ends after 31 silent days."""
    for count in (1, 2):
        level, name = w.level(), f"step-{count}"
        costs = with_days(flat(level), [LAST - ONE * place for place in range(count)], level * 2)
        w.spend(name, costs)
        budget(w, name, level * 1000, warn_at=Decimal("0.9"))
        ahead = level * (7 + 2 + 22) if count == 1 else level * (6 + 4 + 44)
        _forecast(w, "a step counts after two days", name, ahead, why=f"{count} days at twice", fires=count > 1)
    for months, name in (((9, 10), "support"), ((10,), "once")):
        level = w.level()
        w.spend(name, flat(level))
        fee = {date(2026, month, 15): level * 3 for month in months}
        w.spend(name, fee, stage="serving", service="Support")
        budget(w, name, level * 1000)
        ahead = level * (33 if len(months) > 1 else 30)
        _forecast(w, "a fee came in both months", name, ahead, why=f"a fee in months {months}", fires=len(months) > 1)
    for age, fires in ((31, True), (30, False)):
        level, name = w.level(), f"ended-{age}"
        last = TODAY - ONE * age
        w.spend(name, flat(level, FIRST, last), feed=f"feed{age}", BillingAccountId=f"payer{age}")
        budget(w, name, level * 100_000, "total")
        query = f"SELECT forecast = spent FROM budgets WHERE budget = '@{name}'"
        w.want("a source ends after 31 days", query, fires, fires=fires, why=f"its last day is {age} days ago")


def _forecast(w: Edges, threshold: str, name: str, ahead: Decimal, *, why: str, fires: bool) -> None:
    query = f"SELECT round(forecast, 2) = {ahead} FROM budgets WHERE budget = '@{name}' AND period_start = '{NOVEMBER}'"
    w.want(threshold, query, "true", fires=fires, why=why)


def progress(w: Edges) -> None:
    """3 days without a step or checkpoint, or twice the usual gap; 100 since the last."""
    for quiet, fires in ((3, False), (4, True)):
        _trains(w, f"still-{quiet}", flat(w.level()), (LAST - ONE * (quiet + 1), LAST - ONE * quiet))
        _burns(w, "3 days without progress", f"still-{quiet}", f"{quiet} days without a step", fires=fires)
    for quiet, fires in ((8, False), (9, True)):
        last = LAST - ONE * quiet
        _trains(w, f"gap-of-4-{quiet}", flat(w.level()), tuple(last - ONE * 4 * place for place in (3, 2, 1, 0)))
        _burns(w, "twice the gap of checkpoints", f"gap-of-4-{quiet}", f"{quiet} days, a gap of 4", fires=fires)
    for less, fires in ((Decimal(0), True), (CENT, False)):
        costs = with_days(flat(Decimal(25)), [LAST], Decimal(25) - less)
        _trains(w, f"cheap-{less}", costs, (LAST - ONE * 5, LAST - ONE * 4))
        _burns(w, "progress, minimum of 100", f"cheap-{less}", f"100 less {less} since the last step", fires=fires)
    _trains(w, "mute", flat(w.level()), ())
    _burns(w, "neither steps nor checkpoints", "mute", "nothing is told", fires=False)


def _trains(w: Edges, name: str, costs: Costs, checkpoints: tuple[date, ...]) -> None:
    w.spend(f"t-{name}", costs, experiment=f"@{name}")
    w.put("runs", run_id=f"run-@{name}", experiment=f"@{name}", status="running", started_at="2026-09-15T00:00:00Z")
    for step, day in enumerate(checkpoints, 1):
        w.put("checkpoints", uri=f"s3://c/@{name}/{step}", experiment=f"@{name}", run_id=f"run-@{name}",
              step=str(step * 100), size_bytes="1000", created_at=f"{day}T12:00:00Z")  # fmt: skip


def _burns(w: Edges, threshold: str, name: str, why: str, *, fires: bool) -> None:
    w.told(threshold, "burns_without_progress", f"@{name}", why, fires=fires)


CASES: tuple[Case, ...] = (lines, periods, risks, foreseen, progress)
