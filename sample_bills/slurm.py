"""What Slurm ran on the sandbox node in a week of October, as `sacct --parsable2` tells it."""

from __future__ import annotations

from collections.abc import Iterator

from cluster import NODE

_FIELDS = (
    *("JobID", "JobName", "User", "Account", "Partition", "State", "Submit", "Start", "End", "AllocTRES"),
    *("NodeList", "Comment"),
)
_TRES = "billing={cores},cpu={cores},gres/gpu={gpus},mem={gib}G,node=1"
# JobID, name, user, account, state, start and end in October, GPUs, comment. A job that waits has no start.
_JOBS = (
    ("4101", "a7-sft-4", "ines", "Aurora-7B", "COMPLETED", "19T08:00:00", "19T20:30:00", 2, ""),
    ("4102", "k-ppo-1", "tomas", "kestrel-reward", "TIMEOUT", "19T10:15:00", "20T10:15:00", 2, "stage=rlhf"),
    ("4103_1", "eval-a7-suite", "tomas", "aurora_7b", "COMPLETED", "20T12:00:00", "20T13:40:00", 1, ""),
    ("4103_2", "eval-a7-suite", "tomas", "aurora_7b", "COMPLETED", "20T12:00:00", "20T14:05:12", 1, ""),
    ("4103_3", "eval-a7-suite", "tomas", "aurora_7b", "CANCELLED by 1004", "20T12:00:00", "20T12:00:09", 1, ""),
    ("4107", "crawl-26b", "kofi", "data-foundry", "REQUEUED", "21T22:00:00", "22T01:12:44", 4, ""),
    ("4107", "crawl-26b", "kofi", "data-foundry", "COMPLETED", "22T02:30:00", "22T09:00:00", 4, ""),
    ("4111", "notebook", "kofi", "", "COMPLETED", "23T07:00:00", "23T19:00:00", 1, ""),
    ("4112", "a7-sft-4", "ines", "Aurora-7B", "PENDING", "", "", 2, ""),
)


def sacct() -> str:
    """The list, each job followed by its batch step, which is no job of its own."""
    return "\n".join("|".join(row) for row in _rows()) + "\n"


def _rows() -> Iterator[tuple[str, ...]]:
    yield _FIELDS
    for job, name, user, account, state, start, end, gpus, comment in _JOBS:
        tres = _TRES.format(cores=16 * gpus, gpus=gpus, gib=128 * gpus) if start else ""
        since, until = (f"2026-10-{one}" if one else "Unknown" for one in (start, end))
        times = ("2026-10-19T07:55:00", since, until)
        node = NODE if start else "None assigned"
        yield job, name, user, account, "sandbox", state, *times, tres, node, comment
        if start:
            yield f"{job}.batch", "batch", "", account, "", state.split()[0], *times, tres, node, ""
