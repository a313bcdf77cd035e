"""The house's own laws: who may import whom, where the doors are, how long things may get."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("schemas", "attribution", "flows")
MODULE_LINES = 300
FUNCTION_LINES = 50


def modules() -> list[Path]:
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imported(path: Path) -> set[str]:
    """Top-level names of what a module imports at run time; imports for types alone do not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def figures() -> str:
    """What pytest prints at its end."""
    lengths = sorted(lines_of(path) for path in modules())
    bodies = sorted((one.end_lineno or 0) - one.lineno + 1 for path in modules() for one in functions(path))
    return (
        f"{len(lengths)} modules of {lengths[len(lengths) // 2]} lines in the middle and {lengths[-1]} at most, "
        f"{len(bodies)} functions of {bodies[len(bodies) // 2]} and {bodies[-1]}; {len(circles())} in circles, "
        f"{len(untyped())} untyped, {len(silent())} of {len(modules()) + len(public())} names without a word"
    )


def test_import_contracts_hold() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("library", "doors"),
    [
        ("duckdb", r"attribution/ledger/.*"),
        ("prefect", r"flows/orchestration\.py"),
        ("pandera", r"schemas/check\.py"),
        ("altair", r"attribution/reports/(charts|drawings|exploring)\.py"),
        ("streamlit", r"flows/explorer/(page|panels|serving|state)\.py"),
        ("vl_convert", r"attribution/reports/(charts|fonts)\.py"),
        ("smtplib", r"attribution/reports/deliver\.py"),
        ("jinja2", r"attribution/reports/templating\.py"),
        ("pydantic", r"flows/(settings|stated_tables)\.py"),
        ("typer", r"flows/cli/.*"),
        ("babel", r"attribution/reports/wording\.py"),
        ("xlsxwriter", r"attribution/reports/workbook\.py"),
        ("obstore", r"attribution/objects/bucket\.py"),
    ],
)
def test_a_library_has_one_door(library: str, doors: str) -> None:
    users = [named(path) for path in modules() if library in imported(path)]
    assert users
    assert [user for user in users if not re.fullmatch(doors, user)] == []


def test_pandera_is_called_in_one_place() -> None:
    callers = [
        named(path)
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "validate"
    ]
    assert callers == ["schemas/check.py"]


def test_no_room_reads_the_clock() -> None:
    clock = re.compile(r"\b(datetime\.now|datetime\.utcnow|date\.today|time\.time|perf_counter)\b")
    readers = [named(path) for path in modules() if clock.search(path.read_text(encoding="utf-8"))]
    assert readers == ["flows/running.py"]


def test_modules_and_functions_stay_small() -> None:
    long_modules = {named(path): lines for path in modules() if (lines := lines_of(path)) > MODULE_LINES}
    long_functions = {
        f"{named(path)}:{function.name}": length
        for path in modules()
        for function in functions(path)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    }
    assert long_modules == {}
    assert long_functions == {}


def imports() -> dict[str, set[str]]:
    """Each module of ours, and the modules of ours that it needs before it can be used."""
    names = {named(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__"): path for path in modules()}
    needed: dict[str, set[str]] = {}
    for name, path in names.items():
        found: set[str] = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= inside & names.keys() or {node.module}
        needed[name] = found & names.keys() - {name}
    return needed


def circles() -> set[str]:
    """Modules that need each other: what is left once those that need nothing more are taken away, time after time."""
    left = imports()
    while free := {name for name, needed in left.items() if not needed & left.keys()}:
        left = {name: needed for name, needed in left.items() if name not in free}
    return set(left)


def public() -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    """Functions, classes and methods that others may use."""
    tops = [(path, node) for path in modules() for node in ast.parse(path.read_text(encoding="utf-8")).body]
    inside = [
        (path, one) for path, node in tops if isinstance(node, ast.ClassDef) for one in node.body if node.name[0] != "_"
    ]
    return [
        (f"{named(path)}:{one.name}", one)
        for path, one in (*tops, *inside)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and one.name[0] != "_"
    ]


def untyped() -> list[str]:
    """Functions with an argument or a result that has no type."""
    return [
        f"{named(path)}:{one.name}"
        for path in modules()
        for one in functions(path)
        if one.returns is None or any(at.annotation is None for at in one.args.args if at.arg not in ("self", "cls"))
    ]


def silent() -> list[str]:
    """Modules and public names without a word about themselves."""
    bare = [named(path) for path in modules() if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    return bare + [name for name, node in public() if not ast.get_docstring(node)]


def test_no_modules_need_each_other() -> None:
    assert circles() == set()


def test_every_module_and_public_name_says_what_it_is() -> None:
    assert silent() == []


def test_every_argument_and_result_has_a_type() -> None:
    assert untyped() == []


def test_names_say_something() -> None:
    vague = re.compile(r"(^|_)(utils?|helpers?|managers?|process\w*|handle\w*|misc|common)($|_)")
    assert [named(path) for path in modules() if vague.search(path.stem)] == []


def test_pins_hold_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pin = re.compile(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+( ; .+)?")
    assert [line for line in lines if not pin.fullmatch(line)] == []


def test_sql_files_say_their_grain_in_line_one() -> None:
    views = sorted((ROOT / "attribution/ledger/views").glob("*.sql"))
    assert views
    assert [view.name for view in views if not view.read_text(encoding="utf-8").startswith("-- One ")] == []
