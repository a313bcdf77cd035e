"""What Quillhaven trained: its runs as a tracker exports them, and the checkpoints that lie in the two buckets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import tagging
from inputs import Line, table
from world import END_OF_DATA, Tags

_NOW = datetime(END_OF_DATA.year, END_OF_DATA.month, END_OF_DATA.day, tzinfo=UTC)
_AWS, _MERIDIAN = "quillhaven-checkpoints", "mrd-bucket-checkpoints"


@dataclass(frozen=True)
class _Run:
    """A run. Instants are written short, `10-02 09`; no end: it still runs."""

    run_id: str
    tags: Tags
    status: str
    start: str
    end: str
    gpus: int
    hashes: str  # "config data"
    algorithm: str = ""
    tokens_a_day: int = 0  # 0: it counts no steps
    tokens_a_step: int = 4_000_000
    metric: str = ""  # "name value"
    mfu: str = ""
    stalled: str = ""  # the instant of its last step, where it went on without any

    @property
    def began(self) -> datetime:
        return _instant(self.start)

    @property
    def ended(self) -> datetime:
        return _instant(self.end) if self.end else _NOW

    def steps(self, at: datetime) -> int:
        """Steps done up to a moment."""
        last = min(at, _instant(self.stalled) if self.stalled else self.ended)
        seconds = max(int((last - self.began).total_seconds()), 0)
        return self.tokens_a_day * seconds // 86_400 // self.tokens_a_step


def _instant(short: str) -> datetime:
    return datetime.strptime(f"2026-{short} +0000", "%Y-%m-%d %H %z")


_RUNS = (
    _Run("b30-r1", tagging.B30, "NODE_FAIL", "08-01 06", "08-23 04", 48, "c30a d26a", "", 9_120_000_000,
         metric="loss 2.214", mfu="0.402"),
    _Run("b30-r2", tagging.B30, "CANCELLED by 1004", "08-23 09", "09-30 23", 48, "c30a d26a", "", 9_140_000_000,
         metric="loss 2.061", mfu="0.405"),
    _Run("b30-r3", tagging.B30, "RUNNING", "10-01 06", "", 88, "c30b d26a", "", 17_150_000_000,
         metric="loss 1.973", mfu="0.401"),
    _Run("a7-cpt-2-a", tagging.A7_PRETRAIN, "OUT_OF_MEMORY", "08-02 08", "08-02 19", 24, "c7aa d7aa", "",
         5_400_000_000, mfu="0.38"),
    _Run("a7-cpt-2-b", tagging.A7_PRETRAIN, "COMPLETED", "08-03 08", "09-14 20", 24, "c7aa d7aa", "", 5_900_000_000,
         metric="loss 1.842", mfu="0.41"),
    _Run("a7-cpt-2-c", tagging.A7_PRETRAIN, "RUNNING", "09-17 08", "", 16, "c7ab d7ab", "", 4_300_000_000,
         metric="loss 1.807", mfu="0.42"),
    _Run("a7-sft-4-a", tagging.A7_SFT, "COMPLETED", "09-02 07", "09-06 19", 16, "c7sa d7sa", "sft", 610_000_000,
         1_000_000, "win_rate 0.61", "0.36"),
    _Run("a7-sft-4-b", tagging.A7_SFT, "COMPLETED", "09-18 07", "09-22 20", 16, "c7sa d7sa", "sft", 610_000_000,
         1_000_000, "win_rate 0.61", "0.36"),
    _Run("a7-sft-4-c", tagging.A7_SFT, "COMPLETED", "10-05 07", "10-12 12", 24, "c7sa d7sb", "sft", 900_000_000,
         1_000_000, "win_rate 0.64", "0.37"),
    _Run("a7-sft-4-d", tagging.A7_SFT, "RUNNING", "10-28 07", "", 24, "c7sb d7sb", "sft", 900_000_000, 1_000_000,
         "win_rate 0.63", "0.37"),
    _Run("eval-suite-09", tagging.A7_EVAL, "COMPLETED", "09-28 06", "09-30 22", 8, "ce01 de01"),
    _Run("k-ppo-1-a", tagging.KESTREL, "RUNNING", "10-02 09", "", 16, "ck01 dk01", "ppo", 190_000_000, 500_000,
         "reward 0.31", "0.19", stalled="10-26 14"),
    _Run("heron-3-a", tagging.HERON, "COMPLETED", "08-05 08", "09-29 21", 8, "ch01 dh01", "distillation",
         700_000_000, 1_000_000, "recall 0.83", "0.33"),
)  # fmt: skip

# Run -> days between checkpoints, gigabytes of one, bucket, metric at the first and at the last, pinned ones
_KEPT = {
    "b30-r1": (2, 420, _MERIDIAN, ("2.871", "2.214"), (10,)),
    "b30-r2": (2, 420, _MERIDIAN, ("2.209", "2.061"), ()),
    "b30-r3": (2, 420, _MERIDIAN, ("2.055", "1.973"), ()),
    "a7-cpt-2-b": (7, 98, _AWS, ("1.930", "1.842"), (6,)),
    "a7-cpt-2-c": (7, 98, _AWS, ("1.839", "1.807"), ()),
    "a7-sft-4-a": (1, 14, _AWS, ("0.52", "0.61"), ()),
    "a7-sft-4-b": (1, 14, _AWS, ("0.52", "0.61"), ()),
    "a7-sft-4-c": (2, 14, _AWS, ("0.57", "0.64"), (3,)),
    "a7-sft-4-d": (2, 14, _AWS, ("0.58", "0.63"), ()),
    "k-ppo-1-a": (4, 28, _AWS, ("0.12", "0.31"), ()),
    "heron-3-a": (14, 2, _AWS, ("0.71", "0.83"), ()),
}


def runs() -> str:
    """The tracker's export as of the last day of data; the run that stalled says that it runs."""
    header = (
        *("run_id", "experiment", "project", "stage", "owner", "algorithm", "status", "started_at", "ended_at"),
        *("gpus", "steps", "tokens", "mfu", "config_hash", "data_hash", "metric", "metric_value"),
    )
    return table(header, (_run_line(run) for run in _RUNS))


def _run_line(run: _Run) -> Line:
    steps = run.steps(run.ended)
    config, data = run.hashes.split()
    name, _, value = run.metric.partition(" ")
    whose = (run.tags["experiment"], run.tags["project"].strip(), run.tags["stage"], run.tags["owner"])
    when = (_stamp(run.began), _stamp(run.ended) if run.end else "")
    counted = (str(steps), str(steps * run.tokens_a_step)) if run.tokens_a_day else ("", "")
    return (
        *(run.run_id, *whose, run.algorithm, run.status, *when, str(run.gpus)),
        *(*counted, run.mfu, config, data, name, value),
    )


def checkpoints() -> str:
    """Every checkpoint that was written and still lies there."""
    header = (
        *("uri", "experiment", "run_id", "step", "size_bytes", "created_at"),
        *("metric_value", "resource_id", "pinned"),
    )
    return table(header, _checkpoint_lines())


def _checkpoint_lines() -> Iterator[Line]:
    done: dict[str, int] = {}  # steps of an experiment's earlier runs, which a later one goes on from
    for run in _RUNS:
        experiment, before = run.tags["experiment"], done.get(run.tags["experiment"], 0)
        if run.run_id in _KEPT:
            days, size, bucket, metric, pinned = _KEPT[run.run_id]
            until = _instant(run.stalled) if run.stalled else run.ended
            count = int((until - run.began) / timedelta(days=days))
            for number in range(1, count + 1):
                at = run.began + timedelta(days=days * number)
                step = before + run.steps(at)
                value = _between(metric, number, count)
                uri = f"s3://{bucket}/{experiment}/{run.run_id}/step-{step:07d}"
                kept = "yes" if number in pinned else ""
                yield (uri, experiment, run.run_id, str(step), str(size * 10**9), _stamp(at), value, bucket, kept)
        if experiment == "b30-run-1":
            done[experiment] = before + run.steps(run.ended)


def _between(metric: tuple[str, str], number: int, count: int) -> str:
    """A value on the way from the first to the last, in thousandths."""
    first, last = (int(float(one) * 1000) for one in metric)
    return f"{(first + (last - first) * number // count) / 1000:.3f}"


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
