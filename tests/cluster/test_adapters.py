"""The adapters' reads and writes, on the API server that they are written for."""

import json
from collections.abc import Iterator

import pytest

from tests.cluster.access import client_of
from tests.cluster.api import Object, Refused
from tests.cluster.lab import Lab
from tests.cluster.plane import ControlPlane
from warmpool.adapters.kubernetes import lists
from warmpool.adapters.kubernetes.manifests import ClusterWide, manifests
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.adapters.memory import FixedBudget
from warmpool.app.errors import Conflict, DeploymentGone
from warmpool.app.ports import ScaleChange, Scope
from warmpool.core.decision import Mark
from warmpool.core.model import FIELD_MANAGER, Snapshot

BUDGET = FixedBudget(20)


@pytest.fixture
def cluster(plane: ControlPlane) -> KubernetesCluster:
    return KubernetesCluster(client_of(plane))


def observe(cluster: KubernetesCluster, lab: Lab) -> Snapshot:
    return cluster.observe(Scope(pools=[lab.pool], read_overhead_of=frozenset({lab.name})), BUDGET)


def change(current: int, target: int, *, dry_run: bool = False) -> ScaleChange:
    return ScaleChange(current=current, target=target, dry_run=dry_run)


def test_a_new_deployment_begins_with_one_placeholder(lab: Lab) -> None:
    assert lab.replicas() == 1


def test_replicas_go_down_to_zero_and_up_again(lab: Lab, cluster: KubernetesCluster) -> None:
    assert cluster.scale(lab.pool, change(1, 0), BUDGET) == 0
    assert lab.replicas() == 0
    assert cluster.scale(lab.pool, change(0, 2), BUDGET) == 2
    assert lab.replicas() == 2


@pytest.mark.parametrize("believed", [0, 2, 7])
def test_replicas_that_somebody_else_has_written_are_a_conflict(
    lab: Lab, cluster: KubernetesCluster, believed: int
) -> None:
    with pytest.raises(Conflict):
        cluster.scale(lab.pool, change(believed, 3), BUDGET)

    assert lab.replicas() == 1


def test_zero_replicas_that_are_believed_to_be_more_are_a_conflict(lab: Lab, cluster: KubernetesCluster) -> None:
    cluster.scale(lab.pool, change(1, 0), BUDGET)

    with pytest.raises(Conflict):
        cluster.scale(lab.pool, change(1, 3), BUDGET)

    assert lab.replicas() == 0


@pytest.mark.parametrize(("current", "target"), [(1, 3), (1, 0)])
def test_a_dry_run_is_checked_and_changes_nothing(
    lab: Lab, cluster: KubernetesCluster, current: int, target: int
) -> None:
    assert cluster.scale(lab.pool, change(current, target, dry_run=True), BUDGET) == target
    assert lab.replicas() == 1
    with pytest.raises(Conflict):
        cluster.scale(lab.pool, change(5, target, dry_run=True), BUDGET)


def test_a_deployment_that_is_gone_is_told_from_a_conflict(lab: Lab, cluster: KubernetesCluster) -> None:
    lab.plane.api.delete({"apiVersion": "apps/v1", "kind": "Deployment", **(lab.deployment() or {})})

    with pytest.raises(DeploymentGone):
        cluster.scale(lab.pool, change(1, 2), BUDGET)


def owners(cluster: KubernetesCluster, lab: Lab) -> list[tuple[str, str]]:
    (deployment,) = observe(cluster, lab).deployments
    return [(each.manager, each.subresource) for each in deployment.replica_owners]


def test_who_writes_replicas_is_recorded_where_somebody_owned_them_before(lab: Lab, cluster: KubernetesCluster) -> None:
    lab.plane.api.apply(manifests([lab.pool], ClusterWide(initial_replicas=1)))

    cluster.scale(lab.pool, change(1, 3), BUDGET)
    assert owners(cluster, lab) == [(FIELD_MANAGER, "scale")]

    lab.scale_by_hand(2)
    assert owners(cluster, lab) == [("kubectl", "scale")]
    (deployment,) = observe(cluster, lab).deployments
    assert [each.time for each in deployment.replica_owners] == [None], "when is not recorded for a Scale"


def test_nobody_is_recorded_where_nobody_owned_them(lab: Lab, cluster: KubernetesCluster) -> None:
    """The API server tracks a Scale only if it has managed fields: not where `replicas` was left out when applied."""
    cluster.scale(lab.pool, change(1, 3), BUDGET)
    lab.scale_by_hand(2)

    assert owners(cluster, lab) == []


def test_applying_again_leaves_the_replicas_alone(lab: Lab, cluster: KubernetesCluster) -> None:
    cluster.scale(lab.pool, change(1, 3), BUDGET)

    lab.plane.api.apply(manifests([lab.pool]))

    assert lab.replicas() == 3


def test_replicas_of_the_first_time_stay_once_the_controller_has_written(lab: Lab, cluster: KubernetesCluster) -> None:
    lab.plane.api.apply(manifests([lab.pool], ClusterWide(initial_replicas=0)))
    assert lab.replicas() == 0
    cluster.scale(lab.pool, change(0, 3), BUDGET)

    lab.plane.api.apply(manifests([lab.pool]))

    assert lab.replicas() == 3


def test_the_manifests_are_what_the_server_keeps(lab: Lab) -> None:
    """Applied twice, nothing changes: no default of the server's fights with what we write."""
    first = [each["metadata"]["resourceVersion"] for each in settled(lab)]

    assert [each["metadata"]["resourceVersion"] for each in settled(lab)] == first


def settled(lab: Lab) -> list[Object]:
    """Apply what no controller writes to."""
    ours = [each for each in manifests([lab.pool]) if each["kind"] not in {"Deployment", "PodDisruptionBudget"}]
    return lab.plane.api.apply(ours)


def test_a_pods_marks_are_set_and_cleared(lab: Lab, cluster: KubernetesCluster) -> None:
    lab.wait("a placeholder", lambda: len(lab.placeholders()) == 1)
    (pod,) = lab.placeholders()
    mark = Mark(
        namespace=lab.namespace, pod=pod.name, uid=pod.uid, set_deletion_cost=True, deletion_cost=-100, warm=True
    )

    cluster.mark([mark], BUDGET)

    (seen,) = observe(cluster, lab).pods
    assert (seen.deletion_cost, seen.labels["warmpool.spaces.aws/warm"]) == (-100, "true")
    cluster.mark(
        [Mark(namespace=lab.namespace, pod=pod.name, uid=pod.uid, set_deletion_cost=True, deletion_cost=None)], BUDGET
    )
    (seen,) = observe(cluster, lab).pods
    assert seen.deletion_cost is None


def test_a_mark_for_a_pod_that_has_been_replaced_changes_nothing(lab: Lab, cluster: KubernetesCluster) -> None:
    lab.wait("a placeholder", lambda: len(lab.placeholders()) == 1)
    (pod,) = lab.placeholders()

    cluster.mark(
        [
            Mark(namespace=lab.namespace, pod=pod.name, uid="11111111-2222-3333-4444-555555555555", warm=True),
            Mark(namespace=lab.namespace, pod="no-such-pod", uid="any", warm=True),
        ],
        BUDGET,
    )

    assert [each.warm for each in lab.placeholders()] == ["false"]


def test_a_list_of_many_pages_is_whole(lab: Lab, cluster: KubernetesCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(7):
        lab.launch(f"w{number}")
    lab.wait("seven pods", lambda: len(lab.workspace_pods()) == 7)
    monkeypatch.setattr(lists, "PAGE", 2)

    snapshot = observe(cluster, lab)

    mine = [pod for pod in snapshot.pods if pod.namespace == lab.users]
    assert {pod.labels["workspace.jupyter.org/workspace-name"] for pod in mine} == {f"w{n}" for n in range(7)}
    assert snapshot.missing == ()


def test_types_that_the_cluster_does_not_have_are_no_failure(lab: Lab, cluster: KubernetesCluster) -> None:
    with pytest.raises(Refused, match="404"):
        lab.plane.api.request("GET", "/apis/keda.sh/v1alpha1/scaledobjects")

    assert observe(cluster, lab).missing == ()


def test_a_snapshot_holds_what_the_administrator_sees(lab: Lab, cluster: KubernetesCluster) -> None:
    lab.warm(2)
    lab.launch("alice")
    lab.wait("alice's workspace", lambda: lab.available("alice"))

    snapshot = observe(cluster, lab)

    assert {each.name for each in snapshot.nodes} == {each.name for each in lab.nodes()}
    assert {each.name for each in snapshot.pods if each.namespace == lab.namespace} == {
        each.name for each in lab.placeholders()
    }
    assert {each.node for each in snapshot.pods if each.namespace == lab.users} == {lab.workspace_pods()["alice"].node}
    assert {each.nodepool for each in snapshot.claims} == {lab.name}
    assert {each.node for each in snapshot.claims} == {each.name for each in lab.nodes()}
    assert lab.name in {each.name for each in snapshot.nodepools}


def test_the_restricted_namespace_admits_placeholders_without_a_warning(lab: Lab) -> None:
    lab.wait("a placeholder", lambda: len(lab.placeholders()) == 1)

    assert list(pod_security_violations(lab)) == []


def pod_security_violations(lab: Lab) -> Iterator[str]:
    for line in lab.plane.audit_log.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record.get("objectRef", {}).get("namespace") == lab.namespace:
            found = record.get("annotations", {}).get("pod-security.kubernetes.io/audit-violations")
            if found:
                yield found
