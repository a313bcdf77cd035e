"""OpenShift metering: seconds of hours become hours of days, exactly; labels and ids are borrowed."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usage_exports import HEADERS, amounts, hour, read, why, write_table

from schemas.faults import InputError


def test_a_day_is_summed_from_hours_of_all_tables(tmp_path: Path) -> None:
    found = read(
        write_table(tmp_path / "g.csv.gz", "gpus", hour("gpus"), hour("gpus", gpu_uuid="GPU-2", gpu_pod_uptime="900")),
        write_table(tmp_path / "l.csv", "namespaces", hour("namespaces", namespace_labels="label_owner:mira")),
        write_table(tmp_path / "n.csv", "nodes", hour("nodes")),
        write_table(tmp_path / "p.csv", "pods", hour("pods"), hour("pods", "2026-10-03 06")),
        write_table(
            tmp_path / "v.csv",
            "volumes",
            hour(
                "volumes", persistentvolume_labels="label_tier:hot|label_x:1", persistentvolumeclaim_labels="label_x:2"
            ),
            hour("volumes", csi_volume_handle="vol-9", pod="", persistentvolumeclaim_usage_byte_seconds="1e3"),
        ),
    )
    assert why(found) == []
    assert amounts(found) == [
        ("2026-10-03", "i-1", "p-0", "cpu_core_hours", "1"),
        ("2026-10-03", "i-1", "p-0", "cpu_core_hours", "1"),
        ("2026-10-03", "i-1", "p-0", "gpu_hours", "1.25"),
        ("2026-10-03", "i-1", "p-0", "memory_gib_hours", "1"),
        ("2026-10-03", "i-1", "p-0", "memory_gib_hours", "1"),
        ("2026-10-03", "pv-1", "p-0", "storage_gib_hours", "1"),
        ("2026-10-03", "vol-9", None, "storage_gib_hours", "1"),
    ]
    labels = dict(found.frame.select("resource_id", "labels").filter(found.frame["measure"] != "cpu_core_hours").rows())
    assert labels["pv-1"] == '{"owner":"mira","project":"atlas","tier":"hot","x":"2"}'
    assert labels["vol-9"] == '{"owner":"mira"}'
    # The labels of the namespace are told of one hour alone, so those of the pod change within the day.
    assert found.frame.get_column("labels").n_unique() == 4


def test_the_node_of_a_gpu_is_called_as_its_pods_call_it(tmp_path: Path) -> None:
    pods = write_table(
        tmp_path / "p.csv",
        "pods",
        hour("pods", node="a", resource_id="i-1"),
        hour("pods", "2026-10-04 00", node="a", resource_id="i-2"),
        hour("pods", node="b", resource_id="i-3"),
        hour("pods", node="c", resource_id=""),
    )
    gpus = [hour("gpus", at, node=node) for node, at in (
        ("a", "2026-10-04 00"), ("a", "2026-10-05 00"), ("b", "2026-10-05 00"), ("c", "2026-10-05 00"),
        ("d", "2026-10-05 00"),
    )]  # fmt: skip
    found = read(write_table(tmp_path / "g.csv", "gpus", *gpus), pods)
    told = [row[:2] for row in amounts(found) if row[3] == "gpu_hours"]
    ids = ("a", "c", "d", "i-3")
    assert told == [("2026-10-04", "i-2"), *(("2026-10-05", one) for one in ids)]


@pytest.mark.parametrize(
    ("model", "profile", "hours"),
    [
        ("A100", "3g.20gb", "0.428571428571"),
        ("NVIDIA H100 80GB HBM3", "7g.80gb", "1"),
        ("NVIDIA A30", "1g.6gb", "0.25"),
        ("A100", "1c.3g.20gb", "0.142857142857"),
    ],
)
def test_a_mig_instance_is_its_share_of_a_gpu(tmp_path: Path, model: str, profile: str, hours: str) -> None:
    row = hour("gpus", gpu_model_name=model, mig_profile=profile, mig_instance_id="1")
    assert amounts(read(write_table(tmp_path / "g.csv", "gpus", row)))[0][4] == hours


def test_slices_of_one_gpu_are_not_the_same_row_and_unknown_ones_are_told(tmp_path: Path) -> None:
    rows = [hour("gpus", mig_profile="3g.20gb", mig_instance_id=str(one)) for one in (1, 2)]
    bad = [hour("gpus", mig_profile="big"), hour("gpus", mig_instance_id="4"), hour("gpus", mig_profile="1g.5gb",
           gpu_model_name="Z9")]  # fmt: skip
    found = read(write_table(tmp_path / "g.csv", "gpus", *rows, *bad))
    assert [row[4] for row in amounts(found)] == ["0.857142857143"]
    assert why(found) == [
        ("g.csv", 4, "mig_profile", "big"),
        ("g.csv", 5, "mig_profile", None),
        ("g.csv", 6, "gpu_model_name", "Z9"),
    ]


def test_bad_rows_are_refused_with_their_place_and_the_rest_counts(tmp_path: Path) -> None:
    found = read(
        write_table(
            tmp_path / "p.csv",
            "pods",
            hour("pods"),
            hour("pods", interval_start="yesterday"),
            hour("pods", interval_end="2026-10-03 04:59:59 +0000 UTC"),
            hour("pods", interval_end="2026-10-05 04:59:59 +0000 UTC"),
            hour("pods", pod_usage_cpu_core_seconds="NaN"),
            hour("pods", pod_usage_cpu_core_seconds="-1"),
            hour("pods", pod=""),
            hour("pods", resource_id="1.23457E+11"),
            hour("pods", "2026-10-03 07", pod_labels="label_a"),
            hour("pods", "2026-10-03 08", pod_usage_cpu_core_seconds="", pod_request_cpu_core_seconds=""),
        )
    )
    assert [(row[1], row[2]) for row in why(found)] == [
        (10, "pod_labels"), (11, "pod_usage_cpu_core_seconds"), (3, "interval_start"), (4, "interval_end"),
        (5, "interval_end"), (6, "pod_usage_cpu_core_seconds"), (7, "pod_usage_cpu_core_seconds"), (8, "pod"),
        (9, "resource_id"),
    ]  # fmt: skip
    totals = {measure: Decimal(0) for *_, measure, _ in amounts(found)}
    for *_, measure, value in amounts(found):
        totals[measure] += Decimal(value)
    assert totals == {"cpu_core_hours": 2, "memory_gib_hours": 3}
    assert set(found.rejects.filter(found.rejects["line"] >= 10)["outcome"]) == {"value unknown"}


def test_an_hour_told_twice_counts_once_and_a_contradiction_is_told(tmp_path: Path) -> None:
    twice = [hour("pods", "2026-10-03 05"), hour("pods", "2026-10-03 06")]
    other = hour("pods", "2026-10-03 06", pod_usage_cpu_core_seconds="7200")
    half = hour("pods", interval_start="2026-10-03 05:30:00 +0000 UTC", interval_end="2026-10-03 06:29:59 +0000 UTC")
    found = read(
        write_table(tmp_path / "a.csv", "pods", *twice),
        write_table(tmp_path / "b.csv", "pods", *twice, other, half, hour("pods", "2026-10-03 07")),
    )
    assert [row[4] for row in amounts(found)] == ["3", "3"]
    assert [(row[0], row[1]) for row in why(found)] == [("b.csv", 4), ("b.csv", 5), ("b.csv", 5)]
    assert set(found.rejects["check"]) == {"one row a pod and time; an earlier row tells of it already, and otherwise"}


def test_days_are_those_of_the_workspace(tmp_path: Path) -> None:
    path = write_table(tmp_path / "p.csv", "pods", hour("pods", "2026-10-03 15"), hour("pods", "2026-10-03 16"))
    assert [row[0] for row in amounts(read(path, timezone="Asia/Shanghai")) if row[3] == "cpu_core_hours"] == [
        "2026-10-03",
        "2026-10-04",
    ]


def test_a_file_of_no_known_kind_is_a_fault_and_all_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,amount\nx,1\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text(HEADERS["pods"].replace("pod_labels", "x") + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "a.csv", tmp_path / "b.csv")
    assert "allocations without the column window.start, window.end, node, gpuHours" in str(caught.value)
    assert "an OpenShift table without pod_labels" in str(caught.value)


seconds = st.decimals("0", "100000000", places=3, allow_nan=False)


@settings(max_examples=20, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 47), st.sampled_from("ab"), seconds, seconds), max_size=40),
       again=st.integers(0, 40), turned=st.booleans())  # fmt: skip
def test_days_are_exact_whatever_the_files_and_their_order(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, str, Decimal, Decimal]],
    again: int,
    turned: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    folder = tmp_path_factory.mktemp("usage")
    one_each = {(at, pod): (used, asked) for at, pod, used, asked in rows}
    made = []
    expected: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for (at, pod), (used, asked) in one_each.items():
        day = f"2026-10-{3 + at // 24:02}"
        made.append(hour("pods", f"{day} {at % 24:02}", pod=pod, pod_usage_cpu_core_seconds=f"{used:f}",
                         pod_request_cpu_core_seconds=f"{asked:f}"))  # fmt: skip
        expected[day, pod] += max(used, asked)
    paths = [
        write_table(folder / "a.csv", "pods", *made),
        write_table(folder / "b.csv", "pods", *made[:again][::-1]),
    ]
    found = read(*(paths[::-1] if turned else paths))
    assert why(found) == []
    told = {(day, pod): Decimal(value) for day, _, pod, measure, value in amounts(found) if measure == "cpu_core_hours"}
    assert told.keys() == {key for key, value in expected.items() if value}
    for key, hours in told.items():
        assert abs(hours - expected[key] / 3600) <= Decimal("0.5e-12")
