"""Do the tests notice? One number, comparison, sign or word of a module is changed at a time, and its tests run.

    python benchmarks/mutations.py attribution/detection/daily [--sample 40] [--seed 1] [--near] [--say]

Prints each change that no test noticed, and counts. Each runs in a process of its own, forked from one that has the
libraries loaded; nothing is written to the modules. Tests that come by the changed statement run first, the quickest
ahead; all others of the module run only when these noticed nothing.
"""

from __future__ import annotations

import argparse
import ast
import os
import pickle
import random
import re
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from itertools import pairwise
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WALKED = (f"{ROOT}/attribution/", f"{ROOT}/schemas/")
SECONDS = 90  # a change that runs on for so long is noticed
_GROWN = (
    "detection/test_growth detection/test_growth_findings detection/test_growth_effects detection/test_growth_details "
    "detection/test_causes detection/test_contributors detection/test_weekly detection/test_weekdays "
    "detection/test_worth detection/test_planned"
)
TESTS = {
    "attribution/detection/daily": "detection/test_daily_baseline detection/test_daily_anomalies "
    "detection/test_baseline_oracle detection/test_daily_causes",
    "attribution/detection/budgets": "detection/test_budgets detection/test_budget_limits detection/test_budget_rows",
    "attribution/detection/progress": "detection/test_progress",
    "attribution/detection/marks": "detection/test_finding_marks",
    "attribution/detection/doubles": "detection/test_bill_twice",
    "attribution/detection/waste": "detection/test_waste_records detection/test_waste_known_cases detection/test_waste "
    "detection/test_waste_cases detection/test_waste_utilization detection/test_waste_over detection/test_waste_idle "
    "detection/test_waste_inventory detection/test_waste_training detection/test_waste_undetermined "
    "detection/test_waste_near detection/test_waste_sizes detection/test_waste_months detection/test_waste_prices "
    "detection/test_waste_savings detection/test_waste_plan",
    "attribution/detection/recipients": "detection/test_recipients detection/test_growth_findings",
    "attribution/detection/invoices": "detection/test_invoices",
    "attribution/detection/exchange": "detection/test_worth detection/test_growth_details inputs/test_plans_and_rates",
    "attribution/detection": _GROWN,
    "attribution/allocation/nodes/capacity": "allocation/test_node_sizes allocation/test_jobs_on_nodes",
    "attribution/allocation/nodes": "allocation/test_jobs_on_nodes allocation/test_pod_usage "
    "allocation/test_jobs_oracle",
    "attribution/allocation/shares": "allocation/test_split_ways allocation/test_split",
    "attribution/allocation/pools": "allocation/test_split_ways allocation/test_split",
    "attribution/allocation/split": "allocation/test_split_ways allocation/test_split allocation/test_jobs_on_nodes",
    "attribution/allocation/moving": "allocation/test_split_ways allocation/test_split",
    "attribution/allocation/reconcile": "allocation/test_reconcile",
    "attribution/allocation/review": "allocation/test_review allocation/test_proposed_rules",
    "attribution/allocation/explain": "allocation/test_explain",
    "attribution/allocation": "allocation/test_cost_element allocation/test_dated_aliases allocation/test_explain "
    "allocation/test_taken_values allocation/test_resolve allocation/test_resolve_oracle",
    "attribution/rules/dimensions": "rules/test_rule_limits rules/test_rules allocation/test_dated_aliases "
    "rules/test_rule_files",
    "attribution/rules/records": "rules/test_rules allocation/test_dated_aliases allocation/test_taken_values",
    "attribution/rules/weights": "allocation/test_split_ways allocation/test_split",
    "attribution/rules/values": "rules/test_values rules/test_rule_limits allocation/test_taken_values "
    "rules/test_rules",
    "attribution/rules/splits": "rules/test_rules rules/test_rule_limits allocation/test_split_ways",
    "attribution/rules/proposals": "rules/test_proposals rules/test_rule_limits allocation/test_review",
    "attribution/rules": "rules/test_values rules/test_rules rules/test_rule_limits "
    "rules/test_rule_files allocation/test_resolve",
    "schemas/money": "schemas/test_money",
    "attribution/ledger/actions": "ledger/test_finding_actions",
}
OPTIONS = ("-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-seed=0")
SWAPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "&": "|", "|": "&",
    "and": "or", "or": "and", "min": "max", "max": "min", "min_horizontal": "max_horizontal",
    "max_horizontal": "min_horizontal", "any": "all", "all": "any", "first": "last", "last": "first",
}  # fmt: skip


@dataclass(frozen=True)
class Change:
    """Bytes of a module, and what stands there instead."""

    path: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    def applied(self) -> bytes:
        """The module with it."""
        source = self.path.read_bytes()
        return source[: self.start] + self.new.encode() + source[self.end :]


def changes(path: Path) -> Iterator[Change]:
    """All changes of a module that are made."""
    source = path.read_bytes()
    starts = [0, *(found.end() for found in re.finditer(b"\n", source))]

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    whole = list(ast.walk(ast.parse(source)))
    notes = [note for node in whole for name in ("annotation", "returns") if (note := getattr(node, name, None))]
    unread = {id(inner) for note in notes for inner in ast.walk(note)}  # types are text, which nothing reads
    for node in (node for node in whole if id(node) not in unread):
        for begin, end, new in _places(node, at, source):
            yield Change(path, source[:begin].count(b"\n") + 1, begin, end, source[begin:end].decode(), new)


def _places(node: ast.AST, at: Any, source: bytes) -> Iterator[tuple[int, int, str]]:  # noqa: ANN401
    if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
        yield from _numbers(node, at, source)
    elif isinstance(node, (ast.Attribute, ast.Name)):
        end = at(node.end_lineno, node.end_col_offset)
        word = node.attr if isinstance(node, ast.Attribute) else node.id
        if word in SWAPPED:
            yield end - len(word), end, SWAPPED[word]
    for one, other in pairwise(_operands(node)):
        begin, end = at(one.end_lineno, one.end_col_offset), at(other.lineno, other.col_offset)
        found = re.search(rb"[<>=!]=|[<>+\-&|]|\band\b|\bor\b", source[begin:end])
        if found and found.group().decode() in SWAPPED:
            yield begin + found.start(), begin + found.end(), SWAPPED[found.group().decode()]


def _numbers(node: ast.Constant, at: Any, source: bytes) -> Iterator[tuple[int, int, str]]:  # noqa: ANN401
    begin, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
    text = source[begin:end].decode()
    if isinstance(node.value, int):
        yield from ((begin, end, f"({text} {sign} 1)") for sign in "+-")
    elif isinstance(node.value, float) and node.value:
        yield from ((begin, end, f"({text} * {factor})") for factor in (1.01, 0.99))
    elif isinstance(node.value, str) and re.fullmatch(r'"\d+\.\d+"', text):
        yield begin, end, f'"{node.value}1"'


def _operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return node.values if isinstance(node, ast.BoolOp) else []


class _Changed(MetaPathFinder, Loader):
    """Loads one module as it was changed."""

    def __init__(self, change: Change) -> None:
        parts = change.path.relative_to(ROOT).with_suffix("").parts
        self.package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.package else parts)
        self.change = change

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ANN401, ARG002
        if fullname != self.name:
            return None
        return spec_from_loader(fullname, self, origin=str(self.change.path), is_package=self.package)

    def exec_module(self, module: ModuleType) -> None:
        if self.package:
            module.__path__ = [str(self.change.path.parent)]
        exec(compile(self.change.applied(), str(self.change.path), "exec"), module.__dict__)  # noqa: S102


Walks = dict[str, tuple[float, dict[str, set[int]]]]
"""Test -> seconds it takes, and the lines of each module that it comes by."""


class _Walked:
    """A plugin of pytest that notes where each test comes by."""

    def __init__(self) -> None:
        self.walks: Walks = {}

    def pytest_runtest_protocol(self, item: Any) -> None:  # noqa: ANN401
        lines: dict[str, set[int]] = {}
        self.walks[item.nodeid] = (time.monotonic(), lines)

        def note(frame: FrameType, event: str, _: object) -> Any:  # noqa: ANN401
            file = frame.f_code.co_filename
            if event == "call" and not file.startswith(WALKED):
                return None
            lines.setdefault(file, set()).add(frame.f_lineno)
            return note

        sys.settrace(note)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)
        began, lines = self.walks[nodeid]
        self.walks[nodeid] = (time.monotonic() - began, lines)


def walked(tests: list[str], *, properties: bool) -> Walks | None:
    """Where these tests come by; None where one fails without any change."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        plugin = _Walked()
        code = _run(tests, properties=properties, plugins=[plugin])
        with os.fdopen(writing, "wb") as out:
            pickle.dump(None if code else plugin.walks, out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as back:
        walks: Walks | None = pickle.load(back)  # noqa: S301  # written by the child
    os.waitpid(child, 0)
    return walks


def first_tests(change: Change, walks: Walks) -> list[str]:
    """The tests that come by the changed statement, the quickest first; by the module where it is run on import."""
    spans = []
    for node in ast.walk(ast.parse(change.path.read_bytes())):
        if isinstance(node, ast.FunctionDef):
            spans += [one for part in node.body for one in ast.walk(part) if isinstance(one, ast.stmt)]
    lines: set[int] = set()
    for node in sorted(spans, key=lambda one: one.lineno):  # the innermost comes last
        body = getattr(node, "body", None)
        end = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        if node.lineno <= change.line <= max(end, node.lineno):
            lines = set(range(node.lineno, max(end, node.lineno) + 1))
    file = str(change.path)
    met = {test: took for test, (took, by) in walks.items() if by.get(file, set()) & (lines or by.get(file, set()))}
    return sorted(met, key=lambda test: met[test])


def _run(tests: list[str], *, properties: bool, plugins: list[object]) -> int:
    with open(os.devnull, "w") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    import pytest  # noqa: PLC0415

    kind = [] if properties else ["-m", "not hypothesis"]
    return int(pytest.main([*OPTIONS, *kind, *tests], plugins=plugins))


def noticed(change: Change, tests: list[str], *, properties: bool) -> bool:
    """Whether a test fails with the change."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        sys.meta_path.insert(0, _Changed(change))
        os._exit(_run(tests, properties=properties, plugins=[]))
    return os.waitpid(child, 0)[1] != 0


def main() -> None:
    """Change, run, count."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("paths", nargs="+")
    asked.add_argument("--sample", type=int)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--properties", action="store_true", help="run property tests, too")
    asked.add_argument("--near", action="store_true", help="run no other tests than those that come by the statement")
    asked.add_argument("--say", action="store_true", help="print what was noticed, too")
    given = asked.parse_args()
    os.environ["POLARS_MAX_THREADS"] = "1"
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT)]
    for library in ("polars", "pandera.polars", "hypothesis", "pytest", "duckdb"):
        __import__(library)
    for path in given.paths:
        files = sorted((ROOT / path).rglob("*.py")) if (ROOT / path).is_dir() else [ROOT / path]
        whole = [one for file in files for one in changes(file)]
        if given.sample and given.sample < len(whole):
            whole = sorted(random.Random(given.seed).sample(whole, given.sample), key=lambda one: (one.path, one.start))
        lived, rooms = 0, dict[str, Walks]()
        for one in whole:
            named = one.path.relative_to(ROOT).with_suffix("").as_posix()
            room = max((key for key in TESTS if named == key or named.startswith(f"{key}/")), key=len)
            tests = [f"tests/{name}.py" for name in TESTS[room].split()]
            if room not in rooms:
                walks = walked(tests, properties=given.properties)
                if walks is None:
                    sys.exit(f"{room}: its tests fail without any change")
                rooms[room] = walks
            first = first_tests(one, rooms[room])
            tried = (first,) if given.near and first else (first, tests)
            dead = any(noticed(one, some, properties=given.properties) for some in tried if some)
            lived += not dead
            if given.say or not dead:
                print(f"{'noticed' if dead else 'LIVED'} {named}.py:{one.line}: {one.old} -> {one.new}", flush=True)
        print(f"{path}: {len(whole)} changes, {lived} lived", flush=True)


if __name__ == "__main__":
    main()
