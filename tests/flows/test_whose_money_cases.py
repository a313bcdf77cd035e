"""Ways in which others lose or double money, each through a whole night: the same checks over our own figures and,
where they lie beside the repository, over figures that others stated. Every sum is made here, from the raw cells.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from small_workspace import attribution

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases"
AS_OF = "2026-04-10T06:00:00Z"
OWN = {
    "51-account-tag-precedence/bill.csv": "account_id,resource_id,cost\n000000000815,v-1,7.25\n000000000815,v-2,3.5\n",
    "51-account-tag-precedence/account_tags.csv": "account_id,project\n000000000815,common\n",
    "51-account-tag-precedence/resource_tags.csv": "resource_id,project\nv-1,dorado\n",
    "52-sp-fee-twice/bill.csv": (
        "line_type,resource_id,project,unblended,sp_effective,sp_total_commitment,sp_used_commitment\n"
        "SavingsPlanCoveredUsage,i-7,dorado,20.5,12.25,,\nSavingsPlanCoveredUsage,i-8,lyra,3,1.75,,\n"
        "SavingsPlanNegation,,,-23.5,,,\nSavingsPlanRecurringFee,,,15,,15,14\nUsage,i-9,lyra,0.125,,,\n"
    ),
    "54-ri-fee-first-of-month/bill.csv": (
        "line_type,usage_date,unblended,ri_effective,ri_unused_upfront,ri_unused_recurring\n"
        "DiscountedUsage,2026-03-01,0,4.5,,\nDiscountedUsage,2026-03-02,0,1.25,,\nRIFee,2026-03-01,7,,0.5,1.75\n"
        "Fee,2026-03-01,24,,,\n"
    ),
    "56-edp-discount-rows/bill.csv": "line_type,project,cost\nUsage,dorado,30\nUsage,lyra,10\nEdpDiscount,,-3.2\n",
    "58-tax-without-resource/bill.csv": (
        "month,line_type,project,cost\n2026-02,Usage,dorado,56\n2026-02,Usage,lyra,14\n2026-02,Tax,,0\n"
        "2026-03,Usage,dorado,56\n2026-03,Usage,lyra,14\n2026-03,Tax,,9.3\n"
    ),
    "60-refund-without-date/bill.csv": (
        "billing_period,usage_start,usage_end,line_type,cost\n2026-03,2026-03-09,2026-03-10,Usage,8.75\n"
        "2026-03,,,Refund,-1.5\n2026-03,,,Refund,-0.25\n"
    ),
    "61-blended-vs-unblended/bill.csv": "account_id,blended,unblended\n000000000021,5,8.5\n000000000022,5,1.5\n",
    "64-idle-vanishes/in.json": json.dumps(
        {"cpu": {"dorado": "2", "lyra": "6"}, "cpu_idle": "4", "gpu": {"dorado": "0", "lyra": "0"}, "gpu_idle": "11"}
    ),
    "65-sharing-changes-total/in.json": json.dumps(
        {"web": "24", "batch": "8", "system": "5", "idle": "2.4", "shared": ["system"]}
    ),
    "67-untagged-missing/bill.csv": 'resource_id,project,cost\nq-1,dorado,4\nq-2,,1.5\nq-3,"   ",0.75\n',
}  # fmt: skip
STATED = {
    "51-account-tag-precedence": {"atlas": "5.00", "shared": "1.00"},
    "56-edp-discount-rows": {"atlas": "60.00", "borealis": "15.00"},
    "58-tax-without-resource": {"atlas": "79.10", "borealis": "33.90"},
    "64-idle-vanishes": {"atlas": "9", "borealis": "6", "idle": "33"},
    "65-sharing-changes-total": {"app1": "74.25", "app2": "24.75"},
}  # fmt: skip
TOML = """
currency = "USD"
[[source]]
name = "aws"
path = "bills/*.csv"
delivery = "parts"
[inputs]
tags = "tags.csv"
jobs = "jobs.csv"
resources = "resources.csv"
[growth]
threshold = 0.05
minimum = 1
"""
RULES = """
[dimension.project]
tags = ["project"]
[[account]]
id = "{account}"
assign = {{ project = "{default}" }}
[[rule]]
name = "what nobody used of a commitment"
when = {{ CommitmentDiscountStatus = "Unused" }}
assign = {{ project = "unused commitment" }}
[[rule]]
name = "what nobody used"
when = {{ BillingAccountId = {{ any_of = ["000000000065", "000000000650"] }}, ResourceId = "r-idle" }}
assign = {{ project = "idle" }}
[[split]]
name = "the agreed discount by use"
when = {{ BillingAccountId = "000000000056", ChargeCategory = "Adjustment" }}
across = ["project"]
by = "cost"
to = {discounted}
[[split]]
name = "tax by use"
when = {{ BillingAccountId = "000000000580", ChargeCategory = "Tax" }}
across = ["project"]
by = "cost"
to = {taxed}
[[split]]
name = "processors by jobs"
when = {{ ResourceId = "n-cpu" }}
across = ["project"]
by = "jobs"
idle = "use"
[[split]]
name = "accelerators by jobs"
when = {{ ResourceId = "n-gpu" }}
across = ["project"]
by = "jobs"
idle = "use"
[[split]]
name = "the system by cost"
when = {{ BillingAccountId = "000000000065", project = "{system}" }}
across = ["project"]
by = "cost"
to = {apps}
[[split]]
name = "idle by cost"
when = {{ BillingAccountId = "000000000065", project = "idle" }}
across = ["project"]
by = "cost"
to = {apps}
"""


@dataclass(frozen=True)
class Cases:
    """The raw figures of one set of cases, and the workspace after its night."""

    texts: dict[str, str]
    root: Path

    def rows(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.texts[name])))

    def json(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.texts[name])
        return found

    def ask(self, sql: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(attribution("sql", sql, "--json", "-w", self.root).out)
        return found

    def projects(self, account: str, cost: str = "EffectiveCost", month: str = "2026-03-01") -> dict[str, Decimal]:
        found = self.ask(
            f"SELECT project, sum({cost})::VARCHAR AS cost FROM costs WHERE BillingAccountId = '{account}' "  # noqa: S608
            f"AND billing_month = '{month}' GROUP BY ALL HAVING sum({cost}) <> 0"
        )
        return {row["project"].removesuffix(f"-{account}"): Decimal(row["cost"]) for row in found}

    def stated(self, case: str, found: dict[str, Decimal]) -> None:
        """What others stated, where these are their figures."""
        if self.texts is not OWN:
            assert found == {name: Decimal(amount) for name, amount in STATED[case].items()}


def raw_texts(which: str) -> dict[str, str]:
    return OWN if which == "own" else {name: (SHARED / name).read_text(encoding="utf-8") for name in OWN}


def line(
    account: str, kind: str, cost: str, resource: str = "", day: str = "2026-03-05", **more: str
) -> dict[str, str]:
    month = f"{day[:8]}01"
    following = "2026-04-01" if day[:7] == "2026-03" else "2026-03-01"
    project = more.pop("project", "")
    project = f"{project}-{account}" if project.strip() else project  # the cases share no receivers
    return {
        "bill/PayerAccountId": account,
        "bill/BillingPeriodStartDate": f"{month}T00:00:00Z",
        "bill/BillingPeriodEndDate": f"{following}T00:00:00Z",
        "lineItem/UsageAccountId": account,
        "lineItem/LineItemType": kind,
        "lineItem/UsageStartDate": f"{day}T00:00:00Z",
        "lineItem/UsageEndDate": f"{day}T01:00:00Z",
        "lineItem/ProductCode": "AmazonEC2",
        "lineItem/UsageType": "BoxUsage",
        "lineItem/ResourceId": resource,
        "lineItem/CurrencyCode": "USD",
        "lineItem/UnblendedCost": cost,
        "product/ProductName": "Amazon Elastic Compute Cloud",
        "resourceTags/user:project": project,
        **{name.replace("__", "/"): cell for name, cell in more.items()},
    }


def lines_of(cases: Cases) -> Iterator[dict[str, str]]:
    yield from commitments(cases)
    yield from kinds_of_lines(cases)
    yield from shared_costs(cases)


def commitments(cases: Cases) -> Iterator[dict[str, str]]:
    for row in cases.rows("52-sp-fee-twice/bill.csv"):
        plan = {
            "savingsPlan__SavingsPlanARN": "arn:plan/1",
            "savingsPlan__SavingsPlanEffectiveCost": row["sp_effective"],
            "savingsPlan__TotalCommitmentToDate": row["sp_total_commitment"],
            "savingsPlan__UsedCommitment": row["sp_used_commitment"],
        }
        more = plan if row["line_type"] != "Usage" else {}
        yield line(
            "000000000052", row["line_type"], row["unblended"], row["resource_id"], project=row["project"], **more
        )
    for row in cases.rows("54-ri-fee-first-of-month/bill.csv"):
        arn = {
            "reservation__ReservationARN": "arn:ri/1",
            "reservation__EffectiveCost": row["ri_effective"],
            "reservation__UnusedAmortizedUpfrontFeeForBillingPeriod": row["ri_unused_upfront"],
            "reservation__UnusedRecurringFee": row["ri_unused_recurring"],
        }
        yield line("000000000054", row["line_type"], row["unblended"], "i-54", row["usage_date"], **arn)


def kinds_of_lines(cases: Cases) -> Iterator[dict[str, str]]:
    for row in cases.rows("56-edp-discount-rows/bill.csv"):
        yield line("000000000056", row["line_type"], row["cost"], project=row["project"])
    for account in ("000000000058", "000000000580"):
        for row in cases.rows("58-tax-without-resource/bill.csv"):
            for day in (1,) if row["line_type"] == "Tax" else (1, 8, 15, 22, 28):
                cost = row["cost"] if row["line_type"] == "Tax" else str(Decimal(row["cost"]) / 5)
                yield line(account, row["line_type"], cost, day=f"{row['month']}-{day:02}", project=row["project"])
    for row in cases.rows("60-refund-without-date/bill.csv"):
        ends = {"lineItem__UsageStartDate": row["usage_start"], "lineItem__UsageEndDate": row["usage_end"]}
        yield line("000000000060", row["line_type"], row["cost"], "i-60", **ends)
    for row in cases.rows("61-blended-vs-unblended/bill.csv"):
        spent = {"lineItem__BlendedCost": row["blended"], "lineItem__UsageAccountId": row["account_id"]}
        yield line("000000000061", "Usage", row["unblended"], **spent)


def shared_costs(cases: Cases) -> Iterator[dict[str, str]]:
    for row in cases.rows("51-account-tag-precedence/bill.csv"):
        yield line(row["account_id"], "Usage", row["cost"], row["resource_id"])
    case = cases.json("64-idle-vanishes/in.json")
    for node, kind in (("n-cpu", "cpu"), ("n-gpu", "gpu")):
        whole = sum(map(Decimal, case[kind].values()), Decimal(case[f"{kind}_idle"]))
        yield line("000000000064", "Usage", str(whole), node)
    apps = cases.json("65-sharing-changes-total/in.json")
    for account in ("000000000065", "000000000650"):  # shared in one, left alone in the other
        for name, cost in apps.items():
            if name != "shared":
                told = "" if name == "idle" else name
                yield line(account, "Usage", cost, f"r-{name}", project=told)
    for row in cases.rows("67-untagged-missing/bill.csv"):
        yield line("000000000067", "Usage", row["cost"], row["resource_id"], project=row["project"])


def inputs_of(cases: Cases) -> dict[str, str]:
    """Files of a workspace beside its bill: tags, machines, and an hour of jobs on one of them."""
    case = cases.json("64-idle-vanishes/in.json")
    size = sum(map(Decimal, case["cpu"].values()), Decimal(case["cpu_idle"]))
    jobs = [f"j-{name},n-cpu,2026-03-05T00:00:00Z,2026-03-05T01:00:00Z,{size_of},COMPLETED,{name}"
            for name, size_of in case["cpu"].items()]  # fmt: skip
    (account,) = cases.rows("51-account-tag-precedence/account_tags.csv")
    apps = cases.json("65-sharing-changes-total/in.json")
    (system,) = apps["shared"]
    discounted = [row["project"] for row in cases.rows("56-edp-discount-rows/bill.csv") if row["project"]]
    taxed = {row["project"] for row in cases.rows("58-tax-without-resource/bill.csv") if row["project"]}
    receivers = [name for name in apps if name not in ("shared", "idle", system)]
    told = {"account": account["account_id"], "default": account["project"], "system": f"{system}-000000000065"}
    told |= {"discounted": json.dumps([f"{name}-000000000056" for name in discounted])}
    told |= {"taxed": json.dumps([f"{name}-000000000580" for name in sorted(taxed)])}
    told |= {"apps": json.dumps([f"{name}-000000000065" for name in receivers])}
    return {
        "attribution.toml": TOML,
        "rules.toml": RULES.format(**told),
        "tags.csv": cases.texts["51-account-tag-precedence/resource_tags.csv"],
        "resources.csv": f"resource_id,resource_type,gpus\nn-cpu,node,{size}\nn-gpu,node,8\n",
        "jobs.csv": "\n".join(["job_id,resource_id,start,end,gpus,state,project", *jobs]) + "\n",
    }


@pytest.fixture(scope="module", params=["own", "shared"])
def cases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Cases:
    if request.param == "shared" and not SHARED.exists():
        pytest.skip("the shared cases are not beside this repository")
    made = Cases(raw_texts(request.param), tmp_path_factory.mktemp(request.param))
    lines = list(lines_of(made))
    (made.root / "bills").mkdir()
    for name, text in inputs_of(made).items():
        (made.root / name).write_text(text, encoding="utf-8")
    sink = io.StringIO()
    writer = csv.DictWriter(sink, list(dict.fromkeys(name for one in lines for name in one)), restval="")
    writer.writeheader()
    writer.writerows(lines)
    (made.root / "bills" / "cur.csv").write_text(sink.getvalue(), encoding="utf-8")
    ended = attribution("run", "-w", made.root, "--as-of", AS_OF)
    assert ended.code == 0, ended.err
    return made


def by_project(rows: list[dict[str, str]], cost: str = "cost") -> dict[str, Decimal]:
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        sums[row["project"].strip() or "unallocated"] += Decimal(row[cost] or "0")
    return dict(sums)


def test_a_resources_tag_beats_its_accounts_and_the_account_fills_gaps(cases: Cases) -> None:
    (account,) = cases.rows("51-account-tag-precedence/account_tags.csv")
    tags = {row["resource_id"]: row["project"] for row in cases.rows("51-account-tag-precedence/resource_tags.csv")}
    wanted: dict[str, Decimal] = defaultdict(Decimal)
    for row in cases.rows("51-account-tag-precedence/bill.csv"):
        wanted[tags.get(row["resource_id"], account["project"])] += Decimal(row["cost"])
    found = cases.projects(account["account_id"])
    assert found == wanted
    cases.stated("51-account-tag-precedence", found)


def test_a_savings_plan_counts_once_used_or_not(cases: Cases) -> None:
    rows = cases.rows("52-sp-fee-twice/bill.csv")
    used = [row for row in rows if row["line_type"] in ("SavingsPlanCoveredUsage", "Usage")]
    wanted = by_project([row | {"cost": row["sp_effective"] or row["unblended"]} for row in used])
    (fee,) = [row for row in rows if row["line_type"] == "SavingsPlanRecurringFee"]
    wanted["unused commitment"] = Decimal(fee["sp_total_commitment"]) - Decimal(fee["sp_used_commitment"])
    found = cases.projects("000000000052")
    assert found == wanted
    billed = sum((Decimal(row["unblended"]) for row in rows), Decimal(0))
    assert sum(cases.projects("000000000052", "BilledCost").values()) == sum(found.values()) == billed


def test_a_reservations_fee_is_paid_at_once_and_used_over_the_month(cases: Cases) -> None:
    rows = cases.rows("54-ri-fee-first-of-month/bill.csv")

    def whole(*columns: str) -> Decimal:
        return sum((Decimal(row[column] or "0") for row in rows for column in columns), Decimal(0))

    unused = whole("ri_unused_upfront", "ri_unused_recurring")
    assert sum(cases.projects("000000000054").values()) == whole("ri_effective") + unused
    assert cases.projects("000000000054")["unused commitment"] == unused
    assert sum(cases.projects("000000000054", "BilledCost").values()) == whole("unblended")
    assert cases.ask("SELECT * FROM anomalies WHERE subject LIKE '%unused commitment%'") == []


def test_a_discount_reaches_who_used(cases: Cases) -> None:
    rows = cases.rows("56-edp-discount-rows/bill.csv")
    used = by_project([row for row in rows if row["project"]])
    whole = sum((Decimal(row["cost"]) for row in rows), Decimal(0))
    found = cases.projects("000000000056")
    assert found == {name: whole * cost / sum(used.values()) for name, cost in used.items()}
    cases.stated("56-edp-discount-rows", found)


def test_tax_stands_on_its_own_or_is_spread_and_is_no_growth(cases: Cases) -> None:
    rows = [row for row in cases.rows("58-tax-without-resource/bill.csv") if row["month"] == "2026-03"]
    used = by_project([row for row in rows if row["project"]])
    tax = sum((Decimal(row["cost"]) for row in rows if row["line_type"] == "Tax"), Decimal(0))
    assert cases.projects("000000000058") == used | {"unallocated": tax}
    spread = cases.projects("000000000580")
    assert sum(spread.values()) == sum(used.values()) + tax
    assert spread == {name: cost + tax * cost / sum(used.values()) for name, cost in used.items()}
    if cases.texts is not OWN:
        assert spread == {name: Decimal(one) for name, one in STATED["58-tax-without-resource"].items()}
    told = cases.ask("SELECT * FROM growth WHERE kind = 'project' AND subject LIKE '%58%' AND month = '2026-03-01'")
    grew = {row["subject"]: (Decimal(row["percent"]), row["verdict"]) for row in told}
    accounts = ("000000000058", "000000000580")
    assert grew == {f"project={name}-{account}": (0, None) for name in used for account in accounts}


def test_a_refund_without_dates_is_of_its_billing_month(cases: Cases) -> None:
    rows = cases.rows("60-refund-without-date/bill.csv")
    found = cases.ask(
        "SELECT ChargeClass AS class, usage_date::VARCHAR AS day, sum(EffectiveCost)::VARCHAR AS cost FROM costs "
        "WHERE BillingAccountId = '000000000060' AND billing_month = '2026-03-01' GROUP BY ALL ORDER BY day"
    )
    refunds = sum((Decimal(row["cost"]) for row in rows if not row["usage_start"]), Decimal(0))
    (dated,) = [row for row in rows if row["usage_start"]]
    assert [(row["class"], row["day"], Decimal(row["cost"])) for row in found] == [
        ("Correction", "2026-03-01", refunds), (None, dated["usage_start"], Decimal(dated["cost"]))]  # fmt: skip


def test_blended_rates_move_nothing_between_accounts(cases: Cases) -> None:
    found = cases.ask(
        "SELECT SubAccountId AS account, sum(EffectiveCost)::VARCHAR AS cost FROM costs "
        "WHERE BillingAccountId = '000000000061' GROUP BY ALL"
    )
    rows = cases.rows("61-blended-vs-unblended/bill.csv")
    assert {row["account"]: Decimal(row["cost"]) for row in found} == {
        row["account_id"]: Decimal(row["unblended"]) for row in rows}  # fmt: skip


def test_idle_that_nobody_can_bear_stays_idle(cases: Cases) -> None:
    case = cases.json("64-idle-vanishes/in.json")
    used = {name: Decimal(one) for name, one in case["cpu"].items()}
    idle = Decimal(case["cpu_idle"])
    wanted = {name: one + idle * one / sum(used.values()) for name, one in used.items()}
    found = cases.projects("000000000064")
    assert found == wanted | {"idle": Decimal(case["gpu_idle"])}
    cases.stated("64-idle-vanishes", found)


def test_sharing_never_changes_the_total(cases: Cases) -> None:
    case = cases.json("65-sharing-changes-total/in.json")
    (system,) = case["shared"]
    alone = {name: Decimal(one) for name, one in case.items() if name != "shared"}
    assert cases.projects("000000000650") == alone
    apps = {name: one for name, one in alone.items() if name not in ("idle", system)}
    whole = sum(alone.values())
    found = cases.projects("000000000065")
    assert found == {name: whole * one / sum(apps.values()) for name, one in apps.items()}
    cases.stated("65-sharing-changes-total", found)


def test_blank_and_absent_tags_are_nobodys_and_stay_in_the_sum(cases: Cases) -> None:
    assert cases.projects("000000000067") == by_project(cases.rows("67-untagged-missing/bill.csv"))
