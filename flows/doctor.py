"""`attribution doctor`: what would make the figures better, most money first. It reads what was published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal

import polars as pl
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from attribution.ledger import Published, read_published
from attribution.reports.figures import label, money
from schemas.bills import HeldBack, by_reason
from schemas.dimensions import UNALLOCATED
from schemas.findings import ACTIVE
from schemas.money import MONEY
from schemas.words import counted
from schemas.workspace import Workspace

ADVICE_COLUMNS: dict[str, pl.DataType] = {
    "area": pl.String(),  # coverage, source, input, data
    "subject": pl.String(),
    "what": pl.String(),
    "amount": MONEY,  # EffectiveCost of the last complete month that it is about; null: about no sum
    "BillingCurrency": pl.String(),
    "remedy": pl.String(),
}
"""One thing to do."""

_AREAS = {
    "coverage": "Money without a project",
    "source": "Bills and inputs in trouble",
    "input": "Inputs that would tell more",
    "data": "Findings about the data",
}
"""Area -> its heading, in the order in which they are told."""
_LARGEST = 5
_FEEDS = {
    "tags": "tags of resources with dates, which bills do not have",
    "resources": "parents, states and sizes of resources",
    "utilization": "idle and under-used machines",
    "jobs": "shared GPU nodes divided among the jobs that ran on them",
    "runs": "failed and repeated training, progress against cost",
    "checkpoints": "checkpoints beyond retention",
    "own_costs": "labour, labelling and licences beside the bills",
    "people": "who receives whose report, and who left",
    "invoices": "bills compared with what finance paid",
    "planned": "planned growth told from other growth",
    "rates": "budgets over several currencies",
    "usage": "weights of pods on shared Kubernetes nodes",
}
"""Input -> what it makes known."""
# Findings that speak of data, not of cost.
_OF_DATA = ("source_behind", "source_not_named", "owner_without_recipient", "owner_left", "invoice_differs")


@dataclass(frozen=True)
class Advice:
    """One row of ADVICE_COLUMNS."""

    area: str
    subject: str
    what: str
    remedy: str
    amount: Decimal | None = None
    BillingCurrency: str | None = None


def advise(workspace: Workspace) -> pl.DataFrame:
    """All advice, by area and there by money: ADVICE_COLUMNS.

    Raises:
        InputError: nothing is published yet.
    """
    with read_published(workspace.store) as published:
        found = [*_coverage(published), *_sources(published), *_inputs(published, workspace), *_findings(published)]
    rows = pl.DataFrame([asdict(one) for one in found], schema=ADVICE_COLUMNS)
    return rows.sort(
        pl.col("area").cast(pl.Enum(list(_AREAS))), "amount", "subject", "what", descending=[False, True, False, False],
        nulls_last=True,
    )  # fmt: skip


def told(advice: pl.DataFrame) -> RenderableType:
    """Advice for the terminal; one line where there is none."""
    parts: list[RenderableType] = []
    for (area,), rows in advice.partition_by("area", as_dict=True, maintain_order=True).items():
        parts += [Text(), Text(_AREAS[str(area)], style="bold")]
        remedies = rows.get_column("remedy").to_list()
        for one, following in zip(rows.to_dicts(), [*remedies[1:], None], strict=True):
            sum_of_it = ""
            if one["amount"] is not None:
                sum_of_it = f"{money(one['amount'], one['BillingCurrency'])} {one['BillingCurrency']}, "
            parts.append(Padding(Text(f"{label(one['subject'])}: {sum_of_it}{label(one['what'])}"), (0, 0, 0, 2)))
            if one["remedy"] != following:  # what several have in common is said once, after the last
                parts.append(Padding(Text(one["remedy"], style="dim"), (0, 0, 0, 4)))
    return Group(*parts[1:]) if parts else Text("Nothing to advise: all money has a project, and every input is there.")


def _coverage(published: Published) -> Iterator[Advice]:
    """The largest sums without a project, by account and service, of the last complete month."""
    rows = published.frame(
        """
        WITH last AS (
            SELECT max(billing_month) AS month FROM costs
            WHERE billing_month < (SELECT date_trunc('month', max(as_of)) FROM runs)
        ),
        total AS (
            SELECT BillingCurrency, sum(EffectiveCost) AS amount FROM costs, last
            WHERE billing_month = month GROUP BY ALL
        )
        SELECT SubAccountId, ServiceName, c.BillingCurrency, sum(EffectiveCost) AS EffectiveCost,
            min(total.amount) AS total
        FROM costs AS c, last JOIN total ON total.BillingCurrency = c.BillingCurrency
        WHERE billing_month = month AND project = $nobody
        GROUP BY ALL HAVING sum(EffectiveCost) > 0
        ORDER BY EffectiveCost DESC, SubAccountId, ServiceName LIMIT $most
        """,
        {"nobody": UNALLOCATED, "most": _LARGEST},
    )
    for account, service, currency, amount, total in rows.iter_rows():
        share = f"{amount / total * 100:.1f} % of the month" if total else "of the month"
        yield Advice(
            "coverage",
            f"{account or '(no account)'}, {service}",
            f"has no project: {share}",
            "Tag it, give the account a default, or write a rule; `attribution rules coverage` proposes one.",
            amount,
            currency,
        )


def _sources(published: Published) -> Iterator[Advice]:
    """What is held back, what readers had to decide, and what was refused."""
    held = published.frame("SELECT source, name, reason FROM held_back ORDER BY ALL")
    for one in by_reason(HeldBack(*row) for row in held.iter_rows()):
        remedy = "Do what the reason says; the next run takes it."
        yield Advice("source", one.source, f"what is held back, {one.name}: {one.reason}", remedy)
    refused = published.frame("SELECT source, count(*) FROM rejects GROUP BY ALL ORDER BY ALL")
    for source, number in refused.iter_rows():
        yield Advice(
            "source", source, f"{counted(number, 'value')} refused", "`attribution rejects` names file and line."
        )
    for source, kind, subject, sentence in published.frame(
        "SELECT DISTINCT source, kind, subject, sentence FROM notices ORDER BY ALL"
    ).iter_rows():
        remedy = "A reader decided so; where that is right, nothing is to be done."
        yield Advice("source", source, f"{kind}, {subject}: {sentence}", remedy)


def _inputs(published: Published, workspace: Workspace) -> Iterator[Advice]:
    """Inputs that are not configured, with the detectors that say nothing without them."""
    lacking = published.frame("SELECT kind, lacks FROM detectors WHERE lacks IS NOT NULL AND lacks <> '' ORDER BY ALL")
    mute: dict[str, list[str]] = {}
    for kind, lacks in lacking.iter_rows():
        for need in lacks.split(", "):
            mute.setdefault(need, []).append(kind)
    for name, pattern in asdict(workspace.inputs).items():
        if pattern is not None:
            continue
        silent = mute.get(name, [])
        say = "detectors say" if len(silent) > 1 else "detector says"
        told = f"; {len(silent)} {say} nothing without it: {', '.join(silent)}" if silent else ""
        yield Advice(
            "input", name, f"not configured: {_FEEDS.get(name, 'more to go by')}{told}", f"State [inputs] {name}."
        )


def _findings(published: Published) -> Iterator[Advice]:
    """Open findings about the data itself."""
    rows = published.frame(
        "SELECT left(fingerprint, 8), kind, subject, evidence, cost_at_stake, BillingCurrency FROM findings "
        "WHERE list_contains($kinds, kind) AND list_contains($open, state) "
        "ORDER BY kind, subject, evidence",
        {"kinds": list(_OF_DATA), "open": list(ACTIVE)},
    )
    for name, kind, subject, evidence, amount, currency in rows.iter_rows():
        remedy = f"`attribution findings show {name}` tells all of it."
        yield Advice("data", subject, f"{kind.replace('_', ' ')}: {evidence}", remedy, amount, currency)
