"""Every kind of finding that the code can tell is in the list of kinds, and has a word in each language."""

from __future__ import annotations

import ast
from pathlib import Path

from attribution.detection.waste import DETECTORS
from attribution.reports.wording import wording
from schemas.findings import KINDS

ROOM = Path(__file__).parents[2] / "attribution"
MADE_OF_TWO = {f"{what}_{how}" for what in ("budget", "plan") for how in ("at_risk", "breached")} | {"budget_warned"}
"""Kinds that are put together from two words, and so stand nowhere as one text."""


def told() -> set[str]:
    """The texts that stand where a kind is said."""
    kinds: set[ast.expr] = set()
    for file in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name("Notice") | ast.Attribute(attr="tell"), args=[kind, *_]):
                    kinds.add(kind)
                case ast.Call(func=ast.Name("Finding"), keywords=keywords):
                    kinds |= {one.value for one in keywords if one.arg == "kind"}
                case ast.Call(
                    func=ast.Attribute(attr="alias", value=ast.Call(args=[kind])), args=[ast.Constant("kind")]
                ) if "remarks" in file.name:
                    kinds.add(kind)
                case ast.Assign(targets=[ast.Name("KIND")], value=kind):
                    kinds.add(kind)
                case ast.Assign(targets=[ast.Name("KINDS" | "_KINDS")], value=ast.Dict(values=values)) if (
                    file.parent.name == "detection"
                ):
                    kinds |= set(values)
                case ast.Assign(targets=[ast.Tuple([ast.Name("ANOMALY"), ast.Name("SILENCE")])], value=ast.Tuple(both)):
                    kinds |= set(both)
    return {str(kind.value) for kind in kinds if isinstance(kind, ast.Constant)}


def test_the_list_of_kinds_is_what_the_code_can_tell() -> None:
    detectors = {detector.name for detector in DETECTORS}
    assert told() | MADE_OF_TWO == set(KINDS) | (told() & detectors)
    assert not detectors & set(KINDS)


def test_each_kind_has_a_chinese_word() -> None:
    chinese = wording("zh-CN")
    untold = {kind for kind in {*KINDS, *(one.name for one in DETECTORS)} if chinese.kind(kind).isascii()}
    assert untold == set()
