"""Dimensions: whose money it is. Their names, special values, methods, and the stages of training a model."""

from __future__ import annotations

import polars as pl

DIMENSIONS = ("project", "stage", "experiment", "owner")

UNALLOCATED = "unallocated"
SHARED = "shared"
IDLE = "idle"
TAG_CONFLICT = "(tag conflict)"
# Values that say "nobody in particular": never receivers of a split, never the owner of a report.
NOBODY = (UNALLOCATED, SHARED, IDLE, TAG_CONFLICT)
# Values that say "not known (yet)": what coverage counts as missing. Idle is known: it is paid for and unused.
UNKNOWN = (UNALLOCATED, SHARED, TAG_CONFLICT)

METHODS = ("rule", "tag", "bill-tag", "parent", "account", "job", "split", "idle", "unallocated")

STAGES: dict[str, tuple[str, ...]] = {
    "data-acquisition": ("data acquisition", "data collection", "crawl", "crawling", "数据获取", "数据采集"),
    "data-processing": (
        "data processing",
        "data-prep",
        "data prep",
        "dataprep",
        "preprocessing",
        "数据处理",
        "数据清洗",
    ),
    "tokenizer": ("tokeniser", "tokenization", "分词器构建", "分词器"),
    "pretraining": ("pre-training", "pretrain", "pre-train", "预训练"),
    "continued-pretraining": ("continual pretraining", "continued pretrain", "cpt", "继续预训练"),
    "sft": (
        "supervised fine-tuning",
        "supervised finetuning",
        "finetuning",
        "fine-tuning",
        "finetune",
        "监督微调",
        "指令微调",
    ),
    "rl-alignment": ("rlhf", "ppo", "dpo", "grpo", "alignment", "rl", "强化学习对齐"),
    "distillation": ("distill", "distil", "模型蒸馏", "蒸馏"),
    "evaluation": ("eval", "evals", "benchmark", "评估", "评测"),
    "serving": ("inference", "deployment", "部署推理", "推理"),
    "iteration": ("continuous iteration", "maintenance", "持续迭代"),
}
"""Stage code -> aliases shipped with it; a workspace's own `values` are added to these."""

COST_ELEMENTS = (
    "compute", "storage", "network", "database", "observability", "data",
    "labour", "operations", "migration", "security", "other",
)  # fmt: skip
ELASTICITY = ("fixed", "elastic")


def fold(word: str) -> str:
    """How tag keys and alias spellings are compared: case, `-`, `_` and spaces do not matter."""
    return "".join(letter for letter in word.casefold() if letter not in "-_ ")


def folds(words: pl.Series) -> pl.Series:
    """A column of words as `fold` makes each; null stays null."""
    known = words.drop_nulls().unique()
    return words.replace_strict(known, [fold(word) for word in known], default=None, return_dtype=pl.String)
