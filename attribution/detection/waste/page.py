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
others save 0, so that savings may be added. A bucket and the checkpoints in it count as one resource, and sums such \
as transfer or logs save no more than the findings of their resources leave.

## The way to action

This program never acts. A finding of waste goes a way that ends with people: `mark` when it is found, \
`warn` with the first report to its owner that names it, `due` after the days of grace, `done` when its evidence is \
gone, by whatever cause. `exempt` is what somebody acknowledged, snoozed or suppressed, with a reason and, where one \
was given, an end ([findings and their life](findings.md)). `attribution waste path` lists them, the view \
[`waste_path`](sql.md#waste_path) has the dates.

`attribution waste plan FOLDER` writes what is due: `plan.csv`, with what to do, its risk and the way back on each \
line, and `policies.yml` for Cloud Custodian, meant for `custodian run --dryrun`. Of one kind no more than \
`max_resources`, and no more than `max_percent` of all it judged, are planned at once, those that save most first. \
Resources of a protected stage or with a protected tag are never planned, nor is anything whose bill is far behind. \
What is left out stands in `plan.csv` too, with the reason.

```toml
[waste.plan]
grace_days       = 7
max_resources    = 20
max_percent      = 10
protected_stages = ["serving"]
protected_tags   = ["protected", "do-not-delete"]   # keys; the values no and false protect nothing
confidence       = ["high", "medium"]
```

## Thresholds

They stand in `attribution.toml`: for all detectors, for one, and for what has some dimension values. Of \
overrides that fit, the first wins.

```toml
[waste]
min_age_days = 14                # younger resources are left alone
coverage     = 0.80              # share of days with measurements that a verdict needs
minimum      = 1                 # least cost of the last complete month, in the bill's currency
silent_days  = 14                # what was billed last longer ago than this is over

[waste.unattached_volume]
min_age_days = 30

[[waste.override]]
project = "atlas-7b"             # one or more dimensions
minimum = 50                     # for every detector that has this threshold
[waste.override.unattached_volume]
min_age_days = 60
```

What a bill names without a cost is judged as well, and told with an unknown cost: `minimum` cannot clear it. A meter \
billed without a quantity, a line without a meter and a cost that is not told are unknown, never zero: who asks for \
them is answered `undetermined`.

Measurements are looked at over the days that end with the last complete day of the thing's bill; a busy day measured \
after it spares the thing as well.

What no longer costs is no waste. One rule holds for all: a thing still costs while the last day it was billed for is \
at most `silent_days` before the last complete day of its source, and the inventory does not call it deleted. A line a \
month stands for its whole month. `billed_after_deletion` and `untagged_resource` ask for money that was paid, in all \
of the last complete month; runs and jobs are told as what they cost.

A peak is the `maximum` of a row of utilization; where none is told, the averages alone are \
judged, with low confidence unless they are 0, since an hour of work a day hides in them. Of `network_bytes` a day's \
sum counts (average by samples, where these are told), which has no peak.

A run is over when its status is `completed`, `failed`, `node_fail`, `out_of_memory`, `preempted`, `cancelled` or \
`timeout`, or one of the [words that mean these](budgets.md). While it is not, it goes on until it has an end. One \
that is over and tells no end has an unknown length and cost: detectors that ask for its length or for the last days \
say nothing of it, since nobody knows how long ago it ended; what asks for whole projects and experiments is \
undetermined.

A cell that is blank for one thing makes it `undetermined` where all else speaks for waste and that cell decides; \
where the inventory or the runs never tell it of such things, nothing is said of each.

A finding is about the id of a resource, run or job, or the name of an experiment; `restart_loop` names the job, and \
what sums up says of what: `project=NAME`, `partition=NAME`.

An inventory may have these columns besides those that it needs; a detector that asks for one which is not there says \
so in `lacks`:

| column | holds |
|---|---|
| `source_id` | what a snapshot or image was made of, or the run whose model an endpoint serves |
| `image_id` | the image that a machine or launch template starts from, or that a snapshot backs |
| `managed_by` | the tool that keeps it, such as a backup service |
| `targets` | how many things a load balancer, gateway, cluster or endpoint serves |
| `used_gb` | how much of `size_gb` is used |
| `lifecycle_policy` | its name, or `yes`, or `none` |
| `storage_class` | `hot`, `cool`, `archive`, or the provider's own word |

Of runs, `log_level` is read where it is there. A run costs its share, by GPU time, of what its experiment's machines \
were billed in each month, a job the same of its nodes; time that no run or job used stays with nobody, so that idle \
machines make no run dear.
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
        yield (
            "" if one.wasted else "- A remark: the money may be well spent, or is gone already, so no saving is told.\n"
        )


def _listed(needs: Iterable[str]) -> str:
    return ", ".join(f"`{need}`" for need in needs)


def _plain(value: Decimal) -> str:
    return f"{value:f}"
