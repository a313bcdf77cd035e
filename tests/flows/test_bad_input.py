"""What a user can do wrong: one clear message, exit code 2, the ledger as before, and no traceback."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from small_workspace import AS_OF, COLUMNS, RULES, TOML, attribution, bill_text, charge, published, workspace

from attribution import bills
from attribution.ledger import query
from schemas.bills import Batch, Delivery

INPUTS = '[inputs]\ntags = "tags.csv"\nresources = "inventory.csv"\nutilization = "utilization.csv"\n'
SEPTEMBER = [charge("2026-09-03", "7")]
OTHER = '[[source]]\nname = "other"\npath = "bills/oct*"\n'


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = workspace(tmp_path_factory.mktemp("bad") / "ran")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


@pytest.fixture
def root(ran: Path, tmp_path: Path) -> Path:
    """A workspace of its own, whose night ran already."""
    folder = tmp_path / "w"
    shutil.copytree(ran, folder)
    return folder


def figures(root: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What stands published, but for what a run notes of itself."""
    return published(root, "held_back", "rejects", "charges", "findings", "bill_deliveries")


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name in names:
            file.writestr(name, bill_text(SEPTEMBER))
    return packed.getvalue()


HELD_BACK: dict[str, tuple[bytes, str]] = {
    "september.csv": (b"", "0 bytes"),
    "damaged.csv.gz": (gzip.compress(bill_text(SEPTEMBER * 400).encode())[:-30], "gzip stops before its end"),
    "latin.csv": (
        bill_text([charge("2026-09-03", ChargeDescription="caf\xe9")]).encode("latin-1"),
        "0xe9 is not utf-8",
    ),
    "noise.csv": (bytes(range(128, 256)) * 20, "is not utf-8"),
    "torn.parquet": (b"PAR1" + b"x" * 64 + b"PAR1", "damaged or was not wholly delivered"),
    "notes.csv": (b"hello,world\n1,2\n", "no reader knows this bill"),
    "short.csv": (bill_text(SEPTEMBER, without="BilledCost").encode(), 'column "BilledCost" is missing'),
    "timeless.csv": (
        bill_text(SEPTEMBER, without="ChargePeriodStart").encode(),
        'column "ChargePeriodStart" is missing',
    ),
    "second.csv": (bill_text([charge("2026-10-25", "3")]).encode(), 'delivery = "snapshot"'),
    "packed.7z": (b"7z", "unpack it"),
    "two.zip": (zipped("september.csv", "october.csv"), "holds 2 CSV files"),
    "cut.zip": (zipped("september.csv")[:-9], "the zip stops before its end"),
    "early.csv": (bill_text([charge("2026-09-03", ChargePeriodStart="09/03/2026")]).encode(), "State date_format ="),
}


def test_files_that_cannot_be_read_are_held_back_each_with_its_reason(root: Path) -> None:
    before = figures(root)
    for name, (content, _) in HELD_BACK.items():
        (root / "bills" / name).write_bytes(content)
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 2
    told = " ".join(ended.out.split())
    for name, (_, reason) in HELD_BACK.items():
        assert f"bills/{name}" in told
        assert reason in told
    assert "\\n" not in ended.out
    assert figures(root) == before


def test_bad_values_are_rejected_with_their_place_and_the_other_rows_go_on(root: Path) -> None:
    rows = [
        charge("2026-09-01", "12,5x"),
        charge("2026-09-02", ChargePeriodStart="2026-09-31T00:00:00Z"),
        charge("2026-09-03", ChargePeriodStart="0001-01-01T00:00:00Z"),
        charge("2026-09-04", BillingCurrency="usd"),
        charge("2026-09-05", "1e25"),
        charge("2026-09-06", "1e40"),
        charge("2026-09-07", "99999999999999999999999999.9"),
        charge("2026-09-08", ChargeCategory=""),
        charge("2026-09-09", "1"),
    ]
    (root / "bills" / "september.csv").write_text(bill_text(rows), encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    rejects = json.loads(attribution("rejects", "--each", "--json", "-w", root).out)
    assert {one["line"] for one in rejects} == {2, 3, 4, 5, 6, 7, 8, 9}
    assert {"12,5x", "usd", "2026-09-31T00:00:00Z", "1e40"} <= {one["value"] for one in rejects}
    (bill,) = [row for row in figures(root)["monthly_costs"] if "2026, 9" in repr(row)]
    assert "Decimal('1.000000000000')" in repr(bill)


def test_a_header_alone_is_an_empty_bill(root: Path) -> None:
    before = figures(root)
    (root / "bills" / "september.csv").write_text(bill_text([]), encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert figures(root)["monthly_costs"] == before["monthly_costs"]


def toml(text: str) -> Callable[[Path], object]:
    return lambda root: (root / "attribution.toml").write_text(text, encoding="utf-8")


def rules(text: str) -> Callable[[Path], object]:
    return lambda root: (root / "rules.toml").write_text(RULES + text, encoding="utf-8")


def inputs(root: Path, tags: str = "resource_id,key,value\n", **others: str) -> None:
    toml(TOML + INPUTS)(root)
    (root / "tags.csv").write_text(tags, encoding="utf-8")
    given = {"inventory": "resource_id,resource_type\n", "utilization": "resource_id,date,metric,average\n", **others}
    for name, text in given.items():
        (root / f"{name}.csv").write_text(text, encoding="utf-8")


def newer(root: Path) -> None:
    con = duckdb.connect(str(root / "ledger" / "ledger.duckdb"))
    con.execute("INSERT INTO book.schema_versions VALUES (9999, 'later.sql')")
    con.close()


def garble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for at in range(12288, len(content), 64):
        content[at] ^= 0xFF
    path.write_bytes(content)


WRONG: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "no bills": (lambda root: shutil.rmtree(root / "bills"), ['no file matches "bills/*"', "Looked in"]),
    "no rules": (
        lambda root: (root / "rules.toml").unlink(),
        ["rules.toml", "there is no such file", "attribution init"],
    ),
    "rules are no toml": (rules("[[rule]"), ["rules.toml: not TOML"]),
    "unknown words": (
        rules('[[rule]]\nname = "x"\nwhen = { resource_idd = "a" }\nassign = { proyect = "p" }\n'),
        ['unknown condition "resource_idd"', 'Did you mean "ResourceId"?', 'unknown dimension "proyect"'],
    ),
    "weights": (
        rules(
            '[[split]]\nname = "s"\nwhen = { project = "p" }\nacross = ["project"]\nby = "fixed"\n'
            "weights = { a = 0.5, b = 0.6 }\n"
        ),
        ["weights sum to 1.1"],
    ),
    "circle": (
        rules(
            '[[split]]\nname = "s"\nwhen = { project = "p" }\nacross = ["project"]\nby = "even"\nto = ["q"]\n'
            '[[split]]\nname = "t"\nwhen = { project = "q" }\nacross = ["project"]\nby = "even"\nto = ["p"]\n'
        ),
        ["in a circle"],
    ),
    "measures": (
        rules(
            '[[split]]\nname = "s"\nwhen = { project = "p" }\nacross = ["project"]\nby = "measure:tokens.csv"\n'
            '[[split]]\nname = "t"\nwhen = { project = "q" }\nacross = ["project"]\nby = "measure:other.csv"\n'
        ),
        ["tokens.csv: no such file; a split divides by it", "other.csv: no such file"],
    ),
    "no glob": (toml(TOML.replace("bills/*", "bills**/x")), ["is no pattern of files"]),
    "a bucket alone": (toml(TOML.replace("bills/*", "s3://bills")), ['"s3://bills" names no objects', "**/*.parquet"]),
    "one file, two sources": (toml(TOML + OTHER), ["claims this file", "Its money would count twice"]),
    "store is the workspace": (toml('store = "."\n' + TOML), ["is the workspace itself"]),
    "store is a file": (toml('store = "rules.toml"\n' + TOML), ["it is a file, not a folder"]),
    "store cannot be made": (toml('store = "/proc/nowhere"\n' + TOML), ["the store cannot be written"]),
    "store holds the bills": (toml('store = "bills"\n' + TOML), ["own files are left out"]),
    "no inputs": (
        toml(TOML + INPUTS),
        ["[inputs] tags: no file", "[inputs] resources: no file", "[inputs] utilization"],
    ),
    "tags header": (lambda root: inputs(root, "res_id,ky\n"), ['tags.csv: column "resource_id" is missing', "res_id"]),
    "inputs' headers": (
        lambda root: inputs(root, "a\n", inventory="b\n", utilization=""),
        ["tags.csv", "inventory.csv", "utilization.csv: the file has 0 bytes"],
    ),
    "newer ledger": (newer, ["written by a newer version", "Install the newer version"]),
    "damaged ledger": (lambda root: garble(root / "ledger" / "ledger.duckdb"), ["cannot be opened", "from a backup"]),
    "foreign ledger": (
        lambda root: (root / "ledger" / "ledger.duckdb").write_bytes(b"x" * 4096),
        ["not a valid DuckDB database", "from a backup"],
    ),
    "charges gone": (
        lambda root: shutil.rmtree(root / "ledger" / "charges"),
        ["1 of 2 files of the store are gone"],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_ends_with_code_2_and_says_what_to_do(root: Path, case: str) -> None:
    spoil, said = WRONG[case]
    published_before = (root / "ledger" / "costs.duckdb").read_bytes()
    spoil(root)
    ledger = root / "ledger" / "ledger.duckdb"
    ledger_before = ledger.read_bytes()
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 2, ended
    for words in said:
        assert words in ended.err
    assert "Traceback" not in ended.err
    assert (root / "ledger" / "costs.duckdb").read_bytes() == published_before
    if case != "newer ledger":
        assert figures_of(ledger, ledger_before)


def figures_of(ledger: Path, before: bytes) -> bool:
    """Whether the ledger is as it was, or differs by the note of a failed run alone."""
    if ledger.read_bytes() == before:
        return True
    with duckdb.connect(str(ledger), read_only=True) as con:
        return con.execute("SELECT status FROM book.runs ORDER BY run").fetchall() == [("done",), ("failed",)]


def test_all_faults_of_the_settings_come_at_once_in_plain_words(tmp_path: Path) -> None:
    root = workspace(
        tmp_path / "w",
        toml="""
curency = "USD"
currency = "usd"
timezone = "Mars/Base"
[[source]]
name = "A B"
path = 3
formt = "x"
encoding = "klingon"
date_format = "%m/%d"
format = "focsu"
delivery = "all"
[[source]]
name = "b"
path = ""
decimal = ","
thousands = ","
[growth]
threshold = "30%"
minimum = -5
[waste]
coverage = 80
coverge = 3
[waste.unattached_volume]
min_age_days = "x"
[[waste.override]]
project = "x"
minimum = -3
[report]
sender = "x"
[report.recipients]
mira = "mira@example.com"
tomas = ["nope", "a@b, c@d"]
[report.smtp]
host = ""
port = 99999
user = "costs"
""",
    )
    ended = attribution("check", "-w", root)
    assert ended.code == 2
    for words in (
        'unknown setting "curency"', 'Did you mean "currency"?', 'currency = "usd" is no currency code',
        'timezone = "Mars/Base" is no time zone', 'source "A B": name = "A B" cannot name a source',
        'source "A B": path = 3 must be text, in quotes', 'source "A B": unknown setting "formt"',
        'encoding = "klingon" is no encoding', 'date_format = "%m/%d" does not tell year, month and day',
        'format = "focsu" is no format', 'Did you mean "focus"?', 'delivery = "all" is not known',
        'Known: "snapshot", "parts", "append"', 'source "b": path = "" is blank',
        'growth: threshold = "30%" must be a number, without quotes', "growth: minimum = -5 must not be below 0",
        "waste: coverage = 80 must not be above 1", "waste: coverge = 3 is no setting of waste",
        'waste.unattached_volume: min_age_days = "x" must be a number', "minimum = -3 must not be below 0",
        'report: sender = "x" is no mail address',
        'report.recipients: mira = "mira@example.com" must be a list',
        'report.recipients.tomas: number 1 = "nope" is no mail address', 'number 2 = "a@b, c@d"',
        'report.smtp: host = "" is blank', "report.smtp: port = 99999 must not be above 65535",
    ):  # fmt: skip
        assert words in ended.err
    assert "pydantic" not in ended.err
    assert "Input should" not in ended.err
    assert not (root / "ledger").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('decimal = ","\nthousands = ","\n', 'source "cloud": uses one mark as decimal and as thousands'),
        ('[report.smtp]\nhost = "h"\nuser = "u"\n', "report.smtp: names a user and no place of the password"),
        ('[[source]]\nname = "cloud"\npath = "x"\n', "holds two called cloud"),
        ('columns = {BilledCost = "Amount"}\n', 'maps columns, which only format = "generic-csv" reads'),
        (
            'format = "generic-csv"\n',
            "maps nothing to BilledCost, BillingAccountId, BillingCurrency, Charge",
        ),
        ('format = "generic-csv"\ncolumns = {BiledCost = "a"}\n', 'columns: "BiledCost" is no column of a charge'),
        ('format = "generic-csv"\nconstants = {BillingCurrency = 3}\n', "BillingCurrency = 3 must be text, in quotes"),
        (
            'format = "generic-csv"\nconstants = {BillingCurrency = "usd"}\n',
            'states "usd" as BillingCurrency, and a currency is three capital letters',
        ),
        ('timezone = "localtime"\n', 'timezone = "localtime" is no time zone'),
        *((f'encoding = "{name}"\n', "is no encoding") for name in ("idna", "punycode", "unicode-escape", "rot13")),
        ('[journal]\nby = ["projekt"]\n', '[journal] by: no dimension "projekt"'),
        (f"[retention]\nrevisions = {'9' * 50}\n", "must not be above 10000"),
    ],
)
def test_settings_that_do_not_agree_are_told(tmp_path: Path, more: str, said: str) -> None:
    ended = attribution("check", "-w", workspace(tmp_path / "w", toml=TOML + more))
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.parametrize("glob", ["/", "//", "."])
def test_a_path_that_is_no_pattern_is_told(tmp_path: Path, glob: str) -> None:
    told = attribution("run", "-w", workspace(tmp_path / "w", toml=TOML.replace("bills/*", glob)))
    assert (told.code, "is no pattern of files" in told.err) == (2, True)


def test_digits_of_other_scripts_are_bad_cells(root: Path) -> None:
    inputs(
        root,
        "resource_id,key,value,valid_from,valid_to\n",
        utilization="resource_id,date,metric,average,samples\ni-1,2026-10-01,cpu_percent,3,１２\n",
        inventory="resource_id,resource_type\n",
    )
    zone = charge("2026-09-03", ChargePeriodStart="2026-09-03T00:00:00+０8:00")
    (root / "bills" / "september.csv").write_text(bill_text([*SEPTEMBER, zone]), encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    rejects = json.loads(attribution("rejects", "--each", "--json", "-w", root).out)
    assert {one["value"] for one in rejects} == {"１２", "2026-09-03T00:00:00+０8:00"}


def test_bad_rows_of_inputs_are_rejected_and_the_night_goes_on(root: Path) -> None:
    inputs(
        root,
        "resource_id,key,value,valid_from,valid_to\ni-1,project,a,2026-10-05,2026-10-01\ni-1,project,b,31/12/2026,\n,k,v,,\n",
        utilization="resource_id,date,metric,average\ni-1,2026-10-01,warp,3\ni-1,2026-13-01,cpu_percent,x\n",
        inventory="resource_id,resource_type,attached_to,created_at\na,volume,b,0001-01-01T00:00:00Z\nb,volume,a,\n",
    )
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    rejects = json.loads(attribution("rejects", "--each", "--json", "-w", root).out)
    told = {(one["file"], one["line"], one["value"]) for one in rejects}
    assert told == {
        ("tags.csv", 2, "2026-10-01"), ("tags.csv", 3, "31/12/2026"), ("tags.csv", 4, None),
        ("utilization.csv", 2, "warp"), ("utilization.csv", 3, "2026-13-01"),
        ("inventory.csv", 2, "0001-01-01T00:00:00Z"),
    }  # fmt: skip


def test_the_store_is_never_read_as_bills_however_wide_the_glob_is(root: Path) -> None:
    before = figures(root)
    toml(TOML.replace("bills/*", "**/*.*"))(root)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert figures(root) == before


def test_the_same_bill_under_another_name_counts_once(root: Path) -> None:
    before = figures(root)
    shutil.copy(root / "bills" / "october.csv", root / "bills" / "again.csv")
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert (ended.code, ended.err) == (0, "")
    assert figures(root)["monthly_costs"] == before["monthly_costs"]


def test_a_published_file_that_is_damaged_is_told_and_can_be_written_anew(root: Path) -> None:
    garble(root / "ledger" / "costs.duckdb")
    for words in (["status"], ["sql", "SELECT 1"], ["report"], ["findings"], ["explain", "i-1"]):
        ended = attribution(*words, "-w", root)
        assert ended.code == 2
        assert "attribution publish" in ended.err
    assert attribution("publish", "-w", root).code == 0
    assert attribution("status", "-w", root).code == 0


def test_charges_that_are_not_where_the_published_file_says(root: Path, ran: Path) -> None:
    ended = attribution("sql", "SELECT count(*) FROM charges", "-w", root)  # a copy of the workspace, not yet published
    assert ended.code == 2
    assert "the store was moved" in ended.err
    assert attribution("publish", "-w", root).code == 0
    assert attribution("sql", "SELECT count(*) FROM charges", "-w", root).code == 0
    assert attribution("sql", "SELECT count(*) FROM charges", "-w", ran).code == 0


def test_every_column_of_the_builder_is_one_of_focus() -> None:
    assert set(charge()) == set(COLUMNS)


@pytest.mark.parametrize("name", ["september.csv", "september.jsonl"])
def test_a_file_that_is_written_while_it_is_read_waits_for_the_next_run(
    root: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what was read would bear the digest of what was not, and never be read again."""
    before, path = figures(root), root / "bills" / name
    texts = [bill_text([charge("2026-09-03", cost)]) for cost in ("7", "88")]
    if name.endswith("jsonl"):
        texts = [json.dumps(charge("2026-09-03", cost)) + "\n" for cost in ("7", "88")]
    path.write_text(texts[0], encoding="utf-8")
    read = bills.read

    def read_late(delivery: Delivery) -> Iterator[Batch]:
        path.write_text(texts[1], encoding="utf-8")
        return read(delivery)

    with monkeypatch.context() as patched:
        patched.setattr(bills, "read", read_late)
        ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 2
    # What is told depends on what the control sum saw, which reads at the same time: an empty file, or another one.
    assert "1 held back" in ended.out + ended.err
    assert figures(root) == before
    path.write_text(texts[0], encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert "7.000000000000" in {str(row[0]) for row in query(root / "ledger", "SELECT BilledCost FROM charges").rows()}


def test_check_names_every_measure_that_is_not_there(tmp_path: Path) -> None:
    root = workspace(tmp_path / "w")
    change, said = WRONG["measures"]
    change(root)
    ended = attribution("check", "-w", root)
    assert ended.code == 2
    assert all(words in ended.err for words in said)
