"""One branch of the drill-down, project -> stage -> experiment -> resource."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Branch:
    """EffectiveCost of the period and the one before under one name; what is below it sums to it exactly.

    An experiment of two owners is two branches. A resource is told once for each service that bills it; what was
    billed without one stands under its service, with `resource` None.
    """

    name: str
    this: Decimal | None
    before: Decimal | None
    owner: str | None = None  # of an experiment
    resource: str | None = None  # ResourceId
    service: str | None = None
    below: tuple[Branch, ...] = ()
