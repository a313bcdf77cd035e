"""An invented company for report tests: five projects, four owners, two currencies, names that mean harm."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl

from attribution.reports.frames import (
    BILL_COLUMNS,
    DAILY_COLUMNS,
    RECONCILED_COLUMNS,
    REPORT_BUDGET_COLUMNS,
    REPORT_FINDING_COLUMNS,
    RESOURCE_COLUMNS,
    RESTATEMENT_COLUMNS,
    ReportFrames,
)
from attribution.reports.period import Period
from schemas.bills import HeldBack
from schemas.detection import GROWTH_COLUMNS, INVOICE_CHECK_COLUMNS, Watermark
from schemas.plans import RATE_COLUMNS

AS_OF = datetime(2026, 11, 9, 6, tzinfo=UTC)
WEEK = Period(date(2026, 10, 26), date(2026, 11, 1))
HARMFUL = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(2)>',
    "formula": "=cmd()|' /C calc'!A0",
    "rtl": "abc\u202edcb\u200f",
    "emoji": "llama \N{LLAMA}\N{ROCKET}",
    "long": "x" * 300,
    "newline": "two\r\nBcc: someone@example.org",
    "rich": "[red]not red[/red] :smile:",
    "template": "{{ 7 * 7 }}{% raw %}",
    "terminal": "\x1b[31mred\x07",
}

# project, stage, experiment, owner, service, element, cost a day, currency, first day
_STREAMS = (
    ("atlas-7b", "pretraining", "atlas-main", "mira", "Amazon EC2", "compute", "2310.4471", "USD", date(2026, 8, 1)),
    ("atlas-7b", "pretraining", "atlas-main", "mira", "Amazon S3", "storage", "141.207", "USD", date(2026, 8, 1)),
    ("atlas-7b", "evaluation", "atlas-evals", "jonas", "Amazon EC2", "compute", "402.5", "USD", date(2026, 8, 1)),
    ("atlas-7b", "sft", "atlas-chat", "jonas", "Amazon EC2", "compute", "615.125", "USD", date(2026, 10, 12)),
    ("borealis", "data-processing", "web-2026", "li-wei", "Meridian Compute", "compute", "523.9", "USD",
     date(2026, 8, 1)),
    ("borealis", "data-acquisition", "web-2026", "li-wei", "Meridian Transfer", "network", "87.3333333333", "USD",
     date(2026, 8, 1)),
    ("borealis", "预训练 warm-up", "web-2026", "li-wei", "Meridian Compute", "compute", "210", "USD",
     date(2026, 9, 15)),
    ("cygnus-serving", "serving", "prod", "jonas", "Amazon EKS", "compute", "811.02", "USD", date(2026, 8, 1)),
    ("cygnus-serving", "serving", "prod", "jonas", "Amazon CloudWatch", "observability", "36.6", "USD",
     date(2026, 8, 1)),
    ("dorado", "tokenizer", "bpe-64k", "sana", "Amazon EC2", "compute", "58.25", "USD", date(2026, 8, 1)),
    ("shared", "shared", "shared", "shared", "Support", "operations", "95", "USD", date(2026, 8, 1)),
    ("unallocated", "unallocated", "unallocated", "unallocated", "Amazon EC2", "compute", "180.75", "USD",
     date(2026, 8, 1)),
    ("unallocated", "unallocated", "unallocated", "unallocated", "Tax", "other", "44.01", "USD", date(2026, 8, 1)),
    ("borealis", "data-processing", "web-2026", "li-wei", "Labelling", "data", "310.5", "EUR", date(2026, 8, 1)),
)  # fmt: skip


def frame(columns: dict[str, pl.DataType], rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=columns) if rows else pl.DataFrame(schema=columns)


def cost_row(
    day: date, project: str, owner: str, cost: str | None, currency: str = "USD", **more: str
) -> dict[str, Any]:
    amount = None if cost is None else Decimal(cost)
    return {
        "usage_date": day, "BillingCurrency": currency, "project": project, "stage": more.get("stage", "sft"),
        "experiment": more.get("experiment", "e1"), "owner": owner, "ServiceName": more.get("service", "EC2"),
        "cost_element": more.get("element", "compute"), "EffectiveCost": amount, "BilledCost": amount,
        "monthly": more.get("monthly", False),
    }  # fmt: skip


def daily_rows() -> list[dict[str, Any]]:
    draw = random.Random(7)  # noqa: S311 - invented costs
    rows = []
    for project, stage, experiment, owner, service, element, cost, currency, first in _STREAMS:
        day = first
        while day <= date(2026, 11, 6):
            swing = Decimal(draw.randint(70, 130)) / 100
            if day.isoweekday() > 5:
                swing *= Decimal("0.7")
            if day > date(2026, 11, 4):
                swing *= Decimal("0.4")  # late days are not complete
            amount = (Decimal(cost) * swing).quantize(Decimal("1e-12"))
            rows.append(
                cost_row(day, project, owner, str(amount), currency, stage=stage, experiment=experiment,
                         service=service, element=element)
            )  # fmt: skip
            day += timedelta(days=1)
    return rows


def resource_rows(daily: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same costs of the week and the one before, each day's on two resources and a rest without one."""
    rows = []
    for one in daily:
        if WEEK.before().first <= one["usage_date"] <= WEEK.last:
            shared = {name: one[name] for name in RESOURCE_COLUMNS if name in one}
            part = (one["EffectiveCost"] / 4).quantize(Decimal("0.01"))
            first, second = (f"{kind}-{one['experiment'][:4]}" for kind in ("i-01", "vol-02"))
            rows += [
                shared
                | {"ResourceId": first, "ResourceName": f"node of {one['experiment'][:4]}", "EffectiveCost": part},
                shared | {"ResourceId": second, "ResourceName": None, "EffectiveCost": part},
                shared | {"ResourceId": None, "ResourceName": None, "EffectiveCost": one["EffectiveCost"] - 2 * part},
            ]
    return rows


TIERS = {"idle_by_utilization": "utilization", "unattached_volume": "inventory", "billed_after_deletion": "bill"}


def finding(kind: str, subject: str, owner: str, cost: str | None, evidence: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "fingerprint": f"{kind}:{subject}", "kind": kind, "subject": subject, "tier": TIERS.get(kind),
        "verdict": more.get("verdict", "finding"), "owner": owner, "project": more.get("project", "atlas-7b"),
        "cost_at_stake": None if cost is None else Decimal(cost),
        "BillingCurrency": more.get("currency", None if cost is None else "USD"),
        "confidence": more.get("confidence", "high"), "evidence": evidence, "month": date(2026, 10, 1),
        "state": more.get("state", "open"), "first_seen": more.get("first_seen", date(2026, 10, 2)),
        "last_seen": date(2026, 11, 8),
    }  # fmt: skip


def finding_rows() -> list[dict[str, Any]]:
    return [
        finding("idle_by_utilization", "i-0fb2c41d9e7a3310", "mira", "4310.22",
                "GPU below 3 % on 29 of 31 days, network quiet; 8 GPUs."),
        finding("unattached_volume", "vol-09ce55ab10f2d77e1", "jonas", "212.5",
                "4,000 GB, attached to nothing since 14 Sep 2026.", first_seen=date(2026, 9, 28)),
        finding("billed_after_deletion", "vol-09ce55ab10f2d77e1", "jonas", "212.5",
                "Deleted on 14 Oct 2026, says the inventory."),
        finding("unattached_volume", "vol-77aa01", "li-wei", "38.4", "200 GB, attached to nothing since 12 Jul 2026.",
                project="borealis", confidence="medium"),
        finding("idle_by_utilization", "mer-node-17", "li-wei", "901", "No GPU metrics for 20 of 31 days.",
                project="borealis", verdict="undetermined", confidence="low"),
        finding("untagged_resource", "i-0aa", "unallocated", "5603.25", "Has no tag for project.",
                project="unallocated", confidence="medium"),
        finding("growth", "owner=jonas", "jonas", "51240.25", "Grew by 32 %."),
        finding("orphaned_tag", "vol-deadbeef", "sana", None, "In force for 44 days without a charge.",
                project="dorado"),
    ]  # fmt: skip


def growth_row(
    subject: str,
    owner: str | None,
    cost: str,
    previous: str,
    percent: str | None,
    **more: Any,  # noqa: ANN401
) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(GROWTH_COLUMNS)
    return row | {
        "kind": subject.partition("=")[0], "subject": subject, "owner": owner or "shared", "project": "shared",
        "BillingCurrency": more.get("currency", "USD"), "month": more.get("month", date(2026, 10, 1)), "days": 31,
        "status": more.get("status", "grew"), "cost": Decimal(cost), "previous": Decimal(previous),
        "change": Decimal(cost) - Decimal(previous), "percent": None if percent is None else Decimal(percent),
        "verdict": "finding" if more.get("fired") else None, "note": more.get("note"),
    }  # fmt: skip


def growth_rows() -> list[dict[str, Any]]:
    return [
        growth_row("stage=sft", None, "12302.5", "0", None, status="new", fired=True),
        growth_row("owner=jonas", "jonas", "51240.25", "37500", "32.24", fired=True),
        growth_row("owner=mira", "mira", "71820.5", "73110.1", "-4.93", status="fell"),
        growth_row("project=borealis", None, "24110", "19011.77", "22.72"),
    ]


def company(**changes: Any) -> ReportFrames:  # noqa: ANN401 - any field of the frames
    fields: dict[str, Any] = {
        "as_of": AS_OF,
        "daily": frame(DAILY_COLUMNS, daily := daily_rows()),
        "resources": frame(RESOURCE_COLUMNS, resource_rows(daily)),
        "findings": frame(REPORT_FINDING_COLUMNS, finding_rows()),
        "growth": frame(GROWTH_COLUMNS, growth_rows()),
        "restatements": frame(RESTATEMENT_COLUMNS, [
            {"month": date(2026, 9, 1), "BillingCurrency": "USD", "project": "atlas-7b", "owner": "mira",
             "before": Decimal("73110.10"), "after": Decimal("72990.35"), "changed_on": date(2026, 11, 3),
             "reported": True},
        ]),
        "watermarks": {
            "starter": Watermark(date(2026, 8, 1), date(2026, 9, 30)),
            "aws": Watermark(date(2026, 8, 1), date(2026, 11, 4)),
            "meridian": Watermark(date(2026, 8, 1), date(2026, 11, 5)),
        },
        "bills": frame(BILL_COLUMNS, [
            {"source": "aws", "BillingAccountId": "004418230975",
             "month": date(2026, 10, 1), "rows": 48211, "BillingCurrency": "USD",
             "BilledCost": Decimal("148210.220000000011"), "state": "restated"},
            {"source": "aws", "BillingAccountId": "004418230975",
             "month": date(2026, 11, 1), "rows": 7120, "BillingCurrency": "USD",
             "BilledCost": Decimal("19120.5"), "state": "open"},
            {"source": "labelling", "BillingAccountId": "LB-7",
             "month": date(2026, 10, 1), "rows": 31, "BillingCurrency": "EUR",
             "BilledCost": Decimal("9625.5"), "state": "new"},
        ]),
        "reconciled": frame(RECONCILED_COLUMNS, [
            {"BillingCurrency": code, "column": column, "pending": Decimal(0),
             "lines": Decimal(amount), "costs": Decimal(amount)}
            for code, amount in (("USD", "512345.123456789012"), ("EUR", "28876.5"))
            for column in ("EffectiveCost", "BilledCost")
        ]),
        "held_back": (HeldBack("aws", "bills/aws/2026-10/part-2.csv.gz", "second delivery of a bill; which counts?"),),
        "rejects": 3,
        "currency": "USD",
    }  # fmt: skip
    return ReportFrames(**{**fields, **changes})


def everything(locale: str) -> ReportFrames:
    """The company with budgets, invoices and rates too, in amounts that need room."""
    budgets = [
        {"budget": f"project=atlas-7b stage=pretraining {period}", "dimensions": "project=atlas-7b",
         "period_start": date(2026, 11, 1), "period_end": None, "amount": Decimal(2500000),
         "BillingCurrency": "USD", "spent": Decimal(2271899), "forecast": Decimal(2550000),
         "breach_date": date(2026, 11, 28), "status": "at risk", "owner": "mira"}
        for period in ("month", "quarter")
    ]  # fmt: skip
    invoices = [
        {"source": "aws", "BillingAccountId": "004418230975", "billing_month": date(2026, month, 1),
         "InvoiceId": f"MRD-2026{month:02}-0001", "BillingCurrency": "USD", "BilledCost": Decimal(1148210),
         "paid": Decimal(1148110), "difference": Decimal(-100), "status": "differs", "refused_rows": 3}
        for month in (8, 9, 10)
    ]  # fmt: skip
    rates = [
        {"month": date(2026, month, 1), "from": "EUR", "to": "USD", "rate": Decimal("1.0825")} for month in (10, 11)
    ]
    return company(
        locale=locale,
        budgets=frame(REPORT_BUDGET_COLUMNS, budgets),
        invoices=frame(INVOICE_CHECK_COLUMNS, invoices),
        rates=frame(RATE_COLUMNS, rates),
    )


def harmful() -> ReportFrames:
    """Every harmful name as project, stage, experiment, service, subject and evidence, all of one owner."""
    day = date(2026, 10, 28)
    rows = [
        cost_row(day - timedelta(days=n), text, "mira", str(100 + i), stage=text, experiment=text, service=text)
        for i, text in enumerate(HARMFUL.values())
        for n in (0, 7, 30, 60)
    ]
    found = [
        finding("unattached_volume", text, "mira", "10", text, project=text, state=text) for text in HARMFUL.values()
    ]
    found += [finding(text, text, "mira", "1", text) for text in HARMFUL.values()]
    grown = [
        growth_row(text, "mira", "200", "100", "100", fired=True, status=text, note=text) for text in HARMFUL.values()
    ]
    changed = [
        {"month": date(2026, 8, 1), "BillingCurrency": "USD", "project": text, "owner": "mira", "before": Decimal(1),
         "after": Decimal(2), "changed_on": day, "reported": True} for text in HARMFUL.values()
    ]  # fmt: skip
    held = [row | {"ResourceName": row["project"], "ResourceId": row["project"]} for row in resource_rows(rows)]
    return company(
        daily=frame(DAILY_COLUMNS, rows),
        resources=frame(RESOURCE_COLUMNS, held),
        findings=frame(REPORT_FINDING_COLUMNS, found),
        growth=frame(GROWTH_COLUMNS, grown),
        restatements=frame(RESTATEMENT_COLUMNS, changed),
        held_back=tuple(HeldBack(text, text, text) for text in HARMFUL.values()),
    )


def crowd(experiments: int, owners: int = 10) -> ReportFrames:
    """Many experiments, each with five resources, in a project of 25 experiments; amounts in whole cents."""
    draw = random.Random(5)  # noqa: S311 - invented costs
    held = [
        cost_row(day, f"project-{n // 25:03}", f"lead-{n % owners}", str(Decimal(draw.randint(100, 900000)) / 100),
                 stage=("pretraining", "sft", "evaluation")[n % 3], experiment=f"experiment-{n:04}")
        | {"ResourceId": f"i-{n:04}{part}", "ResourceName": f"node-{n:04}-{part}"}
        for n in range(experiments)
        for day in (WEEK.first, WEEK.before().first)
        for part in range(5)
    ]  # fmt: skip
    daily = [{name: row[name] for name in DAILY_COLUMNS} for row in held]
    resources = [{name: row[name] for name in RESOURCE_COLUMNS} for row in held]
    nothing = {"findings": frame(REPORT_FINDING_COLUMNS, []), "growth": frame(GROWTH_COLUMNS, [])}
    return company(daily=frame(DAILY_COLUMNS, daily), resources=frame(RESOURCE_COLUMNS, resources), **nothing)
