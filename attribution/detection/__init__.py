"""Detection: what grew, what is wasted, which source fell silent. Frames in, findings out; nothing is ever acted on."""

from __future__ import annotations

from attribution.detection.candidates import together
from attribution.detection.contributors import compared_days, contributors
from attribution.detection.daily import anomaly_findings, judge_days
from attribution.detection.doubles import bills_in_two_sources
from attribution.detection.growth import check_subjects, growth, subjects_of
from attribution.detection.growth_findings import growth_findings as detect_growth
from attribution.detection.invoices import check_invoices, invoice_findings
from attribution.detection.marks import finding_marks
from attribution.detection.notices import notice_findings
from attribution.detection.recipients import (
    disputed_costs,
    owners_who_left,
    owners_without_recipient,
    unknown_recipients,
)
from attribution.detection.silence import silent_sources, unnamed_sources
from attribution.detection.waste import WasteInputs, detect_waste, plan_waste, policy_file, threshold_faults
from attribution.detection.weekly import weekly_findings, weekly_growth

__all__ = [
    "WasteInputs",
    "anomaly_findings",
    "bills_in_two_sources",
    "check_invoices",
    "check_subjects",
    "compared_days",
    "contributors",
    "detect_growth",
    "detect_waste",
    "disputed_costs",
    "finding_marks",
    "growth",
    "invoice_findings",
    "judge_days",
    "notice_findings",
    "owners_who_left",
    "owners_without_recipient",
    "plan_waste",
    "policy_file",
    "silent_sources",
    "subjects_of",
    "threshold_faults",
    "together",
    "unknown_recipients",
    "unnamed_sources",
    "weekly_findings",
    "weekly_growth",
]
