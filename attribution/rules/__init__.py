"""The operators' language: rules.toml in, a RuleBook out, and all that is wrong with it at once."""

from attribution.rules.conditions import CONDITIONS, Coded, alike, coded, holds
from attribution.rules.files import rule_files
from attribution.rules.read import read_rules
from attribution.rules.records import TAG, Condition, Dimension, Rule, RuleBook, Split, Take, Values
from attribution.rules.values import taken
from attribution.rules.weights import SPLITS, Scene

__all__ = [
    "CONDITIONS", "SPLITS", "TAG", "Coded", "Condition", "Dimension", "Rule", "RuleBook", "Scene", "Split", "Take",
    "Values", "alike", "coded", "holds", "read_rules", "rule_files", "taken",
]  # fmt: skip
