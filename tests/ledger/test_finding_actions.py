"""The life of a finding: what people say of it holds as long as it should, and never longer."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from attribution.ledger import Action, Ledger, append_actions
from schemas.findings import FINDING_COLUMNS, FINDING_MARK_COLUMNS

FIRST = date(2026, 11, 1)


class Nights:
    """A ledger and the finding "a" in it, night after night."""

    def __init__(self, ledger: Ledger, kind: str = "idle_by_utilization") -> None:
        self.ledger = ledger
        self.kind = kind

    def night(self, day: int, *, found: bool = True, month: date | None = None, verdict: str = "finding") -> str:
        row: dict[str, Any] = dict.fromkeys(FINDING_COLUMNS, "x") | {
            "fingerprint": "a", "kind": self.kind, "verdict": verdict, "cost_at_stake": Decimal(5), "month": month,
        }  # fmt: skip
        frame = pl.DataFrame([row] if found else [], schema=FINDING_COLUMNS)
        self.ledger.keep_findings(frame, FIRST + timedelta(days=day - 1))
        return self.state()

    def say(self, verb: Any, day: int, until: date | None = None) -> str:  # noqa: ANN401 - a verb of actions
        at = datetime(2026, 11, 1, 9, tzinfo=UTC) + timedelta(days=day - 1)
        append_actions(self.ledger, ["a"], Action(verb, "mira", "because", until), at)
        return self.state()

    def state(self) -> str:
        return str(self.ledger.frame("SELECT state FROM findings").item())

    def column(self, name: str) -> Any:  # noqa: ANN401 - of any type
        return self.ledger.frame(f"SELECT {name} FROM findings").item()  # noqa: S608 - a column of ours


@pytest.fixture
def told(ledger: Ledger) -> Nights:
    return Nights(ledger)


def test_it_opens_goes_and_comes_back(told: Nights) -> None:
    assert [told.night(1), told.night(2), told.night(3, found=False), told.night(4), told.night(5)] == [
        "open", "open", "resolved", "reopened", "reopened",
    ]  # fmt: skip
    assert told.column("state_since") == FIRST + timedelta(days=3)
    assert told.column("first_seen") == FIRST


def test_an_acknowledged_one_is_quiet_until_it_goes_and_comes_back(told: Nights) -> None:
    told.night(1)
    assert told.say("ack", 1) == "acknowledged"
    assert (told.column("who"), told.column("why")) == ("mira", "because")
    assert [told.night(2), told.night(90), told.night(91, found=False)] == ["acknowledged", "acknowledged", "resolved"]
    assert told.night(92) == "reopened"
    assert told.column("who") is None
    assert told.say("ack", 92) == "acknowledged"


def test_a_snoozed_one_speaks_again_on_its_day(told: Nights) -> None:
    told.night(1)
    assert told.say("snooze", 1, FIRST + timedelta(days=9)) == "snoozed"
    assert told.column("until") == FIRST + timedelta(days=9)
    assert [told.night(9), told.night(10)] == ["snoozed", "reopened"]
    assert told.column("state_since") == FIRST + timedelta(days=9)


def test_a_resolved_one_that_is_still_found_after_fourteen_days_opens_again(told: Nights) -> None:
    told.night(1)
    assert told.say("resolve", 2) == "resolved"
    assert [told.night(15), told.night(16)] == ["resolved", "reopened"]


def test_the_last_word_counts(told: Nights) -> None:
    told.night(1)
    told.say("ack", 1)
    assert told.say("snooze", 1, FIRST + timedelta(days=30)) == "snoozed"
    assert told.say("reopen", 2) == "reopened"
    assert told.say("ack", 2) == "acknowledged"
    said = told.ledger.frame("SELECT action_no, action, who, why FROM finding_actions ORDER BY 1").rows()
    assert [row[:2] for row in said] == [(1, "ack"), (2, "snooze"), (3, "reopen"), (4, "ack")]


@pytest.mark.parametrize(
    ("kind", "after"), [("growth", "reopened"), ("new", "reopened"), ("idle_by_utilization", "acknowledged")]
)
def test_growth_of_another_month_is_another_thing(kind: str, after: str, ledger: Ledger) -> None:
    told = Nights(ledger, kind)
    told.night(1, month=date(2026, 10, 1))
    told.say("ack", 1)
    assert told.night(2, month=date(2026, 10, 1)) == "acknowledged"
    assert told.night(3, month=date(2026, 11, 1)) == after


def test_planned_and_suppressed_ones_are_shown_as_such(told: Nights) -> None:
    told.night(1)
    mark = pl.DataFrame([("a", "low", FIRST + timedelta(days=4), "known")], schema=FINDING_MARK_COLUMNS, orient="row")
    told.ledger.keep("finding_marks", mark)
    assert told.state() == "suppressed"
    assert (told.column("until"), told.column("why")) == (FIRST + timedelta(days=4), "known")
    assert [told.night(4), told.night(5)] == ["suppressed", "open"]
    assert told.night(6, verdict="planned") == "planned"


def test_the_log_outlives_new_findings_and_other_runs(told: Nights) -> None:
    told.night(1)
    told.say("ack", 1)
    told.ledger.keep("finding_marks", pl.DataFrame(schema=FINDING_MARK_COLUMNS))
    told.night(2, found=False)
    assert told.ledger.frame("SELECT count(*) FROM finding_actions").item() == 1


def test_actions_on_what_is_not_kept_are_none(told: Nights) -> None:
    told.night(1)
    append_actions(told.ledger, ["b"], Action("ack", "mira", "because"), datetime(2026, 11, 1, tzinfo=UTC))
    assert told.ledger.frame("SELECT count(*) FROM finding_actions").item() == 0
