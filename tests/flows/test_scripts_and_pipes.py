"""The command for scripts: JSON of every command, plain output in pipes, colours on demand, completion by the shell."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from small_workspace import AS_OF, attribution, charge, workspace

from flows import cli, terminal

PROGRAM = [sys.executable, "-c", "import sys; sys.argv[0] = 'attribution'; from flows.cli import main; main()"]
LONG = "an-experiment-whose-name-is-longer-than-a-terminal-of-eighty-columns-is-wide-and-then-some-more"
# In this order, since some answer what others wrote. `{to}` is a folder of the test's own.
WORDS = {
    "init": ["{to}/new"],
    "check": [],
    "ingest": ["--as-of", AS_OF],
    "run": ["--as-of", AS_OF],
    "detect": ["--as-of", AS_OF, "--fail-on", "total>99999999"],
    "backfill": ["2026-10", "2026-10"],
    "weekly": ["--dry-run", "--as-of", AS_OF],
    "publish": [],
    "close": ["2026-10"],
    "reopen": ["2026-10"],
    "report": [],
    "explain": ["i-1"],
    "rejects": ["--each"],
    "sql": ["SELECT * FROM costs"],
    "export": ["costs", "{to}/costs.csv"],
    "status": [],
    "doctor": [],
    "dispute": [],
    "findings": [],
    "findings list": ["--state", "every"],
    "findings show": ["{finding}"],
    "findings ack": ["{finding}", "--why", "known", "--as-of", AS_OF],
    "findings snooze": ["{finding}", "--why", "later", "--until", "2026-12-24", "--as-of", AS_OF],
    "findings resolve": ["{finding}", "--why", "done", "--as-of", AS_OF],
    "findings reopen": ["{finding}", "--why", "not done", "--as-of", AS_OF],
    "findings export": ["{to}/findings.json"],
    "rules lint": [],
    "rules diff": ["{rules}"],
    "rules coverage": [],
    "waste path": [],
    "waste plan": ["{to}/plan"],
}
SERVING = {"explore"}
"""Commands that serve until they are ended, and answer nothing."""


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, set[str]]]:  # noqa: ANN401 - a command of click's
    """Every command that can be called, the groups among them that answer by themselves, with its options."""
    inside = getattr(command, "commands", {})
    if path and (not inside or command.invoke_without_command):
        yield " ".join(path), {option for one in command.params for option in one.opts}
    for name, one in inside.items():
        yield from commands(one, (*path, name))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with money that nobody owns, a finding, and a name that is wider than a terminal."""
    bill = [
        charge(),
        charge("2026-10-20", "200.123456789012", ResourceId="i-2", project="", owner="nobody-known"),
        charge("2026-10-21", "1234567.89", ResourceId="i-3", project=LONG),
        charge("2026-10-21", "1,5x", ResourceId="i-4"),
        charge("2026-10-26", "1"),
    ]
    toml = 'currency = "USD"\n[[source]]\nname = "cloud"\npath = "bills/*"\n[growth]\nminimum = 1\n'
    toml += '[[budget]]\nproject = "atlas"\nperiod = "month"\namount = 1\n'
    toml += '[report.recipients]\nmira = ["mira@example.com"]\n'
    root = workspace(tmp_path_factory.mktemp("scripts"), bill, toml)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


def test_every_command_answers_in_json_and_money_in_it_is_text(ran: Path, tmp_path: Path) -> None:
    known = dict(commands(typer.main.get_command(cli.app)))
    assert set(known) - SERVING == set(WORDS), "WORDS must say how each command is called"
    (finding,) = json.loads(attribution("sql", "SELECT fingerprint FROM findings LIMIT 1", "--json", "-w", ran).out)
    named = {"to": str(tmp_path), "finding": finding["fingerprint"], "rules": str(ran / "rules.toml")}

    def never(text: str) -> None:
        pytest.fail(f"a float: {text}")

    for name, words in WORDS.items():
        assert "--json" in known[name], name
        here = [] if name == "init" else ["-w", str(ran)]
        ended = attribution(*name.split(), *(word.format(**named) for word in words), "--json", *here)
        assert ended.code == 0, (name, ended.err)
        assert isinstance(json.loads(ended.out, parse_float=never), dict | list), name


def test_json_of_a_report_holds_every_digit(ran: Path) -> None:
    told = json.loads(attribution("report", "--json", "-w", ran).out)
    (section,) = told["sections"]
    assert section["cost"]["this"] == "1234768.013456789012"
    assert {row["name"] for row in section["tables"][0]["rows"]} >= {LONG}
    whose = json.loads(attribution("report", "--json", "--owner", "mira", "-w", ran).out)
    assert whose["whose"] == {"dimension": "owner", "name": "mira"}
    assert whose["sections"][0]["whole"] is None


# ---- pipes, widths, colours ----------------------------------------------------------------------------------------


def piped(*words: str | Path, **settings: str) -> str:
    """What the command writes into a pipe, in a shell that believes in eighty columns."""
    plain = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    around = plain | {"COLUMNS": "80", "TERM": "xterm-256color", **settings}
    run = [*PROGRAM, *map(str, words)]
    ended = subprocess.run(run, capture_output=True, text=True, env=around, timeout=120, check=True)
    assert ended.stderr == "", "nothing but a message belongs there"
    return ended.stdout


def test_a_pipe_gets_no_colours_and_nothing_is_cut_to_eighty_columns(ran: Path) -> None:
    report = piped("report", "-w", ran)
    assert "\x1b" not in report
    assert "1,234,768.01" in report
    wide = ", ".join(f"'{number:x<58}' AS c{number}" for number in range(3))
    (_, _, row, *_) = piped("sql", f"SELECT {wide}, 12345678901234567890.123456789012 AS n", "-w", ran).splitlines()
    assert [len(one) for one in row.split()] == [58, 58, 58, 39]


@pytest.mark.parametrize(
    ("settings", "coloured"),
    [({"FORCE_COLOR": "1"}, True), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False)],
    ids=str,
)
def test_colours_follow_the_two_variables_that_shells_have_for_them(
    ran: Path, settings: dict[str, str], *, coloured: bool
) -> None:
    told = piped("report", "-w", ran, **settings)
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-7]m", told)) is coloured


def test_a_pipe_gets_no_progress_bar_even_where_colours_are_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    sink = io.StringIO()
    monkeypatch.setattr(terminal, "messages", Console(file=sink, force_terminal=True))
    with terminal.watching() as watch:
        watch("bills", 1, 2)
    assert sink.getvalue() == ""


# ---- completion ----------------------------------------------------------------------------------------------------

SHELLS = ["bash", "zsh", "fish"]


def complete(shell: str, action: str, **settings: str) -> str:
    around = os.environ | {"_ATTRIBUTION_COMPLETE": f"{action}_{shell}", **settings}
    return subprocess.run(PROGRAM, capture_output=True, text=True, env=around, timeout=120, check=False).stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script_for_completion(shell: str) -> None:
    script = complete(shell, "source")
    assert f"complete_{shell}" in script
    assert "attribution" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("typed", "offered"),
    [("attribution fin", "findings"), ("attribution findings sn", "snooze"), ("attribution report --o", "--owner")],
)
def test_commands_and_options_are_completed(shell: str, typed: str, offered: str) -> None:
    words = str(len(typed.split()) - 1)
    settings = {"COMP_WORDS": typed, "COMP_CWORD": words}
    settings |= {"_TYPER_COMPLETE_ARGS": typed, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    told = complete(shell, "complete", **settings)
    assert offered in re.split(r"[\s\"':]+", told)


def test_bash_itself_completes_a_command(tmp_path: Path) -> None:
    program = tmp_path / "attribution"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(PROGRAM)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    asked = f"{complete('bash', 'source')}\nCOMP_WORDS=(attribution doc) COMP_CWORD=1\n"
    asked += '$(complete -p attribution | sed "s/.*-F //; s/ .*//") attribution; echo "${COMPREPLY[@]}"\n'
    around = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=120, check=True, env=around)
    assert ended.stdout.split() == ["doctor"], ended.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_command_runs_where_a_scheduler_closed_its_outputs(tmp_path: Path, closed: str) -> None:
    root = workspace(tmp_path)
    script = f'"$@" check --workspace "{root}" {closed}'
    ended = subprocess.run(["sh", "-c", script, "sh", *PROGRAM], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert bool(ended.stdout) == (closed == "2>&-")
