"""The one door to Prefect: its surroundings for a run on one machine, steps as tasks, the artifact of a run.

What the operator has set stays: in production the server is long-lived, PREFECT_API_URL names it, and the
surroundings below do not matter.
"""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

SURROUNDINGS = {
    # A cold, slow machine needs longer than the library's 20 seconds to start its own server.
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "true",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "180",
    # Nothing is told to anybody, and nothing is asked of the network.
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}
# Nobody reads the log of a server that ends with the run; what there is to say is said on the terminal.
QUIET = {"PREFECT_LOGGING_LEVEL": "CRITICAL", "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL"}

# Prefect reads its settings when it is imported.
for _name, _value in (SURROUNDINGS if "PREFECT_API_URL" in os.environ else SURROUNDINGS | QUIET).items():
    os.environ.setdefault(_name, _value)

from prefect import Task, flow, task  # noqa: E402
from prefect.artifacts import (  # noqa: E402
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.blocks.system import Secret  # noqa: E402
from prefect.cache_policies import NO_CACHE  # noqa: E402
from prefect.runtime import flow_run  # noqa: E402
from rich.console import Console, RenderableType  # noqa: E402

from flows.plain_data import plain  # noqa: E402
from flows.terminal import UnfinishedError, leaving, read_instant, unaddressed  # noqa: E402
from schemas.faults import Fault, InputError  # noqa: E402

__all__ = [
    "as_task", "day_of_run", "discreet", "flow", "keep_links", "keep_summary", "keep_table", "read_secret",
    "run_flow", "slot", "tasks_of",
]  # fmt: skip

if TYPE_CHECKING:
    from flows.steps import Do

P = ParamSpec("P")
R = TypeVar("R")


def as_task(step: Callable[P, R], /) -> Callable[P, R]:
    """A step as a task, tried again where a disk, a mount or a server failed. The ledger alone knows what was done."""

    @wraps(step)
    def calm(*arguments: P.args, **named: P.kwargs) -> R:
        with discreet():
            return step(*arguments, **named)

    wrapped: Callable[P, R] = task(
        name=step.__name__,
        retries=2,
        retry_delay_seconds=[5, 30],
        retry_condition_fn=_outside_failed,
        cache_policy=NO_CACHE,
        persist_result=False,
    )(calm)
    return wrapped


def tasks_of(name: str, steps: int) -> Do:
    """Steps as tasks, and how many of so many are done as a progress artifact of the run."""
    shown = create_progress_artifact(progress=0.0, key=f"{name}-progress", description=f"{name}: steps done")
    done = 0

    def do(step: Callable[P, R], /) -> Callable[P, R]:
        inner = as_task(step)

        def called(*arguments: P.args, **named: P.kwargs) -> R:
            nonlocal done
            answer = inner(*arguments, **named)
            done += 1
            update_progress_artifact(shown, progress=min(100.0, round(100 * done / steps, 1)))  # type: ignore[arg-type]
            return answer

        return called

    return do


def slot() -> datetime:
    """When the run was due: a late one is still the run of its own day or week."""
    return cast("datetime", flow_run.scheduled_start_time)


def day_of_run() -> str:
    """`nightly 2026-11-05`: a run's name, by its own clock or else by when it was due."""
    as_of = flow_run.parameters.get("as_of") or slot()
    return f"{flow_run.flow_name} {datetime.fromisoformat(str(as_of)).date()}"


def _outside_failed(_task: Task[..., Any], _run: object, state: Any) -> bool:  # noqa: ANN401 - a state of any result
    try:
        state.result()
    except OSError:
        return True
    except Exception:  # noqa: BLE001 - every other failure is final; Prefect raises it again itself
        return False
    return False


@contextmanager
def discreet() -> Iterator[None]:
    """Let no address of a person into Prefect's logs, where a failed run's message stands; the commands name them."""
    try:
        yield
    except InputError as error:
        faults = [Fault(*(part and unaddressed(part) for part in astuple(fault))) for fault in error.faults]
        raise InputError(faults) from None
    except UnfinishedError as error:
        raise UnfinishedError(unaddressed(str(error))) from None


def keep_summary(key: str, what: RenderableType) -> None:
    """Keep what the terminal shows as an artifact of the flow run."""
    sink = io.StringIO()
    Console(file=sink, width=100, color_system=None).print(what)
    create_markdown_artifact(f"```text\n{sink.getvalue()}\n```", key=key)


def keep_table(key: str, rows: Iterable[object], what: str) -> None:
    """Keep records as a table artifact; money is text. Nothing is kept of none."""
    if plain_rows := plain(tuple(rows)):
        create_table_artifact(table=plain_rows, key=key, description=what)


def keep_links(key: str, places: Iterable[tuple[str, Path]]) -> None:
    """Keep a few files of the run as link artifacts, for whoever looks on this machine."""
    for number, (what, path) in enumerate(places, 1):
        create_link_artifact(link=path.resolve().as_uri(), link_text=what, key=f"{key}-{number}", description=what)


def read_secret(block: str) -> str:
    """The value of a Secret block.

    Raises:
        InputError: the server that PREFECT_API_URL names has no such block, or does not answer.
    """
    try:
        value: Any = Secret.load(block, _sync=True).get()  # type: ignore[call-arg,union-attr]  # its stubs know no _sync
    except Exception as error:
        hint = "Make it under Blocks in Prefect's page, type Secret, on the server that PREFECT_API_URL names."
        raise InputError(Fault(f"password_block {block}", "the Secret block cannot be read", hint=hint)) from error
    return str(value)


def run_flow(run: Callable[..., None], what: str) -> None:
    """Run a flow from `python -m flows.<name> --workspace DIR --as-of INSTANT`; leave with its exit code."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--workspace", default=".", help="the folder that holds attribution.toml")
    parser.add_argument("--as-of", default=None, help="the run's clock, for example 2026-11-10T06:00:00Z")
    stated = parser.parse_args()
    with leaving():
        run(workspace=stated.workspace, as_of=read_instant(stated.as_of))
