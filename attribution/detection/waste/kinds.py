"""How inventories word things: kinds of resources and their states, by the providers' own names."""

from __future__ import annotations

import polars as pl

from schemas.dimensions import folds

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
    """How words of inventories, and names of whose money it is, are compared: as `fold` says."""
    return pl.col(column).map_batches(folds, return_dtype=pl.String, is_elementwise=True)


GPU_NAMES = (
    r"(?i)gpu|\b(a100|h100|h200|h800|b200|gb200|a10g?|l4|l40s?|v100|t4|mi300x?|tpu)\b"
    r"|\b(p[2-6][a-z]*|g[4-7][a-z]*|trn\d\w*|inf\d)\.\w+|standard_n[cdvg]|\b(a2|a3|a4|g2)-\w+|ecs\.(gn|ebmgn)"
)
"""Names that only machines with accelerators bear: the chips, and the providers' families of such machines."""

ADDRESSES = frozenset(
    "address ip publicip publicaddress publicipaddress elasticip eip staticip floatingip ipaddress externalip".split()
)
INTERFACES = frozenset("networkinterface nic eni interface".split())
SNAPSHOTS = frozenset(
    "snapshot disksnapshot volumesnapshot ebssnapshot dbsnapshot rdssnapshot manualsnapshot".split(),
)
IMAGES = frozenset("image ami machineimage customimage vmimage".split())
TEMPLATES = frozenset("launchtemplate launchconfiguration instancetemplate template scalingconfiguration".split())
BALANCERS = frozenset(
    "loadbalancer lb elb alb nlb slb clb applicationloadbalancer networkloadbalancer classicloadbalancer".split(),
)
GATEWAYS = frozenset(
    "gateway natgateway nat vpngateway applicationgateway transitgateway virtualnetworkgateway cloudnat".split(),
)
CLUSTERS = frozenset("cluster ekscluster akscluster gkecluster ecscluster kubernetescluster slurmcluster".split())
ENDPOINTS = frozenset(
    "endpoint inferenceendpoint onlineendpoint modelendpoint sagemakerendpoint vertexendpoint deployment".split(),
)
NOTEBOOKS = frozenset("notebook notebookinstance workbench studioapp jupyter computeinstancenotebook".split())
DATABASES = frozenset(
    "database db rds dbinstance databaseinstance sqldatabase postgres mysql cache redis cachecluster".split(),
)
BUCKETS = frozenset("bucket s3bucket storageaccount blobcontainer objectstorage".split())
DATASETS = frozenset("dataset corpus datacopy intermediate table filesystem fileshare".split())
RESERVATIONS = frozenset("reservation capacityreservation capacityblock acceleratorreservation".split())
KEEPERS = frozenset("loggroup containerregistry registry repository logworkspace".split())
MINOR = frozenset("secret key kmskey queue topic hostedzone dnszone healthcheck alarm privateendpoint".split())
FREE_ADDRESS = frozenset("available unattached detached unused unassociated reserved notinuse".split())
NOT_SET = frozenset("no none false 0 disabled off missing".split())
"""Words that say that a policy is not there."""
