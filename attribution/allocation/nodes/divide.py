"""Nodes divided among those who used them: every amount of every hour in whole units, losing nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from attribution.allocation.beside import Beside
from attribution.allocation.nodes.hours import billed_hours, gpu_hours
from attribution.allocation.nodes.named import of
from attribution.allocation.nodes.remarks import remarks
from attribution.allocation.nodes.uses import Uses, job_uses, pod_uses
from attribution.allocation.pools import Standing
from attribution.allocation.shares import AllocationBook, Row, Voice, decimal_text
from attribution.rules import RuleBook, Split
from schemas.costs import LINEAGE_COLUMNS
from schemas.detection import NOTICE_COLUMNS
from schemas.dimensions import IDLE, NOBODY
from schemas.faults import LawBrokenError
from schemas.money import COSTS, MONEY, from_units, known_sum, split_units
from schemas.nodes import JOB_SHARE_COLUMNS, RUN_JOB_COLUMNS

_CELL = ("row", "subject_row", "usage_date", "allocation_id", "resource_id", "hour")


@dataclass(frozen=True)
class Shared:
    """What dividing nodes gave.

    `rows`: negations and shares (row: the cost row they are of, allocation_id, COSTS, live). `lineage`: LINEAGE_COLUMNS
    but for the subject, which `row` points at. `shares`, `jobs`: see schemas/nodes.py. `taken`: the rows that
    were divided. `users`: who used how much by month and currency (window, BillingCurrency, across, weight).
    `notices`: NOTICE_COLUMNS.
    """

    taken: pl.DataFrame
    rows: pl.DataFrame
    lineage: pl.DataFrame
    shares: pl.DataFrame
    jobs: pl.DataFrame
    users: pl.DataFrame
    notices: pl.DataFrame


def divide_nodes(
    split: Split, standing: Standing, taken: pl.DataFrame, book: AllocationBook, *, beside: Beside, rules: RuleBook
) -> Shared:
    """Divide the nodes among the rows that a split takes.

    Args:
        split: by jobs, or by a measure of pods.
        standing: where all money stands.
        taken: rows that meet the split, with `row`, their place in `standing.rows`.
        book: numbers the new allocations.
        beside: jobs and the like.
        rules: the rule book.

    Raises:
        LawBrokenError: the charges of an hour do not sum to the line they were rolled up into.
    """
    nodes = _nodes(split, standing, taken, beside)
    if split.by == "jobs":
        cells, uses = _by_hour(split, nodes, beside, rules)
        told = remarks(split, uses, cells, standing)
    else:
        cells = nodes.with_columns(pl.col("usage_date").cast(pl.Datetime("us", "UTC")).alias("hour"))
        rows = pod_uses(split, beside.usage, rules)
        none = pl.DataFrame()
        uses = Uses(rows, none, none, none)
        told = pl.DataFrame(schema=NOTICE_COLUMNS)
    lists = uses.rows.group_by("resource_id", "hour", maintain_order=True).agg(
        "job_id", "kind", "weight", *(of(name) for name in split.across)
    )
    dearest = pl.col("EffectiveCost").rank("ordinal", descending=True).over("resource_id", "hour").eq_missing(1)
    cells = cells.sort(_CELL).select(*_CELL, *COSTS, dearest.alias("dearest"))
    cells = cells.join(lists, on=["resource_id", "hour"], maintain_order="left")
    sheet = _Sheet(split, standing, book)
    sheet.write(cells)
    return sheet.shared(taken, cells, uses, told)


def _nodes(split: Split, standing: Standing, taken: pl.DataFrame, beside: Beside) -> pl.DataFrame:
    """Rows of a bill's own lines whose resource is a node: one that jobs or pods name, or that has GPUs."""
    subjects = standing.subjects
    named = taken.with_columns(
        subjects.get_column(name).gather(taken.get_column("subject_row"))
        for name in ("subject_id", "ResourceId", "ResourceType", "SkuMeter", "SkuId")
    ).rename({"ResourceId": "resource_id"})
    named = named.filter(pl.col("billed"), pl.col("resource_id").is_not_null())
    if split.by != "jobs":
        used = beside.usage.filter(pl.col("measure") == split.measure).get_column("resource_id")
        return named.filter(pl.col("resource_id").is_in(used.unique().implode()))
    with_gpus = beside.resources.filter(pl.col("gpus") > 0).get_column("resource_id")
    known = pl.concat([beside.jobs.get_column("resource_id"), beside.pods.get_column("resource_id"), with_gpus])
    return named.filter(pl.col("resource_id").is_in(known.unique().implode()))


def _by_hour(split: Split, nodes: pl.DataFrame, beside: Beside, rules: RuleBook) -> tuple[pl.DataFrame, Uses]:
    """The nodes' rows by the hours of their charges, and who used those hours."""
    periods = beside.periods(nodes.get_column("resource_id"))
    at = nodes.select(*_CELL[:5], "subject_id", "ResourceType", "SkuMeter", "SkuId")
    told = periods.join(at, on=["subject_id", "usage_date"])
    hours = billed_hours(told)
    cells = hours.join(at.select(*_CELL[:4], "subject_id"), on=["subject_id", "usage_date"], validate="m:1")
    _same(split, nodes, cells)
    return cells, job_uses(split, hours, told, beside, rules)


def _same(split: Split, nodes: pl.DataFrame, cells: pl.DataFrame) -> None:
    """Assert that hours sum to the rows they are of."""
    summed = cells.group_by("row").agg(known_sum(name).alias(f"hours {name}") for name in COSTS)
    both = nodes.join(summed, on="row", how="left")
    differ = both.filter(pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"hours {name}")) for name in COSTS))
    if differ.height:
        message = f'split "{split.name}": hours do not sum to their line: {differ.head(3).rows()}'
        raise LawBrokenError(message)


@dataclass
class _Sheet:
    """Shares while they are written, column by column; one entry a cell and user."""

    split: Split
    standing: Standing
    book: AllocationBook
    cell: list[int] = field(default_factory=list)
    allocation: list[int] = field(default_factory=list)
    position: list[int] = field(default_factory=list)
    weight: list[int] = field(default_factory=list)
    total: list[int] = field(default_factory=list)
    job: list[str | None] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    units: tuple[list[int | None], ...] = field(default_factory=lambda: tuple([] for _ in COSTS))
    negation: list[int] = field(default_factory=list)  # one a cell
    _moved: dict[tuple[int, tuple[str, ...], str | None], int] = field(default_factory=dict)
    _known: dict[tuple[int, tuple[int, ...]], list[int]] = field(default_factory=dict)

    def write(self, cells: pl.DataFrame) -> None:
        """Divide every cell; equal amounts among equal users are divided once."""
        amounts = [cells.get_column(name).to_physical().to_list() for name in COSTS]
        ids = cells.get_column("allocation_id").to_list()
        named = dict(_rows_of(self.standing.allocations, cells.get_column("allocation_id")))
        lists = [cells.get_column(name).to_list() for name in ("job_id", "kind", "weight")]
        values = zip(*(cells.get_column(of(name)).to_list() for name in self.split.across), strict=True)
        for cell, (jobs, kinds, weights, *of_across) in enumerate(zip(*lists, values, strict=True)):
            receivers = list(zip(*of_across[0], strict=True))
            pool = ids[cell]
            total = sum(weights)
            self.negation.append(self._to(pool, named[pool], (), None))
            many = len(weights)
            self.cell += [cell] * many
            self.position += range(many)
            self.weight += weights
            self.total += [total] * many
            self.job += jobs
            self.kind += kinds
            self.allocation += [
                self._to(pool, named[pool], to, kind) for to, kind in zip(receivers, kinds, strict=True)
            ]
            key = tuple(weights)
            for column, mine in zip(amounts, self.units, strict=True):
                mine.extend(self._divided(column[cell], key))

    def _divided(self, amount: int | None, weights: tuple[int, ...]) -> list[int] | list[None]:
        if amount is None:
            return [None] * len(weights)
        key = (amount, weights)
        if key not in self._known:
            self._known[key] = split_units(amount, weights)
        return self._known[key]

    def _to(self, pool: int, named: Row, values: tuple[str, ...], kind: str | None) -> int:
        """The allocation of what somebody got of a pool; `kind` None: of what was taken away."""
        key = (pool, values, kind)
        if key not in self._moved:
            own = tuple(str(named[3 * self.book.dimensions.index(name)]) for name in self.split.across)
            if kind not in (None, "job") and self.split.idle == "owner" and not set(own) <= set(NOBODY):
                values = tuple(mine if said == IDLE else said for said, mine in zip(values, own, strict=True))
            self._moved[key] = self.book.moved(
                named, self.split, values or own, away=kind is None, voice=_voice(self.split.name, kind)
            )
        return self._moved[key]

    def shared(self, taken: pl.DataFrame, cells: pl.DataFrame, uses: Uses, told: pl.DataFrame) -> Shared:
        """Everything as frames."""
        at = cells.select(*_CELL, *COSTS, "dearest")
        entries = at[self.cell].select(
            *_CELL,
            "dearest",
            *(pl.col(name).alias(f"pool {name}") for name in COSTS),
            pl.Series("receiver_allocation_id", self.allocation, dtype=pl.Int32()),
            pl.Series("negation_allocation_id", self.negation, dtype=pl.Int32()).gather(self.cell)
            if self.cell
            else pl.lit(None, pl.Int32()).alias("negation_allocation_id"),
            pl.Series("position", self.position, dtype=pl.Int32()),
            pl.Series("weight", self.weight, dtype=pl.Int128()),
            pl.Series("total", self.total, dtype=pl.Int128()),
            pl.Series("job_id", self.job, dtype=pl.String()),
            pl.Series("kind", self.kind, dtype=pl.String()),
            *(from_units(units, name) for units, name in zip(self.units, COSTS, strict=True)),
        )
        subject = self.standing.subjects.get_column("subject_id").gather(entries.get_column("subject_row"))
        entries = entries.with_columns(subject, pl.lit(self.split.name).alias("split"))
        keys = ["split", "job_id", "kind", "subject_id", "usage_date", "receiver_allocation_id"]
        had = gpu_hours((pl.col("weight") * pl.col("dearest").cast(pl.Int128)).sum()).alias("gpu_hours")
        shares = entries.group_by(keys).agg(*(known_sum(name) for name in COSTS), had)
        shares = (
            shares.rename({"receiver_allocation_id": "allocation_id"})
            .select(list(JOB_SHARE_COLUMNS))
            .sort("subject_id", "usage_date", "job_id", "allocation_id")
        )
        by_jobs = self.split.by == "jobs"
        return Shared(
            taken.join(at.select("row").unique(), on="row", how="semi"),
            _new_rows(entries),
            _lineage(entries, by_hour=by_jobs),
            shares if by_jobs else shares.clear(),
            _told(uses.jobs) if by_jobs else pl.DataFrame(schema=RUN_JOB_COLUMNS),
            _users(self.split, self.standing, cells, uses),
            told,
        )


def _voice(name: str, kind: str | None) -> Voice:
    """Method and rule: what nobody used says why, where somebody knows."""
    if kind in (None, "job"):
        return "job", name
    return "idle", name if kind == IDLE else f"{name}: {kind}"


def _rows_of(allocations: pl.DataFrame, ids: pl.Series) -> Iterator[tuple[int, Row]]:
    distinct = ids.unique()
    yield from zip(distinct.to_list(), allocations.drop("allocation_id")[distinct].rows(), strict=True)


def _new_rows(entries: pl.DataFrame) -> pl.DataFrame:
    """Negations and shares of each row that was divided; a share of nothing makes no row."""
    gained = entries.group_by("row", pl.col("receiver_allocation_id").alias("allocation_id")).agg(
        known_sum(name) for name in COSTS
    )
    some = pl.any_horizontal(pl.col(name) != 0 for name in COSTS)
    lost = entries.group_by("row", pl.col("negation_allocation_id").alias("allocation_id")).agg(
        *((-known_sum(name)).alias(name) for name in COSTS)
    )
    return pl.concat(
        [
            lost.sort("row", "allocation_id").with_columns(pl.lit(value=False).alias("live")),
            gained.filter(some).sort("row", "allocation_id").with_columns(pl.lit(value=True).alias("live")),
        ]
    )


def _lineage(entries: pl.DataFrame, *, by_hour: bool) -> pl.DataFrame:
    hour = pl.col("hour") if by_hour else pl.lit(None, LINEAGE_COLUMNS["hour"]).alias("hour")
    return entries.drop(COSTS).select(
        *("split", "subject_id", "usage_date"),
        pl.col("allocation_id").alias("pool_allocation_id"),
        *("negation_allocation_id", "receiver_allocation_id", "position"),
        decimal_text(pl.col("weight")).alias("weight"),
        decimal_text(pl.col("total")).alias("total_weight"),
        hour,
        "job_id",
        *(pl.col(f"pool {name}").alias(name) for name in COSTS),
    )


def _told(jobs: pl.DataFrame) -> pl.DataFrame:
    """Jobs under names that no dimension has."""
    return jobs.select(
        pl.col(name.removeprefix("job_") if name != "job_id" else name).alias(name) for name in RUN_JOB_COLUMNS
    )


def _users(split: Split, standing: Standing, cells: pl.DataFrame, uses: Uses) -> pl.DataFrame:
    """GPU-seconds by month, currency and user; an hour that is billed by several charges counts once."""
    currency = standing.subjects.get_column("BillingCurrency").gather(cells.get_column("subject_row"))
    window = pl.col("usage_date").dt.truncate("1mo").alias("window")
    places = cells.select("resource_id", "hour", window, currency).unique(["resource_id", "hour", "BillingCurrency"])
    values = [pl.col(of(name)).alias(name) for name in split.across]
    used = uses.rows.filter(pl.col("kind") == "job").select("resource_id", "hour", *values, "weight")
    summed = used.join(places, on=["resource_id", "hour"]).group_by("window", "BillingCurrency", *split.across)
    return summed.agg(pl.col("weight").sum().reinterpret(dtype=MONEY))
