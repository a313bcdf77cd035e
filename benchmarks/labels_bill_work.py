"""Labels of the detectors of the bill that judge growth, versions, office hours, deletion and tags."""

from __future__ import annotations

from datetime import date, timedelta

from label_world import FIRST, LAST, OCTOBER, Expected, World
from labels_bill import BLANK_METER, BOX, DATABASE, LOGS, OCTOBER_END, OUT, P5, RDS, SEPTEMBER_END, VOLUME, of


def outgrown(w: World) -> None:
    """Transfer against its past, and logs against compute. Compute is 100 a day throughout, or trebles."""
    for kind, sold, word in (("transfer_out_of_line", OUT, "tx"), ("logs_outgrow_compute", LOGS, "log")):
        far = kind == "transfer_out_of_line"
        cases: list[tuple[str, str, str, Expected]] = [
            ("5", "310" if far else "202.00", "", "waste"), ("20", "1240.31" if far else "806.31", "", "waste"),
            ("3", "193.01", "", "waste"), ("1", "131.01", "", "waste"), ("40", "9000", "", "waste"),
            ("20", "1239.69" if far else "805.69", "", "near"), ("3", "185.99" if far else "189.99", "", "near"),
            ("1", "130.99" if far else "129.99", "", "near"), ("20", "1860", "compute grew as much", "near"),
            ("20", "620", "", "near"), ("", "900", "", "missing"), ("20", "", "", "missing"),
        ]  # fmt: skip
        if not far:
            cases[0] = ("5", "259", "", "waste")
        for before, october, beside, expected in cases:
            project, node, meter = w.new(f"{word}proj"), w.new("i"), w.new(word)
            w.bill(node, BOX, "100", tags=of(project), october="9300" if beside else None)
            if not october:
                w.bill(meter, sold, before, "50", tags=of(project), last=SEPTEMBER_END)
                w.bill(meter, sold, None, "500", tags=of(project), first=OCTOBER)
            else:
                w.bill(meter, sold, before or "29", "50", tags=of(project), october=october,
                       first=FIRST if before else OCTOBER)  # fmt: skip
            w.say(
                kind,
                f"project={project}" + (" transfer=internet" if far else ""),
                expected,
                f"{before} a day before, {october} in October; {beside}",
            )


def old_things(w: World) -> None:
    """Surcharges of old versions, and types of a former generation."""
    surcharge = f"{RDS} | USE1-ExtendedSupport:Yr1-Yr2:MySQL5.7 | vCPU-Hours | Databases"
    cluster = "Amazon Elastic Kubernetes Service | | USE1-AmazonEKS-Hours:extendedSupport | Hours | Compute"
    for sold, how, expected in (
        (surcharge, {}, "waste"), (cluster, {}, "waste"), (surcharge, {"october": "1.00"}, "waste"),
        (surcharge, {"first": date(2026, 10, 30)}, "waste"), (cluster, {"a_day": "90"}, "waste"),
        (surcharge, {"october": "0.99"}, "near"), (surcharge, {"last": SEPTEMBER_END}, "near"), (DATABASE, {}, "near"),
        (cluster.replace(":extendedSupport", ":perCluster"), {}, "near"), (cluster, {"october": "0.5"}, "near"),
        (surcharge, {"a_day": None}, "waste"), (surcharge, BLANK_METER, "missing"),
    ):  # fmt: skip
        one = w.new("db" if sold != cluster else "eks")
        w.bill(one, DATABASE, "6")
        w.bill(one, sold, **{"a_day": "4"} | how)  # type: ignore[arg-type]
        w.say("extended_support", one, expected, f"{sold.split('|')[2].strip()}; {how}")  # type: ignore[arg-type]
    for sold, how, expected in (
        (BOX.replace("m6i", "m4"), {}, "waste"), (BOX.replace("m6i", "m3"), {}, "waste"),
        (VOLUME.replace("gp3", "gp2"), {}, "waste"), (BOX.replace("m6i", "c4"), {"october": "1.00"}, "waste"),
        (BOX.replace("m6i", "r3"), {"first": date(2026, 10, 26)}, "waste"), (BOX, {}, "near"), (VOLUME, {}, "near"),
        (BOX.replace("m6i", "m4"), {"october": "0.99"}, "near"),
        (BOX.replace("m6i", "m4"), {"first": date(2026, 10, 28)}, "near"),
        (BOX.replace("m6i", "m7g"), {}, "near"), (BOX.replace("m6i", "m4"), {"last": SEPTEMBER_END}, "near"),
        (BOX.replace("m6i", "m4"), {"a_day": None}, "waste"), (BOX.replace("m6i", "m4"), BLANK_METER, "missing"),
    ):  # fmt: skip
        one = w.new("i" if "Box" in sold else "vol")
        w.bill(one, sold, **{"a_day": "4"} | how)  # type: ignore[arg-type]
        w.say("previous_generation", one, expected, f"{sold.split('|')[2].strip()}; {how}")  # type: ignore[arg-type]


def development(w: World) -> None:
    """Development machines by hours a day, weekends, load and stage of life. October has nine weekend days."""
    october = [OCTOBER + timedelta(days=n) for n in range(31)]
    weekend = [day for day in october if day.isoweekday() > 5]  # noqa: PLR2004
    for environment, hours, weekends, load, sold, how, expected in (
        ("dev", "24", 9, "", BOX, {}, "waste"), ("test", "20", 9, "", BOX, {}, "waste"),
        ("staging", "24", 6, "", BOX, {}, "waste"),
        ("sandbox", "24", 9, "9.9", BOX, {}, "waste"), ("dev", "24", 9, "", BOX, {"october": "1.00"}, "waste"),
        ("dev", "24", 9, "2", P5, {}, "waste"), ("dev", "19.9", 9, "", BOX, {}, "near"),
        ("dev", "24", 5, "", BOX, {}, "near"),
        ("dev", "24", 9, "10.0", BOX, {}, "near"), ("prod", "24", 9, "", BOX, {}, "near"),
        ("dev", "24", 9, "", BOX, {"october": "0.99"}, "near"),
        ("dev", "24", 9, "", P5, {}, "missing"), ("", "24", 9, "", BOX, {}, "missing"),
        ("dev", "24", 9, "", BOX, {"a_day": None}, "waste"),
    ):  # fmt: skip
        node = w.new("i")
        tags = of("orion", environment=environment) if environment else of("orion")
        days = set(october) - set(weekend[weekends:]) | {LAST}
        w.bill(node, sold, quantity=hours, only=days, tags=tags, **{"a_day": "9"} | how)  # type: ignore[arg-type]
        if sold == P5:
            w.bill(node, OUT, "0.5", "1", tags=tags)
        for n in range(39 if load else 0):
            for metric in ("gpu_percent", "gpu_memory_percent", "cpu_percent")[0 if sold == P5 else 2 :]:
                w.put("utilization", resource_id=node, date=str(OCTOBER + timedelta(days=n)), metric=metric,
                      average=load, maximum=load)  # fmt: skip
        why = f"{environment}, {hours} h, {weekends} weekend days, load {load}; {how}"
        w.say("dev_nights_and_weekends", node, expected, why,  # type: ignore[arg-type]
              "idle_by_utilization", "underused_gpu", "underused_machine", "oversized_machine")  # fmt: skip


def gone(w: World) -> None:
    """Billed after deletion, and what nobody owns."""
    for deleted, state, how, expected in (
        ("2026-10-05", "deleted", {}, "waste"), ("2026-08-20", "", {}, "waste"),
        ("2026-10-30", "terminated", {"last": OCTOBER_END}, "waste"),
        ("2026-09-30", "deleted", {"october": "1.00"}, "waste"),
        ("2026-10-05", "deleted", {"last": date(2026, 10, 6)}, "waste"),
        ("2026-10-05", "deleted", {"last": date(2026, 10, 5)}, "near"), ("2026-11-08", "deleted", {}, "near"),
        ("2026-09-30", "deleted", {"october": "0.99"}, "near"), ("", "in-use", {}, "near"),
        ("2026-10-05", "deleted", {"last": date(2026, 10, 4)}, "near"),
        ("", "", {}, "missing"), ("2026-10-05", "deleted", {"a_day": None}, "waste"),
    ):  # fmt: skip
        one = w.new("fs")
        w.put("resources", resource_id=one, resource_type="file system", state=state, created_at="2026-07-01",
              deleted_at=deleted)  # fmt: skip
        w.bill(one, "Amazon Elastic File System | File System | USE1-TimedStorage-ByteHrs | GB-Months | Storage",
               **{"a_day": "5"} | how)  # type: ignore[arg-type]  # fmt: skip
        w.say("billed_after_deletion", one, expected, f"deleted {deleted}, {state}; {how}")  # type: ignore[arg-type]
    nobody: dict[str, str] = {}
    for tags, since, how, expected in (
        (nobody, "", {}, "waste"), ({"stage": "sft"}, "", {}, "waste"), (nobody, "2026-11-01", {}, "waste"),
        (nobody, "", {"october": "1.00"}, "waste"), (nobody, "", {"a_day": "300"}, "waste"),
        ({"owner": "lin"}, "", {}, "near"), ({"project": "orion"}, "", {}, "near"), (nobody, "2026-10-31", {}, "near"),
        (nobody, "", {"october": "0.99"}, "near"), (nobody, "", {"last": SEPTEMBER_END}, "near"),
        (nobody, "", {"a_day": None}, "missing"),
        ({"owner": " ", "project": ""}, "", {"a_day": None}, "missing"),
    ):  # fmt: skip
        one = w.new("i")
        w.bill(one, BOX, tags=tags or {"note": "x"}, **{"a_day": "4"} | how)  # type: ignore[arg-type]
        if since:
            w.put("tags", resource_id=one, key="project", value="orion", valid_from=since)
        w.say("untagged_resource", one, expected, f"{tags}, project since {since}; {how}")  # type: ignore[arg-type]


GROUPS = (outgrown, old_things, development, gone)
