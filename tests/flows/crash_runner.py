"""Runs one night and is killed before a given step of it.

A step is the begin or end of any function in the ledger's room, or a call out of it to the operating system, so
that a crash falls between any two transactions and any two files.

Usage: crash_runner.py FOLDER AS_OF STEP [FUNCTION]. Dies before its STEP-th step, or prints how many there were if it
is 0; of a function of that room, only the steps in it count.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

from flows import steps
from flows.settings import load_workspace

ROOM = "/attribution/ledger/"
BOUNDARIES = {"fsync", "rename", "replace", "unlink", "rmdir", "mkdir"}


def main() -> None:
    """Run the night."""
    folder, as_of, last = Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]), int(sys.argv[3])
    function = sys.argv[4] if len(sys.argv) > 4 else None
    count = depth = 0

    def watch(frame: FrameType, event: str, called: Any) -> None:  # noqa: ANN401 - whatever was called
        nonlocal count, depth
        if not _is_step(frame, event, called):
            return
        if event != "c_call" and frame.f_code.co_name == function:
            depth += 1 if event == "call" else -1
        if depth or function is None:
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)

    workspace = load_workspace(folder)
    sys.setprofile(watch)
    steps.nightly(workspace, as_of)
    sys.setprofile(None)
    print(count)  # noqa: T201 - its answer


def _is_step(frame: FrameType, event: str, called: Any) -> bool:  # noqa: ANN401 - whatever was called
    if event in ("call", "return"):
        return ROOM in frame.f_code.co_filename
    if event != "c_call" or called.__name__ not in BOUNDARIES or isinstance(called.__self__, str):
        return False
    while frame.f_back is not None and frame.f_code.co_filename.endswith(("pathlib.py", "shutil.py")):
        frame = frame.f_back
    return ROOM in frame.f_code.co_filename


if __name__ == "__main__":
    main()
