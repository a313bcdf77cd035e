"""The page of all detectors, written from their records: docs/detectors.md is this text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from attribution.detection.waste.detector import COMMON, Detector
from schemas.waste import TIERS

_TITLES = {
    "bill": "From the bill alone",
    "inventory": "With the inventory",
    "utilization": "With utilization",
    "training": "With jobs, runs and checkpoints",
}
_HEAD = """\
# Waste detectors

Money that buys nothing. Each detector judges what it can: `waste`, `active`, or `undetermined` where the data for a \
verdict is missing, which is never taken for idle. `attribution findings` lists what was found, the view \
[`detectors`](sql.md#detectors) counts what each one judged and names the input it lacks. Nothing is ever acted on.

`cost_at_stake` is the EffectiveCost of the subject in the last complete month, as billed. `saving` is the part of it \
that would end with the waste; where several detectors hit one resource, the one that saves most carries it and the \
others save 0, so that savings may be added.

Thresholds stand in `attribution.toml`: for all detectors, for one, and for what has some dimension values. Of \
overrides that fit, the first wins.

```toml
[waste]
min_age_days = 14                # younger resources are left alone
coverage     = 0.80              # share of days with measurements that a verdict needs
minimum      = 1                 # least cost of the last complete month, in the bill's currency

[waste.unattached_volume]
min_age_days = 30

[[waste.override]]
project = "atlas-7b"             # one or more dimensions
minimum = 50                     # for every detector that has this threshold
[waste.override.unattached_volume]
min_age_days = 60
```
"""


def as_page(detectors: Iterable[Detector]) -> str:
    """All detectors, tier by tier, as Markdown."""
    every = list(detectors)
    return "\n".join([_HEAD, *_index(every), *(line for tier in TIERS for line in _tier(tier, every))])


def _index(detectors: list[Detector]) -> Iterator[str]:
    yield "| kind | finds | needs |"
    yield "|---|---|---|"
    for one in sorted(detectors, key=lambda one: TIERS.index(one.tier)):
        yield f"| [`{one.name}`](#{one.name}) | {one.title} | {_listed(one.needs)} |"
    yield ""


def _tier(tier: str, detectors: list[Detector]) -> Iterator[str]:
    here = [one for one in detectors if one.tier == tier]
    if here:
        yield f"## {_TITLES[tier]}\n"
    for one in here:
        yield f"### `{one.name}`\n"
        yield f"{one.title}. {one.meaning}\n"
        yield f"- **Needs** {_listed(one.needs)}" + (f"; better with {_listed(one.uses)}" if one.uses else "")
        limits = {**COMMON, **one.thresholds}
        yield f"- **Thresholds** {', '.join(f'`{name} = {_plain(value)}`' for name, value in limits.items())}"
        yield f"- **Definition** {one.source}"
        yield f"- **What to do** {one.action}"
        yield f"- **Risk** {one.risk}"
        yield f"- **Way back** {one.rollback}"
        yield ("" if one.wasted else "- A remark: the money may be well spent, so no saving is told.\n")


def _listed(needs: Iterable[str]) -> str:
    return ", ".join(f"`{need}`" for need in needs)


def _plain(value: Decimal) -> str:
    return f"{value:f}"
