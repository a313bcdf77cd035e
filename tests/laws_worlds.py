"""Whole worlds for the tests of the laws: a workspace as plain records, drawn by hypothesis and written to a folder.

A world knows of every row whether it must become a charge, since it is the world that broke the row.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import strategies as st

COSTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost")
MONTHS = (date(2026, 8, 1), date(2026, 9, 1), date(2026, 10, 1))
ACCOUNTS = ("000000000042", "004418230975", "MC-7")
CURRENCIES = ("USD", "EUR", "CNY")
RESOURCES = ("i-1", "i-2", "vol-1", "snap-1", "clu-1", None)
SERVICES = ("Compute", "Object Storage", "Premium Support")
# Few days, so that usage and tags meet at the edges; some usage is billed a month later.
DAYS = (9, 10, 0, -1, 27)
AS_OF = datetime(2026, 11, 5, 6, tzinfo=UTC)

# One value in several spellings, values that splits take from, one that nobody listed, and no value at all.
VALUES = {
    "project": ("platform", "Atlas_7B", "shared", "北极光", "borealis", " atlas 7b ", "platform", "zephyr", "idle", ""),
    "stage": ("pretraining", "pretrain", "预训练", "sft", "own-stage", ""),
    "owner": ("mira", "Mira ", "tomas"),
    "experiment": ("run-1", "RUN_1", "run-2"),
}  # fmt: skip
KEYS = {
    "project": ("project", "Project", "PRO-JECT", "proj"),
    "stage": ("stage", "sta_ge"),
    "owner": ("owner", "Owner"),
    "experiment": ("experiment",),
}
NUMBERS = (
    "0", "1", "-3.5", "12.000000000001", "0.1", "4.2E-7", "1.5e3", "-2E+2", "7.", ".25", "1000000000000",
    "0.0000000000005", "0.0000000000015", "-1.23456789012345678", "99999999.999999999999", "3.3333333333333333",
)  # fmt: skip
NO_VALUE = ("", "NULL")
NO_NUMBER = ("12,5x", "NaN", "1e5000", "--1")
TOO_LARGE = "1e31"

# what is wrong -> the cells that make it so; every one of them must cost the row its place among the charges
FAULTS: dict[str, dict[str, str]] = {
    "no amount": {"BilledCost": ""},
    "no number": {"BilledCost": "12,5x"},
    "too large": {"BilledCost": TOO_LARGE},
    "no day": {"ChargePeriodStart": "2026-10-32T00:00:00Z"},
    "unknown category": {"ChargeCategory": "Usge"},
    "no currency": {"BillingCurrency": "usd!"},
    "ends before it starts": {"ChargePeriodEnd": "2020-01-01T00:00:00Z"},
    "id of a spreadsheet": {"ResourceId": "1.00346E+18"},
    "no account": {"BillingAccountId": ""},
}
RAGGED = "ragged"


@dataclass(frozen=True)
class Charge:
    """One row of a bill. `tags` are pairs; `fault` is a key of FAULTS or RAGGED."""

    account: str
    month: date
    day: date
    hours: int
    resource: str | None
    service: str
    category: str
    currency: str
    costs: tuple[str, str, str, str]
    tags: tuple[tuple[str, str], ...] = ()
    sub_account: str = ""
    fault: str | None = None

    def cells(self) -> dict[str, str]:
        """The row as written."""
        start = datetime.combine(self.day, time(5 if self.hours < 24 else 0), UTC)
        following = (self.month + timedelta(days=31)).replace(day=1)
        row = {
            "BillingAccountId": self.account,
            "SubAccountId": self.sub_account,
            "BillingCurrency": self.currency,
            "BillingPeriodStart": f"{self.month}T00:00:00Z",
            "BillingPeriodEnd": f"{following} 00:00:00",
            "ChargePeriodStart": f"{start:%Y-%m-%dT%H:%M:%SZ}",
            "ChargePeriodEnd": f"{start + timedelta(hours=self.hours):%Y-%m-%d %H:%M:%S}",
            "ChargeCategory": self.category,
            "ServiceName": self.service,
            "ResourceId": self.resource or "",
            **dict(zip(COSTS, self.costs, strict=True)),
            "ConsumedQuantity": "2.5",
            "Tags": json.dumps(dict(self.tags), ensure_ascii=False) if self.tags else "",
        }
        return row | FAULTS.get(self.fault or "", {})

    def amount(self, cost: str) -> Decimal | None:
        """What a charge must keep: half-even to 12 places, nothing where the cell says no plain number that fits."""
        cell = self.cells()[cost]
        if cell in (*NO_VALUE, *NO_NUMBER, TOO_LARGE):
            return None
        return Decimal(cell).quantize(Decimal("1e-12"))


@dataclass(frozen=True)
class Bill:
    """One delivered file: `name` with its ending says how it is written."""

    name: str
    charges: tuple[Charge, ...]

    @property
    def source(self) -> str:
        return self.name.split("/")[0]


@dataclass(frozen=True)
class Rule:
    """A rule as TOML would say it; `when` is a table of the operators' language."""

    name: str
    when: tuple[tuple[str, Any], ...]
    assign: tuple[tuple[str, Any], ...]
    since: date | None = None
    until: date | None = None
    default: bool = False


@dataclass(frozen=True)
class Split:
    """A split that takes what has one value of one column."""

    name: str
    when: tuple[str, str]
    by: str
    across: tuple[str, ...] = ("project",)
    within: str = "month"
    to: tuple[str, ...] = ()
    weights: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class World:
    """A company: its bills, what its operators say, and what `rules.toml` makes of it."""

    bills: tuple[Bill, ...]
    tags: tuple[tuple[str, str, str, date | None, date | None], ...] = ()
    parents: tuple[tuple[str, str], ...] = ()
    rules: tuple[Rule, ...] = ()
    splits: tuple[Split, ...] = ()
    accounts: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    aliases: tuple[tuple[str, str, str, date | None, date | None], ...] = ()  # dimension, spelling, value, days
    first: str = "csv"
    owner_first: str = ""
    delivery: str = field(default="parts")

    @property
    def sources(self) -> list[str]:
        return sorted({bill.source for bill in self.bills})

    def charges(self) -> list[tuple[str, Charge]]:
        """Rows that must become charges, with their source."""
        return [(bill.source, one) for bill in self.bills for one in bill.charges if one.fault is None]

    def refused(self) -> list[Charge]:
        return [one for bill in self.bills for one in bill.charges if one.fault is not None]


# --- drawing -------------------------------------------------------------------------------------------------------


# What is drawn first is the simplest, and a simple world breaks no law: so the interesting comes first.
NOW_AND_THEN = st.sampled_from((False,) * 5 + (True,))


def _tags() -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    pair = st.sampled_from([(key, value) for name in KEYS for key in KEYS[name] for value in VALUES[name]])
    return st.lists(pair, min_size=1, max_size=3, unique_by=lambda one: one[0]).map(tuple)


def _costs() -> st.SearchStrategy[tuple[str, str, str, str]]:
    number = (
        st.decimals(-5000, 5000, places=6).map(str)
        | st.sampled_from(NUMBERS)
        | st.decimals(-5000, 5000, places=6).map(str)
    )
    other = number | number | number | st.sampled_from((*NO_VALUE, *NO_NUMBER, TOO_LARGE))
    return st.tuples(number, other, other, other)


@st.composite
def charges(draw: st.DrawFn, source: str) -> Charge:
    month = draw(st.sampled_from((MONTHS[1], MONTHS[1], *MONTHS)))
    account = draw(st.sampled_from(ACCOUNTS[:2] if source == "aws" else ACCOUNTS[1:]))
    return Charge(
        account=account,
        month=month,
        day=month + timedelta(days=draw(st.sampled_from(DAYS))),
        hours=draw(st.sampled_from((1, 24))),
        resource=draw(st.sampled_from(RESOURCES)),
        service=draw(st.sampled_from(SERVICES)),
        category=draw(st.sampled_from(("Usage", "Usage", "Usage", "Tax", "Credit", "Purchase"))),
        currency=draw(st.sampled_from(("USD", "USD", *CURRENCIES))),
        costs=draw(_costs()),
        tags=draw(_tags()),
        sub_account=draw(st.sampled_from(("", "sub-a", "sub-b"))),
        fault=draw(st.sampled_from((RAGGED, *FAULTS))) if draw(NOW_AND_THEN) else None,
    )


RULES = (
    Rule("tax", (("ChargeCategory", "Tax"),), (("project", "shared"),)),
    Rule("storage", (("ServiceName", {"glob": "*Storage"}), ("tag:project", {"missing": True})), (("owner", "kofi"),)),
    Rule("machines", (("ResourceId", {"any_of": ["i-1", "i-2"]}),), (("stage", "预训练"), ("owner", "ines"))),
    Rule("of the platform", (("tag:proj", "platform"),), (("project", "platform"), ("stage", "serving"))),
    Rule("no sub-account", (("SubAccountId", {"missing": True}),), (("experiment", "none"),)),
    Rule("asks what was set", (("project", "shared"),), (("owner", "finance"), ("project", "never"))),
    Rule("not compute", (("ServiceName", {"not": "Compute"}), ("source", "aws")), (("stage", "iteration"),)),
    Rule("either", (("any", [{"tag:owner": "tomas"}, {"ResourceId": {"glob": "vol-?"}}]),), (("owner", "either"),)),
)  # fmt: skip
TAKEN = {"take": "tag:sta_ge", "split": "-", "part": -1, "lower": True}
RULES += (
    Rule("taken", (("ServiceName", "Compute"),), (("experiment", [TAKEN, {"take": "project"}, "Run 1"]),)),
    Rule(
        "rest", (("owner", {"missing": True}),), (("owner", {"take": "source", "split": "w", "part": 1}),), default=True
    ),
    Rule("anything", (), (("stage", "sft"), ("owner", "Mira")), default=True),
)
# One spelling that is another project's from a day on, and one that is nobody's before, or after, a day.
ALIASES = (
    ("project", "zephyr", "borealis", None, date(2026, 9, 10)),
    ("project", "Zephyr", "atlas-7b", date(2026, 9, 10), MONTHS[2]),
    ("owner", "tomas", "mira", date(2026, 9, 1), None),
)
SHARED = Split("shared money", ("project", "shared"), "cost")
PLATFORM = Split("platform", ("project", "platform"), "even")
SUPPORT = Split("support", ("ServiceName", "Premium Support"), "cost", ("project", "owner"))


@st.composite
def _splits(draw: st.DrawFn) -> tuple[Split, ...]:
    within = draw(st.sampled_from(("month", "day")))
    platform = draw(
        st.sampled_from(
            (
                PLATFORM,
                replace(PLATFORM, to=("atlas-7b", "borealis")),
                replace(PLATFORM, by="fixed", weights=(("atlas-7b", 3), ("borealis", 1), ("nobody-yet", 3))),
                replace(PLATFORM, by="cost"),
            )
        )
    )
    shared = replace(SHARED, by=draw(st.sampled_from(("cost", "even"))), within=within)
    return tuple(one for one in (shared, platform, SUPPORT) if not draw(NOW_AND_THEN))


@st.composite
def worlds(draw: st.DrawFn, delivery: str = "parts") -> World:
    names = ("aws/a.csv", "aws/b.csv.gz", "aws/c.parquet", "meridian/d.parquet", "meridian/e.csv")
    if delivery == "snapshot":
        names = ("aws/a.csv", "meridian/e.csv")
    chosen = sorted(draw(st.sets(st.sampled_from(names), min_size=2, max_size=3)))
    bills = []
    for name in chosen:
        rows = draw(st.lists(charges(name.split("/")[0]), min_size=6, max_size=14))
        if not name.endswith("csv"):
            rows = [replace(one, fault=None) if one.fault == RAGGED else one for one in rows]
        bills.append(Bill(name, tuple(rows)))
    edge = st.builds(lambda month, day: month + timedelta(days=day), st.sampled_from(MONTHS[:2]), st.sampled_from(DAYS))
    tag = st.tuples(
        st.sampled_from(RESOURCES[:-1]),
        st.sampled_from([(key, value) for name in KEYS for key in KEYS[name][:2] for value in VALUES[name]]),
        st.none() | edge,
        st.none() | edge,
    )
    tags = tuple(
        (resource, key, value, since, until)
        for resource, (key, value), since, until in draw(st.lists(tag, min_size=4, max_size=12))
        if since is None or until is None or since < until
    )
    parents = tuple(one for one in CHAIN if not draw(NOW_AND_THEN))
    rules = tuple(
        replace(rule, since=draw(st.none() | st.just(date(2026, 9, 10))), until=draw(st.none() | st.just(MONTHS[2])))
        for rule in RULES
        if not draw(st.booleans())
    )
    owners = (("owner", "kofi"), ("project", "platform"))
    accounts = tuple((one, owners[: draw(st.integers(1, 2))]) for one in ("sub-a", ACCOUNTS[1]) if draw(st.booleans()))
    return World(
        tuple(bills),
        tags,
        parents,
        rules,
        draw(_splits()),
        accounts,
        tuple(one for one in ALIASES if draw(st.booleans())),
        draw(st.sampled_from(("csv", "bill"))),
        draw(st.sampled_from(("", "bill", "csv"))),
        delivery,
    )


CHAIN = (("snap-1", "vol-1"), ("vol-1", "i-1"), ("i-1", "clu-1"), ("i-2", "clu-1"), ("clu-1", "snap-1"))


def restated(world: World, random: Callable[[int], int]) -> World:
    """Another telling of the same bills: amounts and tags differ, some rows are gone; none of a bill's first is."""
    bills = []
    for bill in world.bills:
        first: set[tuple[str, date]] = set()
        rows: list[Charge] = []
        for one in bill.charges:
            key = (one.account, one.month)
            new = key not in first and one.fault is None
            if new:
                first.add(key)
            if new or random(4):
                changed = replace(one, costs=("41.5", *one.costs[1:])) if random(2) else one
                rows.append(replace(changed, tags=(("project", "zephyr"),)) if not random(3) else changed)
        bills.append(replace(bill, charges=tuple(rows)))
    return replace(world, bills=tuple(bills))


# --- writing -------------------------------------------------------------------------------------------------------


def write(world: World, root: Path) -> Path:
    """Write a world as a workspace; what lies there already is overwritten, and nothing is removed."""
    for bill in world.bills:
        path = root / "bills" / bill.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            _parquet(bill).write_parquet(path)
        else:
            data = _csv(bill).encode()
            path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    (root / "attribution.toml").write_text(_settings(world), encoding="utf-8")
    (root / "rules.toml").write_text(_rules(world), encoding="utf-8")
    _table(root / "tags.csv", ("resource_id", "key", "value", "valid_from", "valid_to"), list(world.tags))
    resources = [(child, "thing", parent) for child, parent in world.parents]
    _table(root / "resources.csv", ("resource_id", "resource_type", "attached_to"), resources)
    return root


def _csv(bill: Bill) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*bill.charges[0].cells(), "x_source"])
    for one in bill.charges:
        cells = [*one.cells().values(), bill.source]
        writer.writerow([*cells, "one too many"] if one.fault == RAGGED else cells)
    return text.getvalue()


def _parquet(bill: Bill) -> pl.DataFrame:
    """Costs as decimals where all of a column are, as text where one is not; instants as instants where they can be."""
    frame = pl.DataFrame([{**one.cells(), "x_source": bill.source} for one in bill.charges])
    blank = frame.with_columns(pl.when(pl.col(pl.String) != "").then(pl.col(pl.String)).name.keep())
    typed = blank.with_columns(pl.col("ConsumedQuantity").cast(pl.Float64))
    for cost in COSTS:
        cells = [None if cell in NO_VALUE else cell for cell in frame.get_column(cost)]
        if all(cell is None or (cell not in NO_NUMBER and Decimal(cell) < Decimal(10) ** 15) for cell in cells):
            values = [None if cell is None else Decimal(cell) for cell in cells]
            typed = typed.with_columns(pl.Series(cost, values, dtype=pl.Decimal(38, 18)))
    start = blank.get_column("BillingPeriodStart").str.to_datetime("%Y-%m-%dT%H:%M:%SZ", time_zone="UTC")
    return typed.with_columns(start)


def _table(path: Path, header: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def _settings(world: World) -> str:
    lines = [
        'currency = "USD"',
        "[ingest]",
        "shrink = 1",
        "[inputs]",
        'tags = "tags.csv"',
        'resources = "resources.csv"',
    ]
    for source in world.sources:
        lines += ["[[source]]", f'name = "{source}"', f'path = "bills/{source}/*"', f'delivery = "{world.delivery}"']
    return "\n".join(lines)


def _rules(world: World) -> str:
    lines = [f"[tags]\nfirst = {_toml(world.first)}", '[dimension.project]\ntags = ["project", "proj"]']
    lines.append(f'[dimension.project.values]\n"atlas-7b" = {_dated(world, "atlas-7b")}')
    lines.append(f'"borealis" = {_dated(world, "borealis", "北极光")}')
    lines.append('[dimension.experiment.values]\n"run-1" = []')
    lines.append(f'[dimension.owner.values]\n"mira" = {_dated(world, "mira")}')
    lines += [f"[dimension.owner]\nfirst = {_toml(world.owner_first)}"] if world.owner_first else []
    for account, assign in world.accounts:
        lines.append(f"[[account]]\nid = {_toml(account)}\nassign = {_toml(dict(assign))}")
    for rule in world.rules:
        lines.append(f"[[rule]]\nname = {_toml(rule.name)}\ndefault = {_toml(rule.default)}")
        lines += [f"when = {_toml(dict(rule.when))}"] if rule.when else []
        lines.append(f"assign = {_toml(dict(rule.assign))}")
        lines += [f"{word} = {day}" for word, day in (("since", rule.since), ("until", rule.until)) if day]
    for one in world.splits:
        column, value = one.when
        lines.append(f"[[split]]\nname = {_toml(one.name)}\nwhen = {_toml({column: value})}\nby = {_toml(one.by)}")
        lines.append(f"across = {_toml(list(one.across))}\nwithin = {_toml(one.within)}")
        lines += [f"to = {_toml(list(one.to))}"] if one.to else []
        lines += [f"weights = {_toml(dict(one.weights))}"] if one.weights else []
    return "\n".join(lines)


def _dated(world: World, value: str, *always: str) -> str:
    """The aliases of a value."""
    written = [_toml(alias) for alias in always]
    for _, spelling, stands_for, since, until in world.aliases:
        if stands_for == value:
            days = "".join(f", {word} = {day}" for word, day in (("since", since), ("until", until)) if day)
            written.append(f"{{ alias = {_toml(spelling)}{days} }}")
    return f"[{', '.join(written)}]"


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(value).lower() if isinstance(value, bool | int) else json.dumps(value, ensure_ascii=False)
