"""What kind of service an AWS line is: FOCUS service categories by product code, and within EC2 by usage type."""

from __future__ import annotations

import polars as pl

CATEGORIES: dict[str, tuple[str, ...]] = {
    "AI and Machine Learning": (
        "AmazonBedrock", "AmazonBedrockService", "AmazonComprehend", "AmazonRekognition", "AmazonSageMaker",
        "AmazonTextract", "AmazonTranscribe", "AmazonPolly", "AmazonQ",
    ),
    "Analytics": (
        "AmazonAthena", "AWSGlue", "AmazonKinesis", "AmazonKinesisFirehose", "ElasticMapReduce", "AmazonQuickSight",
        "AmazonES", "AmazonMSK",
    ),
    "Compute": (
        "AmazonEC2", "AWSLambda", "AmazonECS", "AmazonEKS", "AWSBatch", "AmazonLightsail", "ComputeSavingsPlans",
        "AWSParallelComputingService",
    ),
    "Databases": (
        "AmazonRDS", "AmazonDynamoDB", "AmazonElastiCache", "AmazonRedshift", "AmazonDocDB", "AmazonNeptune",
        "AmazonMemoryDB", "AmazonTimestream",
    ),
    "Developer Tools": ("AWSCodeArtifact", "CodeBuild", "AWSCodePipeline", "AWSXRay"),
    "Identity": ("AmazonCognito", "AWSDirectoryService"),
    "Integration": ("AWSQueueService", "AmazonSNS", "AWSEvents", "AmazonStates", "AmazonMQ", "AmazonApiGateway"),
    "Management and Governance": (
        "AmazonCloudWatch", "AWSCloudTrail", "AWSConfig", "AWSSystemsManager", "AWSCostExplorer",
    ),
    "Networking": (
        "AmazonVPC", "AmazonRoute53", "AmazonCloudFront", "AWSDataTransfer", "AWSELB", "AWSDirectConnect",
        "AWSGlobalAccelerator", "AWSTransitGateway",
    ),
    "Security": (
        "awskms", "awswaf", "AmazonGuardDuty", "AmazonInspector", "AmazonInspectorV2", "AWSSecretsManager",
        "AWSSecurityHub", "AmazonMacie", "AWSShield",
    ),
    "Storage": (
        "AmazonS3", "AmazonEFS", "AmazonFSx", "AmazonGlacier", "AWSBackup", "AmazonS3GlacierDeepArchive",
        "AWSStorageGateway", "AWSDataSync", "AmazonECR",
    ),
}  # fmt: skip
OTHER = "Other"
_BY_CODE = {code: category for category, codes in CATEGORIES.items() for code in codes}
# Inside EC2 and its like, the usage type tells traffic and volumes from machines; traffic comes first, since
# the traffic of volume snapshots has both words.
_TRAFFIC = (
    r"(?i)(DataTransfer|DataXfer|AWS-(In|Out)-Bytes|-(In|Out)-Bytes|Regional-Bytes|NatGateway|LoadBalancer|LCUUsage)"
)
_VOLUMES = r"(?i)(^|[-:])(EBS[-:]|VolumeUsage|SnapshotUsage|VolumeP-|VolumeIO)"


def service_category(product_code: pl.Expr, usage_type: pl.Expr) -> pl.Expr:
    """The FOCUS ServiceCategory of a line, "Other" where the table does not know the product."""
    return (
        pl.when((product_code == "AmazonEC2") & usage_type.str.contains(_TRAFFIC))
        .then(pl.lit("Networking"))
        .when((product_code == "AmazonEC2") & usage_type.str.contains(_VOLUMES))
        .then(pl.lit("Storage"))
        .otherwise(product_code.replace_strict(_BY_CODE, default=OTHER, return_dtype=pl.String))
    )
