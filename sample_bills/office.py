"""What Quillhaven pays besides its clouds: labels, people, tools, and two machines under a desk."""

from __future__ import annotations

from collections.abc import Iterator

from inputs import Line, table
from tagging import A7_SFT
from world import MONTHS, OCTOBER

_HEADER = (
    *("period", "cost_element", "amount", "currency", "description"),
    *("project", "stage", "experiment", "owner", "team", "private"),
)
_NOBODY = ("", "", "", "", "")
_COMPLETE = tuple(month for month in MONTHS if month.complete)


def labelling() -> str:
    """Labels bought, by month; from October for the reward model too."""
    return table(_HEADER, _labels())


def _labels() -> Iterator[Line]:
    sft = (A7_SFT["project"], "finetune", A7_SFT["experiment"], A7_SFT["owner"], A7_SFT["team"])
    for month in _COMPLETE:
        yield (month.label, "data", "6200.00", "USD", "instruction pairs, Tallwheel Labelling", *sft, "")
        if month.first == OCTOBER:
            reward = ("kestrel-reward", "rl-alignment", "k-ppo-1", "tomas", "foundation")
            yield (month.label, "data", "4800.50", "USD", "preference pairs, Tallwheel Labelling", *reward, "")


def people_and_tools() -> str:
    """Labour whose rows nobody but payroll may see, licences, and the machines, by month."""
    return table(_HEADER, _spent())


def _spent() -> Iterator[Line]:
    platform = ("platform", "", "", "kofi", "platform")
    sandbox = ("sandbox", "iteration", "", "kofi", "platform")
    for month in _COMPLETE:
        yield (month.label, "labour", "9150.00", "USD", "salary of the first annotator", *_NOBODY, "yes")
        yield (month.label, "labour", "8425.75", "USD", "salary of the second annotator", *_NOBODY, "yes")
        yield (month.label, "operations", "1250.00", "USD", "licences of the experiment tracker", *platform, "no")
        yield (month.label, "compute", "412.345", "USD", "two workstations, written off", *sandbox, "no")
