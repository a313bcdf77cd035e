"""What kind of service a provider's own name means, for providers whose exports do not say: FOCUS service categories.

Names are told by words in them, English and Chinese, the first line of the table that fits; a provider's module gives
the names that words would put wrong. AWS has a table of product codes of its own (`aws.services`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

OTHER = "Other"
# Within a word "_" stands for a blank. Latin words of up to four letters count only where they stand alone.
_WORDS = {
    "AI and Machine Learning": """
        ai ml machine_learning vertex openai cognitive generative data_science speech vision language translat
        人工智能 机器学习 大模型 百炼 方舟 千帆 智能
        """,
    "Security": """
        key_vault kms secret security defender sentinel firewall waf ddos bastion certificate 安全 防护 密钥 堡垒
        """,
    "Identity": "identity active_directory iam entra 身份",
    "Databases": """
        sql database cosmos spanner bigtable firestore redis memorystore mongo cassandra autonomous 数据库 缓存
        """,
    "Storage": """
        storage disk volume snapshot backup bucket filestore netapp file_system oss cos obs tos nas cfs bos
        存储 云盘 云硬盘 快照 备份
        """,
    "Networking": """
        network bandwidth load_balanc vpn dns cdn expressroute interconnect nat ip_address front_door gateway vnic vcn
        fastconnect data_transfer peering eip slb clb elb 网络 带宽 流量 负载均衡 公网 专线 内容分发
        """,
    "Analytics": """
        bigquery analytics synapse data_factory databricks dataproc dataflow hdinsight data_explorer streaming pub/sub
        event_hub kafka 大数据 搜索 实时计算 数据湖 消息队列
        """,
    "Management and Governance": "monitor logging operations automation insights cost_management 监控 日志 运维 审计",
    "Developer Tools": "devops pipelines artifact repos",
    "Compute": """
        virtual_machine kubernetes container registry compute instance function cloud_run app_service batch vm gpu
        server capacity aks gke oke ecs cvm bcc 云服务器 计算 主机 容器 镜像
        """,
}
_SHORT = 4


def _pattern(words: str) -> re.Pattern[str]:
    parts = []
    for word in words.split():
        plain = re.escape(word.replace("_", " "))
        parts.append(rf"\b{plain}\b" if word.isascii() and len(word) <= _SHORT else plain)
    return re.compile("|".join(parts), re.IGNORECASE)


_PATTERNS = {category: _pattern(words) for category, words in _WORDS.items()}


def service_category(names: pl.Series, own: Mapping[str, str] | None = None) -> pl.Series:
    """FOCUS ServiceCategory of each service name; "Other" where no word tells.

    Args:
        names: services as billed; the work is done once a distinct name.
        own: names in lower case whose category the words would put wrong.
    """
    known = {name: (own or {}).get(name.lower()) or _by_words(name) for name in names.drop_nulls().unique().to_list()}
    return names.replace_strict(known, default=OTHER, return_dtype=pl.String)


def _by_words(name: str) -> str:
    plain = name.replace("_", " ")
    return next((category for category, words in _PATTERNS.items() if words.search(plain)), OTHER)
