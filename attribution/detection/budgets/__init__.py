"""Budgets and caps: what was spent, what is to come, on which day a line is reached."""

from __future__ import annotations

from attribution.detection.budgets.findings import budget_findings
from attribution.detection.budgets.foresight import Ahead
from attribution.detection.budgets.rows import Clock, budget_rows
from attribution.detection.budgets.stated import budget_faults, ends_of, plan_budgets, plans_of, projects_of

__all__ = [
    "Ahead", "Clock", "budget_faults", "budget_findings", "budget_rows", "ends_of", "plan_budgets", "plans_of",
    "projects_of",
]  # fmt: skip
