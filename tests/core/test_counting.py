"""Which nodes count, and why one is left out."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import NODE, NOW, amounts, node, not_ready, placeholder, pool, snapshot, workspace
from warmpool.core.counting import count, exclusion_of, find_deployment, look, nodepool_of
from warmpool.core.model import Condition, Node, NodePool, PodPhase, Selector, Taint, Toleration
from warmpool.core.quantity import parse_quantity
from warmpool.core.reasons import Exclusion
from warmpool.core.spec import Counting

CPA = json.loads((Path(__file__).parent.parent / "oracles" / "cpa.json").read_text())["upstream"]["node_count"]
KARPENTER = {"pool": "spaces", "karpenter.sh/nodepool": "spaces", "karpenter.sh/registered": "true"}


def tainted(key: str, effect: str = "NoSchedule", **overrides: Any) -> Node:
    return node(taints=(Taint(key=key, effect=effect),), **overrides)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (node(), None),
        (node(deleting=True), Exclusion.DELETING),
        (tainted("karpenter.sh/disrupted"), Exclusion.DISRUPTED),
        (tainted("karpenter.sh/disruption"), Exclusion.DISRUPTED),
        (tainted("karpenter.sh/unregistered", "NoExecute"), Exclusion.NOT_REGISTERED),
        (node(labels=KARPENTER), Exclusion.NOT_INITIALISED),
        (tainted("node.cloudprovider.kubernetes.io/uninitialized"), Exclusion.NOT_INITIALISED),
        (node(labels={**KARPENTER, "karpenter.sh/initialized": "true"}), None),
        (node(**not_ready(1)), Exclusion.NOT_READY),
        (node(ready=Condition.UNKNOWN), Exclusion.NOT_READY),
        (node(ready=Condition.ABSENT), Exclusion.NOT_READY),
        (node(unschedulable=True), Exclusion.CORDONED),
        (
            node(labels={"pool": "spaces", "sagemaker.amazonaws.com/node-health-status": "UnschedulablePendingReboot"}),
            Exclusion.UNHEALTHY,
        ),
        (node(labels={"pool": "spaces", "sagemaker.amazonaws.com/node-health-status": "Schedulable"}), None),
        (tainted("team"), Exclusion.UNTOLERATED_TAINT),
        (tainted("team", "PreferNoSchedule"), None),
        (node(allocatable=None), Exclusion.UNREADABLE_QUANTITY),
    ],
)
def test_a_node_is_left_out_for_a_reason_or_counted(seen: Node, reason: Exclusion | None) -> None:
    assert exclusion_of(seen, pool()) is reason


def test_the_gravest_reason_is_named() -> None:
    assert exclusion_of(node(deleting=True, unschedulable=True, ready=Condition.FALSE), pool()) is Exclusion.DELETING


def test_a_tolerated_taint_leaves_nothing_out() -> None:
    spec = pool(tolerations=(Toleration(key="team", operator="Exists"),))
    assert exclusion_of(tainted("team"), spec) is None


def test_cpa_counts_nodes_and_cores_as_its_own_test_says() -> None:
    ready = {True: Condition.TRUE, False: Condition.FALSE, None: Condition.ABSENT}
    nodes = [
        node(
            f"n{number}",
            labels={"pool": "spaces"} if each["label"] else {},
            unschedulable=each["unschedulable"],
            ready=ready[each["ready"]],
            allocatable={"cpu": parse_quantity(each["cpu"])},
        )
        for number, each in enumerate(CPA["nodes"])
    ]
    view = look(pool(), snapshot(*nodes), None, NOW)
    everything, schedulable = count(view, Counting.ALL), count(view, Counting.SCHEDULABLE)
    expected = CPA["expect"]
    assert (everything.nodes, everything.cores) == (expected["TotalNodes"], expected["TotalCores"])
    assert (schedulable.nodes, schedulable.cores) == (expected["SchedulableNodes"], expected["SchedulableCores"])


def test_demand_counts_busy_nodes_also_where_they_are_cordoned() -> None:
    seen = snapshot(node("a"), node("b", unschedulable=True), node("c"), workspace("w", on="b"), placeholder(on="c"))
    counted = count(look(pool(), seen, None, NOW), Counting.DEMAND)
    assert (counted.nodes, counted.cores) == (1, 48)


@pytest.mark.parametrize(
    "idle",
    [
        workspace("d", on="a", owner_kind="DaemonSet"),
        workspace("s", on="a", owner_kind="Node"),
        workspace("done", on="a", phase=PodPhase.SUCCEEDED),
        workspace("broken", on="a", phase=PodPhase.FAILED),
        workspace("low", on="a", priority=-1000),
        placeholder(on="a"),
        workspace("elsewhere", on="other"),
    ],
    ids=lambda pod: pod.name,
)
def test_a_node_is_not_busy_with(idle: Any) -> None:
    assert look(pool(), snapshot(node("a"), idle), None, NOW).busy_nodes == 0


def test_daemonsets_come_off_what_an_empty_node_offers() -> None:
    daemon = workspace("d", on="a", owner_kind="DaemonSet", requests=amounts(cpu="900m", pods="1"))
    view = look(pool(), snapshot(node("a"), daemon), None, NOW)
    empty = view.nodes["a"].empty
    assert empty is not None
    assert empty["cpu"] == parse_quantity("47")
    assert empty["pods"] == parse_quantity("109")


def test_without_all_pods_the_ledgers_daemonset_requests_stand_in() -> None:
    view = look(pool(), snapshot(node("a"), all_pods=False), amounts(cpu="900m"), NOW)
    empty = view.nodes["a"].empty
    assert empty is not None
    assert empty["cpu"] == parse_quantity("47")


def test_other_low_priority_pods_are_free_for_launches_and_taken_for_placeholders() -> None:
    other = workspace("low", on="a", priority=-2000, requests=amounts(cpu="10"))
    view = look(pool(), snapshot(node("a"), other), None, NOW).nodes["a"]
    assert view.free is not None
    assert view.open is not None
    assert view.free["cpu"] == NODE["cpu"]
    assert view.open["cpu"] == NODE["cpu"] - parse_quantity("10")


def test_a_pod_with_an_unreadable_request_makes_its_nodes_room_unknown() -> None:
    view = look(pool(), snapshot(node("a"), workspace("w", on="a", requests=None)), None, NOW).nodes["a"]
    assert view.free is None
    assert view.exclusion is Exclusion.UNREADABLE_QUANTITY


def test_an_unreadable_request_does_not_hide_a_graver_reason() -> None:
    seen = snapshot(node("a", unschedulable=True), workspace("w", on="a", requests=None))
    assert look(pool(), seen, None, NOW).nodes["a"].exclusion is Exclusion.CORDONED


@pytest.mark.parametrize(
    ("seen", "unusable"),
    [
        (node("a"), False),
        (node("a", **not_ready(4)), False),
        (node("a", **not_ready(6)), True),
        (node("a", ready=Condition.FALSE, ready_changed=None), True),
        (node("a", unschedulable=True), True),
        (node("a", deleting=True), True),
        (tainted("karpenter.sh/disrupted", name="a"), True),
        (tainted("team", name="a"), True),
        (node("a", labels=KARPENTER, **not_ready(6)), False),
        (node("a", labels={"pool": "spaces", "sagemaker.amazonaws.com/node-health-status": "Unschedulable"}), True),
    ],
)
def test_a_node_that_cannot_take_a_launch_is_unusable_and_a_coming_or_briefly_lost_one_is_not(
    seen: Node, *, unusable: bool
) -> None:
    assert look(pool(), snapshot(seen), None, NOW).nodes["a"].unusable is unusable


def test_placeholders_are_the_pods_that_the_deployment_selects_in_its_namespace() -> None:
    seen = snapshot(
        node("a"),
        placeholder("mine", on="a"),
        placeholder("elsewhere", on="a", namespace="default"),
        placeholder("leaving", on="a", deleting=True),
        placeholder("over", on="a", phase=PodPhase.FAILED),
        replicas=1,
    )
    assert [pod.name for pod in look(pool(), seen, None, NOW).placeholders] == ["mine"]


def test_without_a_deployment_there_are_no_placeholders() -> None:
    seen = snapshot(node("a"), placeholder("ph", on="a"), deployments=())
    assert look(pool(), seen, None, NOW).placeholders == ()


def test_a_deployment_being_deleted_is_gone() -> None:
    gone = snapshot().deployments[0]
    deleting = type(gone)(namespace="op", name="ph", replicas=1, deleting=True, selector=Selector())
    assert find_deployment(pool(), snapshot(deleting)) is None
    assert find_deployment(pool(deployment="other"), snapshot()) is None


def test_the_nodepool_is_the_one_on_the_nodes_else_in_the_selector_else_the_one_whose_labels_fit() -> None:
    by_labels = NodePool(name="by-labels", labels={"pool": "spaces"})
    assert nodepool_of(pool(), snapshot(node(), by_labels)) == "spaces"
    selector = {"karpenter.sh/nodepool": "named"}
    assert nodepool_of(pool(node_selector=selector), snapshot(by_labels)) == "named"
    assert nodepool_of(pool(), snapshot(NodePool(name="other"), by_labels)) == "by-labels"
    assert nodepool_of(pool(), snapshot()) is None
