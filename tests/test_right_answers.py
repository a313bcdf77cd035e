"""Bills of others, where they lie beside the repository, through the whole night to known right answers.

Every expected number is made here with the standard library's decimals over the raw files, or was stated by
whoever handed the bills over; nothing of the product computes it.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from attribution.reports.nightly import NightlySummary
from flows import steps
from flows.settings import load_workspace

SHARED = Path(__file__).resolve().parents[2] / "shared" / "bills"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the shared bills are not beside this repository")

AS_OF = datetime(2026, 11, 5, 6, tzinfo=UTC)
EXACT = Context(prec=200)
KIND, UNBLENDED, COVERED_AT = "lineItem/LineItemType", "lineItem/UnblendedCost", "savingsPlan/SavingsPlanEffectiveCost"
COVERED, NEGATION = "SavingsPlanCoveredUsage", "SavingsPlanNegation"
AUGUST, SEPTEMBER, OCTOBER, NOVEMBER = (date(2026, month, 1) for month in (8, 9, 10, 11))

AWS = """
currency = "USD"
[[source]]
name = "aws"
path = "{bills}/aws-cur/**/*.csv.gz"
[growth]
threshold = 0.30
minimum = 100
"""
AWS_RULES = """
[dimension.project.values]
"atlas-7b"  = ["Atlas-7B"]
"orion-70b" = ["orion 70b"]
[dimension.stage.values]
"data-processing" = ["Data_Prep", "data-prep"]
[dimension.owner.values]
"mira" = ["Mira@Corp.example"]
[[rule]]
name   = "what nobody used"
when   = { CommitmentDiscountStatus = "Unused" }
assign = { project = "idle" }
"""
SAMPLES = ("focus_1.0_sample_1000", "aws_1.2_100", "azure_1.3_100")


def plus(amounts: Iterable[Decimal]) -> Decimal:
    whole = Decimal(0)
    for amount in amounts:
        whole = EXACT.add(whole, amount)
    return whole


def raw(path: Path) -> list[dict[str, str]]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Answer:
    """A workspace after its night: its summary, and SQL over what it published."""

    def __init__(self, root: Path, settings: str, rules: str) -> None:
        (root / "attribution.toml").write_text(settings, encoding="utf-8")
        (root / "rules.toml").write_text(rules, encoding="utf-8")
        self.root = root
        self.summary = self.again()

    def again(self) -> NightlySummary:
        return steps.nightly(load_workspace(self.root), AS_OF)

    def __call__(self, sql: str) -> list[Any]:
        with duckdb.connect(str(self.root / "ledger" / "costs.duckdb"), read_only=True) as con:
            return con.execute(sql).fetchall()


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    return Answer(tmp_path_factory.mktemp("aws"), AWS.format(bills=SHARED.as_posix()), AWS_RULES)


@pytest.fixture(scope="module")
def reports() -> dict[date, list[dict[str, str]]]:
    """The raw rows of each month's report."""
    found = {}
    for path in SHARED.glob("aws-cur/*/*/*.csv.gz"):
        start = path.parts[-3]
        found[date(int(start[:4]), int(start[4:6]), 1)] = raw(path)
    return found


def effective(row: dict[str, str]) -> Decimal:
    """The amortised cost of one raw line, the unused part of commitments apart."""
    if row[KIND] == COVERED:
        return Decimal(row[COVERED_AT])
    return Decimal(0) if row[KIND].startswith("SavingsPlan") else Decimal(row[UNBLENDED])


def unused(rows: list[dict[str, str]]) -> Decimal:
    """Recurring fees less what they covered."""
    fees = plus(Decimal(row[UNBLENDED]) for row in rows if row[KIND] == "SavingsPlanRecurringFee")
    return EXACT.subtract(fees, plus(effective(row) for row in rows if row[KIND] == COVERED))


# month -> rows, Σ unblended, Σ effective, unused commitment
STATED = {
    AUGUST: (18026, "2389861.8690687864", "2339861.8690687864", "0.64"),
    SEPTEMBER: (18937, "2317858.1082612560", "2317858.1082612560", "923.20"),
    OCTOBER: (24073, "2544361.6042699864", "2544361.6042699864", "0.64"),
}


@pytest.mark.parametrize("month", STATED, ids=str)
def test_a_month_sums_to_the_last_digit(month: date, aws: Answer, reports: dict[date, list[dict[str, str]]]) -> None:
    rows, billed, amortised, left = STATED[month]
    report = reports[month]
    assert len(report) == rows
    assert plus(Decimal(row[UNBLENDED]) for row in report) == Decimal(billed)
    assert plus([*map(effective, report), unused(report)]) == Decimal(amortised)
    assert unused(report) == Decimal(left)
    where = f"billing_month = DATE '{month}'"
    for view in ("charges", "costs", "monthly_costs"):
        found = aws(f"SELECT sum(BilledCost), sum(EffectiveCost) FROM {view} WHERE {where}")  # noqa: S608
        assert found == [(Decimal(billed), Decimal(amortised))], view
    assert aws(f"SELECT count(*), count(DISTINCT row_number) FROM charges WHERE {where}") == [(rows + 1, rows)]  # noqa: S608


def test_the_unused_commitment_is_a_line_of_its_own_with_a_finding_each(aws: Answer) -> None:
    lines = aws(
        """SELECT billing_month, sum(BilledCost), sum(EffectiveCost), any_value(project) FROM costs
           WHERE CommitmentDiscountStatus = 'Unused' GROUP BY ALL ORDER BY ALL"""
    )
    assert lines == [(month, 0, Decimal(left), "idle") for month, (*_, left) in STATED.items()]
    notices = aws("SELECT amount FROM notices WHERE kind = 'unused_commitment_derived' ORDER BY subject")
    assert notices == [(Decimal(left),) for *_, left in STATED.values()]
    found = aws("SELECT cost_at_stake, evidence FROM findings WHERE kind = 'unused_commitment_derived'")
    assert sorted(amount for amount, _ in found) == sorted(Decimal(left) for *_, left in STATED.values())


def test_a_header_alone_is_an_empty_bill(aws: Answer, reports: dict[date, list[dict[str, str]]]) -> None:
    assert reports[NOVEMBER] == []
    assert aws("SELECT billing_month, rows, stored_BilledCost FROM bills WHERE rows = 0") == [(NOVEMBER, 0, None)]
    assert aws("SELECT * FROM held_back") == []
    assert aws("SELECT * FROM rejects WHERE outcome = 'row refused'") == []


def test_spellings_land_under_one_name(aws: Answer, reports: dict[date, list[dict[str, str]]]) -> None:
    names = {"Atlas-7B": "atlas-7b", " orion-70b ": "orion-70b", "Data_Prep": "data-processing"}
    names |= {"data-prep": "data-processing", "pretrain": "pretraining", "finetune": "sft", "eval": "evaluation"}
    names |= {"Mira@Corp.example": "mira", "": "unallocated"}
    for dimension in ("project", "stage", "owner"):
        wanted: dict[tuple[date, str], list[Decimal]] = defaultdict(list)
        for month, report in reports.items():
            for row in report:
                word = row[f"resourceTags/user:{dimension}"] or row[f"resourceTags/user:{dimension.title()}"]
                billed = Decimal(0) if row[KIND] in (COVERED, NEGATION) else Decimal(row[UNBLENDED])
                wanted[month, names.get(word, word)].append(billed)
        found = aws(
            f"SELECT billing_month, {dimension}, sum(BilledCost) FROM costs WHERE project <> 'idle' GROUP BY ALL"  # noqa: S608
        )
        assert {(month, value): amount for month, value, amount in found} == {
            at: plus(amounts) for at, amounts in wanted.items()
        }


def per_day(report: list[dict[str, str]], days: int, ours: Callable[[str, str], bool]) -> Decimal:
    """Amortised usage a day of the rows whose project and stage are ours."""
    usage = (
        effective(row)
        for row in report
        if row[KIND] in ("Usage", "DiscountedUsage", COVERED)
        and ours(
            (row["resourceTags/user:project"] or row["resourceTags/user:Project"]).strip(),
            row["resourceTags/user:stage"],
        )
    )
    return plus(usage) / days


def test_a_pair_grows_where_neither_half_does(aws: Answer, reports: dict[date, list[dict[str, str]]]) -> None:
    kinds: dict[tuple[str, str], Callable[[str, str], bool]] = {
        ("project x stage", "project=orion-70b stage=pretraining"): lambda p, s: (p, s) == ("orion-70b", "pretrain"),
        ("project", "project=orion-70b"): lambda p, _: p == "orion-70b",
        ("stage", "stage=pretraining"): lambda _, s: s == "pretrain",
    }
    verdicts = {}
    for (kind, subject), ours in kinds.items():
        then, now = per_day(reports[SEPTEMBER], 30, ours), per_day(reports[OCTOBER], 31, ours)
        grew = now / then - 1
        ((percent, verdict),) = aws(
            f"""SELECT percent, verdict FROM growth
                WHERE kind = '{kind}' AND subject = '{subject}' AND month = DATE '{OCTOBER}'"""  # noqa: S608
        )
        assert abs(percent - grew * 100) < Decimal("0.000001")
        assert (verdict == "finding") == (grew >= Decimal("0.30"))
        found = aws(f"SELECT count(*) FROM findings WHERE subject = '{subject}' AND month = DATE '{OCTOBER}'")  # noqa: S608
        verdicts[subject] = found[0][0]
    assert verdicts == {"project=orion-70b stage=pretraining": 1, "project=orion-70b": 0, "stage=pretraining": 0}


def test_the_same_night_again_has_nothing_new(aws: Answer) -> None:
    before = aws("SELECT * FROM monthly_costs ORDER BY ALL")
    assert not aws.summary.nothing_new
    assert aws.again().nothing_new
    assert aws("SELECT * FROM monthly_costs ORDER BY ALL") == before


# --- FOCUS ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def focus(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    sources = [
        f'[[source]]\nname = "{name.lower()}"\npath = "{SHARED.as_posix()}/focus/{name}.csv"' for name in SAMPLES
    ]
    return Answer(tmp_path_factory.mktemp("focus"), "\n".join(['currency = "USD"', *sources]), "")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_focus_sample_reconciles(name: str, focus: Answer) -> None:
    rows = raw(SHARED / "focus" / f"{name}.csv")
    assert focus(f"SELECT count(*) FROM charges WHERE source = '{name}'") == [(len(rows),)]  # noqa: S608
    assert focus(f"SELECT count(DISTINCT BillingCurrency) FROM costs WHERE source = '{name}'") == [(1,)]  # noqa: S608
    for cost in ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"):
        ((attributed,),) = focus(f"SELECT sum({cost}) FROM costs WHERE source = '{name}'")  # noqa: S608
        ((cut,),) = focus(
            f"SELECT residual FROM bill_deliveries WHERE source = '{name}' AND cost_column = '{cost}'"  # noqa: S608
        )
        written = [Decimal(row[cost]) for row in rows if row[cost] not in ("", "NULL")]
        rounded = [amount.quantize(Decimal("1e-12")) for amount in written]
        assert attributed == plus(rounded), cost
        assert EXACT.add(attributed, Decimal(cut)) == plus(written), cost


def test_the_official_sample_has_its_known_totals(focus: Answer) -> None:
    known = ("20.52022672899", "14.97651418586", "20.39090575119", "14.97626039326")
    found = focus(
        """SELECT sum(BilledCost), sum(EffectiveCost), sum(ListCost), sum(ContractedCost) FROM costs
           WHERE source = 'focus_1.0_sample_1000'"""
    )
    assert found == [tuple(map(Decimal, known))]
