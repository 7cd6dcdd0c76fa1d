"""Snapshots from kubectl, and everything else that somebody may pipe in."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.kubernetes.bodies import (
    autoscaler,
    container,
    deployment,
    kubectl_list,
    node,
    node_claim,
    node_pool,
    of_kind,
    pod,
)
from warmpool.adapters.kubernetes.snapshot_file import read_snapshot
from warmpool.app.errors import ConfigInvalid
from warmpool.core.model import Scaler, Snapshot

SAMPLES = Path(__file__).parents[2] / "samples"


def read(document: object) -> Snapshot:
    return read_snapshot(json.dumps(document).encode())


def refusal(raw: bytes) -> ConfigInvalid:
    with pytest.raises(ConfigInvalid) as caught:
        read_snapshot(raw)
    return caught.value


def test_a_list_of_mixed_kinds_is_read() -> None:
    cpa = deployment("cpa", pod={"containers": [container(args=["--target=deployment/ph"])]})
    seen = read(
        kubectl_list(
            of_kind("Node", node("n1")),
            of_kind("Pod", pod("p1")),
            of_kind("Deployment", deployment()),
            of_kind("Deployment", cpa),
            of_kind("NodeClaim", node_claim()),
            of_kind("NodePool", node_pool()),
            of_kind("HorizontalPodAutoscaler", autoscaler()),
            of_kind("HorizontalPodAutoscaler", autoscaler("other", kind="StatefulSet")),
        )
    )

    assert [each.name for each in seen.nodes] == ["n1"]
    assert [each.name for each in seen.pods] == ["p1"]
    assert [each.name for each in seen.deployments] == ["ph", "cpa"]
    assert [each.name for each in seen.claims] == ["spaces-1"]
    assert [each.name for each in seen.nodepools] == ["spaces"]
    assert set(seen.scalers) == {
        Scaler(kind="HorizontalPodAutoscaler", namespace="op", name="hpa", target="ph"),
        Scaler(kind="ClusterProportionalAutoscaler", namespace="op", name="cpa", target="ph"),
    }
    assert seen.all_pods
    assert seen.missing == ()


def test_an_empty_list_is_an_empty_cluster() -> None:
    assert read(kubectl_list()) == Snapshot(all_pods=True)


def test_kinds_that_a_pass_does_not_read_are_skipped() -> None:
    seen = read(
        kubectl_list(
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": 7}, "data": "?"},
            {"apiVersion": "container.example/v1", "kind": "NodePool", "metadata": {}, "spec": "of somebody else"},
            of_kind("Node", node("n1")),
        )
    )

    assert [each.name for each in seen.nodes] == ["n1"]
    assert seen.nodepools == ()


def test_a_single_object_is_a_snapshot_of_one() -> None:
    assert [each.name for each in read(of_kind("Node", node("n1"))).nodes] == ["n1"]


@pytest.mark.parametrize("items", [[node("n1")], [of_kind("Node", node("n1"))]])
def test_a_typed_list_is_read_whether_its_items_say_their_kind_or_not(items: list[dict[str, Any]]) -> None:
    seen = read({"apiVersion": "v1", "kind": "NodeList", "metadata": {}, "items": items})

    assert [each.name for each in seen.nodes] == ["n1"]


def test_an_object_that_is_listed_twice_counts_once() -> None:
    assert len(read(kubectl_list(of_kind("Node", node("n1")), of_kind("Node", node("n1")))).nodes) == 1


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("*.json.gz")), ids=lambda file: file.name)
def test_real_snapshots_are_read(file: Path) -> None:
    seen = read_snapshot(gzip.decompress(file.read_bytes()))

    assert {each.nodepool for each in seen.claims} == {"spaces"}
    assert all(each.requests for each in seen.pods)
    assert all(each.allocatable for each in seen.nodes)
    assert "ph" in {each.name for each in seen.deployments}


@pytest.mark.parametrize(
    ("raw", "path", "text"),
    [
        (b"", "$", "expected JSON, got nothing: see whether kubectl failed"),
        (b" \n", "$", "expected JSON, got nothing"),
        (b"NAME   STATUS\nn1   Ready", "$", "NAME STATUS n1 Ready: expected JSON"),
        (b"apiVersion: v1\nkind: List", "$", "expected JSON"),
        (b'{"kind": "List", "items": [', "$", "expected JSON"),
        (b'{"kind": "List", "items": []} {"kind": "List"}', "$", "expected JSON"),
        (b"\xff\xfe{\x00}\x00", "$", "expected JSON"),
        (b"[]", "$", "[]: expected object, got array"),
        (b"null", "$", "null: expected object, got null"),
        (b"42", "$", "42: expected object, got int"),
        (b"{}", "kind", "null: expected List"),
        (b'{"kind": 3}', "kind", "3: expected str | null, got int"),
        (b'{"kind": "Table", "rows": []}', "kind", '"Table": expected List, a list such as NodeList'),
        (b'{"kind": "Status", "message": "nodes is forbidden"}', "kind", '"Status" ("nodes is forbidden"): expected'),
        (b'{"kind": "Secret"}', "kind", '"Secret": expected List'),
        (b'{"kind": "SecretList", "items": []}', "kind", '"SecretList": expected List'),
        (b'{"kind": "List"}', "items", "null: expected an array of objects"),
        (b'{"kind": "NodeList", "items": null}', "items", "null: expected an array of objects"),
        (b'{"kind": "List", "items": {}}', "items", "{}: expected array"),
        (b'{"kind": "List", "items": "none"}', "items", '"none": expected array'),
        (b'{"kind": "List", "items": [{"kind": "Secret"}, 7]}', "items[1]", "7: expected object, got int"),
        (b'{"kind": "List", "items": [null]}', "items[0]", "null: expected object, got null"),
        (b'{"kind": "List", "items": [{}]}', "items[0].kind", "null: expected the kind of an object"),
        (b'{"kind": "List", "items": [{"kind": ["Node"]}]}', "items[0].kind", '["Node"]: expected str | null'),
        (b'{"kind": "Node"}', "metadata", "null: expected object, got null"),
        (b'{"kind": "List", "items": [{"kind": "Node", "metadata": {}}]}', "items[0].metadata", "{}: object missing"),
    ],
)
def test_anything_else_is_an_error_with_path_value_and_what_was_expected(raw: bytes, path: str, text: str) -> None:
    error = refusal(raw)

    assert error.path == path
    assert text in error.message
    assert error.message.endswith("`kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json` prints")
    assert error.source == "snapshot"


@pytest.mark.parametrize(
    ("body", "path", "value"),
    [
        (node(allocatable={"cpu": ["4"]}), "items[1].status.allocatable.cpu", '["4"]'),
        (node(spec={"unschedulable": "no"}), "items[1].spec.unschedulable", '"no"'),
        (
            node(conditions=[{"type": "Ready", "lastTransitionTime": 7}]),
            "items[1].status.conditions[0].lastTransitionTime",
            "7",
        ),
    ],
)
def test_a_wrong_type_deep_in_an_object_is_found(body: dict[str, Any], path: str, value: str) -> None:
    error = refusal(json.dumps(kubectl_list(of_kind("Node", node("n0")), of_kind("Node", body))).encode())

    assert error.path == path
    assert error.message.startswith(f"{value}: ")


def test_a_long_value_is_cut_short() -> None:
    error = refusal(json.dumps(kubectl_list(of_kind("Node", node(spec={"taints": "x" * 9000})))).encode())

    assert len(error.message) < 300


def test_nesting_without_end_is_an_error_like_any_other() -> None:
    deep = b"[" * 200_000
    assert refusal(deep).path == "$"
    assert refusal(b'{"kind": "List", "items": [{"kind": "Node", "spec": ' + deep + b"}]}").path


def path_told(raw: bytes) -> str | None:
    """Return the path of the error, None where there is none; any other exception fails the test."""
    try:
        read_snapshot(raw)
    except ConfigInvalid as error:
        return error.path
    return None


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(raw: bytes) -> None:
    assert path_told(raw) != ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["kind", "metadata", "spec", "status", "items", "name", "labels", "conditions", "cpu", "containers"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(["Node", "Pod", "Deployment", "NodeClaim", "NodePool"]), JSON, JSON, JSON)
def test_no_json_raises_anything_else(kind: str, meta: object, spec: object, status: object) -> None:
    body = {"kind": kind, "metadata": meta, "spec": spec, "status": status}

    path = path_told(json.dumps(kubectl_list(body)).encode())

    assert path is None or path.startswith("items[0]")
