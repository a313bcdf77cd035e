"""What an installation brings along, and under which licences. `UPDATE_DOCS=1` renews docs/dependencies.md."""

from __future__ import annotations

import os
import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
UPDATE = bool(os.environ.get("UPDATE_DOCS"))
# A product under Apache-2.0 may not be made of parts that demand their own licence of it.
FREE = re.compile(r"\b(MIT|BSD|Apache|ISC|PSF|MPL|Mozilla|Artistic)\b")
LONGEST = 60
HEAD = """\
# What is installed with it

Runtime dependencies and those of the extra `explore`, those of dependencies included, at the pinned versions of
`constraints.txt`, with the licence that each names itself. All allow use inside a product under Apache-2.0.

| package | version | licence |
|---|---|---|
"""


def installed() -> dict[str, Distribution]:
    """Every distribution that the product's own dependencies and extras lead to."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    found: dict[str, Distribution] = {}
    wanted = [Requirement(one) for one in stated]
    while wanted:
        one = wanted.pop()
        name = re.sub(r"[-_.]+", "-", one.name).lower()
        extras = one.extras or {""}
        if name in found or (one.marker and not any(one.marker.evaluate({"extra": extra}) for extra in extras)):
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # for another system or Python
            continue
        for text in found[name].requires or ():
            inner = Requirement(text)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
                inner.marker = None
                wanted.append(inner)
    return dict(sorted(found.items()))


def licence(of: Distribution) -> str:
    about = of.metadata
    kinds = [text.split(" :: ") for text in about.get_all("Classifier") or () if text.startswith("License")]
    classified = ", ".join(parts[-1] for parts in kinds if len(parts) > 2)  # the second level says only "approved"
    written = about.get("License-Expression") or classified or about.get("License") or "(not stated)"
    return written.strip().splitlines()[0][:LONGEST]


def test_every_package_and_its_licence_is_listed() -> None:
    rows = [f"| {name} | {one.version} | {licence(one)} |" for name, one in installed().items()]
    text = HEAD + "\n".join(rows) + "\n"
    if UPDATE:
        PAGE.write_text(text, encoding="utf-8")
    # Another Python or system brings fewer of them; none that is not listed.
    assert set(rows) <= set(PAGE.read_text(encoding="utf-8").splitlines())


def test_every_licence_lets_the_product_keep_its_own() -> None:
    assert {name: licence(one) for name, one in installed().items() if not FREE.search(licence(one))} == {}


def test_every_package_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line.split("==", 1) for line in lines if "==" in line]
    versions = {re.sub(r"[-_.]+", "-", name).lower(): version.split()[0] for name, version in pinned}
    assert {name: one.version for name, one in installed().items() if versions.get(name) != one.version} == {}
