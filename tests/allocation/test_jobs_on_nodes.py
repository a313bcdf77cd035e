"""Jobs on nodes: what becomes of idle, whose a job is, how large a node is, and what is remarked."""

from __future__ import annotations

import json
from decimal import Decimal

import polars as pl
import pytest
from allocation_worlds import march, sums
from node_worlds import Cluster, at, by_jobs

from attribution.allocation.nodes.hours import billed_hours
from schemas.costs import PERIOD_COLUMNS
from schemas.faults import LawBrokenError


def shared() -> Cluster:
    """A day of a node of eight GPUs at 8 an hour, that chen's team reserved: 24 of 192 GPU-hours used."""
    cluster = Cluster().node("n", 8).bill("n", 0, 24, "8", tags={"project": "chen"})
    return cluster.job("1", "n", 0, 2, 8, project="atlas").job("2", "n", 2, 10, 1, project="borealis")


@pytest.mark.parametrize(
    ("idle", "atlas", "borealis", "rest"),
    [
        ("keep", "0", "0", {("idle", "idle"): "168"}),
        ("owner", "0", "0", {("chen", "idle"): "168"}),
        ("use", "112", "56", {}),
        ("even", "84", "84", {}),
    ],
)
def test_what_nobody_used_goes_where_the_rule_says(
    idle: str, atlas: str, borealis: str, rest: dict[object, str]
) -> None:
    wanted = {("chen", "bill-tag"): "192", ("chen", "job"): "-192", ("atlas", "job"): "16", ("borealis", "job"): "8"}
    wanted |= {(who, "idle"): money for who, money in (("atlas", atlas), ("borealis", borealis)) if money != "0"}
    assert sums(shared().divided(by_jobs(f'idle = "{idle}"')), "project", "project_method") == {**wanted, **rest}


def test_why_nobody_used_it_is_said_where_it_is_known() -> None:
    cluster = shared()
    cluster.states += [("n", at(1), at(4), "DOWN"), ("n", at(3), None, "DRAINED"), ("n", at(3), at(5), "DRAINED")]
    divided = cluster.divided(by_jobs())
    found = dict(divided.job_shares.group_by("kind").agg(pl.col("EffectiveCost").sum()).iter_rows())
    # Down 1 to 4: nothing of the first hour is left, of the next two seven GPUs are; drained from 3 on, what is left.
    assert found == {"job": Decimal(24), "down": Decimal(14), "drained": Decimal(154)}
    rules = sums(divided, "project_rule")
    assert rules["gpus: down"] == "14"
    assert rules["gpus: drained"] == "154"


def test_a_jobs_names_are_those_of_the_day_on_which_it_began() -> None:
    dated = '{ alias = "a7", until = 2026-03-02 }', '{ alias = "A-7", since = 2026-03-02 }'
    rules = f"[dimension.project.values]\natlas = [{dated[0]}]\naurora = [{dated[1]}]\n"
    cluster = Cluster().node("n", 8).bill("n", 0, 48, "8")
    cluster.job("1", "n", 0, 2, 8, project="A7").job("2", "n", 23, 25, 8, account="a_7")
    cluster.job("3", "n", 25, 26, 8, project="A7").job("4", "n", 26, 29, 8, name="exp-1")
    run = {"run_id": "r", "experiment": "exp-1", "project": "a7", "started_at": at(25), "ended_at": at(30)}
    cluster.runs.append(run)
    found = sums(cluster.divided(rules + by_jobs(across='["project"]')), "project")
    assert {name: found[name] for name in ("atlas", "aurora")} == {"atlas": "32", "aurora": "32"}


RESERVED = [
    ("n", at(1), at(4), "RESERVED", "sprint", "mira", "Dorado_1"),  # full until 2, one GPU of eight used from there on
    ("n", at(12), at(14), "RESERVED", "two teams", None, None),
    ("n", at(3), at(5), "RESERVED", "later", None, "lyra"),  # 3 to 4 is the sprint's, which came first
    ("n", at(1), at(4), "RESERVED", "sprint", None, None),  # told once more by a list that names nobody
]


@pytest.mark.parametrize(("tags", "others"), [({"project": "chen"}, "chen"), ({}, "idle")])
def test_reserved_and_unused_goes_to_whom_it_was_reserved_for(tags: dict[str, str], others: str) -> None:
    cluster = Cluster().node("n", 8).bill("n", 0, 24, "8", tags=tags)
    cluster.job("1", "n", 0, 2, 8, project="atlas").job("2", "n", 2, 10, 1, project="borealis")
    cluster.states += RESERVED
    aliases = '[dimension.project.values]\ndorado = ["dorado-1"]\n'
    divided = cluster.divided(aliases + by_jobs('idle = "owner"'))
    found = {key: money for key, money in sums(divided, "project", "project_rule").items() if "-" not in money}
    assert {key: money for key, money in found.items() if "reserved" in (key[1] or "")} == {
        ("dorado", "gpus: reserved"): "14", ("lyra", "gpus: reserved"): "7", (others, "gpus: reserved"): "16",
    }  # fmt: skip
    assert sums(divided, "project")[others] == "147"  # 168 unused, less what two of them reserved
    kept = cluster.divided(aliases + by_jobs('idle = "keep"'))
    assert sums(kept, "project", "project_rule")["idle", "gpus: reserved"] == "37"


def test_a_job_says_whose_it_is_by_columns_patterns_aliases_and_runs() -> None:
    cluster = Cluster().node("n", 8).bill("n", 0, 10, "8")
    cluster.job("1", "n", 0, 1, 8, account="Atlas_7B", user="mira", name="exp-1")
    cluster.job("2", "n", 1, 2, 8, project="borealis", account="x", comment="a stage=rlhf b", name="exp-2", user=" ")
    cluster.job("3", "n", 2, 3, 8, name="exp-1", stage="sft")
    cluster.job("4", "n", 8, 9, 8, name="exp-3")
    for run, experiment, stage, first, last in (
        ("r1", "exp-1", "pretraining", 0, 2), ("r2", "exp-1", "evaluation", 2, 9), ("r3", "exp-3", "tokenizer", 0, 1),
    ):  # fmt: skip
        times = {"started_at": at(first), "ended_at": at(last)}
        cluster.runs.append({"run_id": run, "experiment": experiment, "stage": stage, "project": "kestrel", **times})
    rules = '[dimension.project.values]\natlas = ["atlas-7b"]\n[jobs]\n'
    rules += 'stage = ["stage", { take = "comment", regex = "stage=([a-z]+)" }]\n'
    divided = cluster.divided(rules + by_jobs(across='["project", "stage", "experiment", "owner"]'))
    told = sums(divided, "project", "stage", "experiment", "owner")
    assert told == {
        ("atlas", "pretraining", "exp-1", "mira"): "8",
        ("borealis", "rl-alignment", "exp-2", "unallocated"): "8",
        ("kestrel", "sft", "exp-1", "unallocated"): "8",
        ("kestrel", "tokenizer", "exp-3", "unallocated"): "8",
        ("idle", "idle", "idle", "idle"): "48",
    }
    assert dict(divided.jobs.select("job_id", "run_id").rows()) == {"1": "r1", "2": None, "3": "r2", "4": None}


def test_parts_of_a_gpu_and_jobs_beyond_what_there_is() -> None:
    cluster = Cluster().node("n", 1).bill("n", 0, 2, "7")
    for slices, project in ((1, "atlas"), (2, "borealis"), (4, "kestrel")):
        cluster.job(project, "n", 0, 1, slices / 7, project=project)
    cluster.job("a", "n", 1, 2, 1, project="atlas").job("b", "n", 1, 2, 1, project="borealis")
    divided = cluster.divided(by_jobs())
    found = {name: round(Decimal(money), 9) for name, money in sums(divided, "project").items()}  # type: ignore[arg-type]
    assert found.pop("idle", Decimal(0)) == 0
    assert found == {"atlas": Decimal("4.5"), "borealis": Decimal("5.5"), "kestrel": Decimal(4)}
    assert "node_overbooked" in divided.remarks.get_column("kind").to_list()


@pytest.mark.parametrize(
    ("gpus", "columns", "details", "idle"),
    [
        (4, {"SkuMeter": "BoxUsage:p5.48xlarge"}, {"GpuCount": "2"}, "3"),  # the inventory says it
        (None, {"SkuMeter": "BoxUsage:p5.48xlarge"}, {"GpuCount": "2"}, "2"),  # else the bill
        (None, {"SkuMeter": "USE1-BoxUsage:p5.48xlarge"}, None, "3.5"),  # else its type
        (None, {"ResourceType": "a3-highgpu-4g"}, None, "3"),
        (None, {"SkuId": "Standard_NC48ads_A100_v4"}, None, "2"),
        (None, {}, None, "0"),  # else what jobs had at once, and this is remarked
    ],
)
def test_how_many_gpus_a_node_has(
    gpus: float | None, columns: dict[str, str], details: dict[str, str] | None, idle: str
) -> None:
    cluster = Cluster().node("n", gpus).bill("n", 0, 1, "4", **columns).job("1", "n", 0, 1, 1, project="atlas")
    cluster.periods[0]["SkuPriceDetails"] = None if details is None else json.dumps(details)
    divided = cluster.divided(by_jobs())
    assert sums(divided, "project").get("idle", "0") == idle
    assert ("node_size_unknown" in divided.remarks.get_column("kind")) is (idle == "0")


def test_jobs_and_nodes_that_do_not_meet_are_remarked() -> None:
    cluster = Cluster().node("n", 8).node("lonely", 8)
    cluster.bill("n", 0, 4, "8").bill("lonely", 0, 48, "2").bill("disk", 0, 4, "1")
    cluster.job("1", "n", 0, 6, 8, project="atlas").job("2", "strange", 1, 2, 4, project="atlas")
    cluster.job("3", "strange", 1000, 1001, 4, project="atlas")  # later than any bill: nobody can know yet
    divided = cluster.divided(by_jobs())
    told = {(kind, subject): (text, amount) for kind, subject, text, amount, _ in divided.remarks.iter_rows()}
    assert told.keys() == {
        ("job_without_bill", "n"), ("job_without_bill", "strange"), ("node_without_jobs", "lonely"),
    }  # fmt: skip
    assert told["job_without_bill", "n"][0].startswith("1 job had 16 GPU-hours of it between 2026-03-01 04:00")
    assert told["node_without_jobs", "lonely"][1] == Decimal(96)
    assert sums(divided, "project") == {"atlas": "32", "idle": "96", "unallocated": "4"}  # the disk stays where it is


def test_two_bills_that_claim_one_node_are_remarked_and_lose_nothing() -> None:
    cluster = Cluster().node("n", 8).bill("n", 0, 2, "8").bill("n", 1, 2, "5", source="other", bill_no=2)
    cluster.job("1", "n", 0, 3, 4, project="atlas")
    divided = cluster.divided(by_jobs())
    assert sums(divided, "project", "bill_no") == {
        ("atlas", 1): "8", ("idle", 1): "8", ("atlas", 2): "5", ("idle", 2): "5",
    }  # fmt: skip
    (text,) = divided.remarks.filter(kind="node_in_two_bills").get_column("sentence").to_list()
    assert "aws 000000000001 and other 000000000001" in text
    assert "same 1 hour;" in text
    hours = divided.job_shares.filter(kind="job").get_column("gpu_hours").sum()
    assert hours == 12  # an hour that two bills charge for was worked once


def test_a_running_job_runs_to_the_end_of_its_nodes_bill() -> None:
    cluster = Cluster().node("n", 8).bill("n", 0, 48, "1").job("1", "n", 24, None, 8, project="atlas")
    assert sums(cluster.divided(by_jobs()), "project") == {"idle": "24", "atlas": "24"}


def test_credits_of_a_node_follow_its_jobs_and_unknown_costs_stay_unknown() -> None:
    cluster = Cluster().node("n", 8).bill("n", 0, 24, "-24", 24, ChargeCategory="Credit")
    cluster.job("1", "n", 0, 12, 8, project="atlas")
    for line in (*cluster.world.lines, *cluster.periods):
        line["ListCost"] = None
    divided = cluster.divided(by_jobs())
    assert sums(divided, "project") == {"atlas": "-12", "idle": "-12"}
    assert divided.costs.get_column("ListCost").null_count() == divided.costs.height


def test_hours_that_do_not_sum_to_their_line_break_a_law() -> None:
    cluster = shared()
    cluster.periods.pop()
    with pytest.raises(LawBrokenError, match="hours do not sum"):
        cluster.divided(by_jobs())


def test_later_splits_see_shares_with_their_nodes_tags() -> None:
    cluster = shared()
    cluster.world.subjects[0]["Tags"] = '{"cluster":"a","project":"chen"}'
    chain = by_jobs(when='"tag:cluster" = "a"') + (
        '[[split]]\nname = "idle"\nwhen = { project = "idle", "tag:cluster" = "a" }\n'
        'across = ["project"]\nby = "fixed"\nweights = { finance = 1 }\n'
    )
    divided = cluster.divided(chain)
    assert sums(divided, "project") == {"atlas": "16", "borealis": "8", "finance": "168"}
    assert divided.costs.filter(usage_date=march(1)).height == divided.costs.height


def test_a_job_that_begins_and_ends_within_hours_pays_for_its_seconds() -> None:
    """Half an hour, then a quarter; the bill of the second hour ends in its middle, and the job outlives it."""
    cluster = Cluster().node("n", 4).bill("n", 0, 1, "8").bill("n", 1, 0.5, "4", step=0.5)
    cluster.job("1", "n", 0.25, 0.75, 4, project="atlas").job("2", "n", 1.25, 3, 4, project="borealis")
    found = sums(cluster.divided(by_jobs()), "project")
    assert found == {"atlas": "4", "borealis": "2", "idle": "6"}


def test_a_charge_that_is_a_second_longer_than_an_hour_has_that_second_in_the_next() -> None:
    cluster = Cluster().node("n", 1).bill("n", 0, 1 + 1 / 3600, "3601", step=1 + 1 / 3600)
    cluster.job("1", "n", 1, 2, 1, project="atlas")
    assert sums(cluster.divided(by_jobs()), "project") == {"atlas": "1", "idle": "3600"}


def test_a_charge_without_length_stands_in_the_hour_in_which_it_begins() -> None:
    cluster = Cluster().node("n", 1).bill("n", 5, 1, "2").bill("n", 6, 1, "0.50")
    cluster.periods[1]["ChargePeriodEnd"] = cluster.periods[1]["ChargePeriodStart"]
    cluster.job("1", "n", 5, 6, 1, project="atlas")
    assert sums(cluster.divided(by_jobs()), "project") == {"atlas": "2", "idle": "0.5"}


def test_charges_of_one_hour_are_one_span_from_the_first_to_the_last() -> None:
    cluster = Cluster().node("n", 1).bill("n", 0, 0.25, "1", step=0.25).bill("n", 0.75, 0.25, "1", step=0.25)
    cluster.job("1", "n", 0, 0.5, 1, project="atlas")
    assert sums(cluster.divided(by_jobs()), "project") == {"atlas": "1", "idle": "1"}


def test_a_node_without_gpus_and_jobs_is_no_node() -> None:
    cluster = Cluster().node("n", 0).bill("n", 0, 2, "1", tags={"project": "web"})
    assert sums(cluster.divided(by_jobs()), "project") == {"web": "2"}


def remarks(cluster: Cluster) -> dict[str, str]:
    """Kind and subject of each remark -> its sentence."""
    rows = cluster.divided(by_jobs()).remarks.select("kind", "subject", "sentence").iter_rows()
    return {f"{kind} {subject}": text for kind, subject, text in rows}


def test_each_remark_is_a_sentence_with_its_hours() -> None:
    cluster = Cluster().node("n", 2).node("lonely", 1).node("untold", None)
    cluster.bill("n", 0, 4, "8").bill("lonely", 0, 24, "1").bill("untold", 0, 2, "1")
    cluster.job("1", "n", 1, 3, 2, project="atlas").job("2", "n", 1.5, 2, 1, project="atlas")
    cluster.job("3", "n", 3, 6.25, 1, project="atlas").job("4", "n", 4.5, 5, 1, project="atlas")
    cluster.job("5", "strange", 1, 2.5, 1 / 3, project="atlas").job("6", "untold", 0, 1, 0.5, project="atlas")
    assert remarks(cluster) == {
        "job_without_bill n": "2 jobs had 2.75 GPU-hours of it between 2026-03-01 04:00 and 2026-03-01 06:15, for "
        "which no bill has a charge",
        "job_without_bill strange": "1 job had 0.5 GPU-hours of it between 2026-03-01 01:00 and 2026-03-01 02:30, for "
        "which no bill has a charge",
        "node_without_jobs lonely": 'it was billed in 2026-03 and no job ran on it; split "gpus" leaves all of it idle',
        "node_size_unknown untold": "how many GPUs it has is said neither by inventory, bill nor type; 0.5 are "
        "counted, the most that jobs had at once",
        "node_overbooked n": "in 1 hour, first 2026-03-01 01:00, jobs had more than its 2 GPUs; each got its part "
        "of what they had together",
    }


def test_jobs_before_all_bills_and_after_them_are_nobodys_and_those_between_are_remarked() -> None:
    cluster = Cluster().node("n", 1).bill("n", 5, 1, "1").bill("n", 8, 1, "1")
    for number, hour in enumerate((3, 4, 6, 7, 9, 10)):
        cluster.job(f"{number}", "n", hour, hour + 1, 1, project="atlas")
    (text,) = (text for name, text in remarks(cluster).items() if name == "job_without_bill n")
    assert text.startswith("2 jobs had 2 GPU-hours of it between 2026-03-01 06:00 and 2026-03-01 08:00")
    assert remarks(Cluster().job("1", "n", 0, 1, 1)) == {}, "no bill says nothing of any job"


def test_a_node_that_is_full_to_the_second_is_not_overbooked_and_a_second_more_is() -> None:
    for end, told in ((1.0, False), (1 + 1 / 3600, True)):
        cluster = Cluster().node("n", 2).bill("n", 0, 2, "1")
        cluster.job("1", "n", 0, 1, 2, project="atlas").job("2", "n", 1 - 1 / 3600, end, 1, project="atlas")
        cluster.job("3", "n", 1, 2, 2, project="atlas")
        assert ("node_overbooked n" in remarks(cluster)) == (told or end > 1 - 1 / 3600)
    whole = Cluster().node("n", 2).bill("n", 0, 1, "1").job("1", "n", 0, 1, 2, project="atlas")
    assert remarks(whole) == {}


def test_runs_name_a_job_where_one_alone_went_on_at_its_time() -> None:
    def project(start: float, end: float | None) -> str:
        cluster = Cluster().node("n", 1).bill("n", 0, 30, "1")
        for name, began, ended, whose in (("r1", 0, 10, "atlas"), ("r2", 20, 30, "borealis")):
            run = {"run_id": name, "experiment": "e", "project": whose, "started_at": at(began), "ended_at": at(ended)}
            cluster.runs.append(run)
        cluster.job("1", "n", start, end, 1, experiment="e")
        found = cluster.divided(by_jobs(across='["project", "experiment"]'))
        return ", ".join(sorted(set(sums(found, "project")) - {"idle"}))  # type: ignore[arg-type]

    assert [project(*span) for span in ((9, 20), (10, 20), (9, 21), (10, 21), (0, 1), (29, 30))] == [
        "atlas", "unallocated", "unallocated", "borealis", "atlas", "borealis",
    ]  # fmt: skip


def test_charges_of_one_line_within_an_hour_are_one_span_too() -> None:
    cluster = Cluster().node("n", 1).bill("n", 0, 1, "1", step=0.5).job("1", "n", 0, 0.25, 1, project="atlas")
    assert sums(cluster.divided(by_jobs()), "project") == {"atlas": "0.5", "idle": "1.5"}


def test_a_charge_that_ends_with_an_hour_has_no_part_of_the_next() -> None:
    for hours in (1, 2, 24):
        cluster = Cluster().node("n", 1).bill("n", 0, hours, "1", step=hours)
        found = billed_hours(pl.DataFrame(cluster.periods, schema=PERIOD_COLUMNS).with_columns(resource_id=pl.lit("n")))
        assert found.get_column("hour").dt.hour().to_list() == list(range(hours))
    cluster = Cluster().node("n", 1).bill("n", 0, 3, "1").job("1", "n", 0, 1, 1, project="atlas")
    shares = cluster.divided(by_jobs()).job_shares
    assert shares.filter(kind="job").get_column("gpu_hours").to_list() == [1.0]


def test_remarks_name_the_first_of_several_hours_and_round_what_jobs_had() -> None:
    cluster = Cluster().node("n", 1).node("m", 1).bill("m", 0, 5, "1").bill("n", 1, 3, "1")
    cluster.job("m", "m", 0, 5, 1, project="atlas").job("0", "n", 0, 1 / 3, 1, project="atlas")
    for number, hour in enumerate((1, 2)):
        cluster.job(f"a{number}", "n", hour, hour + 1, 1).job(f"b{number}", "n", hour, hour + 1, 1)
    assert remarks(cluster) == {
        "job_without_bill n": "1 job had 0.33 GPU-hours of it between 2026-03-01 00:00 and 2026-03-01 00:20, for which "
        "no bill has a charge",
        "node_overbooked n": "in 2 hours, first 2026-03-01 01:00, jobs had more than its 1 GPU; each got its part of "
        "what they had together",
    }
