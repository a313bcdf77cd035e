"""The ledger: what a store knows, and the only way to change it. Everything else in this room serves this class."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attribution.ledger import costs as kept_costs
from attribution.ledger import posting, records, retention
from attribution.ledger.closing import NO_INPUTS, NO_POOLS, NO_SHARES, Star
from attribution.ledger.connection import (
    RESTORE,
    connect,
    disk_faults,
    frame,
    migrate,
    registered,
    replace,
    transaction,
)
from attribution.ledger.disk import PUBLISHED, charge_files, charges_folder
from attribution.ledger.hourly import charge_periods
from attribution.ledger.lines import lines, subjects
from attribution.ledger.lock import make_store, write_lock
from attribution.ledger.parts import DeliveryWriter, Part, roll_up_again
from attribution.ledger.rollup import RollUp
from attribution.ledger.settlement import Settled, settle
from attribution.ledger.shapes import Kept, empty_tables
from attribution.ledger.views import dimensions_kept, lay_views, query_file
from schemas.bills import Delivery, HeldBack, Notice, PeriodState, Rejects, Totals
from schemas.check import verify
from schemas.faults import Fault, InputError

if TYPE_CHECKING:
    import duckdb
    import polars as pl

FILE = "ledger.duckdb"


@contextmanager
def open_ledger(
    store: Path, *, wait_seconds: float = 60, on_wait: Callable[[str], None] = lambda _: None
) -> Iterator[Ledger]:
    """Open a store for writing, alone; make it where it is missing.

    Args:
        store: the folder.
        wait_seconds: how long to wait for another writer.
        on_wait: told once, in words, when waiting begins.

    Raises:
        InputError: the store cannot be written or is damaged, somebody else writes, or a newer program wrote it.
    """
    store = make_store(store)
    with write_lock(store, wait_seconds, on_wait), disk_faults(store):
        charges_folder(store).mkdir(exist_ok=True)
        known = (store / FILE).exists()
        con = connect(store / FILE)
        try:
            migrate(con, store / FILE)
            ledger = Ledger(store, con)
            ledger.check_files()
            if known:  # a ledger that was lost must not take the stored charges with it
                ledger.sweep()
            ledger.lay_views()
            yield ledger
        finally:
            con.close()


class Ledger:
    """One store, open for writing. Frames come out as polars; every change is one transaction."""

    def __init__(self, store: Path, con: duckdb.DuckDBPyConnection) -> None:
        self.store = store
        self.con = con
        with transaction(con):
            for table, rows in empty_tables().items():
                if not self._has(table):
                    replace(con, table, rows)

    def _has(self, table: str) -> bool:
        sql = "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'book' AND table_name = ?"
        return bool(self.con.execute(sql, [table]).fetchall())

    # --- deliveries and bills ---

    def is_read(self, digest: str) -> bool:
        """Whether a delivery of this digest was posted before (it need not be read again)."""
        return posting.is_read(self.con, digest)

    def writing(self, delivery: Delivery, rollup: RollUp) -> DeliveryWriter:
        """A context that takes the good batches of a delivery; see DeliveryWriter."""
        return DeliveryWriter(self.store, delivery, rollup, retention.stored_parts(self.con, delivery.digest))

    def post(
        self,
        delivery: Delivery,
        parts: Sequence[Part],
        totals: Totals,
        *,
        rejects: pl.DataFrame,
        notices: Sequence[Notice] = (),
        run: int,
    ) -> None:
        """Register a finished delivery, in one transaction. It counts once bills are settled."""
        posting.post(self.con, delivery, parts, totals, rejects=rejects, notices=notices, run=run)

    def keep_periods(self, periods: Sequence[PeriodState]) -> None:
        """Keep what providers say of their billing periods."""
        posting.keep_periods(self.con, periods)

    def settle_bills(
        self, found: Sequence[Delivery], held_back: Sequence[HeldBack], run: int, accept_shrink: Collection[str] = ()
    ) -> Settled:
        """Decide what counts, from all posted deliveries and all that was found now; revise bills that changed.

        Raises:
            PrunedError: charges that would count were pruned, so nothing was settled; read and post them again.
        """
        settled = settle(self.con, found, held_back, run, accept_shrink)
        self.lay_views()
        return settled

    def roll_up(self, rollup: RollUp) -> int:
        """Make sure the parts that count are rolled up so, from the stored charges; how many had to be made anew."""
        old = self.con.execute(
            """
            SELECT p.part_no, p.part_id, p.source, p.rows FROM book.bills AS b
            JOIN book.bill_parts AS bp USING (bill_no) JOIN book.parts AS p USING (part_no)
            WHERE b.superseded_run IS NULL AND p.rollup <> ?
            """,
            [rollup.folder],
        ).fetchall()
        for part_no, part_id, source, rows in old:
            roll_up_again(self.store, part_id, source, rollup, rows=rows, totals=posting.part_totals(self.con, part_no))
            self.con.execute("UPDATE book.parts SET rollup = ? WHERE part_no = ?", [rollup.folder, part_no])
        if old:
            self.sweep()
        return len(old)

    def check_files(self) -> None:
        """Make sure that the files of the charges that count are there.

        Raises:
            InputError: some are gone, so no view of the charges can be laid and no line be read.
        """
        subjects = kept_costs.kept_subjects(self.con, self.store)
        files = [*self.charge_files(), *([subjects] if subjects else [])]
        gone = [file for file in files if not file.is_file()]
        if gone:
            what = f"{len(gone)} of {len(files)} files of the store are gone, this one among them"
            raise InputError(Fault(str(gone[0]), what, hint=RESTORE))

    def sweep(self) -> None:
        """Remove files that no transaction registered, and those of pruned parts."""
        retention.sweep(self.con, self.store)

    def prune(self, revisions: int, today: date, run: int) -> int:
        """Remove charges of older revisions that nothing needs; how many parts went. See retention.prune."""
        pruned = retention.prune(self.con, self.store / PUBLISHED, revisions=revisions, today=today, run=run)
        self.sweep()
        return pruned

    # --- frames out ---

    def frame(self, sql: str, params: Sequence[Any] = ()) -> pl.DataFrame:
        """Rows of any query."""
        return frame(self.con, sql, list(params))

    def query(self, name: str) -> pl.DataFrame:
        """Rows of `queries/<name>.sql`."""
        return frame(self.con, query_file(name, dimensions_kept(self.con)))

    def bills(self) -> pl.DataFrame:
        """Bills that count, one row each, as the view `bills` has them."""
        return self.frame("SELECT * FROM main.bills WHERE superseded_run IS NULL ORDER BY bill_no")

    def bill_sums(self) -> pl.DataFrame:
        """One bill that counts x currency: rows and exact sums of its stored charges."""
        return self.query("bill_sums")

    def subjects(self, rollup: RollUp) -> pl.DataFrame:
        """Subjects of the bills that count: SUBJECT_COLUMNS, then the roll-up's further columns."""
        return subjects(self.con, self.store, rollup)

    def lines(self, rollup: RollUp) -> pl.LazyFrame:
        """Lines of the bills that count (LINE_COLUMNS), not read yet."""
        return lines(self.con, self.store, rollup)

    def charge_periods(self, rollup: RollUp, resources: pl.Series) -> pl.DataFrame:
        """Charges of some resources by their own periods (PERIOD_COLUMNS); see hourly.charge_periods."""
        return charge_periods(self.con, self.store, rollup, resources)

    def daily_costs(self, more: Sequence[str] = ()) -> pl.DataFrame:
        """Kept costs by usage_date, source, currency, dimensions, service, SKU, cost element, category and `more`."""
        return frame(self.con, query_file("daily_costs", (*dimensions_kept(self.con), *more)))

    def compared_usage(self, days: pl.DataFrame, more: Sequence[str] = ()) -> pl.DataFrame:
        """Kept usage by resource over days compared (WINDOW_COLUMNS): cost of each month, and of the days before."""
        with registered(self.con, compared_days=days):
            return frame(self.con, query_file("compared_usage", (*dimensions_kept(self.con), *more)))

    def metered_costs(self, until: date) -> pl.DataFrame:
        """Kept costs up to a day, by resource (or none), month of usage, meter, dimensions; in no order."""
        return frame(self.con, query_file("metered_costs", dimensions_kept(self.con)), {"until": until})

    # --- results in ---

    def keep_costs(
        self,
        costs: pl.DataFrame,
        subjects: pl.DataFrame,
        allocations: pl.DataFrame,
        lineage: pl.DataFrame,
        *,
        pooled: pl.DataFrame = NO_POOLS,
        job_shares: pl.DataFrame = NO_SHARES,
        run: int,
        inputs: Mapping[str, str] = NO_INPUTS,
    ) -> None:
        """Replace all costs in one transaction, noting what changed in months kept before; see costs.keep."""
        star = Star(costs, subjects, allocations, lineage, pooled, job_shares)
        with transaction(self.con):
            kept_costs.keep(self.con, self.store, star, run, inputs)
            lay_views(self.con, self.charge_files())
        self.sweep()

    def keep_findings(self, findings: pl.DataFrame, today: date) -> None:
        """Set this run's findings (FINDING_COLUMNS) against those kept: new, still, gone."""
        records.keep_findings(self.con, findings, today)

    def keep_input_rejects(self, rejects: pl.DataFrame) -> None:
        """Replace the refused values (REJECT_COLUMNS) of the inputs, which are read each run."""
        self._replace("input_rejects", verify(rejects, Rejects, "rejects of the inputs"))

    def keep(self, table: Kept, rows: pl.DataFrame) -> None:
        """Replace the rows of a table that each run makes anew."""
        self._replace(table, rows)

    def _replace(self, table: str, rows: pl.DataFrame) -> None:
        shape = f"DESCRIBE book.{table}"
        with transaction(self.con):
            before = self.con.execute(shape).fetchall()
            replace(self.con, table, rows)
            if self.con.execute(shape).fetchall() != before:  # else views see the new rows as they are
                lay_views(self.con, self.charge_files())

    # --- runs ---

    def start_run(self, command: str, *, as_of: datetime, started_at: datetime, versions: Mapping[str, str]) -> int:
        """Note a run's start; its number. Runs never ended before are marked as cut off."""
        return records.start_run(self.con, command, as_of, started_at, versions)

    def end_run(
        self,
        run: int,
        status: records.RunStatus,
        *,
        ended_at: datetime,
        counts: Mapping[str, int],
        message: str | None = None,
    ) -> None:
        """Note a run's end."""
        records.end_run(self.con, run, status, ended_at=ended_at, counts=counts, message=message)

    def note_reported(self, run: int, months: Collection[date]) -> None:
        """Note which months the reports of a run show."""
        records.note_reported(self.con, run, months)

    # --- views ---

    def charge_files(self) -> list[Path]:
        """Parquet files of the charges of the bills that count."""
        rows = self.con.execute(
            """
            SELECT p.part_id, p.charge_files FROM book.bills AS b
            JOIN book.bill_parts AS bp USING (bill_no) JOIN book.parts AS p USING (part_no)
            WHERE b.superseded_run IS NULL ORDER BY p.part_no
            """
        ).fetchall()
        return charge_files(self.store, rows)

    def lay_views(self) -> None:
        """Make the views anew, over the tables and files as they are now."""
        with transaction(self.con):
            kept_costs.lay_subjects(self.con, kept_costs.kept_subjects(self.con, self.store))
            lay_views(self.con, self.charge_files())
