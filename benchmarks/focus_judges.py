"""Asks two judges from outside what they think of the FOCUS files that the product writes.

    python benchmarks/focus_judges.py [--workspace DIR]

Exports the sample company and the golden bill of every reader as FOCUS 1.4 (CSV) and 1.2 (Parquet), has them judged by
the structural lint of focus-data-toolkit and the rules of focus-validator, and prints each failure that is not known to
be false. The judges are installed into folders of their own under benchmarks/data; one that cannot be installed is told
and left out. Ends with 1 if a failure is left.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "tests" / "bills" / "golden"
AS_OF = "2026-11-05T06:00:00Z"
JUDGES = HERE / "data" / "judges"
TOOLKIT, VALIDATOR = "focus-data-toolkit==0.14.1", "focus-validator==2.2.1"
# Failures that are the judge's: it tests a part of the rule's sentence, or two rules that cannot both hold.
FALSE = {
    **dict.fromkeys(
        ("CapacityReservationStatus-C-000", "CapacityReservationStatus-C-002", "CapacityReservationStatus-C-004",
         "CommitmentDiscountStatus-C-000", "CommitmentDiscountStatus-C-002", "CommitmentDiscountStatus-C-004"),
        "wants a status on rows without a commitment or reservation",
    ),
    **dict.fromkeys(("CostAndUsage-D-000", "CostAndUsage-D-002"), "sum of the others"),
    **dict.fromkeys(
        ("InvoiceId-C-000", "InvoiceId-C-003", "InvoiceId-C-004", "InvoiceId-C-005"),
        "one rule wants it null on every row and the other on none, without asking whether there is an invoice",
    ),
    **dict.fromkeys(
        ("EffectiveCost-C-000", "EffectiveCost-C-005"),
        "wants zero on every purchase, also on those that cover no later charge",
    ),
}  # fmt: skip
# Failures of a bill in Chinese: its names and units stay as billed, and the rules want ASCII.
NOT_ASCII = {
    "ChargeDescription-C-002": "ChargeDescription", "PricingUnit-C-002": "PricingUnit",
    "PricingUnit-C-003": "PricingUnit", "ServiceName-C-002": "ServiceName",
}  # fmt: skip
_LEAF = re.compile(
    r"❌ (?P<rule>[A-Za-z]+-[CD]-\d+)-\w+: FAIL\s+\(violations=(?P<count>\d+), (?:reason|msg)=(?P<why>.*)\)"
)


def main() -> int:
    """Judge, print, and say by the exit code whether anything is left."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workspace", type=Path, help="one workspace that was run, instead of sample and goldens")
    chosen = options.parse_args().workspace
    told = Table("bill", "judge", "rule", "rows", "what")
    failures = 0
    toolkit, validator = _judge("toolkit", TOOLKIT, sys.executable), _judge("validator", VALIDATOR, "python3.12")
    with tempfile.TemporaryDirectory() as scratch:
        for name, workspace in [(chosen.name, chosen)] if chosen else _workspaces(Path(scratch)):
            found = [("toolkit", *one) for one in _lint(toolkit, workspace)] if toolkit else []
            found += [("validator", *one) for one in _rules(validator, workspace)] if validator else []
            for row in found:
                told.add_row(name, *map(str, row))
            if not found:
                told.add_row(name, "", "", "", "nothing to say")
            failures += len(found)
    Console().print(told)
    return 1 if failures or not (toolkit or validator) else 0


def _judge(name: str, package: str, python: str) -> Path | None:
    """The folder of a judge's programs; None where it cannot be installed."""
    programs = JUDGES / name / "bin"
    if (programs / "done").exists():
        return programs
    try:
        subprocess.run([python, "-m", "venv", "--clear", JUDGES / name], check=True, capture_output=True)  # noqa: S603 - our own arguments
        subprocess.run([programs / "pip", "install", "-q", package, "pyarrow<20"], check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{package} cannot be installed and is left out: {error}")
        return None
    (programs / "done").touch()
    return programs


def _workspaces(scratch: Path) -> Iterator[tuple[str, Path]]:
    """The sample company and one workspace for each golden bill, each run."""
    sample = shutil.copytree(HERE.parent / "sample_bills", scratch / "sample", ignore=shutil.ignore_patterns("ledger"))
    _attribution("run", "-w", sample, "--as-of", AS_OF)
    yield "sample company", sample
    stated = tomllib.loads((GOLDEN / "stated.toml").read_text(encoding="utf-8"))
    for bill in sorted(path for path in GOLDEN.iterdir() if path.is_file() and path.suffix not in (".json", ".toml")):
        source = stated.get(bill.name, {})
        if source.get("format") == "own-costs":
            continue  # they come in as an input, and the sample company has some
        root = scratch / bill.name
        (root / "bills").mkdir(parents=True)
        for file in (bill, *(GOLDEN / "beside").glob(f"{bill.stem}.*")):
            shutil.copy(file, root / "bills" / (file.name if file == bill else f"beside-{file.name}"))
        lines = [f"{name} = {_toml(value)}" for name, value in source.items()]
        text = "\n".join(['currency = "USD"', "[[source]]", 'name = "golden"', 'path = "bills/*"', *lines])
        (root / "attribution.toml").write_text(text, encoding="utf-8")
        (root / "rules.toml").touch()
        _attribution("run", "-w", root, "--as-of", AS_OF)
        yield bill.name, root


def _toml(value: object) -> str:
    """A text or a table of texts as TOML; JSON writes texts alike."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _attribution(*words: str | Path) -> None:
    program = [sys.executable, "-c", "from flows.cli import main; main()", *map(str, words)]
    done = subprocess.run(  # noqa: S603 - our own command
        program, check=False, capture_output=True, text=True, cwd=HERE.parent
    )
    if done.returncode not in (0, 1):
        print(done.stdout, done.stderr, file=sys.stderr)
        raise SystemExit(done.returncode)


def _export(workspace: Path, version: str, ending: str) -> Path:
    to = workspace / f"focus-{version}.{ending}"
    _attribution("export", "focus", to, "--focus-version", version, "-w", workspace)
    return to


def _lint(programs: Path, workspace: Path) -> list[tuple[str, int, str]]:
    """What the toolkit finds: kind, how often, the first line that says so."""
    bill = _export(workspace, "1.4", "csv")
    done = subprocess.run(  # noqa: S603 - a program installed above
        [programs / "focus-toolkit", "validate", "--dataset", "cost-and-usage", bill],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    if not done.returncode:
        return []
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return [(line.split("]")[0].strip("["), len(lines) - 1, line) for line in lines[1:2]] or [("?", 0, str(lines))]


def _rules(programs: Path, workspace: Path) -> list[tuple[str, int, str]]:
    """Rules of FOCUS 1.2 that fail and are not known to fail wrongly; a rule made of others is told by those."""
    bill = _export(workspace, "1.2", "parquet").resolve()
    packages = next((programs.parent / "lib").glob("python*/site-packages"))
    done = subprocess.run(  # noqa: S603 - a program installed above
        [programs / "focus-validator", "--data-file", bill, "--validate-version", "1.2", "--block-download"],
        check=False, capture_output=True, text=True, cwd=packages,
    )  # fmt: skip
    if "Total:" not in done.stdout:
        return [("?", 0, (done.stdout + done.stderr)[-400:])]
    found = [match for match in map(_LEAF.search, done.stdout.splitlines()) if match]
    rows = pl.read_parquet(bill)
    foreign = {rule for rule, name in NOT_ASCII.items() if rows.get_column(name).str.contains(r"[^\x00-\x7f]").any()}
    return [
        (match["rule"], int(match["count"]), match["why"])
        for match in found
        if match["rule"] not in FALSE.keys() | foreign and "failed child rules" not in match["why"]
    ]


if __name__ == "__main__":
    sys.exit(main())
