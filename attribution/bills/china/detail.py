"""What the detail bills of China's clouds have in common: the clock, spreadsheet guards, words for kinds, tag texts.

All five bill by month (账期) on Beijing's clock and write it without a zone. What is payable (应付金额) is after
discounts and before the means of payment: cash, vouchers and prepaid cards together pay it. No bill of them tells how
a purchase spreads over its term, so EffectiveCost is what was billed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from attribution.bills.charge_rows import Reading
from attribution.bills.deliveries import one_by_one
from attribution.bills.ends import settle_ends
from attribution.bills.flat import Layout, RawColumns, Raws, read_flat, sum_flat
from attribution.bills.listing import Head
from attribution.bills.tag_text import TagTexts, tag_pairs
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.workspace import Source

TIMEZONE = "Asia/Shanghai"
NULL_WORDS = ("-", "--", "\t")
TAGS = "x_tags"
"""Column of a layout's `kept` that holds the tags as text."""

_IDS = ("BillingAccountId", "SubAccountId", "ResourceId", "InvoiceId")
# The first line that fits says the category and how often; words are the provider's, in either language.
_PURCHASES = (
    "预付费|包年|包月|新购|续费|续订|购买|订购|升配|降配|更配|变更|转正|手续费|prepay|subscription|purchase|renew"
    "|consume-(?:new|modify|formalize)"
)
_CATEGORIES: tuple[tuple[str, str, str], ...] = (
    (r"调账|adjust|transfer-|compensat", "Adjustment", "One-Time"),
    (r"按时计费|按月付费", "Purchase", "Recurring"),
    (r"节省计划抵扣", "Usage", "Usage-Based"),
    (_PURCHASES, "Purchase", "One-Time"),
    (r"后付费|按量|按需|使用|小时结|日结|月结|postpay|pay-?as-?you-?go|consume-|履约|合同", "Usage", "Usage-Based"),
)
_REFUND = re.compile(r"退款|退费|退订(?!手续费)|refund", re.IGNORECASE)
_PRICING = (
    (r"竞价|抢占|spot", "Dynamic"),
    (r"预留实例|节省计划|资源包|\bRI\b|\bSP\b|savings?\s?plan|reserved", "Committed"),
)
_LISTED = re.compile(r";\s*(?=key:)", re.IGNORECASE)
_LISTED_PAIR = re.compile(r"^key:(.*?)\s+value:(.*)$", re.IGNORECASE | re.DOTALL)
_PAIR = re.compile(r"^([^:=]+)[:=](.*)$", re.DOTALL)
_COMMAS = re.compile(r"^[^,]*[:=][^,]*(,[^,]*[:=][^,]*)+$")

More = Callable[[Reading, RawColumns, dict[str, pl.Series]], None]


@dataclass(frozen=True)
class DetailBill:
    """The reader of one provider's detail bill, with the names that every reader has.

    `layout`: `kept` may hold TAGS. `kinds`: raw columns whose words together say what kind of charge a row is.
    `more`: what only this provider needs, after all else was filled.
    """

    NAME: str
    layout: Layout
    kinds: Raws
    identify: Callable[[Head], bool]
    more: More | None = None
    TIMEZONE: str = TIMEZONE
    version: int = 1

    def deliveries(self, source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
        """Each file is a delivery; a date or run id in its path orders deliveries of one bill."""
        return one_by_one(source, files, self.NAME, self.version), []

    def read(self, delivery: Delivery) -> Iterator[Batch]:
        """Charges of a delivery, batch by batch; errors as `read_flat` has them."""
        return _read_detail(delivery, self.layout, self.kinds, self.more)

    def stated(self, delivery: Delivery) -> Stated:
        """Rows and sums of what is payable and of the list price, apart from the reader."""
        return sum_flat(delivery, self.layout)


def _read_detail(delivery: Delivery, layout: Layout, kinds: Raws, more: More | None) -> Iterator[Batch]:
    tags = TagTexts(written_pairs)

    def finish(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:
        _unguard(reading)
        _settle_kinds(reading, [columns.text(reading.rows.frame, raw) for raw in columns.present(kinds)])
        filled = reading.columns
        if not columns.present(layout.texts.get("BillingCurrency", ())):
            filled["BillingCurrency"] = pl.Series(["CNY"]).new_from_index(0, reading.height)
        text = kept.pop(TAGS, reading.nulls(pl.String()))
        raws = layout.kept.get(TAGS, ("Tags",))
        reading.raw_names["Tags"] = next(iter(columns.present(raws)), raws[0])
        reading.read_tags(tags, text, "tags as text")
        filled["ConsumedUnit"] = reading.get("PricingUnit")
        if more:
            more(reading, columns, kept)
        settle_ends(reading)

    return read_flat(delivery, layout, finish)


def written_pairs(text: str) -> list[tuple[str, Any]]:
    """Tags as JSON, as `key:Team value:a; key:Stage value:b`, or as pairs: `Team:a;Stage:b`, `Team=a,Stage=b`.

    Raises:
        ValueError: in none of these ways.
    """
    text = text.strip().rstrip(";")
    if text.startswith(("{", "[", '"')):
        return tag_pairs(text)
    if text[:4].lower() == "key:":
        form, parts = _LISTED_PAIR, _LISTED.split(text)
    else:
        form, parts = _PAIR, text.split("," if ";" not in text and _COMMAS.match(text) else ";")
    found: dict[str, str] = {}
    for part in filter(None, map(str.strip, parts)):
        pair = form.match(part)
        if not pair or found.setdefault(pair[1].strip(), pair[2].strip()) != pair[2].strip():
            message = "no pair of a key and its one value"
            raise ValueError(message)
    return list(found.items())


def _unguard(reading: Reading) -> None:
    """Take away the tab or apostrophe that keeps spreadsheets from reading an id as a number."""
    for name, cells in reading.columns.items():
        if cells.dtype == pl.String:
            plain = cells.str.strip_chars()
            if name in _IDS:
                plain = plain.str.strip_prefix("'").str.strip_chars()
            reading.columns[name] = plain.set(plain == "", None) if (plain == "").any() else plain


def _settle_kinds(reading: Reading, kinds: Sequence[pl.Series]) -> None:
    """Category, frequency, class and pricing from the words of a row; of a word not known it is usage, and told."""
    words = pl.Series([""]).new_from_index(0, reading.height)
    if kinds:
        words = pl.select(pl.concat_str(*kinds, separator=" ", ignore_nulls=True)).to_series().str.strip_chars()
    distinct = words.unique().to_list()
    found = {word: _category(word) for word in distinct}
    for at, name in enumerate(("ChargeCategory", "ChargeFrequency")):
        values = {word: (one or ("Usage", "Usage-Based"))[at] for word, one in found.items()}
        reading.columns[name] = words.replace_strict(values, return_dtype=pl.String)
    refunds = {word: "Correction" if _REFUND.search(word) else None for word in distinct}
    reading.columns["ChargeClass"] = words.replace_strict(refunds, return_dtype=pl.String)
    prices = {word: _first(_PRICING, word) or "Standard" for word in distinct}
    reading.columns["PricingCategory"] = words.replace_strict(prices, return_dtype=pl.String)
    strange = sorted(word for word, one in found.items() if word and one is None and not _REFUND.search(word))
    if strange:
        told = f"unknown kinds of charge, kept as usage: {', '.join(strange)}"
        reading.tell("charge_type_unknown", told)


def _category(word: str) -> tuple[str, str] | None:
    return next(((c, often) for fits, c, often in _CATEGORIES if re.search(fits, word, re.IGNORECASE)), None)


def _first(table: Sequence[tuple[str, str]], word: str) -> str | None:
    return next((value for fits, value in table if re.search(fits, word, re.IGNORECASE)), None)
