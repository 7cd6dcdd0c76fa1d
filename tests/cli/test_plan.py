"""`warmpool plan`: the contract of design section 11, real snapshots, and wrong input of every kind."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from .conftest import SPEC, Warmpool

SAMPLES = Path(__file__).parents[1] / "samples"
AT = "2026-12-01T02:50:00Z"
CONTRACT = {
    "pool": str,
    "at": str,
    "current": int,
    "target": int,
    "action": str,
    "reasons": list,
    "contributions": list,
    "limits": dict,
    "counted_nodes": int,
    "busy_nodes": int,
    "idle_nodes_wanted": int,
    "placement": dict,
    "warm_slots": int,
    "excluded": list,
    "capped": bool,
}
EMPTY_LIST = b'{"apiVersion": "v1", "kind": "List", "items": []}'


@pytest.mark.parametrize(
    ("sample", "target"),
    [
        ("1-baseline", 2),
        ("2-burst-pending", 4),
        ("3-burst-running", 5),
        ("6-preempting", 2),
        ("7-replacing", 2),
        ("9-cordoned", 3),
    ],
)
def test_each_real_snapshot_gives_its_target(warmpool: Warmpool, spec_file: Path, sample: str, target: int) -> None:
    result = warmpool(
        "plan", "--spec", spec_file, "--snapshot", SAMPLES / f"{sample}.json.gz", "--at", AT, "-o", "json"
    )
    assert result.code == 0, result.out
    assert result.document["target"] == target


def test_every_key_of_the_contract_is_there_with_its_type(warmpool: Warmpool, spec_file: Path) -> None:
    document = _plan(warmpool, spec_file, "9-cordoned")
    for key, kind in CONTRACT.items():
        assert type(document[key]) is kind, key
    assert document["pool"] == "spaces"
    assert document["at"] == AT
    assert document["action"] in {"up", "down", "none", "hold"}
    assert set(document["placement"]) == {"h", "i", "x", "r"}
    assert {"min", "max", "window"} <= set(document["limits"])
    assert (document["limits"]["min"], document["limits"]["max"], document["limits"]["window"]) == (2, 8, None)
    assert all(set(each) == {"code", "text"} and all(each.values()) for each in document["reasons"])
    assert document["contributions"]
    assert all({"policy", "nodes", "slots", "text"} == set(each) for each in document["contributions"])
    assert [each["reason"] for each in document["excluded"]] == ["Cordoned"]
    assert set(document["excluded"][0]) == {"node", "reason"}


def test_it_says_that_the_answer_is_the_one_before_stabilisation(warmpool: Warmpool, spec_file: Path) -> None:
    codes = [each["code"] for each in _plan(warmpool, spec_file, "1-baseline")["reasons"]]
    assert "BeforeStabilisation" in codes


def test_a_plain_file_stdin_and_a_gzipped_file_are_the_same_snapshot(
    warmpool: Warmpool, spec_file: Path, tmp_path: Path
) -> None:
    packed = SAMPLES / "3-burst-running.json.gz"
    raw = gzip.decompress(packed.read_bytes())
    plain = tmp_path / "cluster.json"
    plain.write_bytes(raw)
    words = ("plan", "--spec", spec_file, "--at", AT, "--output", "json", "--snapshot")
    outputs = {
        warmpool(*words, packed).out,
        warmpool(*words, plain).out,
        warmpool(*words, "-", stdin=raw).out,
        warmpool(*words, "-", stdin=packed.read_bytes()).out,
    }
    assert len(outputs) == 1


def test_an_empty_list_has_no_deployment_and_holds_with_null(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("plan", "--spec", spec_file, "--snapshot", "-", "--output", "json", stdin=EMPTY_LIST)
    document = result.document
    assert result.code == 0
    assert (document["action"], document["current"], document["target"]) == ("hold", None, None)
    assert "DeploymentMissing" in [each["code"] for each in document["reasons"]]
    assert set(CONTRACT) <= set(document)


def test_kinds_that_are_not_asked_for_are_passed_over(warmpool: Warmpool, spec_file: Path) -> None:
    document = json.loads(gzip.decompress((SAMPLES / "3-burst-running.json.gz").read_bytes()))
    strange = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"spec": "{"}},
        {"apiVersion": "example.org/v1", "kind": "Node", "metadata": {"name": "not-a-core-node"}},
    ]
    mixed = json.dumps({**document, "items": strange + document["items"]}).encode()
    result = warmpool("plan", "--spec", spec_file, "--snapshot", "-", "--at", AT, "--output", "json", stdin=mixed)
    assert result.document == _plan(warmpool, spec_file, "3-burst-running")


def test_of_several_pools_json_wants_one_named_and_lists_them(warmpool: Warmpool, tmp_path: Path) -> None:
    spec = _two_pools(tmp_path)
    words = ("plan", "--spec", spec, "--snapshot", SAMPLES / "1-baseline.json.gz", "--output", "json")
    error = warmpool(*words).error
    assert error["path"] == "--pool"
    assert "others, spaces" in error["message"]
    assert warmpool(*words, "--pool", "spaces").document["pool"] == "spaces"


def test_of_several_pools_the_table_shows_all(warmpool: Warmpool, tmp_path: Path) -> None:
    result = warmpool("plan", "--spec", _two_pools(tmp_path), "--snapshot", SAMPLES / "1-baseline.json.gz")
    assert result.code == 0
    assert "others" in result.out
    assert "spaces" in result.out
    assert "DeploymentMissing" in result.out


def test_a_pool_that_is_not_in_the_spec_is_an_error_that_lists_those_that_are(
    warmpool: Warmpool, spec_file: Path
) -> None:
    error = warmpool(
        "plan", "--spec", spec_file, "--snapshot", "-", "--pool", "spaecs", "-o", "json", stdin=EMPTY_LIST
    ).error
    assert (error["code"], error["path"]) == ("UnknownPool", "--pool")
    assert "'spaecs'" in error["message"]
    assert "spaces" in error["message"]


@pytest.mark.parametrize("at", ["noon", "2026-12-01T08:00:00", "2026-12-01", ""])
def test_a_bad_instant_is_an_error(warmpool: Warmpool, spec_file: Path, at: str) -> None:
    error = warmpool("plan", "--spec", spec_file, "--snapshot", "-", "--at", at, "-o", "json", stdin=EMPTY_LIST).error
    assert (error["code"], error["path"]) == ("Usage", "--at")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"   \n",
        b"{",
        b"[]",
        b"null",
        b"3",
        b'"nodes"',
        b"{}",
        b'{"kind": "List"}',
        b'{"kind": "List", "items": {}}',
        b'{"kind": "List", "items": null}',
        b'{"apiVersion": "v1", "kind": "List", "items": [3]}',
        b'{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Node", "apiVersion": "v1"}]}',
        b'{"apiVersion": "meta.k8s.io/v1", "kind": "Table", "columnDefinitions": [], "rows": []}',
        b'{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "forbidden", "code": 403}',
        b"NAME   STATUS   ROLES\nnode-1 Ready <none>\n",
        b"\x00\x01\x02\xff\xfe" * 100,
        b"\x1f\x8b" + b"\x00" * 40,
        gzip.compress(EMPTY_LIST)[:-10],
        gzip.compress(b"\xff\xfe rubbish"),
        b"[" * 200_000,
        b'{"items": ' * 50_000,
    ],
)
def test_what_is_no_snapshot_is_a_clear_error(warmpool: Warmpool, spec_file: Path, raw: bytes) -> None:
    error = warmpool("plan", "--spec", spec_file, "--snapshot", "-", "--output", "json", stdin=raw).error
    assert error["code"] == "SnapshotInvalid"
    assert "stdin" in error["message"]


def test_a_wrong_field_in_an_object_is_named_with_its_path(warmpool: Warmpool, spec_file: Path) -> None:
    document = json.loads(gzip.decompress((SAMPLES / "1-baseline.json.gz").read_bytes()))
    document["items"][1]["metadata"]["labels"] = "pool=spaces"
    raw = json.dumps(document).encode()
    error = warmpool("plan", "--spec", spec_file, "--snapshot", "-", "--output", "json", stdin=raw).error
    assert error["code"] == "SnapshotInvalid"
    assert "items[1]" in error["path"]
    assert "labels" in error["path"]


@pytest.mark.parametrize("option", ["--spec", "--snapshot"])
def test_a_missing_file_a_folder_and_an_unreadable_file_are_errors(
    warmpool: Warmpool, spec_file: Path, tmp_path: Path, option: str
) -> None:
    locked = tmp_path / "locked"
    locked.write_text("x", encoding="utf-8")
    locked.chmod(0)
    names = [str(tmp_path / "missing"), str(tmp_path), "a\0b", "x" * 5000]
    if os.geteuid() != 0:  # root reads everything
        names.append(str(locked))
    for name in names:
        given = {"--spec": str(spec_file), "--snapshot": str(SAMPLES / "1-baseline.json.gz"), option: name}
        error = warmpool("plan", *(word for pair in given.items() for word in pair), "--output", "json").error
        assert (error["code"], error["path"]) == ("FileUnreadable", option)
        assert name[:40] in error["message"] or repr(name)[:40] in error["message"]


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (SPEC + "    min: 3\n", "min"),
        (SPEC.replace("min: 2", "min: 9"), "min"),
        (SPEC.replace("min: 2", 'min: "2"'), "min"),
        (SPEC + "    colour: blue\n", "colour"),
        (SPEC.replace("version: 1", "version: 2"), "version"),
        ("pools: [", ""),
        ("", ""),
        ("- 1\n", ""),
        ("\x00\x01", ""),
    ],
)
def test_a_wrong_spec_is_an_error_with_its_path(warmpool: Warmpool, tmp_path: Path, spec: str, path: str) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(spec, encoding="utf-8")
    error = warmpool("plan", "--spec", file, "--snapshot", "-", "--output", "json", stdin=EMPTY_LIST).error
    assert error["code"] == "ConfigInvalid"
    assert path in error["path"]
    assert "wrong.yaml" in error["message"]


def test_the_table_shows_the_numbers_and_every_reason(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("plan", "--spec", spec_file, "--snapshot", SAMPLES / "3-burst-running.json.gz", "--at", AT)
    assert result.code == 0
    for each in _plan(warmpool, spec_file, "3-burst-running")["reasons"]:
        assert each["code"] in result.out
        assert each["text"] in result.out


def test_without_an_instant_it_decides_for_now(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("plan", "--spec", spec_file, "--snapshot", "-", "--output", "json", stdin=EMPTY_LIST)
    assert result.document["at"].endswith("Z")
    assert result.document["at"] > "2025"


def _plan(warmpool: Warmpool, spec: Path, sample: str) -> Any:
    snapshot = SAMPLES / f"{sample}.json.gz"
    return warmpool("plan", "--spec", spec, "--snapshot", snapshot, "--at", AT, "--output", "json").document


def _two_pools(folder: Path) -> Path:
    path = folder / "two.yaml"
    other = "  others:\n    deployment: other\n    nodeSelector: {pool: others}\n    min: 0\n    max: 1\n"
    path.write_text(SPEC + other, encoding="utf-8")
    return path
