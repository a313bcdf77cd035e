"""OpenCost and Kubecost allocations: hours by node and pod, special names, volumes, and never their money."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from usage_exports import allocation, amounts, hour, read, why, write_answer, write_table

from schemas.faults import InputError


def test_hours_of_containers_sum_to_their_pod_and_money_is_not_read(tmp_path: Path) -> None:
    first = {
        "c/n-1/ns/p-0/main": allocation(gpuHours=4, labels={"project": "atlas"}, namespaceLabels={"owner": "mira"}),
        "c/n-1/ns/p-0/side": allocation(container="side", cpuCoreHours=0.0051499999999999997, ramByteHours=None),
    }
    second = {"c/n-1/ns/p-0/main": allocation("2026-10-03T01:00:00Z", gpuHours=1e-7, labels={"project": "atlas"})}
    found = read(write_answer(tmp_path / "a.json", first, None, second))
    assert why(found) == []
    assert found.frame.select("node", "namespace").unique().rows() == [("n-1", "ns")]
    assert amounts(found) == [
        ("2026-10-03", "n-1", "p-0", "cpu_core_hours", "0.00515"),
        ("2026-10-03", "n-1", "p-0", "cpu_core_hours", "1"),
        ("2026-10-03", "n-1", "p-0", "cpu_core_hours", "1"),
        ("2026-10-03", "n-1", "p-0", "gpu_hours", "0.0000001"),
        ("2026-10-03", "n-1", "p-0", "gpu_hours", "4"),
        ("2026-10-03", "n-1", "p-0", "memory_gib_hours", "1"),
        ("2026-10-03", "n-1", "p-0", "memory_gib_hours", "1"),
    ]
    assert found.frame.get_column("labels").unique().sort().to_list() == [
        None,
        '{"owner":"mira","project":"atlas"}',
        '{"project":"atlas"}',
    ]
    assert "12.5" not in str(found.frame.rows())


@pytest.mark.parametrize(
    ("provider", "resource"),
    [
        ("aws:///us-west-2a/i-0abc", "i-0abc"),
        ("i-0abc", "i-0abc"),
        ("gce://proj/zone/gke-pool-1", "gke-pool-1"),
        ("azure:///subscriptions/S/Machines/0", "/subscriptions/s/machines/0"),
        ("ocid1.instance.x", "ocid1.instance.x"),
        ("", "n-1"),
    ],
)
def test_a_node_is_called_as_bills_call_it(tmp_path: Path, provider: str, resource: str) -> None:
    found = read(write_answer(tmp_path / "a.json", {"x": allocation(providerID=provider)}))
    assert set(found.frame["resource_id"]) == {resource}


def test_special_names_are_kept_as_nobodys(tmp_path: Path) -> None:
    window = {
        "n-1/__idle__": allocation(namespace=None, pod=None, container=None),
        "__unallocated__/p-9": allocation(namespace=None, pod="p-9", container=None),
        "c/__unmounted__/__unmounted__/__unmounted__": allocation(
            node=None, namespace="__unmounted__", pod="__unmounted__", container="__unmounted__", cpuCoreHours=0,
            ramByteHours=0, pvByteHours=2**31,
            pvs={"cluster=c:name=pv-1": {"byteHours": 2**30, "cost": 9},
                 "cluster=c:name=pv-2": {"byteHours": 2**30, "cost": 9, "providerID": "vol-2"}},
        ),
    }  # fmt: skip
    found = read(write_answer(tmp_path / "a.json", window))
    assert sorted(found.frame.select("namespace", "pod", "resource_id").unique().rows(), key=repr) == [
        ("__idle__", None, "n-1"),
        ("__unallocated__", "p-9", "n-1"),
        ("__unmounted__", None, "pv-1"),
        ("__unmounted__", None, "vol-2"),
    ]
    # Nothing was used of the node that no node is named for, and that is told.
    assert [(row[2], row[3]) for row in why(found)] == [("node", None)]


def test_bad_allocations_are_told_with_their_line(tmp_path: Path) -> None:
    path = write_answer(
        tmp_path / "a.json",
        {"good": allocation(), "bad": allocation(pod="p-1", gpuHours="many"), "cut": "…"},
        {"good": allocation("2026-10-03T01:00:00Z"), "bad": allocation("2026-10-03T01:00:00Z", 48, pod="p-1"),
         "c/__idle__": allocation(node=None)},
    )  # fmt: skip
    lines = path.read_text(encoding="utf-8").splitlines()
    at = {
        name: [no for no, line in enumerate(lines, 1) if f'"{name}":' in line] for name in ("bad", "cut", "c/__idle__")
    }
    found = read(path)
    assert why(found) == sorted(
        [
            ("a.json", at["bad"][0], "gpuHours", "many"),
            ("a.json", at["bad"][1], "window.end", "2026-10-05 01:00:00.000000+00:00"),
            ("a.json", at["cut"][0], "(row)", "…"),
            ("a.json", at["c/__idle__"][0], "node", None),
        ],
        key=repr,
    )
    assert {row[4] for row in amounts(found)} == {"2"}


def test_a_window_delivered_again_counts_once_in_any_length(tmp_path: Path) -> None:
    hourly = [{"x": allocation(f"2026-10-03T{at:02}:00:00Z")} for at in range(24)]
    daily = {"x": allocation(hours=24, cpuCoreHours=24, ramByteHours=24 * 2**30)}
    one = write_answer(tmp_path / "hours.json", *hourly)
    again = write_answer(tmp_path / "again.json", *hourly[3:7])
    day = write_answer(tmp_path / "day.json", daily)
    for order in ((one, again, day), (again, day, one)):
        found = read(*order)
        assert {row[4] for row in amounts(found)} == {"24"}
    refused = read(one, again, day).rejects
    assert set(refused["file"]) == {"day.json"}  # again.json stands before it by name, and tells of hours of the day
    assert refused["check"].str.contains("an earlier row tells of it").all()


def test_two_kinds_of_export_do_not_add_up(tmp_path: Path) -> None:
    pods = write_table(tmp_path / "b.csv", "pods", hour("pods", resource_id="n-1"))
    found = read(
        write_answer(tmp_path / "a.json", {"x": allocation()}),
        pods,
        write_answer(tmp_path / "c.json", {"n-1/ns": allocation(pod=None, container=None)}),
    )
    assert [row[3:] for row in amounts(found)] == [("cpu_core_hours", "1"), ("memory_gib_hours", "1")]
    assert {(row[0], row[2]) for row in why(found)} == {("b.csv", "measure"), ("c.json", "measure")}


def test_a_flat_csv_is_read_as_the_json_is(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "name,window.start,window.end,cpuCoreHours,gpuHours,ramByteHours,pvByteHours,totalCost,properties.node,"
        "properties.namespace,properties.pod,properties.providerID,properties.labels.project,properties.labels.x\n"
        "n,2026-10-03T00:00:00Z,2026-10-04T00:00:00Z,1.5,8,0,5,99,n-1,ns,p-0,i-1,atlas,\n",
        encoding="utf-8",
    )
    (tmp_path / "b.csv").write_text(
        "Node,Namespace,Pod,Labels,Window Start,Window End,GPU Hours\n"
        'n-2,ns,p-1,"{""project"":""borealis""}",2026-10-03T00:00:00Z,2026-10-04T00:00:00Z,2\n'
        "n-2,ns,p-2,project,2026-10-03T00:00:00Z,2026-10-04T00:00:00Z,2\n",
        encoding="utf-8",
    )
    found = read(tmp_path / "a.csv", tmp_path / "b.csv")
    assert amounts(found) == [
        ("2026-10-03", "i-1", "p-0", "cpu_core_hours", "1.5"),
        ("2026-10-03", "i-1", "p-0", "gpu_hours", "8"),
        ("2026-10-03", "n-2", "p-1", "gpu_hours", "2"),
        ("2026-10-03", "n-2", "p-2", "gpu_hours", "2"),
    ]
    assert why(found) == [("a.csv", 2, "pvByteHours", "5.000000000000"), ("b.csv", 3, "labels", "project")]
    assert found.frame["labels"].to_list()[1:3] == ['{"project":"atlas"}', '{"project":"borealis"}']


def test_other_json_is_a_fault_and_the_operators_manifest_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({"uuid": "u", "cluster_id": "c", "files": []}), encoding="utf-8")
    assert read(path).frame.is_empty()
    for text, told in (('{"code": 500}', "no list of allocations"), ('{"data": [', "cannot be read as JSON")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=told):
            read(path)


def test_a_whole_utc_day_keeps_its_date_and_a_local_day_has_its_own(tmp_path: Path) -> None:
    utc = write_answer(tmp_path / "a.json", {"x": allocation(hours=24, ramByteHours=0)})
    local = write_answer(
        tmp_path / "b.json", {"x": allocation("2026-10-05T00:00:00+08:00", hours=24, node="n-2", ramByteHours=0)}
    )
    assert [row[:2] for row in amounts(read(utc, local, timezone="Asia/Shanghai"))] == [
        ("2026-10-03", "n-1"),
        ("2026-10-05", "n-2"),
    ]
