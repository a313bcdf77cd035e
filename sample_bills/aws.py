"""What the AWS report bills with a resource behind it: machines, disks and meters, row by row."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from types import ModuleType

import aws_estate
import leftovers
import world
from line_item import SAVINGS_PLAN, Row, Usage, money, price, reservation_terms, sku, usage_row
from world import TEN_PLACES, Month, Node, Volume, instant

SAVINGS_RATE = Decimal("15.2210")  # what an hour of a covered p4d draws from the plan
HALF_HOURS = 0.004  # the share of hours in which a machine ran for half of it
RESERVED_UPFRONT = Decimal("0.40")  # per hour, paid in March, spread over the year
RESERVED_RECURRING = Decimal("0.56")  # per hour, on the monthly invoice


@dataclass(frozen=True)
class MachineType:
    """A line of the price book, with what the product columns say of it."""

    rate: Decimal
    family: str
    vcpu: int
    memory: str
    gpus: int
    sku: str


MACHINE_TYPES: Mapping[str, MachineType] = {
    "p4d.24xlarge": MachineType(Decimal("24.1536"), "GPU instance", 96, "1152 GiB", 8, "QH4P4D24XLUSW2AA"),
    "g5.48xlarge": MachineType(Decimal("16.4480"), "GPU instance", 192, "768 GiB", 8, "QH5G548XLUSW2AAB"),
    "g5.12xlarge": MachineType(Decimal("5.7120"), "GPU instance", 48, "192 GiB", 4, "QH5G512XLUSW2AAC"),
    "m6i.8xlarge": MachineType(Decimal("1.5460"), "General purpose", 32, "128 GiB", 0, "QH6M68XLUSW2AADE"),
    "g4dn.xlarge": MachineType(Decimal("0.5260"), "GPU instance", 4, "16 GiB", 1, "QH4G4DNXLUSW2AAG"),
    "t3.large": MachineType(Decimal("0.0832"), "General purpose", 2, "8 GiB", 0, "QH3T3LGUSW2AAHJK"),
    "c6i.16xlarge": MachineType(Decimal("2.7360"), "Compute optimized", 64, "128 GiB", 0, "QH6C616XLUSW2AAF"),
}


@dataclass(frozen=True)
class DiskType:
    """How a disk or its snapshot is metered."""

    usage_type: str
    rate: Decimal
    family: str
    operation: str
    api_name: str


DISK = DiskType("EBS:VolumeUsage.gp3", Decimal("0.08"), "Storage", "CreateVolume-Gp3", "gp3")
SNAPSHOT = DiskType("EBS:SnapshotUsage", Decimal("0.05"), "Storage Snapshot", "CreateSnapshot", "")

# product code, name, family, operation and unit of each kind of meter
_PRODUCTS: Mapping[str, tuple[str, str, str, str, str]] = {
    "s3": ("AmazonS3", "Amazon Simple Storage Service", "Storage", "StandardStorage", "GB-Mo"),
    "transfer": ("AmazonEC2", "Amazon Elastic Compute Cloud", "Data Transfer", "RunInstances", "GB"),
    "nat": ("AmazonEC2", "Amazon Elastic Compute Cloud", "NAT Gateway", "NatGateway", "Hrs"),
    "ec2": ("AmazonEC2", "Amazon Elastic Compute Cloud", "Compute Instance", "RunInstances", "Hrs"),
    "ebs": ("AmazonEC2", "Amazon Elastic Compute Cloud", "Storage", "CreateVolume-Gp2", "GB-Mo"),
    "elb": ("AWSELB", "Elastic Load Balancing", "Load Balancer-Application", "LoadBalancing:Application", "Hrs"),
    "vpc": ("AmazonVPC", "Amazon Virtual Private Cloud", "VpcPublicIPv4Address", "AllocateAddressVPC", "Hrs"),
    "rds": ("AmazonRDS", "Amazon Relational Database Service", "Database Instance", "CreateDBInstance:0014", "Hrs"),
    "cloudwatch": ("AmazonCloudWatch", "AmazonCloudWatch", "Metric", "PutLogEvents", "Units"),
    "bedrock": ("AmazonBedrock", "Amazon Bedrock", "Amazon Bedrock", "InvokeModel", "1K tokens"),
    "kms": ("awskms", "AWS Key Management Service", "Encryption Key", "Decrypt", "Requests"),
}


def usage_rows(month: Month, rng: random.Random) -> list[Row]:
    """Every row that some resource caused, commitments applied."""
    own = [*_machines(aws_estate, month, rng), *_disks(aws_estate, month), *_meters(aws_estate, month, rng)]
    apart = random.Random(f"{world.SEED} leftovers {month.label}")
    forgotten = [*_machines(leftovers, month, apart), *_disks(leftovers, month), *_meters(leftovers, month, apart)]
    return own + forgotten


def _machines(estate: ModuleType, month: Month, rng: random.Random) -> Iterator[Row]:
    for node in estate.NODES:
        for day in month.days():
            if not node.there(day):
                continue
            if not node.hourly:
                yield from _machine(node, instant(day), 24, Decimal(24), rng)
                continue
            for hour in range(24):
                broken = rng.random() < HALF_HOURS
                yield from _machine(node, instant(day, hour), 1, Decimal("0.5" if broken else "1"), rng)


def _machine(node: Node, start: datetime, hours: int, amount: Decimal, rng: random.Random) -> Iterator[Row]:
    kind = MACHINE_TYPES[node.model]
    usage = Usage("AmazonEC2", f"USW2-BoxUsage:{node.model}", amount, kind.rate)
    row = usage_row(node, start, hours, usage)
    row |= {
        "lineItem/Operation": "RunInstances",
        "lineItem/AvailabilityZone": "us-west-2b",
        "lineItem/LineItemDescription": f"${kind.rate} per On Demand Linux {node.model} Instance Hour",
        "product/ProductName": "Amazon Elastic Compute Cloud",
        "product/gpu": str(kind.gpus) if kind.gpus else "",
        "product/instanceFamily": kind.family,
        "product/instanceType": node.model,
        "product/marketoption": "OnDemand",
        "product/memory": kind.memory,
        "product/operatingSystem": "Linux",
        "product/productFamily": "Compute Instance",
        "product/sku": kind.sku,
        "product/tenancy": "Shared",
        "product/vcpu": str(kind.vcpu),
        "pricing/unit": "Hrs",
    }
    if node.pricing == "spot":
        _as_spot(row, node, amount, rng)
    elif node.pricing == "reserved":
        _as_reserved(row, amount)
    elif node.pricing == "savings":
        _as_covered(row, amount)
        yield row
        yield _negation(row, node)
        return
    yield row


def _as_spot(row: Row, node: Node, amount: Decimal, rng: random.Random) -> None:
    rate = MACHINE_TYPES[node.model].rate * Decimal(rng.randint(3200, 3600)) / 10_000
    row |= price(amount, rate.quantize(TEN_PLACES)) | {
        "lineItem/UsageType": f"USW2-SpotUsage:{node.model}",
        "product/usagetype": f"USW2-SpotUsage:{node.model}",
        "lineItem/Operation": "RunInstances:SV001",
        "lineItem/LineItemDescription": f"{node.model} Linux/UNIX Spot Instance-hour in US West (Oregon)",
        "product/marketoption": "Spot",
        "pricing/term": "",
    }


def _as_reserved(row: Row, amount: Decimal) -> None:
    upfront, recurring = RESERVED_UPFRONT * amount, RESERVED_RECURRING * amount
    row |= (
        price(amount, Decimal(0))
        | {
            "lineItem/LineItemType": "DiscountedUsage",
            "lineItem/LineItemDescription": "Linux/UNIX, m6i.8xlarge reserved instance applied",
            "pricing/term": "Reserved",
            "reservation/AmortizedUpfrontCostForUsage": money(upfront),
            "reservation/EffectiveCost": money(upfront + recurring),
            "reservation/RecurringFeeForUsage": money(recurring),
        }
        | reservation_terms()
    )


def _as_covered(row: Row, amount: Decimal) -> None:
    row |= {
        "lineItem/LineItemType": "SavingsPlanCoveredUsage",
        "savingsPlan/SavingsPlanArn": SAVINGS_PLAN,
        "savingsPlan/SavingsPlanRate": str(SAVINGS_RATE),
        "savingsPlan/SavingsPlanEffectiveCost": money(SAVINGS_RATE * amount),
        "savingsPlan/OfferingType": "ComputeSavingsPlans",
        "savingsPlan/PaymentOption": "No Upfront",
        "savingsPlan/PurchaseTerm": "3yr",
    }


def _negation(covered: Row, node: Node) -> Row:
    """The row that takes the on-demand price of covered usage off the invoice again."""
    sku_name = MACHINE_TYPES[node.model].sku
    description = f"SavingsPlanNegation used by AccountId : {node.account} and UsageSku : {sku_name}"
    cost = -Decimal(covered["lineItem/UnblendedCost"])
    row = {name: value for name, value in covered.items() if not name.startswith("resourceTags/")}
    return row | {
        "lineItem/LineItemType": "SavingsPlanNegation",
        "lineItem/ResourceId": "",
        "lineItem/LineItemDescription": description,
        "lineItem/UnblendedRate": "",
        "lineItem/UnblendedCost": money(cost),
        "lineItem/BlendedRate": "",
        "lineItem/BlendedCost": money(cost),
        "savingsPlan/SavingsPlanRate": "",
        "savingsPlan/SavingsPlanEffectiveCost": "",
        "pricing/publicOnDemandCost": "",
        "pricing/publicOnDemandRate": "",
    }


def _disks(estate: ModuleType, month: Month) -> Iterator[Row]:
    for volume in estate.VOLUMES:
        yield from _disk(month, volume, DISK)
    for snapshot in estate.SNAPSHOTS:
        yield from _disk(month, snapshot, SNAPSHOT)


def _disk(month: Month, volume: Volume, kind: DiskType) -> Iterator[Row]:
    for day in filter(volume.there, month.days()):
        amount = (Decimal(volume.size_gb) / month.length).quantize(TEN_PLACES)
        row = usage_row(volume, instant(day), 24, Usage("AmazonEC2", f"USW2-{kind.usage_type}", amount, kind.rate))
        yield row | {
            "lineItem/Operation": kind.operation,
            "lineItem/LineItemDescription": f"${kind.rate} per GB-month of {kind.family} - US West (Oregon)",
            "product/ProductName": "Amazon Elastic Compute Cloud",
            "product/productFamily": kind.family,
            "product/sku": sku("EBS", kind.usage_type),
            "product/volumeApiName": kind.api_name,
            "pricing/unit": "GB-Mo",
        }


def _meters(estate: ModuleType, month: Month, rng: random.Random) -> Iterator[Row]:
    for meter in estate.METERS:
        code, name, family, operation, unit = _PRODUCTS[meter.product]
        for day in filter(meter.there, month.days()):
            amount = world.metered(meter, month, rng)
            row = usage_row(meter, instant(day), 24, Usage(code, f"USW2-{meter.usage_type}", amount, meter.rate))
            yield row | {
                "lineItem/Operation": operation,
                "lineItem/LineItemDescription": f"${meter.rate:f} per {unit} - {meter.usage_type}",
                "product/ProductName": name,
                "product/productFamily": family,
                "product/sku": sku(meter.product, meter.usage_type),
                "pricing/unit": unit,
            }
