"""What a meter measures, by the words of the bills: an explicit table, read from the top, the first line that fits.

The words of a meter are its service, FOCUS's subcategory, the kind of resource and the meter's own name, joined by
` | `. A meter that nothing fits has no family, and no detector speaks of it: never a guess.

Sources: usage types of AWS's Cost and Usage Report, meter names of Azure's price sheet, SKU descriptions of Google
Cloud's billing export, and FOCUS's words for providers that follow it alone. Patterns ask for whole words of a meter,
since a pattern that fits too much would call use what is none, or the other way round.
"""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.kinds import GPU_NAMES

FAMILIES: tuple[tuple[str, str], ...] = (
    # Surcharges come first: their meters also name what they are a surcharge on.
    ("extended_support", r"extended ?(support|security|channel)|extendedsupport|:extended"),
    # Capacity that is paid and held, and runs nothing: AWS calls the unused part of a reservation a box of its own.
    (
        "capacity_unused",
        r"\bunused ?(box|ded|capacity|reservation)\b|unusedbox:|unusedded:|capacity ?reservation.*unused",
    ),
    # NAT gateways: by the hour, and by what they carry.
    ("gateway_bytes", r"natgateway-(prvd-)?bytes|nat.*data ?process|nat ?网关.*流量"),
    ("gateway_hours", r"natgateway-(prvd-)?hours|nat gateway \|.*(gateway|hours)|nat (gateway )?uptime|nat.*实例费"),
    # Load balancers: hours or rules, and units or bytes of use.
    (
        "balancer_use",
        r"lcuusage|load ?balanc.*(data ?process|processed|capacity ?unit|lcu\b|流量)|(elb|load ?balanc).*-bytes",
    ),
    (
        "balancer_hours",
        (
            r"loadbalancerusage|load ?balanc.*(hour|fixed cost|overage|included|forwarding rule|实例费|usage)"
            r"|application gateway.*(hour|fixed)"
        ),
    ),
    # Public addresses: in use or idle. Azure's meter does not tell which, so it has no family here.
    ("address_idle", r"(elasticip|publicipv4):idle|static ip charge|(idle|unused|reserved) (public )?(ip|address)"),
    ("address_used", r"publicipv4:inuse|external ip charge|in-use (public )?(ip|address)"),
    # Data that leaves a region, then data that leaves to the internet; inside a region it has no family.
    ("transfer_regions", r"-aws-out-bytes|inter-? ?(region|continent)|between regions|跨(地)?域|region to region"),
    (
        "transfer_internet",
        (
            r"datatransfer-out-bytes|internet (egress|data transfer out|outbound)|data transfer out|internet-egress"
            r"|network internet|公网流出|流出流量"
        ),
    ),
    # Block storage and what is kept of it.
    ("snapshot", r"snapshot|快照"),
    (
        "volume",
        (
            r"ebs:volumeusage|managed disks? |block (storage|volume)|persistent disk|\bpd capacity|storage pd"
            r"|cloud disk|nvme volume|云盘|云硬盘"
        ),
    ),
    # Objects: what is asked of a bucket, then what lies in it.
    (
        "bucket_requests",
        (
            r"(s3|simple storage|object|blob|cloud storage|\boss|\bcos|\btos).*(requests|operations|retrieval|请求)"
            r"|(s3|simple storage).*(select-(returned|scanned))"
        ),
    ),
    (
        "bucket_storage",
        (
            r"(simple storage|s3|glacier).*timedstorage"
            r"|(object storage|blob|cloud storage|simple storage|\boss\b|\bcos\b).*"
            r"(stored|storage|capacity|hot|cool|archive|容量|存储)"
        ),
    ),
    # Machines by the hour.
    (
        "machine",
        (
            r"boxusage|spotusage|dedicatedusage|hostusage|heavyusage|virtual machines? \||instance (core|ram)"
            r"|gpu node|\bnode [a-z0-9]|compute instance|computeinstance|ecs\b.*(实例|instance)"
        ),
    ),
)

PREVIOUS_GENERATION = (
    # AWS, "Previous generation instances" of the EC2 user guide; gp2 and magnetic volumes have a successor as well.
    r"(boxusage|spotusage|heavyusage|dedicatedusage):(a1|c1|c3|c4|cc2|cr1|g2|g3s?|hs1|i2|m1|m2|m3|m4|p2|r3|r4|t1)\."
    r"|ebs:volumeusage(\.gp2|\.io1)?$|instanceusage:db\.(m1|m2|m3|m4|r3|r4|t1|t2)\."
    # Azure, series that Microsoft lists as retired or to be retired.
    r"|virtual machines? .*\b(basic_a\d|standard_a\d\b|standard_d\d+(_v2)?\b|standard_ds\d+\b|nc6|nc12|nc24|nv6|nv12)\b"
    r"|basic (load balancer|public ip)"
)
"""Meters of machines and volumes whose maker sells a successor; case does not matter."""

_WORDS = ("ServiceName", "ServiceSubcategory", "ResourceType", "SkuMeter")
HOURS = r"^(?i)(instance[- ])?(h|hrs?|hours?)$"
"""Units in which a machine's quantity is its hours."""


def with_families(meters: pl.LazyFrame) -> pl.LazyFrame:
    """Add `family` (null: none), `gpu` (a machine with accelerators) and `previous` (of a former generation)."""
    kinds = meters.select(_WORDS).unique()
    words = pl.concat_str(pl.col(_WORDS), separator=" | ", ignore_nulls=True).str.to_lowercase()
    family = pl.lit(None, pl.String)
    for name, pattern in reversed(FAMILIES):
        family = pl.when(words.str.contains(pattern)).then(pl.lit(name)).otherwise(family)
    told = kinds.with_columns(
        family.alias("family"),
        words.str.contains(GPU_NAMES).alias("gpu"),
        words.str.contains(PREVIOUS_GENERATION).alias("previous"),
    )
    return meters.join(told, on=_WORDS, how="left", nulls_equal=True)
