"""The story of sample_bills/README.md, told by the whole house: nights and weeks, with and without Prefect.

What the night prints and what each project cost in each month are kept in tests/golden/; after a change that is
meant, write them anew and read the difference:

    UPDATE_GOLDENS=1 python -m pytest tests/test_story.py
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console

import flows.steps
from attribution.allocation import Divided
from attribution.reports.nightly import NightlySummary, nightly_summary
from flows.mailing import Weekly
from flows.nightly import nightly
from flows.orchestration import read_secret, run_flow
from flows.settings import load_workspace
from flows.terminal import UnfinishedError
from flows.weekly import weekly
from schemas.faults import InputError

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
AS_OF = datetime(2026, 11, 5, 6, tzinfo=UTC)
SEPTEMBER, OCTOBER, NOVEMBER = (date(2026, month, 1) for month in (9, 10, 11))


class Company:
    """A copy of the sample company: its nights and weeks, and SQL over what it published."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(HERE.parent / "sample_bills", root, ignore=shutil.ignore_patterns("ledger", "*.py", "__*"))

    def night(self) -> NightlySummary:
        return flows.steps.nightly(load_workspace(self.root), AS_OF)

    def week(self) -> Weekly:
        return flows.steps.weekly(load_workspace(self.root), AS_OF)

    def __call__(self, sql: str) -> list[Any]:
        with duckdb.connect(str(self.root / "ledger" / "costs.duckdb"), read_only=True) as con:
            return con.execute(sql).fetchall()


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Company:
    return Company(tmp_path_factory.mktemp("story") / "quillhaven")


@pytest.fixture(scope="module")
def first(company: Company) -> NightlySummary:
    return company.night()


@pytest.fixture
def told(company: Company, first: NightlySummary) -> Company:
    """The company after its first night."""
    del first
    return company


def golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if "UPDATE_GOLDENS" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name}: see how to write it anew at the top of {__file__}"


def shown(summary: NightlySummary, root: Path) -> str:
    """A summary as a terminal of 100 columns shows it, with paths from the workspace on."""
    places = tuple(replace(one, path=Path(one.path).relative_to(root).as_posix()) for one in summary.places)
    sink = io.StringIO()
    Console(file=sink, width=100, color_system=None).print(nightly_summary(replace(summary, places=places)))
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines()) + "\n"


# --- nights --------------------------------------------------------------------------------------------------------


def test_the_first_night_says_what_it_always_said(company: Company, first: NightlySummary) -> None:
    golden("nightly.txt", shown(first, company.root))


def test_every_project_costs_what_it_always_cost(told: Company) -> None:
    found: dict[str, dict[str, dict[str, str]]] = {}
    for month, project, billed, effective in told(
        """SELECT billing_month, project, sum(BilledCost), sum(EffectiveCost) FROM monthly_costs
           GROUP BY ALL ORDER BY ALL"""
    ):
        found.setdefault(f"{month:%Y-%m}", {})[project] = {"BilledCost": str(billed), "EffectiveCost": str(effective)}
    golden("project_months.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")


def test_every_bill_of_the_readme_is_whole(told: Company) -> None:
    """Sums as README.md states them of the raw files; the older assembly of October counts for nothing."""
    aws = {
        "2026-08": ("134069.7351693692", "3295.2225000000", "714.2400000000"),
        "2026-09": ("128906.6702133123", "3183.5240000000", "691.2000000000"),
        "2026-10": ("145166.7609606064", "3272.3910000000", "714.2400000000"),
        "2026-11": ("18146.3833076366", "423.9625000000", "92.1600000000"),
    }
    for month, (amortised, *left) in aws.items():
        where = f"source = 'aws' AND billing_month = DATE '{month}-01'"
        assert told(f"SELECT sum(EffectiveCost) FROM costs WHERE {where}") == [(Decimal(amortised),)]  # noqa: S608
        unused = f"SELECT sum(EffectiveCost) FROM costs WHERE {where} AND CommitmentDiscountStatus = 'Unused'"  # noqa: S608
        assert told(unused) == [(sum(map(Decimal, left)),)]
    meridian = ("226423.070000000000", "215366.110000000000", "335864.496399664000", "43201.927840000000")
    by_month = (
        "SELECT sum(BilledCost) FROM costs WHERE source = 'meridian' GROUP BY billing_month ORDER BY billing_month"
    )
    assert told(by_month) == [(Decimal(amount),) for amount in meridian]
    own = [Decimal("25438.095"), Decimal("25438.095"), Decimal("30238.595")]
    assert told(by_month.replace("meridian", "own_costs")) == [(amount,) for amount in own]
    files = told("SELECT DISTINCT unnest(files) FROM bills WHERE superseded_at IS NULL")
    assert not [name for (name,) in files if "3e106c94" in name]


def test_broken_rows_are_refused_with_their_places(told: Company) -> None:
    found = told("""SELECT file, "column", value FROM rejects ORDER BY file, line, "column" """)
    assert found == [
        ("bills/meridian/starter-2026-10.csv", "BilledCost", "12,5x"),
        ("bills/meridian/starter-2026-10.csv", "BilledCost", None),
        ("bills/meridian/starter-2026-10.csv", "ChargePeriodStart", "2026-10-32T00:00:00Z"),
        ("tags/handovers.csv", "resource_id", None),
        ("utilization/meridian.csv", "average", "-4.0"),
        ("utilization/meridian.csv", "average", "NaN"),
    ]


FINDINGS = {
    ("idle_by_utilization", "mrd-gpu-17", "finding"): "16654.40",
    ("idle_by_utilization", "i-0d82e6a14c9730b54", "undetermined"): "17909.89",
    ("unattached_volume", "vol-0c5d1177e8aa43f90", "finding"): "320.00",
    ("orphaned_tag", "mrd-gpu-99", "finding"): None,
}


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda one: f"{one[0]} {one[1]}")
def test_what_the_readme_promises_is_found(finding: tuple[str, str, str], told: Company) -> None:
    stake = FINDINGS[finding]
    kind, subject, _ = finding
    ((verdict, cost),) = told(
        f"SELECT verdict, round(cost_at_stake, 2) FROM findings WHERE kind = '{kind}' AND subject = '{subject}'"  # noqa: S608
    )
    assert (kind, subject, verdict) == finding
    assert cost == (Decimal(stake) if stake else None)


def test_no_detector_sleeps(told: Company) -> None:
    assert told("SELECT kind FROM detectors GROUP BY kind HAVING coalesce(sum(waste), 0) = 0 ORDER BY kind") == []


def test_a_stopped_machine_that_is_never_billed_is_no_orphan_but_its_volume_is_paid_for(told: Company) -> None:
    assert told("SELECT kind FROM findings WHERE subject = 'i-0f6620b1ad8847c93'") == [("stopped_long",)]


def test_projects_grow_appear_and_vanish(told: Company) -> None:
    found = told(
        f"SELECT subject, status, verdict FROM growth WHERE kind = 'project' AND month = DATE '{OCTOBER}'"  # noqa: S608
    )
    verdicts = {subject.removeprefix("project="): (status, verdict) for subject, status, verdict in found}
    assert verdicts["borealis-30b"] == ("grew", "finding")
    assert verdicts["kestrel-reward"] == ("new", "finding"), "no plan foresaw all of it"
    assert ("new", "planned") in told("SELECT status, verdict FROM growth WHERE subject = 'experiment=k-ppo-1'")
    assert verdicts["heron-embed"] == ("vanished", None)
    for steady in ("aurora-7b", "data-foundry", "sandbox"):
        assert verdicts[steady][1] is None
    fired = told("SELECT subject FROM growth WHERE status = 'grew' AND verdict IN ('finding', 'planned')")
    grown = {subject for (subject,) in fired}
    assert grown >= {
        "project=borealis-30b", "owner=mira", "stage=pretraining", "experiment=b30-run-1", "team=foundation",
        "environment=research", "cost_element=compute", "owner=tomas", "service=Meridian GPU Nodes",
    }  # fmt: skip
    assert not [subject for subject in grown if "heron" in subject or "aurora" in subject]


def test_one_cause_is_one_finding(told: Company) -> None:
    found = told(
        "SELECT kind, subject, owner FROM findings WHERE kind IN ('growth', 'new') ORDER BY cost_at_stake DESC"
    )
    assert found[:2] == [
        ("growth", "project=borealis-30b stage=pretraining", "mira"),
        ("new", "project=kestrel-reward stage=rl-alignment", "tomas"),
    ]
    assert len(found) == 5
    assert told("SELECT explained_by FROM growth WHERE subject = 'team=foundation' AND verdict = 'finding'")


def whose(told: Company, resource: str, days: str, *dimensions: str) -> list[Any]:
    """Days of a resource with the values, methods and rules of its dimensions, days that follow alike together."""
    columns = ", ".join(f"{name}, {name}_method" for name in dimensions)
    return told(
        f"""SELECT min(usage_date), max(usage_date), {columns} FROM costs
            WHERE ResourceId = '{resource}' AND usage_date BETWEEN {days} GROUP BY ALL ORDER BY 1"""  # noqa: S608
    )


def test_a_node_handed_over_in_mid_month_changes_hands_on_its_day(told: Company) -> None:
    found = whose(told, "mrd-gpu-12", "'2026-10-01' AND '2026-10-31'", "project", "stage", "owner")
    assert found == [
        (OCTOBER, date(2026, 10, 11), "borealis-30b", "tag", "pretraining", "tag", "mira", "tag"),
        (date(2026, 10, 12), date(2026, 10, 31), "kestrel-reward", "tag", "rl-alignment", "tag", "tomas", "tag"),
    ]


def test_volumes_and_snapshots_follow_their_machines(told: Company) -> None:
    days = "'2026-09-01' AND '2026-09-30'"
    halves = [
        (SEPTEMBER, date(2026, 9, 15), "tomas", "parent"),
        (date(2026, 9, 16), date(2026, 9, 30), "ines", "parent"),
    ]
    assert whose(told, "vol-03e9b6d2c4f815a77", days, "owner") == halves
    snapshot = "arn:aws:ec2:us-west-2:012903447716:snapshot/snap-05b8e2c1790d6fa34"
    assert whose(told, snapshot, days, "owner") == halves
    for child in ("mrd-gpu-08", "mrd-vol-08"):
        assert {row[2:] for row in whose(told, child, days, "project")} == {("borealis-30b", "parent")}


def test_two_names_for_one_bucket_are_a_conflict_of_that_dimension_alone(told: Company) -> None:
    found = whose(told, "mrd-bucket-corpora", "'2026-10-01' AND '2026-10-31'", "project", "owner", "stage")
    assert [row[2] for row in found] == ["(tag conflict)"]
    assert {row[4] for row in found}.isdisjoint({"(tag conflict)", "unallocated"})


def test_a_rule_holds_for_its_days(told: Company) -> None:
    found = told(
        """SELECT project, project_rule, count(DISTINCT usage_date), sum(EffectiveCost) FROM costs
           WHERE ResourceId = 'mrd-hack-01' GROUP BY ALL ORDER BY ALL"""
    )
    assert found == [
        ("sandbox", "hackathon node, the five days of it", 5, Decimal("1152.00")),
        ("unallocated", None, 3, Decimal("691.20")),
    ]


def test_a_late_correction_is_of_its_bill_and_of_its_day(told: Company) -> None:
    """Kind of case 19: the invoice's month and the day of usage are two facts, and neither is made from the other."""
    found = told(
        """SELECT billing_month, usage_date, BilledCost FROM costs
           WHERE ResourceId = 'mrd-gpu-03' AND ChargeClass = 'Correction'"""
    )
    assert found == [(OCTOBER, date(2026, 9, 12), Decimal("-403.20"))]
    whole = "SELECT sum(BilledCost) FROM {} WHERE source = 'meridian' AND billing_month = DATE '2026-10-01'"
    assert told(whole.format("costs")) == told(whole.format("charges"))


def test_no_money_stays_where_splits_took_it(told: Company) -> None:
    pools = (
        "SELECT DISTINCT project FROM monthly_costs WHERE project IN ('shared', 'network-hub', 'platform') GROUP BY ALL"
    )
    assert told(f"{pools} HAVING sum(EffectiveCost) <> 0 OR sum(BilledCost) <> 0") == []
    assert told("SELECT count(*) > 0 FROM costs WHERE method = 'split'") == [(True,)]


def test_a_second_night_has_nothing_new_and_changes_nothing(told: Company, first: NightlySummary) -> None:
    names = ("costs", "monthly_costs", "growth", "bills", "rejects", "findings")
    before = [told(f"SELECT * FROM {name} ORDER BY ALL") for name in names]  # noqa: S608
    second = told.night()
    assert not first.nothing_new
    assert second.nothing_new
    assert "nothing new" in shown(second, told.root)
    assert [told(f"SELECT * FROM {name} ORDER BY ALL") for name in names] == before  # noqa: S608


# --- weeks ---------------------------------------------------------------------------------------------------------


def test_a_week_writes_pages_and_mails_once(told: Company) -> None:
    week = told.week()
    settings = tomllib.loads((told.root / "attribution.toml").read_text(encoding="utf-8"))
    recipients = {name: [f"{name}@example.com"] for name in ("mira", "tomas", "ines", "kofi")}  # by people.csv
    recipients |= settings["report"]["recipients"]
    owners = {"mira", "tomas", "ines", "kofi"}
    assert {owner for owner, _ in week.pages} >= owners
    assert all(path.is_file() and path.stat().st_size > 1000 for _, path in week.pages)
    mailed = [(one.report, one.recipient, one.outcome) for one in week.mails]
    to = {
        (name if name == "all" else f"owner={name}", address)
        for name, addresses in recipients.items()
        for address in addresses
    }
    assert {one[:2] for one in mailed} == to
    assert {outcome for *_, outcome in mailed} == {"filed"}
    assert len(list((told.root / "ledger").rglob("*.eml"))) == len(to)
    told.week()
    assert len(list((told.root / "ledger").rglob("*.eml"))) == len(to)


# --- the flows, in Prefect -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    """Prefect's own server for the tests, with a database of its own."""
    # Prefect reads its settings when it is imported, so flows.orchestration comes before it.
    from prefect.testing.utilities import prefect_test_harness  # noqa: PLC0415

    with prefect_test_harness(server_startup_timeout=120):
        yield


# What Prefect and its libraries warn of is not ours to mend.
in_prefect = pytest.mark.filterwarnings("ignore")


@in_prefect
@pytest.mark.usefixtures("server")
def test_the_flow_is_the_same_night(tmp_path: Path, told: Company, capsys: pytest.CaptureFixture[str]) -> None:
    flowing = Company(tmp_path / "quillhaven")
    nightly(str(flowing.root), AS_OF)
    total = (
        "SELECT billing_month, project, stage, sum(BilledCost), sum(EffectiveCost) FROM costs GROUP BY ALL ORDER BY ALL"
    )
    assert flowing(total) == told(total)
    printed = capsys.readouterr().out
    assert "borealis-30b" in printed
    assert "Reconciliation" in printed
    (artifact,) = artifacts("nightly")
    assert "borealis-30b" in artifact
    weekly(str(flowing.root), AS_OF)
    assert len(list((flowing.root / "ledger").rglob("*.eml"))) == 5
    (artifact,) = artifacts("weekly")
    assert "Report for" in artifact
    for key in ("nightly-progress", "weekly-progress"):
        assert [Decimal(one) for one in artifacts(key)] == [100]
    (told_of,) = artifacts("nightly-reconciliation")
    assert all(row["lines"] == row["costs"] for row in json.loads(told_of))
    assert "costs.duckdb" in " ".join(artifacts("nightly-file-1") + artifacts("nightly-file-2"))
    assert {"nightly 2026-11-05", "weekly 2026-11-05"} <= names_of_runs()


@in_prefect
@pytest.mark.usefixtures("server")
def test_neither_logs_nor_artifacts_hold_a_secret_or_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Mails that fail, then recipients that changed: both name addresses to whoever asks the command."""
    company = Company(tmp_path / "discreet")
    for path in [*company.root.glob("bills/aws/*"), *company.root.glob("bills/meridian/*.parquet")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    settings = company.root / "attribution.toml"
    before, _, after = settings.read_text(encoding="utf-8").partition('[[source]]\nname   = "aws"')
    whole = before + "[[source]]" + after.partition("[[source]]")[2]
    whole += '\n[report.smtp]\nhost = "127.0.0.1"\nport = 9\nsecurity = "none"\nuser = "costs"\npassword_env = "HUSH"\n'
    settings.write_text(whole, encoding="utf-8")
    monkeypatch.setenv("HUSH", "correct horse battery")
    sink = io.StringIO()
    heard = logging.StreamHandler(sink)
    for name in ("prefect", "prefect.flow_runs", "prefect.task_runs", "prefect.engine"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.DEBUG)
        logging.getLogger(name).addHandler(heard)
    nightly(str(company.root), AS_OF)
    with pytest.raises(UnfinishedError, match="failed"):
        weekly(str(company.root), AS_OF, approve=True)
    settings.write_text(whole.replace("finance@", "someone.else@"), encoding="utf-8")
    with pytest.raises(UnfinishedError, match="address"):
        weekly(str(company.root), AS_OF)
    for name in ("prefect", "prefect.flow_runs", "prefect.task_runs", "prefect.engine"):
        logging.getLogger(name).removeHandler(heard)
    assert "UnfinishedError" in sink.getvalue()
    written = [sink.getvalue(), *capfd.readouterr(), *artifacts("weekly"), *artifacts("weekly-mails")]
    assert not re.search(r"@example\.com|correct horse", "\n".join(written))


def names_of_runs() -> set[str]:
    from prefect.client.orchestration import get_client  # noqa: PLC0415

    with get_client(sync_client=True) as client:
        return {run.name for run in client.read_flow_runs()}


@in_prefect
@pytest.mark.usefixtures("server")
def test_the_mail_servers_password_may_lie_in_a_secret_block() -> None:
    from prefect.blocks.system import Secret  # noqa: PLC0415

    Secret(value="correct horse").save("costs-smtp", _sync=True)
    assert read_secret("costs-smtp") == "correct horse"
    with pytest.raises(InputError, match="the Secret block cannot be read"):
        read_secret("nobody-made-this")


def artifacts(key: str) -> list[str]:
    """Texts of the artifacts of a key."""
    from prefect.client.orchestration import get_client  # noqa: PLC0415
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey  # noqa: PLC0415

    with get_client(sync_client=True) as client:
        found = client.read_artifacts(artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=[key])))
    return [str(one.data) for one in found]


@in_prefect
@pytest.mark.usefixtures("server")
def test_exit_codes_say_what_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """0 done, 2 the input is wrong (or a delivery was held back), 3 a law was broken and nothing was published."""
    company = Company(tmp_path / "small")
    for path in [*company.root.glob("bills/aws/*"), *company.root.glob("bills/meridian/*.parquet")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    settings = company.root / "attribution.toml"
    whole = settings.read_text(encoding="utf-8")
    before, _, after = whole.partition('[[source]]\nname   = "aws"')
    settings.write_text(before + "[[source]]" + after.partition("[[source]]")[2], encoding="utf-8")

    def leaves_with() -> object:
        monkeypatch.setattr(sys, "argv", ["nightly", "--workspace", str(company.root), "--as-of", AS_OF.isoformat()])
        try:
            run_flow(nightly, "for a test")
        except SystemExit as left:
            return left.code
        return 0

    assert leaves_with() == 0
    kept = company("SELECT sum(BilledCost) FROM costs")
    assert kept == [(Decimal("525.120000216000") + Decimal("81114.785"),)]  # the starter account and own costs

    (company.root / "bills/meridian/torn.csv").write_bytes(b"")
    assert leaves_with() == 2
    assert "torn.csv" in capfd.readouterr().out
    assert company("SELECT sum(BilledCost) FROM costs") == kept

    with monkeypatch.context() as broken:
        broken.setattr(flows.steps, "split", losing_a_line(flows.steps.split))
        assert leaves_with() == 3
    assert "nothing was kept" in capfd.readouterr().err
    assert company("SELECT sum(BilledCost) FROM costs") == kept

    settings.write_text(settings.read_text(encoding="utf-8").replace("threshold", "treshold"), encoding="utf-8")
    assert leaves_with() == 2
    assert 'Did you mean "threshold"?' in capfd.readouterr().err
    assert company("SELECT sum(BilledCost) FROM costs") == kept


def losing_a_line(split: Callable[..., Divided]) -> Callable[..., Divided]:
    """A split with a mistake of ours in it."""

    def lossy(*arguments: Any) -> Divided:  # noqa: ANN401 - as split takes them
        divided = split(*arguments)
        return replace(divided, costs=divided.costs[1:])

    return lossy


def test_no_detector_of_the_bill_sleeps(told: Company) -> None:
    """Each finds something in the sample, so that none can be undetermined, or lack its input, unnoticed."""
    asleep = told("SELECT kind FROM detectors WHERE tier = 'bill' GROUP BY kind HAVING coalesce(sum(waste), 0) = 0")
    assert asleep == []
    twice = told("SELECT subject FROM findings WHERE saving > 0 GROUP BY subject, BillingCurrency HAVING count(*) > 1")
    assert twice == []
    assert told("SELECT kind FROM findings WHERE saving > cost_at_stake OR saving < 0") == []
