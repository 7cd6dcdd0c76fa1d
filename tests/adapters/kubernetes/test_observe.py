"""What one observation reads."""

from typing import Any

import pytest

from tests.adapters.kubernetes.bodies import (
    autoscaler,
    container,
    deployment,
    metadata,
    node,
    node_pool,
    pod,
)
from tests.adapters.kubernetes.conftest import FixedBudget
from tests.adapters.kubernetes.fake_api import FakeApi
from tests.adapters.kubernetes.world import (
    CLAIMS,
    HPAS,
    NODE_POOLS,
    NODES,
    OP_DEPLOYMENTS,
    OP_PODS,
    PH,
    PODS,
    SCALED_OBJECTS,
    WORKSPACE,
    fill,
    observe,
)
from tests.builders import pool
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.app.ports import Scope
from warmpool.core.model import FieldOwner, Scaler

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(autouse=True)
def _world(api: FakeApi) -> None:
    fill(api)


def test_everything_that_a_pool_needs_is_in_the_snapshot(cluster: KubernetesCluster) -> None:
    seen = observe(cluster)

    assert [each.name for each in seen.nodes] == ["n1"]
    assert {each.name for each in seen.pods} == {"ph-1", "w1"}
    assert [(each.name, each.replicas) for each in seen.deployments] == [("ph", 2)]
    assert [each.name for each in seen.claims] == ["spaces-1"]
    assert [each.name for each in seen.nodepools] == ["spaces"]
    assert seen.missing == ()
    assert not seen.all_pods


def test_lists_are_narrowed_to_the_pools(cluster: KubernetesCluster, api: FakeApi) -> None:
    observe(cluster)

    assert api.last(NODES).query == {"limit": "500", "labelSelector": "pool=spaces"}
    assert api.last(OP_PODS).query == {"limit": "500", "labelSelector": "app=ph"}
    assert api.last(PODS).query == {"limit": "500", "labelSelector": WORKSPACE}
    assert api.last(CLAIMS).query == {"limit": "500", "labelSelector": "karpenter.sh/nodepool in (spaces)"}


def test_what_two_pools_share_is_read_once(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.objects[f"{OP_DEPLOYMENTS}/ph-gpu"] = deployment("ph-gpu")

    observe(cluster, pool(), pool(name="gpu", node_selector={"pool": "gpu"}, deployment="ph-gpu"))

    paths = api.paths()
    assert paths.count(NODES) == 2  # one for each selector
    assert all(paths.count(path) == 1 for path in (PODS, HPAS, SCALED_OBJECTS, OP_DEPLOYMENTS, CLAIMS, NODE_POOLS))


def test_the_number_of_requests_does_not_grow_with_the_nodes_of_others(
    cluster: KubernetesCluster, api: FakeApi
) -> None:
    observe(cluster)

    assert len(api.requests) == 9


def test_a_list_is_read_page_by_page(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.lists[NODES] = [node(f"n{index}") for index in range(1201)]

    assert len(observe(cluster).nodes) == 1201
    assert [each.query.get("continue") for each in api.requests if each.path == NODES] == [None, "500", "1000"]


def test_an_object_that_is_on_two_pages_counts_once_as_last_seen(cluster: KubernetesCluster, api: FakeApi) -> None:
    first, again = node("n0"), node("n0", spec={"unschedulable": True})
    api.lists[NODES] = [first, *(node(f"n{index}") for index in range(1, 500)), again]

    seen = {each.name: each for each in observe(cluster).nodes}

    assert len(seen) == 500
    assert seen["n0"].unschedulable


def test_a_pod_that_two_selectors_find_counts_once(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.lists[PODS].append(pod("ph-1"))

    assert [each.name for each in observe(cluster).pods].count("ph-1") == 1


def test_a_deployment_that_is_gone_is_no_failure(cluster: KubernetesCluster, api: FakeApi) -> None:
    del api.objects[PH]

    seen = observe(cluster)

    assert seen.deployments == ()
    assert seen.missing == ()
    assert OP_PODS not in api.paths()


def test_a_deployment_without_selector_would_select_everything_and_so_selects_nothing(
    cluster: KubernetesCluster, api: FakeApi
) -> None:
    api.objects[PH] = deployment(spec={"selector": {}})

    assert observe(cluster).missing == ("spaces: Deployment op/ph has no selector",)
    assert OP_PODS not in api.paths()


def test_a_selector_with_expressions_goes_into_the_query(cluster: KubernetesCluster, api: FakeApi) -> None:
    expressions = [
        {"key": "tier", "operator": "In", "values": ["a", "b"]},
        {"key": "old", "operator": "NotIn", "values": ["c"]},
        {"key": "warm", "operator": "Exists"},
        {"key": "cold", "operator": "DoesNotExist"},
    ]
    api.objects[PH] = deployment(spec={"selector": {"matchLabels": {"app": "ph"}, "matchExpressions": expressions}})

    observe(cluster)

    assert api.last(OP_PODS).query["labelSelector"] == "app=ph,tier in (a,b),old notin (c),warm,!cold"


def test_names_cannot_leave_their_place_in_the_path(cluster: KubernetesCluster, api: FakeApi) -> None:
    observe(cluster, pool(namespace="a/../b", deployment="c?d#e"))

    assert "/apis/apps/v1/namespaces/a%2F..%2Fb/deployments/c%3Fd%23e" in api.paths()


def test_whoever_else_sets_replicas_is_found(cluster: KubernetesCluster, api: FakeApi) -> None:
    cpa = deployment("cpa", pod={"containers": [container(args=["--target=deployment/ph"])]}, replicas=1)
    api.lists[HPAS] = [autoscaler("hpa")]
    api.lists[SCALED_OBJECTS] = [{"metadata": metadata("keda", "op"), "spec": {"scaleTargetRef": {"name": "ph"}}}]
    api.lists[OP_DEPLOYMENTS].append(cpa)

    seen = observe(cluster)

    assert set(seen.scalers) == {
        Scaler(kind="HorizontalPodAutoscaler", namespace="op", name="hpa", target="ph"),
        Scaler(kind="ScaledObject", namespace="op", name="keda", target="ph"),
        Scaler(kind="ClusterProportionalAutoscaler", namespace="op", name="cpa", target="ph"),
    }
    assert [each.name for each in seen.deployments] == ["ph"]


def test_whoever_owns_replicas_by_managed_fields_is_found(cluster: KubernetesCluster, api: FakeApi) -> None:
    owners = [
        {
            "manager": "argocd",
            "operation": "Apply",
            "time": "2026-12-01T02:45:09Z",
            "fieldsV1": {"f:spec": {"f:replicas": {}}},
        },
        {
            "manager": "kubectl",
            "operation": "Update",
            "subresource": "scale",
            "fieldsV1": {"f:spec": {"f:replicas": {}}},
        },
        {"manager": "kubectl-edit", "operation": "Update", "fieldsV1": {"f:spec": {"f:paused": {}}}},
        {"manager": "kube-controller-manager", "operation": "Update", "fieldsV1": {"f:status": {"f:replicas": {}}}},
    ]
    api.objects[PH] = deployment(metadata={"managedFields": owners})

    found = observe(cluster).deployments[0].replica_owners

    assert [(each.manager, each.operation, each.subresource) for each in found] == [
        ("argocd", "Apply", ""),
        ("kubectl", "Update", "scale"),
    ]
    assert found[1] == FieldOwner(manager="kubectl", operation="Update", subresource="scale")


def test_a_cluster_without_keda_and_karpenter_has_none_of_theirs(cluster: KubernetesCluster, api: FakeApi) -> None:
    for path in (CLAIMS, NODE_POOLS):
        del api.lists[path]

    seen = observe(cluster)

    assert (seen.claims, seen.nodepools, seen.scalers, seen.missing) == ((), (), (), ())


@pytest.mark.parametrize(
    ("selector", "world", "expected"),
    [
        ({"karpenter.sh/nodepool": "spaces"}, {NODES: [], NODE_POOLS: []}, "karpenter.sh/nodepool in (spaces)"),
        (
            {"pool": "spaces"},
            {NODES: [], NODE_POOLS: [node_pool("by-template")]},
            "karpenter.sh/nodepool in (by-template)",
        ),
        ({"pool": "spaces"}, {NODE_POOLS: [node_pool("next")]}, "karpenter.sh/nodepool in (next,spaces)"),
        ({"pool": "spaces"}, {NODES: [node("n1", labels={"pool": "spaces"})], NODE_POOLS: []}, None),
    ],
)
def test_claims_are_those_of_the_pools_own_nodepools_where_they_are_known(
    cluster: KubernetesCluster,
    api: FakeApi,
    selector: dict[str, str],
    world: dict[str, list[dict[str, Any]]],
    expected: str | None,
) -> None:
    api.lists |= world

    observe(cluster, pool(node_selector=selector))

    assert api.last(CLAIMS).query.get("labelSelector") == expected


def test_a_scope_without_pools_reads_nothing_of_pools(cluster: KubernetesCluster, api: FakeApi) -> None:
    seen = cluster.observe(Scope(pools=()), FixedBudget())

    assert seen.nodes == ()
    assert set(api.paths()) <= {CLAIMS, NODE_POOLS}
