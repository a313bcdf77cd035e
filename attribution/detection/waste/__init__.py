"""Waste: money that buys nothing. One detector a file, each a record that explains itself, all in one table.

Detectors never act; they report, with evidence. One that lacks an input says nothing and is told in `detectors`.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from attribution.detection.waste.bill import (
    billed_after_deletion,
    bucket_never_requested,
    dev_nights_and_weekends,
    extended_support,
    gpu_node_without_trace,
    idle_public_address,
    load_balancer_without_traffic,
    logs_outgrow_compute,
    nat_gateway_without_traffic,
    previous_generation,
    snapshot_outlives_volume,
    storage_without_compute,
    transfer_out_of_line,
    untagged_resource,
    unused_capacity_reservation,
    unused_commitment,
    volume_of_stopped_instance,
)
from attribution.detection.waste.custodian import policy_file
from attribution.detection.waste.detector import Detector
from attribution.detection.waste.inputs import WasteInputs
from attribution.detection.waste.inventory import (
    detached_address,
    disused_service,
    duplicate_data,
    empty_cluster,
    empty_endpoint,
    empty_gateway,
    empty_load_balancer,
    expired_tag,
    no_lifecycle_policy,
    old_snapshot,
    orphaned_interface,
    orphaned_snapshot,
    orphaned_tag,
    oversized_volume,
    stopped_long,
    tag_of_ended_project,
    tag_of_owner_who_left,
    temporary_name,
    unattached_volume,
    unlisted_resource,
    unused_image,
    volume_of_deallocated_machine,
)
from attribution.detection.waste.judging import Judged, judge_all, override_faults
from attribution.detection.waste.plan import reclaim_plan
from attribution.detection.waste.training import (
    cancelled_run,
    checkpoints_beyond_retention,
    checkpoints_of_superseded_run,
    cold_data,
    data_work_repeated,
    debug_logging,
    duplicate_run,
    empty_partition,
    experiment_without_evaluation,
    failed_job,
    failed_run,
    job_without_use,
    low_mfu,
    node_idle_after_last_job,
    oversized_cluster,
    restart_loop,
    superseded_endpoint,
    timed_out_run,
    unread_data,
    waiting_queue,
)
from attribution.detection.waste.utilization import (
    idle_by_utilization,
    idle_cluster,
    idle_database,
    idle_endpoint,
    idle_gateway,
    idle_load_balancer,
    idle_notebook,
    idle_reservation,
    idle_volume,
    oversized_database,
    oversized_machine,
    underused_gpu,
    underused_machine,
)
from schemas.faults import Fault
from schemas.workspace import Waste, WastePlan

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "DETECTORS",
    "Detector",
    "Judged",
    "WasteInputs",
    "detect_waste",
    "plan_waste",
    "policy_file",
    "threshold_faults",
]

DETECTORS: tuple[Detector, ...] = (
    # the bill alone
    unused_commitment.DETECTOR,
    unused_capacity_reservation.DETECTOR,
    nat_gateway_without_traffic.DETECTOR,
    load_balancer_without_traffic.DETECTOR,
    idle_public_address.DETECTOR,
    storage_without_compute.DETECTOR,
    volume_of_stopped_instance.DETECTOR,
    snapshot_outlives_volume.DETECTOR,
    bucket_never_requested.DETECTOR,
    gpu_node_without_trace.DETECTOR,
    transfer_out_of_line.DETECTOR,
    logs_outgrow_compute.DETECTOR,
    extended_support.DETECTOR,
    dev_nights_and_weekends.DETECTOR,
    billed_after_deletion.DETECTOR,
    previous_generation.DETECTOR,
    untagged_resource.DETECTOR,
    # inventory
    unattached_volume.DETECTOR,
    orphaned_tag.DETECTOR,
    detached_address.DETECTOR,
    orphaned_interface.DETECTOR,
    orphaned_snapshot.DETECTOR,
    old_snapshot.DETECTOR,
    volume_of_deallocated_machine.DETECTOR,
    stopped_long.DETECTOR,
    empty_load_balancer.DETECTOR,
    empty_gateway.DETECTOR,
    empty_cluster.DETECTOR,
    empty_endpoint.DETECTOR,
    unused_image.DETECTOR,
    oversized_volume.DETECTOR,
    duplicate_data.DETECTOR,
    disused_service.DETECTOR,
    expired_tag.DETECTOR,
    temporary_name.DETECTOR,
    no_lifecycle_policy.DETECTOR,
    unlisted_resource.DETECTOR,
    tag_of_owner_who_left.DETECTOR,
    tag_of_ended_project.DETECTOR,
    # utilization
    idle_by_utilization.DETECTOR,
    idle_database.DETECTOR,
    idle_endpoint.DETECTOR,
    idle_notebook.DETECTOR,
    idle_cluster.DETECTOR,
    idle_reservation.DETECTOR,
    idle_load_balancer.DETECTOR,
    idle_gateway.DETECTOR,
    idle_volume.DETECTOR,
    oversized_machine.DETECTOR,
    oversized_database.DETECTOR,
    underused_gpu.DETECTOR,
    underused_machine.DETECTOR,
    # jobs, runs and checkpoints
    failed_run.DETECTOR,
    cancelled_run.DETECTOR,
    timed_out_run.DETECTOR,
    failed_job.DETECTOR,
    restart_loop.DETECTOR,
    duplicate_run.DETECTOR,
    data_work_repeated.DETECTOR,
    experiment_without_evaluation.DETECTOR,
    node_idle_after_last_job.DETECTOR,
    empty_partition.DETECTOR,
    job_without_use.DETECTOR,
    waiting_queue.DETECTOR,
    checkpoints_beyond_retention.DETECTOR,
    checkpoints_of_superseded_run.DETECTOR,
    unread_data.DETECTOR,
    cold_data.DETECTOR,
    superseded_endpoint.DETECTOR,
    low_mfu.DETECTOR,
    oversized_cluster.DETECTOR,
    debug_logging.DETECTOR,
)


def detect_waste(inputs: WasteInputs, waste: Waste) -> Judged:
    """Run every detector that has what it needs; see `judging.judge_all`.

    Raises:
        InputError: a threshold is set that no detector has.
    """
    return judge_all(DETECTORS, inputs, waste)


def plan_waste(
    path: pl.DataFrame, judged: pl.DataFrame, protected: pl.DataFrame, terms: WastePlan, today: date
) -> pl.DataFrame:
    """What of the findings of waste is planned, and why the others are not; see `plan.reclaim_plan`."""
    return reclaim_plan(path, judged, protected, DETECTORS, terms=terms, today=today)


def threshold_faults(waste: Waste, dimensions: tuple[str, ...]) -> tuple[Fault, ...]:
    """Every threshold set for an unknown detector, an unknown threshold, or an unknown dimension."""
    return override_faults(DETECTORS, waste, dimensions)
