"""The port's door: the same truth as the JSON, and failures on request."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from tests.builders import pool
from tests.sim.cluster.builders import FILLING, MINUTE, SECOND, burst, cluster, nodes, placeholders, wait, warm
from warmpool.adapters.kubernetes.snapshot_file import read_snapshot
from warmpool.app.errors import ClusterUnavailable, Conflict, DeploymentGone, NotPermitted
from warmpool.app.ports import ScaleChange, Scope
from warmpool.core.decision import Mark
from warmpool.core.model import DELETION_COST, FIELD_MANAGER, WARM_LABEL, Snapshot
from warmpool.sim.cluster import EmbeddedCluster, Failures, PortDoor, amounts

RESOURCES = ("nodes", "pods", "deployments", "nodeclaims", "nodepools", "horizontalpodautoscalers", "scaledobjects")


@dataclass(frozen=True)
class Left:
    """A budget with that many seconds left."""

    seconds: float = 10.0

    def remaining_seconds(self) -> float:
        return self.seconds


def _observe(door: PortDoor, **scope: Any) -> Snapshot:
    return door.observe(Scope(pools=[pool()], **scope), Left())


def _decoded(made: EmbeddedCluster) -> Snapshot:
    """Return what the adapters make of the JSON."""
    items = [each for resource in RESOURCES for each in made.objects(resource)]
    return read_snapshot(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}).encode())


def _mark(made: EmbeddedCluster) -> None:
    made.patch_pod("op", placeholders(made)[0].name, annotations={DELETION_COST: "-7"}, labels={WARM_LABEL: "true"})


def _let_others_scale(made: EmbeddedCluster) -> None:
    for kind in ("HPA", "ScaledObject", "CPA"):
        made.add_foreign_scaler(kind, "op", kind.lower(), "ph")


MOMENTS: dict[str, Callable[[EmbeddedCluster], None]] = {
    "preempting": lambda made: None,
    "cordoned": lambda made: made.cordon(nodes(made)[0].name),
    "not ready": lambda made: made.set_ready(nodes(made)[0].name, ready=False),
    "replacing": lambda made: wait(made, 10 * SECOND),
    "marked": _mark,
    "leaving": lambda made: made.expire(nodes(made)[1].name),
    "rolling out": lambda made: made.set_image("op", "ph", "space:2"),
    "scaled by hand": lambda made: made.scale("op", "ph", 5),
    "scaled by others": _let_others_scale,
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_both_doors_tell_the_same(moment: str) -> None:
    made = warm(
        2, requests=FILLING, expire_after=timedelta(days=30), preemption_grace=20 * SECOND, limits=amounts(cpu="960")
    )
    burst(made, 3)
    MOMENTS[moment](made)
    seen, told = _observe(PortDoor(made)), _decoded(made)
    assert seen.nodes == told.nodes
    assert seen.claims == told.claims
    assert seen.nodepools == told.nodepools
    assert {each.uid: each for each in seen.pods} == {each.uid: each for each in told.pods}
    assert list(seen.deployments) == [each for each in told.deployments if each.name == "ph"]
    assert sorted(seen.scalers, key=repr) == sorted(told.scalers, key=repr)


def test_placeholders_and_launches_are_seen_and_daemonsets_are_not() -> None:
    made = warm(1, daemonsets={"aws-node": amounts(cpu="50m", memory="64Mi")})
    burst(made, 1)
    assert len(_observe(PortDoor(made)).pods) == 2
    assert len(made.objects("pods")) == 3


def test_what_daemonsets_take_is_read_when_it_is_due() -> None:
    door = PortDoor(warm(1, daemonsets={"a": amounts(cpu="50m"), "b": amounts(cpu="100m", memory="1Gi")}))
    assert _observe(door).overheads == {}
    due = _observe(door, read_overhead_of=frozenset({"spaces"})).overheads
    assert due == {"spaces": amounts(cpu="150m", memory="1Gi", pods="2")}


def test_without_a_ready_node_what_daemonsets_take_stays_unknown() -> None:
    assert _observe(PortDoor(cluster()), read_overhead_of=frozenset({"spaces"})).overheads == {}


def test_a_scale_is_tested_and_set_and_owned_by_the_controller() -> None:
    made = warm(1)
    door = PortDoor(made)
    assert door.scale(pool(), ScaleChange(current=1, target=3), Left()) == 3
    assert made.get_scale("op", "ph") == 3
    assert [each.manager for each in _observe(door).deployments[0].replica_owners] == [FIELD_MANAGER]
    assert door.writes == [("ph", 3)]


def test_a_scale_from_another_number_is_a_conflict() -> None:
    made = warm(1)
    door = PortDoor(made)
    with pytest.raises(Conflict, match="has 1 replicas; expected 2"):
        door.scale(pool(), ScaleChange(current=2, target=3), Left())
    assert made.get_scale("op", "ph") == 1
    assert door.writes == []


def test_somebody_who_writes_just_before_makes_a_conflict() -> None:
    made = warm(1)
    failures = Failures(before_scale=lambda: made.scale("op", "ph", 4))
    door = PortDoor(made, failures)
    with pytest.raises(Conflict):
        door.scale(pool(), ScaleChange(current=1, target=3), Left())
    assert door.scale(pool(), ScaleChange(current=4, target=3), Left()) == 3


def test_a_conflict_can_be_asked_for_once() -> None:
    door = PortDoor(warm(1), Failures(conflicts=1))
    with pytest.raises(Conflict):
        door.scale(pool(), ScaleChange(current=1, target=2), Left())
    assert door.scale(pool(), ScaleChange(current=1, target=2), Left()) == 2


def test_a_dry_run_changes_nothing() -> None:
    made = warm(1)
    door = PortDoor(made)
    assert door.scale(pool(), ScaleChange(current=1, target=3, dry_run=True), Left()) == 3
    name = placeholders(made)[0]
    door.mark([Mark(namespace="op", pod=name.name, uid=name.uid, warm=True)], Left(), dry_run=True)
    assert made.get_scale("op", "ph") == 1
    assert WARM_LABEL not in name.labels


def test_a_missing_deployment_is_gone() -> None:
    with pytest.raises(DeploymentGone, match="op/ph"):
        PortDoor(cluster()).scale(pool(), ScaleChange(current=1, target=2), Left())


def test_marks_set_and_clear_the_cost_and_leave_alone_what_they_do_not_name() -> None:
    made = warm(1)
    door, pod = PortDoor(made), placeholders(made)[0]
    mark: dict[str, Any] = {"namespace": "op", "pod": pod.name, "uid": pod.uid}
    door.mark([Mark(**mark, set_deletion_cost=True, deletion_cost=-100)], Left())
    assert (_observe(door).pods[0].deletion_cost, pod.labels.get(WARM_LABEL)) == (-100, None)
    door.mark([Mark(**mark, warm=True)], Left())
    assert (_observe(door).pods[0].deletion_cost, pod.labels[WARM_LABEL]) == (-100, "true")
    door.mark([Mark(**mark, set_deletion_cost=True)], Left())
    assert (_observe(door).pods[0].deletion_cost, pod.labels[WARM_LABEL]) == (None, "true")


def test_a_mark_for_a_pod_that_is_gone_or_another_is_left_out() -> None:
    made = warm(1)
    pod = placeholders(made)[0]
    marks = [
        Mark(namespace="op", pod="gone", uid="gone", warm=True),
        Mark(namespace="op", pod=pod.name, uid="another", warm=True),
    ]
    PortDoor(made).mark(marks, Left())
    assert WARM_LABEL not in pod.labels


def test_a_read_that_fails_makes_the_snapshot_partial() -> None:
    door = PortDoor(warm(2), Failures(unreadable={"nodes"}))
    snapshot = _observe(door)
    assert snapshot.nodes == ()
    assert len(snapshot.pods) == 2
    assert snapshot.missing == ("*: list nodes: HTTP 503",)
    door.failures.unreadable.clear()
    assert _observe(door).missing == ()


@pytest.mark.parametrize("verb", ["observe", "mark", "scale"])
def test_each_verb_may_be_forbidden_or_unanswered(verb: str) -> None:
    def call(failures: Failures, budget: Left) -> None:
        door = PortDoor(warm(1), failures)
        match verb:
            case "observe":
                door.observe(Scope(pools=[pool()]), budget)
            case "mark":
                door.mark([], budget)
            case _:
                door.scale(pool(), ScaleChange(current=1, target=2), budget)

    with pytest.raises(NotPermitted, match="forbidden"):
        call(Failures(refused={verb}), Left())
    with pytest.raises(ClusterUnavailable, match="no answer"):
        call(Failures(unavailable={verb}), Left())
    with pytest.raises(ClusterUnavailable, match="no answer"):
        call(Failures(), Left(0))


def test_pools_without_a_deployment_have_no_placeholders() -> None:
    made = warm(1)
    made.delete_deployment("op", "ph")
    burst(made, 1, apart=MINUTE)
    snapshot = _observe(PortDoor(made))
    assert snapshot.deployments == ()
    assert [pod.namespace for pod in snapshot.pods] == ["default"]
