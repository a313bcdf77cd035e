"""The tags that people put on things: the six agreed keys, and the ways in which they are misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from world import Tags

KEYS = ("project", "stage", "experiment", "owner", "environment", "team")


def tagged(words: str) -> Tags:
    """Six values in the order of KEYS, separated by commas; blanks belong to the value, as on real tags."""
    return dict(zip(KEYS, words.split(","), strict=True))


def renamed(tags: Tags, old: str, new: str) -> Tags:
    """The same tags with one key spelt another way."""
    return {new if key == old else key: value for key, value in tags.items()}


NONE: Tags = {}
HUB: Tags = {"pool": "network-hub"}
STARTER: Tags = {
    "project": "sandbox",
    "stage": "iteration",
    "owner": "kofi",
    "environment": "dev",
    "team": "platform",
}
JUDGE: Tags = {
    "project": "aurora-7b",
    "experiment": "eval-judge-01",
    "owner": "ines",
    "environment": "dev",
    "team": "product",
}

B30 = tagged("borealis-30b,pretraining,b30-run-1,mira,research,foundation")
B30_TITLE = renamed(tagged("Borealis-30B,pretrain,b30-run-1,Mira,research,foundation"), "project", "Project")
B30_UPPER = renamed(
    tagged("borealis_30b,pretraining,b30-run-1,mira@example.com,research,foundation"), "project", "PROJECT"
)
A7_PRETRAIN = tagged("Aurora-7B,continued-pretraining,a7-cpt-2,tomas,research,foundation")
A7_SPACED = tagged(" aurora_7b ,continued-pretraining,a7-cpt-2,tomas,research,foundation")
A7_SFT = tagged("aurora-7b,sft,a7-sft-4,ines,dev,product")
A7_SFT_TITLE = renamed(tagged("Aurora-7B,sft,a7-sft-4,ines,dev,product"), "project", "Project")
A7_SFT_UPPER = renamed(tagged(" aurora_7b ,finetune,a7-sft-4,ines,dev,product"), "project", "PROJECT")
A7_EVAL = tagged("aurora-7b,evaluation,eval-a7-suite,tomas,research,foundation")
A7_RED_TEAM = tagged("aurora-7b,evaluation,eval-a7-red-team,ines,dev,product")
A7_SERVE = tagged("aurora-7b,serving,a7-chat,ines,prod,product")
A7_SERVE_ALIAS = tagged("aurora-7b,inference,a7-chat,ines,production,product")
A7_SERVE_ENV = renamed(A7_SERVE, "environment", "env")
KESTREL = tagged("kestrel-reward,rl-alignment,k-ppo-1,tomas,research,foundation")
HERON = tagged("heron-embed,distillation,heron-3,ines,dev,product")
DATA = tagged("data-foundry,data-processing,crawl-26b,kofi,dev,platform")
DATA_PROJ = renamed(tagged("data-foundry,data-prep,crawl-26b,kofi,dev,platform"), "project", "proj")
