"""How inventories word things: kinds of resources and their states, by the providers' own names."""

from __future__ import annotations

import polars as pl

VOLUMES = frozenset(
    "volume disk ebsvolume manageddisk persistentdisk blockvolume clouddisk blockstorage".split(),
)
MACHINES = frozenset(
    "instance node vm machine server virtualmachine computeinstance ec2instance gpunode gpuinstance baremetal".split(),
)
DETACHED = frozenset("available unattached detached unused".split())
ATTACHED = frozenset("inuse attached reserved".split())
STOPPED = frozenset("stopped stopping deallocated deallocating suspended paused hibernated off poweredoff".split())
DELETED = frozenset("deleted deleting terminated terminating shuttingdown removed".split())


def folded_word(column: str) -> pl.Expr:
    """How words of inventories are compared: case, `-`, `_` and spaces do not matter."""
    return pl.col(column).str.to_lowercase().str.replace_all(r"[-_ ]", "")


GPU_NAMES = (
    r"(?i)gpu|\b(a100|h100|h200|h800|b200|gb200|a10g?|l4|l40s?|v100|t4|mi300x?|tpu)\b"
    r"|\b(p[2-6][a-z]*|g[4-7][a-z]*|trn\d\w*|inf\d)\.\w+|standard_n[cdvg]|\b(a2|a3|a4|g2)-\w+|ecs\.(gn|ebmgn)"
)
"""Names that only machines with accelerators bear: the chips, and the providers' families of such machines."""
SNAPSHOTS = frozenset("snapshot disksnapshot volumesnapshot ebssnapshot".split())
