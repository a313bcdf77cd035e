"""Bills in object stores: fetched whole and once, whatever breaks, and named by their address."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import obstore
import pytest
from obstore.store import MemoryStore
from s3_server import SECRET, Wire, wire
from small_workspace import AS_OF, TOML, attribution, bill_text, charge, published, workspace

from attribution.ledger import read_published
from attribution.objects import bucket as buckets
from attribution.objects import fetch
from attribution.objects.trouble import fault_of
from flows.running import quiet
from schemas.faults import InputError
from schemas.paths import matching, mirror_folder, relative_name

PATTERN = "s3://costs/exports/**/*.csv*"


@pytest.fixture(scope="module")
def server() -> Iterator[Wire]:
    with wire() as between:
        yield between


@pytest.fixture
def s3(server: Wire, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    """The server with a new, empty bucket `costs`, and an environment that leads to it."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server.url,
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(buckets, "_RETRY", {"max_retries": 0})
    server.make("costs")
    server.fetched()
    yield server
    server.cut.clear()
    server.flipped.clear()
    server.empty("costs")


def bring(root: Path, *patterns: str) -> list[str]:
    """Fetch, and the names of what is there then."""
    asked = patterns or (PATTERN,)
    fetch([("source", pattern) for pattern in asked], root, quiet)
    return [relative_name(path, root) for pattern in asked for path in matching(root, pattern, "source", root)]


def refusal(root: Path, pattern: str = PATTERN) -> str:
    with pytest.raises(InputError) as refused:
        fetch([("source", pattern)], root, quiet)
    assert SECRET not in str(refused.value)
    return str(refused.value)


def test_a_listing_is_read_to_its_end(s3: Wire, tmp_path: Path) -> None:
    """Kind of case 36: what comes after the first thousand objects is listed too."""
    names = [f"exports/2026-{month}/part-{number:04}.csv" for month in ("09", "10") for number in range(550)]
    for name in names:
        s3.put("costs", name, name.encode())
    told: list[tuple[str, int, int]] = []
    fetch([("source", PATTERN)], tmp_path, lambda *one: told.append(one))
    assert [relative_name(path, tmp_path) for path in matching(tmp_path, PATTERN, "source", tmp_path)] == [
        f"s3://costs/{name}" for name in names
    ]
    assert told[-1] == ("fetching from s3://costs", 1100, 1100)
    assert s3.fetched() == names
    bring(tmp_path)
    assert s3.fetched() == []


def test_only_what_changed_is_fetched_again_and_what_is_gone_goes(s3: Wire, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        s3.put("costs", f"exports/{name}.csv", b"x,1\n")
    s3.put("costs", "exports/notes.md", b"no bill")
    s3.put("costs", "other/d.csv", b"elsewhere")
    assert bring(tmp_path) == [f"s3://costs/exports/{name}.csv" for name in "abc"]
    assert s3.fetched() == ["exports/a.csv", "exports/b.csv", "exports/c.csv"]
    s3.put("costs", "exports/b.csv", b"x,2\n")
    s3.delete("costs", "exports/c.csv")
    assert bring(tmp_path) == [f"s3://costs/exports/{name}.csv" for name in "ab"]
    assert s3.fetched() == ["exports/b.csv"]
    assert (mirror_folder(tmp_path) / "s3/costs/exports/b.csv").read_bytes() == b"x,2\n"
    (mirror_folder(tmp_path) / "s3/costs/exports/a.csv").write_bytes(b"damaged")
    bring(tmp_path)
    assert s3.fetched() == ["exports/a.csv"]


def test_manifests_come_with_the_bills(s3: Wire, tmp_path: Path) -> None:
    wanted = [
        "exports/data/p=1/run/x.csv",
        "exports/data/p=1/cur-Manifest.json",
        "exports/metadata/p=1/cur-Manifest.json",
        "exports/data/_manifest.json",
    ]
    for name in (*wanted, "exports/data/p=1/other.json"):
        s3.put("costs", name, b"{}")
    bring(tmp_path, "s3://costs/exports/data/**/*.csv")
    assert s3.fetched() == sorted(wanted)


def test_a_break_in_the_middle_keeps_what_came_and_goes_on_from_there(s3: Wire, tmp_path: Path) -> None:
    content = bytes(range(256)) * 40_000
    s3.put("costs", "exports/big.csv", content)
    s3.put("costs", "exports/small.csv", b"x,1\n")
    s3.cut["exports/big.csv"] = 4_000_000
    said = refusal(tmp_path)
    assert "s3://costs/exports/big.csv" in said
    assert "Run again" in said
    home = mirror_folder(tmp_path)
    assert not (home / "s3/costs/exports/big.csv").exists()
    (part,) = [one for one in (home / ".parts").iterdir() if one.stat().st_size > 100]
    assert content.startswith(part.read_bytes())
    assert 0 < part.stat().st_size < len(content)
    s3.cut.clear()
    s3.fetched()
    kept = part.stat().st_size
    bring(tmp_path)
    assert kept
    assert "exports/big.csv" in s3.fetched()
    assert (home / "s3/costs/exports/big.csv").read_bytes() == content
    assert list((home / ".parts").iterdir()) == []


def test_a_part_of_an_older_version_is_never_gone_on_with(s3: Wire, tmp_path: Path) -> None:
    s3.put("costs", "exports/big.csv", b"a" * 9_000_000)
    s3.cut["exports/big.csv"] = 5_000_000
    refusal(tmp_path)
    s3.cut.clear()
    s3.put("costs", "exports/big.csv", b"b" * 9_000_000)
    bring(tmp_path)
    assert (mirror_folder(tmp_path) / "s3/costs/exports/big.csv").read_bytes() == b"b" * 9_000_000


def test_bytes_that_went_wrong_on_the_way_are_met_by_the_check_sum(s3: Wire, tmp_path: Path) -> None:
    s3.put("costs", "exports/a.csv", b"x,1\n")
    real = buckets.Bucket._fetch
    calls: list[str] = []

    def damaged_once(self: buckets.Bucket, one: buckets.Listed, part: Path) -> str:
        digest = real(self, one, part)
        calls.append(digest)
        if len(calls) == 1:
            part.write_bytes(b"x,9\n")
            return "0" * 32
        return digest

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets.Bucket, "_fetch", damaged_once)
        bring(tmp_path)
    assert len(calls) == 2
    assert (mirror_folder(tmp_path) / "s3/costs/exports/a.csv").read_bytes() == b"x,1\n"


def test_an_etag_that_is_no_check_sum_is_no_error(s3: Wire, tmp_path: Path) -> None:
    """As where a bucket encrypts with a key of its own: the same other bytes come twice."""
    s3.put("costs", "exports/a.csv", b"x,1\n")
    s3.flipped.add("exports/a.csv")
    bring(tmp_path)
    assert s3.fetched() == ["exports/a.csv"] * 2


@pytest.mark.usefixtures("s3")
def test_what_is_wrong_is_told_in_words_and_never_with_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "s3://nowhere: there is no such bucket\n  Check its name" in refusal(tmp_path, "s3://nowhere/**/*.csv")
    said = refusal(tmp_path, "s3://costs/exports/*.csv")
    assert 'source: no object matches "s3://costs/exports/*.csv"\n  Looked below s3://costs/exports' in said
    for bad in ("s3://costs", "s3://costs/", "s3:///x.csv", "s3://costs/exports/"):
        assert "names no objects" in refusal(tmp_path, bad)
    assert "no pattern of files" in refusal(tmp_path, "s3://costs/a**/x.csv")
    said = refusal(tmp_path, f"s3://key:{SECRET}@costs/x.csv")
    assert "Credentials come from the environment" in said
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert "cannot be reached" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("GenericError", "Error performing token request: GET http://169.254.169.254", "no credentials were found"),
        ("UnauthenticatedError", "401 Unauthorized: SignatureDoesNotMatch", "access is denied"),
        ("GenericError", "status code: 403 Forbidden: <Code>AccessDenied</Code>", "access is denied"),
        ("PreconditionError", "412", "it changed while it was fetched"),
        ("GenericError", f"GET h/?X-Amz-Signature=abcdef&X-Amz-Credential=AKIA {SECRET}", "with an error"),
    ],
)
def test_each_trouble_has_its_words(monkeypatch: pytest.MonkeyPatch, kind: str, text: str, said: str) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    fault = str(fault_of(type(kind, (Exception,), {})(text), "s3", "s3://costs"))
    assert said in fault
    assert not any(secret in fault for secret in (SECRET, "abcdef", "AKIA"))


def test_a_name_that_cannot_be_a_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    monkeypatch.setattr(buckets, "open_store", lambda _: store)
    obstore.put(store, f"exports/{'x' * 300}.csv", b"a")
    assert "cannot be kept as a file" in refusal(tmp_path, "gs://costs/exports/*.csv")


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_other_stores_go_the_same_way(scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, opened = MemoryStore(), []
    monkeypatch.setattr(buckets, "open_store", lambda url: (opened.append(url), store)[1])
    obstore.put(store, "exports/2026/a.csv.gz", gzip.compress(b"x,1\n"))
    assert bring(tmp_path, f"{scheme}://costs/exports/*/*.gz") == [f"{scheme}://costs/exports/2026/a.csv.gz"]
    assert opened == [f"{scheme}://costs"]


def test_a_night_from_a_bucket(s3: Wire, tmp_path: Path) -> None:
    """The whole way: bills and tags from S3, named by their address, the same figures as from a folder."""
    october, september = [charge(), charge("2026-10-20", "200", ResourceId="i-2")], [charge("2026-09-03", "7.25")]
    local = workspace(tmp_path / "local", october)
    (local / "bills" / "september.csv").write_text(bill_text(september), encoding="utf-8")
    assert attribution("run", "-w", local, "--as-of", AS_OF).code == 0
    toml = TOML.replace("bills/*", PATTERN) + '[inputs]\ntags = "s3://costs/tags/*.csv"\n'
    root = workspace(tmp_path / "remote", toml=toml)
    shutil.rmtree(root / "bills")
    s3.put("costs", "exports/10/october.csv", bill_text(october).encode())
    s3.put("costs", "exports/09/september.csv.gz", gzip.compress(bill_text(september).encode()))
    s3.put("costs", "tags/all.csv", b"resource_id,key,value\n")

    checked = attribution("check", "-w", root)
    assert (
        checked.code,
        "in an object store, which a run lists and this does not" in " ".join(checked.out.split()),
    ) == (0, True)
    assert s3.fetched() == []
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 0, ended.err
    assert published(root)["monthly_costs"] == published(local)["monthly_costs"]
    with read_published(root / "ledger") as file:
        assert "s3://costs/exports/10/october.csv" in repr(file.frame("FROM bills").rows())
        (total,) = file.frame("SELECT sum(BilledCost) FROM charges").row(0)
    assert total == Decimal("217.75")
    assert s3.fetched() == ["exports/09/september.csv.gz", "exports/10/october.csv", "tags/all.csv"]
    before = published(root, "deliveries")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert (s3.fetched(), published(root, "deliveries")) == ([], before)

    s3.put("costs", "exports/10/bad.csv.gz", gzip.compress(bill_text(october).encode())[:-9])
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 2
    assert "s3://costs/exports/10/bad.csv.gz" in ended.out.replace("\n", "")
    s3.delete("costs", "exports/10/bad.csv.gz")
    for path in (root / "ledger").rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes()


@pytest.mark.usefixtures("s3")
def test_a_bucket_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    root = workspace(tmp_path / "w")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    before = published(root)
    (root / "attribution.toml").write_text(TOML.replace("bills/*", "s3://nowhere/**/*.csv"), encoding="utf-8")
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert (ended.code, "s3://nowhere: there is no such bucket" in ended.err) == (2, True)
    assert "Traceback" not in ended.err
    assert published(root) == before
