"""Nodes and pods as values of the core's model, and where an object is wrong."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.kubernetes.bodies import (
    CREATED_AT,
    LATER_AT,
    condition,
    container,
    deployment,
    item,
    node,
    node_claim,
    pod,
)
from tests.builders import amounts
from warmpool.adapters.kubernetes import objects
from warmpool.adapters.kubernetes.decode import UNDATED
from warmpool.adapters.kubernetes.malformed import Malformed, explain
from warmpool.core.model import (
    Condition,
    Node,
    Pod,
    PodPhase,
    Taint,
    Toleration,
)
from warmpool.core.quantity import format_quantity


def node_of(body: dict[str, Any]) -> Node:
    return objects.NODES.read(item(body))


def pod_of(body: dict[str, Any]) -> Pod:
    return objects.PODS.read(item(body))


class TestNodes:
    def test_a_node_is_read_whole(self) -> None:
        taints = [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}, {"key": "bare"}]
        body = node("n1", spec={"unschedulable": True, "taints": taints, "providerID": "aws:///x"})

        assert node_of(body) == Node(
            name="n1",
            uid="uid-n1",
            created=CREATED_AT,
            labels={"pool": "spaces", "karpenter.sh/nodepool": "spaces"},
            taints=(Taint(key="gpu", value="yes", effect="NoSchedule"), Taint(key="bare", effect="")),
            unschedulable=True,
            ready=Condition.TRUE,
            ready_changed=LATER_AT,
            allocatable=amounts(cpu="47900m", memory="196598Mi", pods="110"),
            capacity=amounts(cpu="47900m", memory="196598Mi", pods="110"),
        )

    @pytest.mark.parametrize("part", [None, {}])
    def test_missing_and_null_parts_are_unknown_not_errors(self, part: dict[str, Any] | None) -> None:
        body = {"metadata": {"name": "n1", "labels": None}, "spec": part, "status": part}

        assert node_of(body) == Node(
            name="n1", uid="/n1", created=UNDATED, ready=Condition.ABSENT, allocatable={}, capacity={}
        )

    def test_a_node_being_deleted_says_so(self) -> None:
        assert node_of(node(metadata={"deletionTimestamp": "2026-12-01T03:00:00Z"})).deleting

    @pytest.mark.parametrize(
        ("status", "expected"),
        [
            ("True", Condition.TRUE),
            ("False", Condition.FALSE),
            ("Unknown", Condition.UNKNOWN),
            ("?", Condition.UNKNOWN),
        ],
    )
    def test_readiness_is_that_of_the_ready_condition(self, status: str, expected: Condition) -> None:
        conditions = [condition("DiskPressure", "True"), condition("Ready", status)]

        assert node_of(node(conditions=conditions)).ready is expected

    def test_an_unreadable_quantity_makes_the_amounts_unknown_and_says_which(self) -> None:
        seen = node_of(node(allocatable={"cpu": "1K", "memory": "8Gi"}))

        assert seen.allocatable is None
        assert seen.capacity is not None
        assert seen.unreadable.startswith("allocatable.cpu: '1K' is not a Kubernetes quantity")

    def test_numbers_are_quantities_too(self) -> None:
        assert node_of(node(allocatable={"cpu": 4, "memory": 1.5})).allocatable == amounts(cpu="4", memory="1.5")


class TestPods:
    def test_a_pod_is_read_whole(self) -> None:
        owners = [
            {"kind": "Node", "name": "n0"},
            {"kind": "ReplicaSet", "name": "ph-1", "controller": True},
        ]
        annotations = {"controller.kubernetes.io/pod-deletion-cost": "-100", "other": "kept out"}
        tolerations = [{"operator": "Exists"}, {"key": "gpu", "value": "yes", "effect": "NoSchedule"}]
        body = pod(
            "p1",
            metadata={"ownerReferences": owners, "annotations": annotations},
            spec={"nodeSelector": {"pool": "spaces"}, "tolerations": tolerations},
            status={"startTime": "2026-12-01T02:45:20Z", "nominatedNodeName": "n2"},
        )

        assert pod_of(body) == Pod(
            name="p1",
            namespace="op",
            uid="uid-p1",
            created=CREATED_AT,
            labels={"app": "ph"},
            node="n1",
            nominated_node="n2",
            phase=PodPhase.RUNNING,
            ready=True,
            ready_changed=LATER_AT,
            started=datetime(2026, 12, 1, 2, 45, 20, tzinfo=UTC),
            priority=-1000,
            requests=amounts(cpu="2", memory="8Gi", pods="1"),
            owner_kind="ReplicaSet",
            owner_name="ph-1",
            deletion_cost=-100,
            node_selector={"pool": "spaces"},
            tolerations=(
                Toleration(operator="Exists"),
                Toleration(key="gpu", value="yes", effect="NoSchedule"),
            ),
            images=("pause",),
        )

    def test_a_pending_pod_has_no_node(self) -> None:
        seen = pod_of(pod(on=None))

        assert (seen.node, seen.phase, seen.ready, seen.ready_changed) == (None, PodPhase.PENDING, False, None)

    @pytest.mark.parametrize(
        ("phase", "expected"),
        [
            ("Succeeded", PodPhase.SUCCEEDED),
            ("Failed", PodPhase.FAILED),
            ("Odd", PodPhase.UNKNOWN),
            (None, PodPhase.PENDING),
        ],
    )
    def test_phases_are_kubernetes_own(self, phase: str | None, expected: PodPhase) -> None:
        assert pod_of(pod(status={"phase": phase})).phase is expected

    def test_a_pod_with_a_scheduling_gate_is_gated(self) -> None:
        assert pod_of(pod(on=None, spec={"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]})).gated
        assert not pod_of(pod(on=None, spec={"schedulingGates": []})).gated

    def test_without_a_controller_the_first_owner_counts(self) -> None:
        seen = pod_of(pod(metadata={"ownerReferences": [{"kind": "Node", "name": "n1"}]}))

        assert (seen.owner_kind, seen.owner_name) == ("Node", "n1")

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("7", 7), ("+7", 7), ("-2147483648", -(2**31)), ("cheap", None), ("1.5", None), ("", None), ("\u0663", None)],
    )
    def test_a_deletion_cost_is_a_whole_number_or_none(self, text: str, expected: int | None) -> None:
        annotations = {"controller.kubernetes.io/pod-deletion-cost": text}

        assert pod_of(pod(metadata={"annotations": annotations})).deletion_cost == expected


class TestRequests:
    def of(self, **spec: Any) -> dict[str, str] | None:
        requests = pod_of(pod(spec=spec)).requests
        if requests is None:
            return None
        assert requests["pods"] == amounts(pods="1")["pods"]
        return {name: format_quantity(value) for name, value in requests.items() if name != "pods"}

    def test_containers_add_up(self) -> None:
        assert self.of(containers=[container("1", "2G"), container("500m"), container()]) == {
            "cpu": "1500m",
            "memory": "2000000000",
        }

    def test_a_container_that_says_nothing_of_resources_requests_nothing(self) -> None:
        assert self.of(containers=[{"name": "bare"}, container("1", resources=None)]) == {}

    def test_an_init_container_counts_only_where_it_is_larger(self) -> None:
        inits = [container("3", "1G"), container("2", "5G"), container()]

        assert self.of(containers=[container("2", "2G")], initContainers=inits) == {"cpu": "3", "memory": "5000000000"}

    def test_init_containers_without_requests_change_nothing(self) -> None:
        assert self.of(containers=[container("2")], initContainers=[container()]) == {"cpu": "2"}

    def test_a_sidecar_runs_beside_the_containers(self) -> None:
        sidecar = container("100m", "1G", restartPolicy="Always")

        assert self.of(containers=[container("2", "8G")], initContainers=[sidecar]) == {
            "cpu": "2100m",
            "memory": "9000000000",
        }

    def test_an_init_container_runs_beside_the_sidecars_that_started_before_it(self) -> None:
        first, init, second = (
            container("1", restartPolicy="Always"),
            container("4"),
            container("2", restartPolicy="Always"),
        )

        assert self.of(containers=[container("1")], initContainers=[first, init, second]) == {"cpu": "5"}
        assert self.of(containers=[container("1")], initContainers=[first, second, init]) == {"cpu": "7"}

    def test_overhead_comes_on_top(self) -> None:
        assert self.of(containers=[container("2")], overhead={"cpu": "250m"}) == {"cpu": "2250m"}

    def test_pod_level_requests_replace_those_of_the_containers(self) -> None:
        level = {"requests": {"cpu": "3", "hugepages-2Mi": "4", "nvidia.com/gpu": "9"}}

        assert self.of(containers=[container("2", "1")], resources=level, overhead={"cpu": "1"}) == {
            "cpu": "4",
            "memory": "1",
            "hugepages-2Mi": "4",
        }

    @pytest.mark.parametrize(
        "spec",
        [
            {"containers": [container("1K")]},
            {"initContainers": [container("NaN")]},
            {"overhead": {"cpu": "-"}},
            {"resources": {"requests": {"cpu": ""}}},
        ],
    )
    def test_an_unreadable_quantity_makes_the_requests_unknown(self, spec: dict[str, Any]) -> None:
        assert self.of(**spec) is None

    @given(st.lists(st.tuples(st.integers(0, 9000), st.booleans()), max_size=5), st.integers(0, 9000))
    def test_requests_never_fall_below_what_runs_at_any_one_moment(
        self, inits: list[tuple[int, bool]], main: int
    ) -> None:
        bodies = [container(f"{m}m", **({"restartPolicy": "Always"} if side else {})) for m, side in inits]
        sidecars, peak = 0, 0
        for milli, side in inits:
            sidecars += milli if side else 0
            peak = max(peak, sidecars if side else sidecars + milli)
        peak = max(peak, sidecars + main)

        requests = pod_of(pod(spec={"containers": [container(f"{main}m")], "initContainers": bodies})).requests

        assert requests is not None
        assert requests["cpu"] == peak * 10**6


@pytest.mark.parametrize(
    ("kind", "body", "path", "value"),
    [
        (objects.NODES, node(allocatable={"cpu": "1", "memory": True}), "status.allocatable.memory", "true"),
        (objects.NODES, node(labels={"a.b/c": "1", "d.e/f": 2}), "metadata.labels.d.e/f", "2"),
        (objects.NODES, {"metadata": None}, "metadata", "null"),
        (objects.NODES, {}, "metadata", "null"),
        (objects.NODES, {"metadata": {"uid": "u"}}, "metadata", '{"uid": "u"}'),
        (objects.PODS, pod(spec={"priority": "high"}), "spec.priority", '"high"'),
        (objects.PODS, pod(status={"conditions": [{"type": 7}]}), "status.conditions[0].type", "7"),
        (objects.PODS, pod(status={"startTime": "noon"}), "status.startTime", '"noon"'),
        (objects.PODS, pod(status={"startTime": "2026-12-01T02:45:09"}), "status.startTime", '"2026-12-01T02:45:09"'),
        (objects.PODS, pod(spec={"containers": [{}, "c"]}), "spec.containers[1]", '"c"'),
        (
            objects.PODS,
            pod(metadata={"annotations": {"controller.kubernetes.io/pod-deletion-cost": 5}}),
            "metadata.annotations.controller.kubernetes.io/pod-deletion-cost",
            "5",
        ),
        (objects.DEPLOYMENTS, deployment(spec={"replicas": 1.5}), "spec.replicas", "1.5"),
        (objects.NODE_CLAIMS, node_claim(spec="text"), "spec", '"text"'),
    ],
)
def test_a_wrong_type_is_reported_with_path_and_value(
    kind: objects.Kind[object], body: dict[str, Any], path: str, value: str
) -> None:
    with pytest.raises(Malformed) as caught:
        kind.read(item(body))

    assert (caught.value.path, caught.value.value) == (path, value)
    assert path in str(caught.value)


def test_a_path_that_leads_nowhere_is_told_as_it_is() -> None:
    problem = explain(ValueError("Expected `str`, got `int` - at `$.a.b[3]`"), b'{"a": 1}')

    assert (problem.path, problem.value, problem.expected) == ("a.b[3]", "1", "expected str, got int")
