"""What the office keeps: costs besides the clouds, what finance paid, who is who, and what is planned."""

from __future__ import annotations

from collections.abc import Iterator

import attic
import meridian
import starter
from aws_estate import PAYER
from inputs import Line, table
from tagging import A7_SFT
from world import MONTHS, OCTOBER

_HEADER = (
    *("period", "cost_element", "amount", "currency", "description"),
    *("project", "stage", "experiment", "owner", "team", "private"),
)
_NOBODY = ("", "", "", "", "")
_COMPLETE = tuple(month for month in MONTHS if month.complete)
_AWS_PAID = {"2026-08": "132879.34", "2026-09": "127754.67", "2026-10": "143976.36"}
_MERIDIAN_PAID = {"2026-08": "226423.07", "2026-09": "215366.11", "2026-10": "335124.01"}


def labelling() -> str:
    """Labels bought, by month; from October for the reward model too."""
    return table(_HEADER, _labels())


def _labels() -> Iterator[Line]:
    sft = (A7_SFT["project"], "finetune", A7_SFT["experiment"], A7_SFT["owner"], A7_SFT["team"])
    for month in _COMPLETE:
        yield (month.label, "data", "6200.00", "USD", "instruction pairs, Tallwheel Labelling", *sft, "")
        if month.first == OCTOBER:
            reward = ("kestrel-reward", "rl-alignment", "k-ppo-1", "tomas", "foundation")
            yield (month.label, "data", "4800.50", "USD", "preference pairs, Tallwheel Labelling", *reward, "")


def people_and_tools() -> str:
    """Labour whose rows nobody but payroll may see, licences, and the machines, by month."""
    return table(_HEADER, _spent())


def _spent() -> Iterator[Line]:
    platform = ("platform", "", "", "kofi", "platform")
    sandbox = ("sandbox", "iteration", "", "kofi", "platform")
    for month in _COMPLETE:
        yield (month.label, "labour", "9150.00", "USD", "salary of the first annotator", *_NOBODY, "yes")
        yield (month.label, "labour", "8425.75", "USD", "salary of the second annotator", *_NOBODY, "yes")
        yield (month.label, "operations", "1250.00", "USD", "licences of the experiment tracker", *platform, "no")
        yield (month.label, "compute", "412.345", "USD", "two workstations, written off", *sandbox, "no")


def invoices() -> str:
    """What finance paid, in cents: the starter account's invoice counts rows that its bill has broken."""
    header = ("source", "billing_account", "billing_month", "invoice_id", "currency", "amount")
    lines: list[Line] = []
    for month in _COMPLETE:
        lines.append(("aws", PAYER, month.label, "", "USD", _AWS_PAID[month.label]))
        invoice = f"MI-{month.first:%Y%m}-0417"
        lines.append(("meridian", meridian.ACCOUNT, month.label, invoice, "USD", _MERIDIAN_PAID[month.label]))
    account, invoice = (str(starter.ACCOUNT[name]) for name in ("BillingAccountId", "InvoiceId"))
    lines.append(("meridian", account, "2026-10", invoice, "USD", "579.84"))
    account, invoice = (str(attic.ACCOUNT[name]) for name in ("BillingAccountId", "InvoiceId"))
    lines.append(("meridian", account, "2026-10", invoice, "USD", "215.37"))
    return table(header, lines)


def people() -> str:
    """Owners, their teams and leads, and their addresses."""
    header = ("owner", "team", "lead", "email", "valid_from", "valid_to")
    lines = [
        ("Mira", "foundation", "Mira", "mira@example.com", "", ""),
        ("tomas", "foundation", "mira", "tomas@example.com", "", ""),
        ("ines", "product", "ines", "ines@example.com", "", ""),
        ("kofi", "platform", "kofi", "kofi@example.com", "", ""),
        ("lena", "platform", "kofi", "lena@example.com", "2026-05-01", "2026-10-01"),
    ]
    return table(header, lines)


def planned() -> str:
    """What is to come, agreed with finance: one experiment, with what it may cost."""
    header = ("from", "to", "project", "experiment", "amount", "reason")
    reason = "reward model for aurora-7b, agreed in September"
    return table(header, [("2026-10-01", "2026-12-16", "kestrel-reward", "k-ppo-1", "60000", reason)])
