"""Labelled cases: what is paid by the hour, by the month or by contract, and whether anything uses it."""

from __future__ import annotations

from datetime import date
from typing import Any

from waste_cases import Case, billed, cases

NAT = "Amazon Virtual Private Cloud | NAT Gateway | USE1-NatGateway-Hours"
NAT_BYTES = "Amazon Virtual Private Cloud | NAT Gateway | USE1-NatGateway-Bytes"
SEPTEMBER, OCTOBER, LAST = date(2026, 9, 1), date(2026, 10, 1), date(2026, 11, 8)


def bytes_of(meter: str, quantity: float | None, cost: str | None, *, since: date = OCTOBER, **more: Any) -> Any:  # noqa: ANN401
    return billed(meter, cost, quantity, since=since, ConsumedUnit="GB", **more)


GATEWAYS = cases(
    "nat_gateway_without_traffic",
    ("waste", "hours and no bytes at all", billed(NAT, "1.08")),
    ("waste", "bytes ended before the last complete month", billed(NAT, "1.08"),
     bytes_of(NAT_BYTES, 900, "40", since=SEPTEMBER, until=date(2026, 9, 30))),
    ("waste", "fourteen days old", billed(NAT, "1.08", since=date(2026, 10, 26))),
    ("waste", "bytes metered as zero, at no cost", billed(NAT, "1.08"), bytes_of(NAT_BYTES, 0, "0")),
    ("waste", "Azure's gateway", billed("NAT Gateway | microsoft.network/natgateways | Standard Gateway", "1.08")),
    ("waste", "Google's gateway", billed("Networking | NAT | Networking Cloud Nat Gateway Uptime", "1.08")),
    ("active", "carries data", billed(NAT, "1.08"), bytes_of(NAT_BYTES, 800, "36")),
    ("active", "carries so little that it is free", billed(NAT, "1.08"), bytes_of(NAT_BYTES, 0.001, "0")),
    ("active", "one day with bytes in the running month", billed(NAT, "1.08"),
     bytes_of(NAT_BYTES, 5, "0.2", since=date(2026, 11, 8))),
    ("active", "one day with bytes on the first of the window", billed(NAT, "1.08"),
     bytes_of(NAT_BYTES, 5, "0.2", until=OCTOBER)),
    ("active", "thirteen days old", billed(NAT, "1.08", since=date(2026, 10, 27))),
    ("active", "removed last month, so below the minimum of what still costs",
     billed(NAT, "1.08", until=date(2026, 9, 30))),
    ("active", "costs less than the minimum", billed(NAT, "0.03")),
    ("active", "bytes without quantity that cost half a dollar", billed(NAT, "1.08"),
     bytes_of(NAT_BYTES, None, "0.5", since=LAST)),
    ("undetermined", "bytes billed, without quantity or cost", billed(NAT, "1.08"), bytes_of(NAT_BYTES, None, None)),
)  # fmt: skip
ALB = "Elastic Load Balancing | Load Balancer-Application | EU-LoadBalancerUsage"
LCU = "Elastic Load Balancing | Load Balancer-Application | EU-LCUUsage"
BALANCERS = cases(
    "load_balancer_without_traffic",
    ("waste", "hours, no units of use", billed(ALB, "0.6")),
    ("waste", "units of zero", billed(ALB, "0.6"), bytes_of(LCU, 0, "0")),
    ("waste", "Azure's rules without data", billed("Load Balancer | microsoft.network/loadbalancers | "
                                                   "Standard Included LB Rules and Outbound Rules", "0.6")),
    ("waste", "Google's forwarding rule", billed("Networking | | Cloud Load Balancer Forwarding Rule Minimum", "0.6")),
    ("waste", "used until September", billed(ALB, "0.6"), bytes_of(LCU, 3, "1", since=SEPTEMBER,
                                                                  until=date(2026, 9, 30))),
    ("waste", "hours of a second meter for a week", billed(ALB, "0.6"),
     billed(ALB.replace("EU-", "USE1-"), "0.6", since=date(2026, 11, 2))),
    ("active", "units of use", billed(ALB, "0.6"), bytes_of(LCU, 3, "1")),
    ("active", "bytes through it", billed(ALB, "0.6"),
     bytes_of("Elastic Load Balancing | Load Balancer | EU-DataProcessing-Bytes", 40, "0.3")),
    ("active", "data out", billed(ALB, "0.6"), bytes_of("AWS Data Transfer | | EU-DataTransfer-Out-Bytes", 4, "0.3")),
    ("active", "Azure's data processed", billed("Load Balancer | | Standard Overage Rules", "0.6"),
     bytes_of("Load Balancer | | Standard Data Processed", 7, "0.1")),
    ("active", "thirteen days old", billed(ALB, "0.6", since=date(2026, 10, 27))),
    ("undetermined", "units without quantity or cost", billed(ALB, "0.6"), bytes_of(LCU, None, None)),
)  # fmt: skip
IDLE = "Amazon Virtual Private Cloud | VpcPublicIPv4Address | USW2-PublicIPv4:IdleAddress"
INUSE = "Amazon Virtual Private Cloud | VpcPublicIPv4Address | USW2-PublicIPv4:InUseAddress"
ADDRESSES = cases(
    "idle_public_address",
    ("waste", "idle all the time", billed(IDLE, "0.12")),
    ("waste", "in use until September", billed(IDLE, "0.12", since=OCTOBER),
     billed(INUSE, "0.12", since=SEPTEMBER, until=date(2026, 9, 30))),
    ("waste", "fourteen days idle", billed(IDLE, "0.5", since=date(2026, 10, 26))),
    ("waste", "the older meter of AWS",
     billed("Amazon Elastic Compute Cloud | IP Address | ElasticIP:IdleAddress", "1")),
    ("waste", "Google's charge for a static address that nothing uses",
     billed("Compute Engine | Network | Static Ip Charge in Oregon", "0.24")),
    ("active", "in use", billed(INUSE, "0.12")),
    ("active", "attached on some days of the window", billed(IDLE, "0.12"),
     billed(INUSE, "0.12", since=date(2026, 10, 30), until=date(2026, 10, 30))),
    ("active", "thirteen days idle", billed(IDLE, "0.5", since=date(2026, 10, 27))),
    ("active", "released a week ago", billed(IDLE, "0.12", until=date(2026, 11, 1))),
    ("active", "costs next to nothing", billed(IDLE, "0.003")),
    ("waste", "still there the day before the watermark", billed(IDLE, "0.12", until=date(2026, 11, 7))),
    ("active", "gone for two days", billed(IDLE, "0.12", until=date(2026, 11, 6))),
    ("undetermined", "also in use, without quantity or cost", billed(IDLE, "0.12"), bytes_of(INUSE, None, None)),
)  # fmt: skip


def commitment(unused: str | None, used: str = "95", *, until: date = LAST, source: str = "nimbus") -> tuple[Any, ...]:
    """A savings plan: what is used stands on machines, what is not on a line of its own; amounts a day."""
    row = {"CommitmentDiscountId": "plan-@", "source": source}
    covered = billed("Amazon Elastic Compute Cloud | | USE1-BoxUsage:m6i.large", used, until=until,
                     CommitmentDiscountStatus="Used", **row)  # fmt: skip
    spare = billed("Savings Plans | ComputeSavingsPlans | USE1-ComputeSP:1yr", unused, None, until=until,
                   ResourceId=None, CommitmentDiscountStatus="Unused", **row)  # fmt: skip
    return covered, spare


COMMITMENTS = cases(
    "unused_commitment",
    ("waste", "half unused", *commitment("95")),
    ("waste", "exactly five percent", *commitment("5")),
    ("waste", "all of it", billed("Savings Plans | | ComputeSP", "10", None, ResourceId=None,
                                  CommitmentDiscountId="plan-@", CommitmentDiscountStatus="Unused")),
    ("waste", "a reservation of a database, in lower case", billed(
        "Amazon Relational Database Service | | HeavyUsage:db.r6g.large", "10", None, ResourceId=None,
        CommitmentDiscountId="ri-@", CommitmentDiscountStatus="unused")),
    ("waste", "seven percent", *commitment("7", "93")),
    ("active", "just below five percent", *commitment("4.9999")),
    ("active", "used to the last", *commitment("0")),
    ("active", "less than the minimum", *commitment("0.03", "0.1")),
    ("active", "unused in September, used since",
     billed("x | | BoxUsage:m6i.large", "10", CommitmentDiscountId="plan-@", CommitmentDiscountStatus="Used"),
     billed("x | | ComputeSP", "9", None, until=date(2026, 9, 30), ResourceId=None, CommitmentDiscountId="plan-@",
            CommitmentDiscountStatus="Unused")),
    ("active", "unused in the running month alone, of which nobody knows the end yet",
     billed("x | | BoxUsage:m6i.large", "10", CommitmentDiscountId="plan-@", CommitmentDiscountStatus="Used"),
     billed("x | | ComputeSP", "9", None, since=date(2026, 11, 1), ResourceId=None, CommitmentDiscountId="plan-@",
            CommitmentDiscountStatus="Unused")),
    ("undetermined", "the unused part has no cost told", *commitment(None)),
)  # fmt: skip


def reservation(unused: str | None, used: str = "90", since: date = date(2026, 8, 1)) -> tuple[Any, ...]:
    row = {"CapacityReservationId": "cr-@"}
    return (
        billed("Amazon Elastic Compute Cloud | | BoxUsage:p5.48xlarge", used, CapacityReservationStatus="Used",
               since=since, **row),
        billed("Amazon Elastic Compute Cloud | | UnusedBox:p5.48xlarge", unused, None, since=since, ResourceId=None,
               CapacityReservationStatus="Unused", **row),
    )  # fmt: skip


BLANK = "Amazon Elastic Compute Cloud | | USE1-UnusedBox:p5.48xlarge"
RESERVATIONS = cases(
    "unused_capacity_reservation",
    ("waste", "a third unused", *reservation("45")),
    ("waste", "exactly a tenth", *reservation("10")),
    ("waste", "known by the meter alone", billed(BLANK, "50", None, ResourceId="arn:reservation/@")),
    ("waste", "all of it unused", billed(BLANK, "50", None, ResourceId=None, CapacityReservationId="cr-@",
                                         CapacityReservationStatus="Unused")),
    ("waste", "fourteen days old", *reservation("45", since=date(2026, 10, 26))),
    ("active", "just below a tenth", *reservation("9.999")),
    ("active", "full", *reservation("0", "100")),
    ("active", "thirteen days old", *reservation("45", since=date(2026, 10, 27))),
    ("active", "unused in September alone",
     billed("x | | BoxUsage:p5.48xlarge", "9", CapacityReservationId="cr-@", CapacityReservationStatus="Used"),
     billed(BLANK, "9", None, until=date(2026, 9, 30), ResourceId=None, CapacityReservationId="cr-@",
            CapacityReservationStatus="Unused")),
    ("active", "unused for a few cents", *reservation("0.02", "0.1")),
    ("undetermined", "the unused part has no cost told", *reservation(None)),
)  # fmt: skip
HOURS: tuple[Case, ...] = (*GATEWAYS, *BALANCERS, *ADDRESSES, *COMMITMENTS, *RESERVATIONS)
