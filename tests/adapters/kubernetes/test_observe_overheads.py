"""What DaemonSets take of a node, read where it is due."""

from typing import Any

import pytest

from tests.adapters.kubernetes.bodies import (
    condition,
    container,
    node,
    pod,
)
from tests.adapters.kubernetes.fake_api import FakeApi, Reply
from tests.adapters.kubernetes.world import NODES, PODS, fill, observe
from tests.builders import amounts
from warmpool.adapters.kubernetes.observe import KubernetesCluster

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(autouse=True)
def _world(api: FakeApi) -> None:
    fill(api)


def daemon(name: str, cpu: str, on: str = "n1", **changes: Any) -> dict[str, Any]:
    owner = [{"kind": changes.pop("owner", "DaemonSet"), "name": "agent", "controller": True}]
    spec = {"containers": [container(cpu, "1Gi")], "priority": 2_000_001_000}
    return pod(name, "kube-system", on, labels={}, metadata={"ownerReferences": owner}, spec=spec, **changes)


def test_what_daemonsets_take_is_read_where_it_is_due(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.faults[PODS].extend(
        [
            Reply(body={"items": []}),  # workspaces
            Reply(
                body={
                    "items": [
                        daemon("cni", "100m"),
                        daemon("proxy", "200m", owner="Node"),
                        daemon("done", "7", status={"phase": "Succeeded"}),
                        pod("w1", "team"),
                    ]
                }
            ),
        ]
    )

    seen = observe(cluster, read_overhead_of=frozenset({"spaces"}))

    assert seen.overheads == {"spaces": amounts(cpu="300m", memory="2Gi", pods="2")}
    assert api.last(PODS).query == {"limit": "500", "fieldSelector": "spec.nodeName=n1"}


def test_the_largest_of_up_to_three_ready_nodes_counts(cluster: KubernetesCluster, api: FakeApi) -> None:
    not_ready = node("a-sick", conditions=[condition("Ready", "False")])
    leaving = node("b-leaving", metadata={"deletionTimestamp": "2026-12-01T03:00:00Z"})
    api.lists[NODES] = [not_ready, leaving, *(node(f"n{index}") for index in range(5))]
    api.faults[PODS].append(Reply(body={"items": []}))
    api.faults[PODS].extend(Reply(body={"items": [daemon("cni", cpu)]}) for cpu in ("100m", "400m", "200m"))

    seen = observe(cluster, read_overhead_of=frozenset({"spaces"}))

    assert seen.overheads["spaces"]["cpu"] == amounts(cpu="400m")["cpu"]
    assert [each.query.get("fieldSelector") for each in api.requests if each.path == PODS] == [
        None,
        *(f"spec.nodeName=n{index}" for index in range(3)),
    ]


def test_a_node_without_daemonsets_has_an_overhead_of_nothing(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.lists[PODS] = []

    assert observe(cluster, read_overhead_of=frozenset({"spaces"})).overheads == {"spaces": {}}


def test_without_a_ready_node_the_overhead_stays_unknown(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.lists[NODES] = []

    seen = observe(cluster, read_overhead_of=frozenset({"spaces"}))

    assert seen.overheads == {}
    assert seen.missing == ()


def test_a_daemonset_with_an_unreadable_request_leaves_the_overhead_unknown(
    cluster: KubernetesCluster, api: FakeApi
) -> None:
    api.faults[PODS].extend([Reply(body={"items": []}), Reply(body={"items": [daemon("cni", "1K")]})])

    seen = observe(cluster, read_overhead_of=frozenset({"spaces"}))

    assert seen.overheads == {}
    assert seen.missing == ("spaces: pod kube-system/cni has an unreadable request",)
