"""A delivery enters the ledger: its parts, totals, rejects and notices in one transaction.

Posted is not yet counted: bills are settled once a run has posted all it found (settlement.py), so that
neither the order of files nor a crash between two of them changes what a bill is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, Any

import polars as pl

from attribution.ledger.connection import append, frame, registered, transaction
from attribution.ledger.parts import Part, billing_month
from attribution.ledger.retention import restore
from schemas.bills import Delivery, Notice, PeriodState, Rejects, Totals
from schemas.check import verify
from schemas.instants import INSTANT
from schemas.money import COSTS, MONEY, UNIT

if TYPE_CHECKING:
    import duckdb

_PERIODS = {
    "source": pl.String(),
    "BillingPeriodStart": INSTANT,
    "InvoiceIssuerName": pl.String(),
    "period_status": pl.String(),
    "updated_at": INSTANT,
}


def keep_periods(con: duckdb.DuckDBPyConnection, periods: Sequence[PeriodState]) -> None:
    """Keep what is said of billing periods: of one source, month and issuer what was said last, unknown times first.

    Two that say different things of one moment are both kept, so that the status is unknown.
    """
    if not periods:
        return
    rows = [(one.source, one.start, one.issuer, one.status, one.updated) for one in periods]
    said = pl.DataFrame(rows, schema=_PERIODS, orient="row").with_columns(billing_month=billing_month())
    with transaction(con), registered(con, said=said):
        con.execute(
            """
            CREATE OR REPLACE TEMP TABLE periods_now AS
            SELECT source, billing_month, InvoiceIssuerName, period_status, updated_at
            FROM (
                SELECT * FROM book.billing_periods
                WHERE updated_at IS NOT NULL
                    OR (source, billing_month, coalesce(InvoiceIssuerName, '')) NOT IN
                        (SELECT (source, billing_month, coalesce(InvoiceIssuerName, '')) FROM said)
                UNION BY NAME SELECT * EXCLUDE (BillingPeriodStart) FROM said
            )
            QUALIFY rank() OVER (
                PARTITION BY source, billing_month, InvoiceIssuerName ORDER BY updated_at DESC NULLS LAST
            ) = 1;
            DELETE FROM book.billing_periods;
            INSERT INTO book.billing_periods FROM periods_now;
            DROP TABLE periods_now
            """
        )


def is_read(con: duckdb.DuckDBPyConnection, digest: str) -> bool:
    """Whether a delivery of this digest has been posted."""
    found = con.execute("SELECT 1 FROM book.deliveries_read WHERE delivery_digest = ?", [digest]).fetchall()
    return bool(found)


def post(
    con: duckdb.DuckDBPyConnection,
    delivery: Delivery,
    parts: Sequence[Part],
    totals: Totals,
    *,
    rejects: pl.DataFrame,
    notices: Sequence[Notice],
    run: int,
) -> None:
    """Register a delivery whose parts are in place. Posting it a second time brings back what was pruned, no more.

    Args:
        con: the ledger.
        delivery: what was read.
        parts: as `DeliveryWriter.finish` gave them.
        totals: as stated and as made; kept as exact text, for residuals have more than 12 places.
        rejects: REJECT_COLUMNS, and `raw`, the text of the row, where it was kept.
        notices: what the reader had to decide.
        run: number of the run.

    Raises:
        LawBrokenError: the rejects are not what their schema says.
    """
    if is_read(con, delivery.digest):
        restore(con, parts)
        return
    verify(rejects.drop("raw", strict=False), Rejects, f"rejects of {delivery.name}")
    with transaction(con):
        append(con, "deliveries_read", _delivery_row(delivery, totals, run))
        append(con, "delivery_files", _file_rows(delivery))
        append(con, "delivery_totals", _total_rows(delivery, totals))
        append(con, "empty_bills", _empty_rows(delivery))
        append(con, "notices", _notice_rows(delivery, notices))
        append(con, "rejects", rejects.with_columns(delivery_digest=pl.lit(delivery.digest)))
        _post_parts(con, delivery, parts)


def part_totals(con: duckdb.DuckDBPyConnection, part_no: int) -> dict[str, Decimal | None]:
    """Control total of each cost column of a posted part, over all currencies."""
    sums = frame(
        con,
        """
        SELECT sum(BilledCost) AS BilledCost, sum(EffectiveCost) AS EffectiveCost, sum(ListCost) AS ListCost,
            sum(ContractedCost) AS ContractedCost
        FROM book.part_sums WHERE part_no = ?
        """,
        [part_no],
    )
    return sums.row(0, named=True)


def _delivery_row(delivery: Delivery, totals: Totals, run: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "delivery_digest": [delivery.digest],
            "source": [delivery.source.name],
            "name": [delivery.name],
            "reader": [delivery.reader],
            "content_digest": [content_digest(delivery)],
            "rows": [totals.rows],
            "state": ["posted"],
            "posted_run": [run],
        }
    )


def content_digest(delivery: Delivery) -> str:
    """Names the bytes alone: the same files read by a newer reader have the same."""
    digests = "".join(sorted(file.digest for file in delivery.files))
    return hashlib.sha256(digests.encode()).hexdigest()


def _file_rows(delivery: Delivery) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "delivery_digest": delivery.digest,
                "name": file.name,
                "file_id": file.file_id,
                "digest": file.digest,
                "size": file.size,
            }
            for file in delivery.files
        ]
    )


def _total_rows(delivery: Delivery, totals: Totals) -> pl.DataFrame:
    kinds = {
        "stated": totals.stated,
        "stored": totals.stored,
        "residual": totals.residual,
        "rejected": totals.rejected,
        "netted": totals.netted,
    }
    rows = [
        (
            delivery.digest,
            column,
            *(f"{amounts[column]:f}" if column in amounts else None for amounts in kinds.values()),
        )
        for column in COSTS
    ]
    schema = dict.fromkeys(("delivery_digest", "cost_column", *kinds), pl.String())
    return pl.DataFrame(rows, schema=schema, orient="row")


def _empty_rows(delivery: Delivery) -> pl.DataFrame:
    rows = [(delivery.digest, key.billing_account, key.billing_month) for key in delivery.empty_keys]
    schema = {"delivery_digest": pl.String(), "BillingAccountId": pl.String(), "billing_month": pl.Date()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _notice_rows(delivery: Delivery, notices: Sequence[Notice]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            (delivery.digest, one.kind, one.subject, one.sentence, _to_money(one.amount), one.currency)
            for one in notices
        ],
        schema={
            **dict.fromkeys(("delivery_digest", "kind", "subject", "sentence"), pl.String()),
            "amount": MONEY,
            "BillingCurrency": pl.String(),
        },
        orient="row",
    )


def _to_money(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else amount.quantize(UNIT, rounding=ROUND_HALF_EVEN, context=Context(prec=38))


def _post_parts(con: duckdb.DuckDBPyConnection, delivery: Delivery, parts: Sequence[Part]) -> None:
    ((first,),) = con.execute("SELECT coalesce(max(part_no), 0) + 1 FROM book.parts").fetchall()
    part_rows: list[dict[str, Any]] = []
    sum_rows: list[dict[str, Any]] = []
    ordered = sorted(parts, key=lambda one: (one.key.billing_account, one.key.billing_month))
    for part_no, part in enumerate(ordered, start=first):
        part_rows.append(
            {
                "part_no": part_no,
                "part_id": part.part_id,
                "delivery_digest": delivery.digest,
                "source": part.key.source,
                "BillingAccountId": part.key.billing_account,
                "billing_month": part.key.billing_month,
                "charge_files": part.files,
                "rows": part.rows,
                "watermark": part.watermark,
                "first_usage_date": part.first_usage_date,
                "last_usage_date": part.last_usage_date,
                "rollup": part.rollup.folder,
                "free": part.used and not part.priced,
            }
        )
        sum_rows.extend(
            {"part_no": part_no, "BillingCurrency": currency, "rows": part.rows_by_currency[currency], **sums}
            for currency, sums in sorted(part.sums.items())
        )
    append(con, "parts", pl.DataFrame(part_rows, schema_overrides={"watermark": INSTANT}))
    append(con, "part_sums", pl.DataFrame(sum_rows, schema_overrides=dict.fromkeys(COSTS, MONEY)))
