"""`attribution waste`: how far findings of waste are on the way to action, and the plan of what is due.

Asked of the published file. The plan is two files and no deed: nothing outside its folder is touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from attribution.detection import plan_waste, policy_file
from flows.exporting import write_rows
from flows.questions import ask
from flows.steps import read_stated
from schemas.dimensions import fold
from schemas.faults import Fault, InputError
from schemas.resource_ids import fold_azure_id
from schemas.workspace import WastePlan, Workspace

PLAN, POLICIES = "plan.csv", "policies.yml"
_NOT_MEANT = ("", "no", "false", "0")
_BILL_TAGS = """
SELECT DISTINCT c.ResourceId AS subject, c.stage, t.key, t.value
FROM costs AS c
LEFT JOIN LATERAL (
    SELECT unnest(json_keys(c.Tags)) AS key, unnest(list_transform(json_keys(c.Tags), lambda k: c.Tags ->> k)) AS value
) AS t ON true
WHERE c.ResourceId IN (SELECT subject FROM waste_path WHERE step <> 'done')
"""


@dataclass(frozen=True)
class Written:
    """The plan that was written, and where."""

    plan: pl.DataFrame
    folder: Path


def waste_path(store: Path) -> pl.DataFrame:
    """Findings of waste that stand, with their step and dates, most saving first."""
    return ask(
        store,
        """
        SELECT step, kind, subject, owner, round(saving, 2) AS saving, BillingCurrency AS currency,
            marked_on, warned_on, due_on, exempt_until, exempt_because
        FROM waste_path WHERE step <> 'done' ORDER BY saving DESC NULLS LAST, kind, subject
        """,
    )


def write_plan(workspace: Workspace, folder: Path, today: date) -> Written:
    """Write what is due as a CSV and as a policy file.

    Args:
        workspace: its published file is asked; its tag register is read for protected tags.
        folder: where to; made where it is missing.
        today: the day on which tags must be in force.

    Raises:
        InputError: nothing was published yet, an input is wrong, or the folder cannot be written.
    """
    terms = workspace.waste.plan
    path = ask(workspace.store, "SELECT * FROM waste_path")
    judged = ask(workspace.store, "SELECT kind, judged FROM detectors")
    plan = plan_waste(path, judged, _protected(workspace, terms, today), terms, today)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_rows(plan, folder / PLAN)
        (folder / POLICIES).write_text(policy_file(plan, terms.grace_days), encoding="utf-8")
    except OSError as error:
        raise InputError(Fault(str(folder), f"cannot be written: {error.strerror or error}")) from error
    return Written(plan, folder)


def _protected(workspace: Workspace, terms: WastePlan, today: date) -> pl.DataFrame:
    """Subjects of a protected stage or with a protected tag, by the bill or by the register, and why."""
    keys = {fold(key) for key in terms.protected_tags}
    reasons: dict[str, str] = {}
    rows = ask(workspace.store, _BILL_TAGS)
    for subject, stage, key, value in rows.iter_rows():
        if stage in terms.protected_stages:
            reasons[subject] = f"stage {stage}"
        elif key is not None and fold(key) in keys and fold(value or "") not in _NOT_MEANT:
            reasons.setdefault(subject, f"tag {key}")
    known = {fold_azure_id(subject): subject for subject in rows.get_column("subject").unique()}
    tags = read_stated(workspace).inputs.tags
    for row in tags.iter_rows(named=True):
        begun = row["valid_from"] is None or row["valid_from"] <= today
        in_force = begun and (row["valid_to"] is None or row["valid_to"] > today)
        meant = fold(row["key"]) in keys and fold(row["value"]) not in _NOT_MEANT
        subject = known.get(fold_azure_id(row["resource_id"]))
        if in_force and meant and subject:
            reasons.setdefault(subject, f"tag {row['key']}")
    return pl.DataFrame(
        {"subject": list(reasons), "protected": list(reasons.values())},
        schema=dict.fromkeys(("subject", "protected"), pl.String),
    )
