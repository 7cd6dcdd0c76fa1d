"""What an observation does where a read fails: nothing unknown is taken for empty."""

import socket

import pytest

from tests.adapters.kubernetes.bodies import (
    deployment,
    node,
)
from tests.adapters.kubernetes.conftest import ListedEndpoints, ListedTokens
from tests.adapters.kubernetes.fake_api import EXPIRED, FORBIDDEN, FakeApi, Reply, status
from tests.adapters.kubernetes.world import (
    CLAIMS,
    NODES,
    OP_DEPLOYMENTS,
    PH,
    PODS,
    SCALED_OBJECTS,
    fill,
    observe,
)
from tests.builders import pool
from warmpool.adapters.kubernetes.client import Endpoint
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.app.errors import ClusterUnavailable, NotPermitted
from warmpool.app.ports import Scope

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(autouse=True)
def _world(api: FakeApi) -> None:
    fill(api)


def test_an_expired_list_starts_again(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.lists[NODES] = [node(f"n{index}") for index in range(501)]
    api.faults[NODES].extend([Reply(body={"metadata": {"continue": "500"}, "items": [node("ghost")]}), EXPIRED])

    seen = observe(cluster)

    assert len(seen.nodes) == 501
    assert "ghost" not in {each.name for each in seen.nodes}
    assert seen.missing == ()


def test_a_list_that_expires_three_times_is_missing(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[NODES].extend([EXPIRED] * 9)

    seen = observe(cluster)

    assert seen.missing == ("spaces: list nodes: 410 on each of 3 attempts to read it whole",)
    assert api.paths().count(NODES) == 3


def test_a_list_whose_second_page_fails_is_left_out_whole(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[NODES].extend(
        [
            Reply(body={"metadata": {"continue": "500"}, "items": [node("n0")]}),
            *[status(500, "InternalError", "etcd")] * 3,
        ]
    )

    seen = observe(cluster)

    assert seen.nodes == ()
    assert seen.missing == ("spaces: list nodes: HTTP 500 (etcd)",)


def test_a_forbidden_list_makes_only_its_own_pools_partial(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.objects[f"{OP_DEPLOYMENTS}/ph-gpu"] = deployment("ph-gpu")
    api.faults[NODES].append(FORBIDDEN)

    seen = observe(cluster, pool(), pool(name="gpu", node_selector={"pool": "gpu"}, deployment="ph-gpu"))

    assert [text.partition(":")[0] for text in seen.missing] == ["spaces"]
    assert "forbidden: list nodes; apply `warmpool manifests`" in seen.missing[0]
    assert [each.name for each in seen.nodes] == ["n1"]


def test_a_failure_that_concerns_two_pools_names_both(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[PODS].append(FORBIDDEN)

    seen = observe(cluster, pool(), pool(name="gpu", node_selector={"pool": "gpu"}))

    assert [text.partition(":")[0] for text in seen.missing] == ["spaces", "gpu"]


def test_a_failure_of_karpenters_lists_concerns_every_pool(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[CLAIMS].append(FORBIDDEN)

    assert observe(cluster).missing[0].startswith("*: forbidden: list nodeclaims.karpenter.sh;")


@pytest.mark.parametrize(
    "body",
    [
        b'{"items": [',
        b"[]",
        b"<html>",
        b'{"kind": "List"}',
        {"items": {"a": 1}},
        {"items": ["text"]},
        {"items": [node("n1", spec={"unschedulable": "yes"})]},
        {"items": [{"metadata": None}]},
        b"[" * 100_000,
    ],
)
def test_an_answer_that_is_no_list_is_missing_and_never_empty(
    cluster: KubernetesCluster, api: FakeApi, body: object
) -> None:
    api.faults[NODES].append(Reply(body=body))

    seen = observe(cluster)

    assert seen.missing[0].startswith("spaces: list nodes: the answer is no such list")


def test_a_list_without_objects_may_be_null(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[NODES].append(Reply(body={"metadata": {}, "items": None}))

    seen = observe(cluster)

    assert seen.nodes == ()
    assert seen.missing == ()


def test_an_empty_list_where_there_were_nodes_is_read_again_once(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[NODES].append(Reply(body={"items": []}))

    assert len(observe(cluster, known_nodes={"spaces": 3}).nodes) == 1


def test_a_list_that_stays_empty_is_believed(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.lists[NODES] = []

    seen = observe(cluster, known_nodes={"spaces": 3})

    assert seen.nodes == ()
    assert seen.missing == ()
    assert api.paths().count(NODES) == 2


def test_an_empty_list_where_there_were_none_is_read_once(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.lists[NODES] = []

    observe(cluster, known_nodes={"spaces": 0, "other": 4})

    assert api.paths().count(NODES) == 1


def test_a_deployment_that_cannot_be_read_is_one(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[PH].append(status(403, "Forbidden", "no"))

    seen = observe(cluster)

    assert seen.deployments == ()
    assert "forbidden: get deployments.apps op/ph" in seen.missing[0]


@pytest.mark.parametrize("body", [b"{", {"metadata": {"name": 3}}])
def test_an_answer_that_is_no_deployment_is_missing(cluster: KubernetesCluster, api: FakeApi, body: object) -> None:
    api.faults[PH].append(Reply(body=body))

    assert observe(cluster).missing[0].startswith("spaces: get deployments.apps op/ph: the answer is no ")


def test_a_cluster_without_pods_is_not_a_cluster_of_plain_eks(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[PODS].append(status(404, "NotFound"))

    assert "not found: list pods in all namespaces" in observe(cluster).missing[0]


def test_a_cluster_where_everything_is_forbidden_says_so(cluster: KubernetesCluster, api: FakeApi) -> None:
    forbid_everything(api)

    with pytest.raises(NotPermitted, match="forbidden: list nodes"):
        observe(cluster)


def test_a_cluster_where_nothing_could_be_read_is_unavailable(cluster: KubernetesCluster, api: FakeApi) -> None:
    forbid_everything(api)
    api.faults[NODES].extendleft([status(500, "InternalError")] * 3)

    with pytest.raises(ClusterUnavailable, match="list nodes: HTTP 500"):
        observe(cluster)


def forbid_everything(api: FakeApi) -> None:
    for path in (*api.lists, *api.objects, SCALED_OBJECTS):
        api.faults[path].append(FORBIDDEN)


def test_a_cluster_out_of_reach_is_asked_only_once(
    cluster: KubernetesCluster, endpoints: ListedEndpoints, closed_port: int
) -> None:
    endpoints.endpoints = [Endpoint(url=f"https://127.0.0.1:{closed_port}", ca_pem=endpoints.endpoint().ca_pem)]

    with pytest.raises(ClusterUnavailable, match="list nodes: TCP"):
        observe(cluster)


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
        return port


def test_a_stranger_is_told_so_once(cluster: KubernetesCluster, api: FakeApi, tokens: ListedTokens) -> None:
    tokens.tokens = ["k8s-aws-v1.stranger"]

    with pytest.raises(NotPermitted, match="access entry"):
        observe(cluster)

    assert len(api.requests) == 2


def test_time_that_runs_out_half_way_leaves_the_rest_missing(cluster: KubernetesCluster, api: FakeApi) -> None:
    class Spent:
        """Enough for two requests, as the server counts them."""

        def remaining_seconds(self) -> float:
            return 9.0 if len(api.requests) < 2 else 0.0

    api.lists[NODES] = [node(f"n{index}") for index in range(3)]

    seen = cluster.observe(Scope(pools=(pool(), pool(name="gpu"))), Spent())

    assert seen.missing
    assert {text.partition(":")[0] for text in seen.missing} >= {"spaces", "gpu", "*"}
    assert len(api.requests) == 2
