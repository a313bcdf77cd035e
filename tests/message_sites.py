"""Every text that the code can say to a user, found where it is made; what is filled in stands as `…`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("schemas", "attribution", "flows")
ASKS = {
    "Fault": (1, "what"),
    "LawBrokenError": (0, "message"),
    "HeldBack": (2, "reason"),
    "Notice": (2, "sentence"),
    "Remark": (2, "what"),
    "Ragged": (2, "check"),
    "tell": (1, "what"),
    "wrong": (0, "what"),
    "reject": (3, "check"),
    "fail": (2, "check"),
    "read": (2, "rule"),
    "collapse": (3, "rule"),
    "finish_once": (4, "rule"),
    "in_order": (2, "words"),
}
"""Who is given a text: at which place, or under which name. `refuse` has the text last or first, by its room."""
TEXTS = {"_CAUSES", "_NEEDED", "_LIMITS"}
"""Tables of texts by what went wrong."""
MADE = re.compile(r"_message$|_shadow$|_complaint$")
"""Names of functions whose results are texts."""


def sites() -> dict[str, set[str]]:
    """Text -> the modules that say it."""
    found: dict[str, set[str]] = {}
    trees = {
        str(file.relative_to(ROOT)): ast.parse(file.read_text(encoding="utf-8"))
        for room in ROOMS
        for file in sorted((ROOT / room).rglob("*.py"))
    }
    constants = {name: value for tree in trees.values() for name, value in _constants(tree)}
    for module, tree in trees.items():
        for text in _said(module, tree, constants):
            found.setdefault(plain(text), set()).add(module)
    return found


def plain(text: str) -> str:
    """As the page writes it: one line, gaps as `…`, without marks of its own."""
    return re.sub(r"\s+", " ", re.sub(r"\{[^{}]*\}|…", "…", text)).replace("`", "").replace("|", "").strip()


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            yield node.targets[0].id, node.value


def _said(module: str, tree: ast.Module, constants: dict[str, ast.expr]) -> Iterator[str]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for scope in (*functions, *(node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef))):
        for node in ast.walk(scope):
            if isinstance(node, ast.Call):
                for given in _given(module, node):
                    yield from _texts(given, scope, constants)
            elif isinstance(node, ast.Return) and node.value and MADE.search(getattr(scope, "name", "")):
                yield from _texts(node.value, scope, constants)
    for value in (*_defaults(functions), *(value for name, value in _constants(tree) if name in TEXTS)):
        yield from (one.value for one in ast.walk(value) if isinstance(one, ast.Constant) and _is_text(one.value))


def _defaults(functions: list[ast.FunctionDef]) -> Iterator[ast.expr]:
    """What a function says where its caller gives no check."""
    for scope in functions:
        defaults = scope.args.defaults
        for name, value in zip(scope.args.args[len(scope.args.args) - len(defaults) :], defaults, strict=True):
            if name.arg == "check":
                yield value


def _given(module: str, call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that are texts for users."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name in ("Check", "isin", "str_matches", "ge"):
        yield from (one.value for one in call.keywords if one.arg == "error")
    if name == "refuse":
        yield from call.args[2:3] if module.startswith("attribution/inputs") else call.args[:1]
    if name in ASKS and (name != "tell" or module.startswith("attribution/bills")):
        place, word = ASKS[name]
        yield from call.args[place : place + 1] or [one.value for one in call.keywords if one.arg == word]


def _texts(value: ast.expr, scope: ast.AST, constants: dict[str, ast.expr]) -> Iterator[str]:
    match value:
        case ast.Constant(str(text)) | ast.Call(func=ast.Attribute(value=ast.Constant(str(text)), attr="format")):
            yield text
        case ast.JoinedStr(values):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in values)
        case ast.BinOp(left=one, op=ast.Add(), right=other):
            ends = list(_texts(other, scope, constants))
            yield from (f"{start}{end}" for start in _texts(one, scope, constants) for end in ends)
        case _:
            for one in _parts(value, scope, constants):
                yield from _texts(one, scope, constants)


def _parts(value: ast.expr, scope: ast.AST, constants: dict[str, ast.expr]) -> list[ast.expr]:
    """What a value is made from: both sides of a choice, the first of several results, what a name was given."""
    match value:
        case ast.IfExp(body=one, orelse=other):
            return [one, other]
        case ast.Tuple([one, *_]):
            return [one]
        case ast.Name(name) if name in constants:
            return [constants[name]]
        case ast.Name(name):
            given = [(node.targets, node.value) for node in ast.walk(scope) if isinstance(node, ast.Assign)]
            given += [([node.target], node.value) for node in ast.walk(scope) if isinstance(node, ast.AugAssign)]
            return [one for targets, one in given if any(isinstance(at, ast.Name) and at.id == name for at in targets)]
        case _:
            return []


def _is_text(value: object) -> bool:
    return isinstance(value, str) and " " in value and "\\" not in value and "|" not in value
