"""Jobs on nodes against an oracle of fractions that knows nothing of the product: every cent of every hour."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from node_worlds import MARCH_1, Cluster, by_jobs

from attribution.allocation import Divided, recompute
from schemas.money import COSTS, to_units

Job = tuple[str, str, int, int, int, str]  # id, node, first and last minute, halves of a GPU, project
HOUR = timedelta(hours=1)


def oracle(nodes: dict[str, int], jobs: list[Job], charges: list[tuple[str, int, int, str]]) -> dict[str, Fraction]:
    """Money by project: each hour's cost by GPU-seconds, out of what the node has or what was used, if that is more."""
    found: dict[str, Fraction] = {}
    for node, start, hours, cost in charges:
        for hour in range(start, start + hours):
            used: dict[str, Fraction] = {}
            for _, where, first, last, halves, project in jobs:
                overlap = min(last, 60 * hour + 60) - max(first, 60 * hour)
                if where == node and overlap > 0:
                    used[project] = used.get(project, Fraction(0)) + Fraction(halves * overlap, 2)
            whole = max(Fraction(60 * nodes[node]), sum(used.values(), Fraction(0)))
            price = Fraction(cost) / hours
            for project, had in used.items():
                found[project] = found.get(project, Fraction(0)) + price * had / whole
            idle = price * (whole - sum(used.values(), Fraction(0))) / whole
            found["idle"] = found.get("idle", Fraction(0)) + idle
    return found


def moved(divided: Divided, column: str) -> dict[str, Fraction]:
    """Money by project of what the split made, negations left out."""
    rows = divided.costs.join(divided.allocations, on="allocation_id", how="left")
    found: dict[str, Fraction] = {}
    for project, method, amount in rows.select("project", "project_method", column).iter_rows():
        if method in ("job", "idle") and project != "unallocated":
            found[project] = found.get(project, Fraction(0)) + Fraction(amount)
    return found


minutes = st.integers(0, 72 * 60)
a_job = st.tuples(
    st.sampled_from("abcdefgh"), st.sampled_from(("n1", "n2", "n9")), minutes, minutes, st.integers(1, 20),
    st.sampled_from(("atlas", "borealis", "kestrel")),
).map(lambda job: (job[0], job[1], min(job[2:4]), max(job[2:4]), job[4], job[5]))  # fmt: skip
amount = st.decimals("-50", "1e12", places=12, allow_nan=False).map(lambda one: f"{one:f}")
a_charge = st.tuples(st.sampled_from(("n1", "n2")), st.integers(0, 2), st.booleans(), amount)


@settings(max_examples=60, deadline=None)
@given(st.lists(a_job, max_size=8), st.lists(a_charge, min_size=1, max_size=5))
def test_every_job_gets_what_fractions_say(jobs: list[Job], charges: list[tuple[str, int, bool, str]]) -> None:
    cluster = Cluster().node("n1", 8).node("n2", 4)
    billed: list[tuple[str, int, int, str]] = []
    for node, day, daily, cost in charges:
        start, hours, step = (24 * day, 24, 24) if daily else (24 * day + 22, 4, 1)  # four hours cross midnight
        cluster.bill(node, start, hours, cost, step, SkuId=f"{len(billed)}")
        billed += [(node, start, 24, cost)] if daily else [(node, start + hour, 1, cost) for hour in range(4)]
    for number, (job, node, first, last, halves, project) in enumerate(jobs):
        cluster.job(f"{job}{number}", node, first / 60, last / 60, halves / 2, project=project)
    divided = cluster.divided(by_jobs())
    wanted = oracle({"n1": 8, "n2": 4}, jobs, billed)
    cells = sum(hours for _, _, hours, _ in billed) + len(billed)
    for column in COSTS:
        found = moved(divided, column)
        assert sum(found.values()) == sum(Fraction(cost) for *_, cost in billed)
        for project in {*wanted, *found}:
            # A share is rounded once an hour, by less than a unit; a day is cut into hours before.
            apart = abs(found.get(project, Fraction(0)) - wanted.get(project, Fraction(0)))
            assert apart < 2 * cells * Fraction(1, 10**12)
        lineage = divided.lineage.sort("subject_id", "usage_date", "pool_allocation_id", "hour", "position")
        shares = dict.fromkeys(divided.allocations.get_column("allocation_id"), 0)
        again = recompute(lineage, column)
        for receiver, share in zip(lineage.get_column("receiver_allocation_id"), again, strict=True):
            shares[receiver] += to_units(share)
        kept = dict.fromkeys(shares, 0)
        for allocation, money in divided.costs.select("allocation_id", column).iter_rows():
            kept[allocation] += to_units(money)
        assert {one: units for one, units in shares.items() if units} == {
            one: kept[one] for one, units in shares.items() if units
        }


def test_shares_of_an_hour_are_the_largest_remainders() -> None:
    """10 among three of eight GPUs, in whole units: nothing is lost and who has the larger rest gets the unit."""
    cluster = Cluster().node("n", 7).bill("n", 0, 1, "1")
    for project, gpus in (("atlas", 2), ("borealis", 2), ("kestrel", 3)):
        cluster.job(project, "n", 0, 1, gpus, project=project)
    found = {
        name: Decimal(money.numerator) / money.denominator
        for name, money in moved(cluster.divided(by_jobs()), "BilledCost").items()
    }
    assert found == {
        "atlas": Decimal("0.285714285714"), "borealis": Decimal("0.285714285714"), "kestrel": Decimal("0.428571428572"),
    }  # fmt: skip


def test_a_job_is_cut_by_midnight_and_the_end_of_the_month() -> None:
    cluster = Cluster().node("n", 8)
    last = (datetime(2026, 4, 1, tzinfo=MARCH_1.tzinfo) - MARCH_1) // HOUR
    cluster.bill("n", last - 2, 4, "8").job("a", "n", last - 1.5, last + 0.25, 8, project="atlas")
    divided = cluster.divided(by_jobs())
    days = {
        (day.month, day.day): money
        for day, kind, money in divided.job_shares.select("usage_date", "kind", "EffectiveCost").iter_rows()
        if kind == "job"
    }
    assert days == {(3, 31): Decimal(12), (4, 1): Decimal(2)}
    assert divided.job_shares.filter(kind="job").get_column("gpu_hours").to_list() == [12.0, 2.0]
