"""Growth on its thresholds: month over month, week over week, overrides, roll-up, weekdays, rates, plans."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from edges import CENT, FIRST, LAST, NOVEMBER, OCTOBER, SEPTEMBER, Case, Costs, Edges, days, flat, with_days

END = date(2026, 10, 31)
GROWN, SUNDAY = Decimal("1.3"), 6
HUNDRED = Decimal(100)
SETTINGS = """
[[growth.override]]
project = "@sandbox"
threshold = 1.0
[[growth.override]]
project = "@sandbox"
stage = "evaluation"
threshold = 0.5
[[growth.override]]
project = "@large"
minimum = 500
[[growth.override]]
project = "@large-short"
minimum = 500
"""


def from_on(level: Decimal, then: Decimal, on: date, *, less: Decimal = Decimal(0)) -> dict[date, Decimal]:
    """A level until a day, another from it on; the first day of the new one may be a little less."""
    costs = flat(level) | flat(then, on)
    return costs | {on: then - less}


def where(subject: str, month: date) -> str:
    """The condition on one row of growth."""
    return f"subject = '{subject}' AND month = '{month}'"


def threshold(w: Edges) -> None:
    """`threshold = 0.30`, `minimum = 100`, of a whole month and of eight days."""
    for month, name in ((OCTOBER, "month"), (NOVEMBER, "days")):
        for less, side in ((Decimal(0), "at"), (CENT, "below")):
            level, small = w.level(), Decimal(1)
            verdict = None if less else "finding"
            costs = from_on(level, level * GROWN, month, less=less)
            subject = w.spend(f"third-{name}-{side}", costs)
            w.grows(f"growth threshold, {name}", subject, month, verdict, f"30 % less {less}")
            count = 31 if month == OCTOBER else 8
            a_day = (HUNDRED / count).quantize(CENT)
            costs = from_on(small, small + a_day, month, less=a_day * count - HUNDRED + less)
            subject = w.spend(f"hundred-{name}-{side}", costs)
            w.grows(f"growth minimum, {name}", subject, month, verdict, f"100 less {less}")


def overrides(w: Edges) -> None:
    """Other limits for dimension values; the one with most values holds."""
    w.settings += SETTINGS.replace("@", w.mark)
    level = w.level()
    owner, service = "o-@sandbox", "Service @sandbox"
    cases = (("sft", 2, 0, "finding"), ("serving", 2, CENT, None), ("tokenizer", Decimal("1.5"), 0, None),
             ("evaluation", Decimal("1.5"), 0, "finding"), ("distillation", GROWN, 0, None))  # fmt: skip
    for stage, times, less, verdict in cases:
        costs = from_on(level, level * times, OCTOBER, less=Decimal(less))
        subject = w.spend("sandbox", costs, stage=stage, owner=owner, service=service)
        w.grows("override of the threshold", subject, OCTOBER, verdict, f"{times} times less {less}")
    for project, less in (("large", Decimal(0)), ("large-short", CENT)):
        a_day = (HUNDRED * 5 / 31).quantize(CENT)
        costs = from_on(Decimal(1), 1 + a_day, OCTOBER, less=a_day * 31 - 500 + less)
        verdict = None if less else "finding"
        w.grows("override of the minimum", w.spend(project, costs), OCTOBER, verdict, f"500 less {less}")


def new(w: Edges) -> None:
    """New, returned, first, fallen, vanished; a base below zero."""
    level = w.level()
    a_day = (HUNDRED / 31).quantize(CENT)
    for less, side in ((Decimal(0), "at"), (CENT, "below")):
        costs = flat(a_day, OCTOBER) | {OCTOBER: a_day - (a_day * 31 - HUNDRED) - less}
        subject = w.spend(f"new-{side}", costs)
        w.grows("new, minimum", subject, OCTOBER, None if less else "finding", f"new with 100 less {less}")
        query = f"SELECT status FROM growth WHERE subject = '{subject}' AND month = '{OCTOBER}'"
        w.want("new, status", query, "new", fires=True, why="no cost before")
    gone = w.spend("back", with_days(flat(level), days(SEPTEMBER, date(2026, 9, 30)), Decimal(0)))
    w.grows("returned", gone, OCTOBER, "finding", "cost in August, none in September")
    query = "SELECT bool_or(evidence ILIKE '%return%') FROM findings WHERE subject LIKE 'project=@back%'"
    w.want("returned, said so", query, "true", fires=True, why="it says so where it returned")
    steady = w.spend("steady", flat(level))
    w.grows("first month", steady, FIRST, None, "the first month of data gives no verdict")
    w.grows("no growth", steady, OCTOBER, None, "the same each day, 31 days after 30")
    w.grows("a fall", w.spend("fell", from_on(level, level / 2, OCTOBER)), OCTOBER, None, "a fall is no finding")
    w.grows("vanished", w.spend("over", flat(level, FIRST, date(2026, 9, 30))), OCTOBER, None, "costs no more")
    for base, verdict in ((CENT, "finding"), (-CENT, "undetermined")):
        subject = w.spend(f"base{base}", flat(level, FIRST, END))
        w.spend(f"base{base}", {date(2026, 9, 20): base - level * 30})
        w.grows("a base below zero", subject, OCTOBER, verdict, f"September sums to {base}")


def credits_and_more(w: Edges) -> None:
    """Only usage before credits is judged."""
    level = w.level()
    hidden = w.spend("hidden", from_on(level, level * 2, OCTOBER))
    w.spend("hidden", flat(-level, OCTOBER), ChargeCategory="Credit")
    w.grows("credits", hidden, OCTOBER, "finding", "a credit hides the growth")
    for category, since, until in (
        ("Credit", FIRST, date(2026, 9, 30)),
        ("Tax", OCTOBER, LAST),
        ("Purchase", OCTOBER, LAST),
    ):
        subject = w.spend(category.lower(), flat(level))
        other = flat(-level if category == "Credit" else level, since, until)
        w.spend(category.lower(), other, ChargeCategory=category)
        w.grows("credits", subject, OCTOBER, None, f"{category} alone changes")
    for project, units in (("dearer", ("24", "24")), ("more-hours", ("24", "48"))):
        w.spend(project, flat(level, FIRST, date(2026, 9, 30)), ConsumedQuantity=units[0])
        subject = w.spend(project, flat(level * 2, OCTOBER), ConsumedQuantity=units[1])
        w.grows("price or usage alone", subject, OCTOBER, "finding", "twice the cost")
        effect = "price_effect" if project == "dearer" else "usage_effect"
        query = f"SELECT {effect} = change AND change = {level * 31} FROM growth WHERE {where(subject, OCTOBER)}"
        w.want("price or usage alone", query, "true", fires=True, why=f"all of it is {effect}")


def weekdays(w: Edges) -> None:
    """Weekdays are evened out from a quarter on, on every day, and where no dear day is as cheap as another."""
    cases = {
        "quarter": (Decimal(0), None, None, True), "less": (CENT, None, None, False),
        "as-cheap": (Decimal(0), date(2026, 10, 11), Decimal(1), False),
        "missing": (Decimal(0), date(2026, 10, 14), Decimal(0), False),
    }  # fmt: skip
    for name, (less, day, times, fires) in cases.items():
        level = w.level()
        sundays = [one for one in days() if one.weekday() == SUNDAY]
        costs = with_days(flat(level), sundays, level * Decimal("1.25") - less)
        costs = costs if day is None or times is None else with_days(costs, [day], level * times)
        subject = w.spend(f"sundays-{name}", costs)
        query = f"SELECT coalesce(weekday_adjustment, 0) <> 0 FROM growth WHERE {where(subject, NOVEMBER)}"
        w.want("weekday pattern of a quarter", query, fires, fires=fires, why=f"Sundays dearer, {name}")


def roll_up(w: Edges) -> None:
    """80 % of a higher subject's growth; three explain together, of four the whole is told."""
    level = w.level()
    for less, fires in ((Decimal(0), True), (CENT, False)):
        project = "most" if fires else "not-most"
        low = w.spend(project, from_on(level, level * Decimal("1.8"), OCTOBER, less=less), stage="sft")
        w.spend(project, from_on(level, level * Decimal("1.2"), OCTOBER, less=-less), stage="serving")
        high = where(f"project=@{project}", OCTOBER)
        query = f"SELECT coalesce(explained_by, '') LIKE '%{low}%' FROM growth WHERE {high}"
        w.want("roll-up of 80 %", query, fires, fires=fires, why=f"a stage has 80 % of the growth less {less}")
    stages = ("sft", "serving", "evaluation", "tokenizer")
    for count in (3, 4):
        for stage in stages[:count]:
            w.spend(f"all-{count}", from_on(level, level * 2, OCTOBER), stage=stage)
        counts = "count(*) || ' told, of stages ' || count(*) FILTER (WHERE subject LIKE '%stage=%')"
        query = f"SELECT {counts} FROM findings WHERE kind = 'growth' AND subject LIKE '%@all-{count}%'"
        whole = count > 3  # noqa: PLR2004 - the limit of the documents
        told = "1 told, of stages 0" if whole else "3 told, of stages 3"
        w.want("more than three of one owner", query, told, fires=whole, why=f"{count} stages grew alike")


def weeks(w: Edges) -> None:
    """The newest week over the one before, by the same limits; thirteen weeks are shown."""
    monday = LAST - timedelta(days=6)
    for less, side in ((Decimal(0), "at"), (CENT, "below")):
        level = w.level()
        subject = w.spend(f"week-{side}", from_on(level, level * GROWN, monday, less=less))
        week = f"subject = '{subject}' AND week = '{monday}'"
        query = f"SELECT coalesce(max(verdict), 'none') FROM weekly_growth WHERE {week}"
        w.want("weekly threshold", query, "none" if less else "finding", fires=not less, why=f"30 % less {less}")
    query = f"SELECT count(*) FROM weekly_growth WHERE subject = '{subject}'"
    w.want("thirteen weeks", query, 13, fires=True, why="all have data")


def foreign(w: Edges) -> None:
    """The minimum counts by the month's rate: 80 euros are 100 dollars."""
    for month in () if "rates" in w.beside else ("2026-09", "2026-10", "2026-11"):
        w.put("rates", month=month, **{"from": "EUR"}, to="USD", rate="1.25")
    for less, side in ((Decimal(0), "at"), (CENT, "below")):
        a_day = (Decimal(80) / 31).quantize(CENT)
        costs = from_on(Decimal(1), 1 + a_day, OCTOBER, less=a_day * 31 - 80 + less)
        subject = w.spend(f"euros-{side}", costs, feed="alpine", BillingCurrency="EUR", BillingAccountId="alpine")
        w.grows("minimum by the month's rate", subject, OCTOBER, None if less else "finding", f"80 EUR less {less}")


def planned(w: Edges) -> None:
    """A plan holds up to its amount; from it on it is breached, and above it growth alarms."""
    level = w.level()
    costs: Costs = from_on(level, level * 2, OCTOBER)
    amount = level * 62
    for name, over, state, breached in (("within", -CENT, "planned", False), ("met", 0, "planned", True),
                                        ("over", CENT, "open", True)):  # fmt: skip
        project = f"plan-{name}"
        subject = w.spend(project, with_days(costs, [OCTOBER], level * 2 + over))
        w.put(
            "planned",
            **{"from": "2026-10-01", "to": "2026-11-01"},
            project=f"@{project}",
            amount=str(amount),
            reason="a run",
        )
        w.told("plan holds its amount", "growth", subject, f"the amount and {over}", fires=name == "over",
               answer="coalesce(max(state), 'none')", must_be=state)  # fmt: skip
        query = (
            f"SELECT count(*) > 0 FROM findings WHERE kind = 'plan_breached' AND subject LIKE '%project=@{project} %'"
        )
        w.want("plan is spent", query, breached, fires=breached, why=f"the amount and {over}")


CASES: tuple[Case, ...] = (threshold, overrides, new, credits_and_more, weekdays, roll_up, weeks, foreign, planned)
