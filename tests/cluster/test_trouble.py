"""Nodes that fail, writers that interfere, servers that go away: the pass holds, says why, and goes on afterwards."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from tests.cluster.access import client_of, endpoint_of, token_source
from tests.cluster.api import Object, Refused
from tests.cluster.conftest import NewLab
from tests.cluster.lab import PASS_SECONDS, PATIENCE_SECONDS, PERIOD_SECONDS, Lab, codes
from tests.cluster.plane import ControlPlane
from tests.cluster.settings import STOPPED
from warmpool.adapters.kubernetes import lists
from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.manifests import manifests
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.adapters.kubernetes.transport import Call
from warmpool.adapters.memory import FixedBudget
from warmpool.app.ports import Budget, ScaleChange, Scope
from warmpool.core.decision import Action, Mark
from warmpool.core.model import Snapshot
from warmpool.core.reasons import Code
from warmpool.core.spec import PoolSpec


@dataclass(slots=True)
class Interrupted:
    """The real cluster, where something happens once between a pass's look and its write."""

    cluster: KubernetesCluster
    before_scale: Callable[[], None] | None = None

    def observe(self, scope: Scope, budget: Budget) -> Snapshot:
        return self.cluster.observe(scope, budget)

    def mark(self, marks: Sequence[Mark], budget: Budget, *, dry_run: bool = False) -> None:
        self.cluster.mark(marks, budget, dry_run=dry_run)

    def scale(self, pool: PoolSpec, change: ScaleChange, budget: Budget) -> int:
        happens, self.before_scale = self.before_scale, None
        if happens is not None:
            happens()
        return self.cluster.scale(pool, change, budget)


@pytest.fixture
def interrupted(plane: ControlPlane) -> Interrupted:
    return Interrupted(KubernetesCluster(client_of(plane)))


def patch_node(lab: Lab, name: str, changes: object, *, subresource: str = "") -> None:
    target = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
    lab.plane.api.merge(target, changes, subresource=subresource)


def test_a_cordoned_node_is_replaced_and_then_left(lab: Lab) -> None:
    lab.warm(2)
    cordoned = lab.nodes()[0].name

    patch_node(lab, cordoned, {"spec": {"unschedulable": True}})

    lab.until("three placeholders", lambda: lab.replicas() == 3)
    lab.until(
        "two other nodes",
        lambda: lab.replicas() == 2 and len(lab.nodes()) == 2 and cordoned not in {each.name for each in lab.nodes()},
    )
    lab.warm(2)


def stop_kubelet(lab: Lab, node: str, *, since: timedelta) -> None:
    """Let a node turn NotReady, so long ago."""
    patch_node(lab, node, {"metadata": {"annotations": {STOPPED: "true"}}})
    changed = (datetime.now(UTC) - since).isoformat(timespec="seconds")
    condition = {"type": "Ready", "status": "False", "reason": "KubeletNotReady", "lastTransitionTime": changed}
    patch_node(lab, node, {"status": {"conditions": [condition]}}, subresource="status")
    lab.wait("it is NotReady", lambda: sum(each.ready for each in lab.nodes()) == 1)


def test_a_node_that_is_not_ready_for_a_moment_changes_nothing(lab: Lab) -> None:
    lab.warm(2)
    stop_kubelet(lab, lab.nodes()[0].name, since=timedelta(0))

    assert {each.action for each in lab.for_passes(5)} == {Action.NONE}
    assert lab.replicas() == 2


def test_a_node_that_is_not_ready_for_over_five_minutes_is_replaced(lab: Lab) -> None:
    lab.warm(2)
    dead = lab.nodes()[0].name
    stop_kubelet(lab, dead, since=timedelta(minutes=5, seconds=1))

    lab.until("one more is ordered", lambda: lab.replicas() == 3)
    lab.until("the one on the dead node has gone", lambda: lab.replicas() == 2)
    lab.warm(2)
    assert dead not in {each.node for each in lab.placeholders()}


def test_a_conflict_in_the_middle_of_a_write_is_decided_again(new_lab: NewLab, interrupted: Interrupted) -> None:
    lab: Lab = new_lab(cluster=interrupted)
    interrupted.before_scale = lambda: lab.scale_by_hand(0)

    decision = lab.tick()

    assert lab.reports[-1].conflicts == 1
    assert decision.action is Action.UP
    assert lab.replicas() == 2
    lab.warm(2)


def autoscaler(lab: Lab) -> Object:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "ph"}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "foreign", "namespace": lab.namespace},
        "spec": {"minReplicas": 1, "maxReplicas": 10, "scaleTargetRef": target},
    }


def test_a_foreign_autoscaler_is_left_alone_and_named(lab: Lab) -> None:
    lab.warm(2)
    lab.plane.api.create(autoscaler(lab))
    lab.change(min=4)

    decisions = lab.for_passes(3)

    assert all(codes(each) >= {Code.FOREIGN_WRITER} for each in decisions)
    assert f"HorizontalPodAutoscaler {lab.namespace}/foreign" in decisions[-1].reasons[0].text
    assert lab.replicas() == 2
    lab.plane.api.delete(autoscaler(lab))
    lab.warm(4)


def test_a_deployment_that_is_deleted_is_missed_and_taken_up_again(lab: Lab) -> None:
    lab.warm(2)
    lab.plane.api.delete({"apiVersion": "apps/v1", "kind": "Deployment", **(lab.deployment() or {})})
    lab.wait("it is gone", lambda: lab.deployment() is None)

    missed = lab.tick()
    assert (missed.action, missed.target) == (Action.HOLD, None)
    assert codes(missed) == {Code.DEPLOYMENT_MISSING}

    lab.plane.api.apply(manifests([lab.pool]))
    lab.warm(2)


def test_an_api_server_that_restarts_during_a_pass_is_asked_again_in_the_next(
    new_lab: NewLab, interrupted: Interrupted, plane: ControlPlane
) -> None:
    lab: Lab = new_lab(cluster=interrupted)
    interrupted.before_scale = lambda: plane.processes.stop("kube-apiserver")

    failed = lab.tick()
    unreachable = lab.tick()
    plane.start_api_server()

    assert (failed.action, unreachable.action) == (Action.HOLD, Action.HOLD)
    assert Code.CLUSTER_UNAVAILABLE in codes(failed)
    assert codes(unreachable) == {Code.CLUSTER_UNAVAILABLE}
    assert lab.replicas() == 1
    lab.warm(2)


class Overtaken(KubernetesClient):
    """The product's client, whose first list of several pages expires between the first and the second."""

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(endpoint_of(plane), token_source())
        self._plane = plane
        self.asked: list[Call] = []
        self.expired: Call | None = None

    def send(self, call: Call, budget: Budget) -> bytes:
        self.asked.append(call)
        if self.expired is None and "continue" in call.query:
            self.expired = call
            self._plane.compact()
            # The API server answers from its memory until it looks again for what etcd still has, every 15 s.
            until(lambda: self._is_gone(call))
        return super().send(call, budget)

    def _is_gone(self, call: Call) -> bool:
        try:
            self._plane.api.request("GET", call.path, **call.query)
        except Refused as error:
            return error.status == 410
        return False


def until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < ends
        time.sleep(PERIOD_SECONDS)


def test_a_list_that_expires_between_its_pages_is_read_again_from_its_beginning(
    lab: Lab, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.warm(2)
    monkeypatch.setattr(lists, "PAGE", 1)
    client = Overtaken(plane)

    snapshot = KubernetesCluster(client).observe(Scope(pools=[lab.pool]), FixedBudget(PASS_SECONDS))

    assert client.expired is not None
    begun = [each for each in client.asked if each.does == client.expired.does and "continue" not in each.query]
    assert len(begun) == 2
    assert snapshot.missing == ()
    assert {each.name for each in snapshot.nodes} == {each.name for each in lab.nodes()}
    assert {each.name for each in snapshot.pods} == {each.name for each in lab.placeholders()}


def with_budget(nodes: str) -> Object:
    return {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "3s", "budgets": [{"nodes": nodes}]}


def test_a_disruption_budget_keeps_empty_nodes_until_it_ends(new_lab: NewLab) -> None:
    lab: Lab = new_lab(nodepool={"disruption": with_budget("0")})
    lab.warm(2)

    lab.change(min=1)
    lab.until("one placeholder", lambda: len(lab.placeholders()) == 1)
    lab.for_passes(12)
    assert len(lab.nodes()) == 2

    nodepool = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": lab.name}}
    lab.plane.api.merge(nodepool, {"spec": {"disruption": with_budget("100%")}})
    lab.until("one node", lambda: len(lab.nodes()) == 1)
    lab.warm(1)


def test_a_full_nodepool_caps_the_pool(new_lab: NewLab) -> None:
    lab: Lab = new_lab(spec={"min": 1, "placeholder": "node"}, nodepool={"limits": {"cpu": "100"}})
    lab.warm(1)  # what a node is worth has to be seen first

    lab.change(min=4)
    decision = lab.until("two nodes, and no order beyond", lambda: len(lab.nodes()) == 2 and lab.replicas() == 2)

    assert decision.capped
    assert Code.CAPPED_BY_NODEPOOL in codes(decision)
    lab.warm(2)


def test_nodes_that_never_register_are_not_ordered_again_and_again(new_lab: NewLab) -> None:
    lab: Lab = new_lab(spec={"leadTime": "5s", "leadTimeLimit": "15s"}, registration_delay="1h")
    lab.until("the pool is stuck", lambda: Code.CAPACITY_STUCK in codes(lab.tick()))

    lab.change(min=6)
    decisions = lab.for_passes(5)

    assert lab.replicas() == 2
    assert all(Code.CAPACITY_STUCK in codes(each) for each in decisions)
