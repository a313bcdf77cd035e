"""The files that rules stand in: read as TOML, and the version of what they say together."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

from attribution.rules.complaints import Place
from schemas.faults import Fault, InputError
from schemas.paths import matching, relative_name

Content = dict[str, Any]
_WILD = frozenset("*?[")


def rule_files(root: Path, patterns: Sequence[str]) -> tuple[Path, ...]:
    """The files of rules in the order stated, those of one pattern by name; each once.

    Args:
        root: the workspace.
        patterns: names or globs; a folder for more rules may be empty.

    Raises:
        InputError: nothing matches any of them.
    """
    found: list[Path] = []
    for pattern in patterns:
        if _WILD & set(pattern):
            with suppress(InputError):
                found += matching(root, pattern, "rules")
        else:
            found.append(root / pattern)
    if not found:
        raise InputError(Fault("attribution.toml", f"rules: no file matches {', '.join(patterns)}."))
    return tuple(dict.fromkeys(found))


def read_files(rules: Path | str | Sequence[Path], root: Path | None) -> list[tuple[Place, Content]]:
    """The content of every file, each with its place; all places note their faults in one list.

    Args:
        rules: a file, several in their order, or the text of one.
        root: the folder that messages name files from; None: by their last name alone.

    Raises:
        InputError: a file cannot be read or is not TOML; faults of all files.
    """
    found: list[tuple[Place, Content]] = []
    faults: list[Fault] = []
    for one in [rules] if isinstance(rules, Path | str) else rules:
        name = "rules.toml" if isinstance(one, str) else one.name if root is None else relative_name(one, root)
        place = Place(name, faults=found[0][0].faults if found else [])
        try:
            found.append((place, _parse(one, name)))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return found


def _parse(rules: Path | str, name: str) -> Content:
    try:
        text = rules.read_bytes().decode("utf-8-sig") if isinstance(rules, Path) else rules
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        fault = Fault(name, f"not TOML: {error}")
    except UnicodeDecodeError:
        fault = Fault(name, "not UTF-8 text.")
    except FileNotFoundError:
        hint = "`attribution init` writes one with comments; an empty file means that tags alone decide."
        fault = Fault(name, "cannot be read: there is no such file.", hint=hint)
    except OSError as error:
        fault = Fault(name, f"cannot be read: {error.strerror}.")
    raise InputError(fault)


def digest_of(contents: Sequence[Content]) -> str:
    """The version of a rule set: the same for what is said in one file and in several, in the same order.

    Comments, blanks and the order of keys do not change it; the order of rules does.
    """
    whole: Content = {}
    for content in contents:
        whole = _joined(whole, content)
    canonical = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _joined(one: Any, other: Any) -> Any:  # noqa: ANN401 - whatever TOML holds
    if isinstance(one, dict) and isinstance(other, dict):
        return one | {key: _joined(one[key], value) if key in one else value for key, value in other.items()}
    return [*one, *other] if isinstance(one, list) and isinstance(other, list) else other
