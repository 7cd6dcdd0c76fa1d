"""Which placeholder a scale-down removes (kube-controller-manager's ActivePodsWithRanks)."""

from datetime import timedelta

from tests.sim.cluster.builders import (
    MINUTE,
    SECOND,
    nodes,
    pending_placeholders,
    placeholder_on,
    placeholders,
    ready_placeholders,
    wait,
    warm,
)
from warmpool.core.model import DELETION_COST
from warmpool.sim.cluster import EmbeddedCluster, amounts, deployments
from warmpool.sim.cluster.state import PodTemplate, Role

HOUR = timedelta(hours=1)


def _names(made: EmbeddedCluster) -> list[str]:
    return [pod.name for pod in placeholders(made)]


def test_a_scale_up_creates_what_is_missing() -> None:
    made = warm(1)
    made.scale("op", "ph", 3)
    assert len(pending_placeholders(made)) == 2
    wait(made, MINUTE)
    assert len(ready_placeholders(made)) == 3


def test_an_unassigned_placeholder_goes_first_even_if_another_costs_less() -> None:
    made = warm(2, limits=amounts(cpu="96"))
    made.scale("op", "ph", 3)
    made.patch_pod("op", placeholders(made)[0].name, annotations={DELETION_COST: "-100"})
    made.scale("op", "ph", 2)
    assert not pending_placeholders(made)


def test_one_that_still_pulls_goes_before_one_that_is_ready() -> None:
    made = warm(1, image_pull_time=40 * SECOND)
    made.scale("op", "ph", 2)
    wait(made, 20 * SECOND)
    ready, pulling = placeholders(made)
    assert pulling.node is not None
    made.scale("op", "ph", 1)
    assert placeholders(made) == [ready]


def test_one_that_is_not_ready_goes_before_one_that_is_and_costs_less() -> None:
    made = warm(2)
    first, second = placeholders(made)
    made.patch_pod("op", first.name, annotations={DELETION_COST: "-100"})
    assert second.node is not None
    made.set_ready(second.node.name, ready=False)
    made.scale("op", "ph", 1)
    assert placeholders(made) == [first]


def test_the_lowest_deletion_cost_goes_next() -> None:
    made = warm(3)
    names = _names(made)
    made.patch_pod("op", names[1], annotations={DELETION_COST: "-100"})
    made.scale("op", "ph", 2)
    assert _names(made) == [names[0], names[2]]


def test_a_cost_that_is_no_number_counts_as_none() -> None:
    made = warm(2)
    first, second = placeholders(made)
    made.patch_pod("op", first.name, annotations={DELETION_COST: "cheap"})
    made.patch_pod("op", second.name, annotations={DELETION_COST: "-1"})
    made.scale("op", "ph", 1)
    assert placeholders(made) == [first]


def test_without_marks_one_that_was_ready_much_later_goes() -> None:
    made = warm(2)
    wait(made, 3 * HOUR)
    made.scale("op", "ph", 3)
    wait(made, MINUTE)
    kept = _names(made)[:2]
    made.scale("op", "ph", 2)
    assert _names(made) == kept


def test_ages_within_one_power_of_two_count_as_equal_and_the_uid_decides() -> None:
    made = warm(1)
    for replicas in (2, 3, 4):
        made.scale("op", "ph", replicas)
        wait(made, MINUTE)
    wait(made, 20 * HOUR)
    uids = sorted(pod.uid for pod in placeholders(made))
    made.scale("op", "ph", 3)
    assert sorted(pod.uid for pod in placeholders(made)) == uids[1:]


def test_a_placeholder_that_vanishes_is_replaced() -> None:
    made = warm(2)
    gone = nodes(made)[0].name
    made.remove_node(gone)
    assert len(placeholders(made)) == 2
    wait(made, MINUTE)
    assert len(ready_placeholders(made)) == 2
    assert gone not in [node.name for node in nodes(made)]


def test_scaling_to_zero_removes_all_and_back_up_starts_anew() -> None:
    made = warm(2)
    made.scale("op", "ph", 0)
    assert placeholders(made) == []
    wait(made, 2 * MINUTE)
    assert nodes(made) == []
    made.scale("op", "ph", 1)
    wait(made, MINUTE)
    assert len(ready_placeholders(made)) == 1


def test_by_itself_a_scale_down_may_take_the_idle_nodes_placeholder_and_leave_the_busy_ones() -> None:
    made = warm(1)
    wait(made, HOUR)
    made.launch("w")
    made.scale("op", "ph", 2)
    wait(made, MINUTE)
    busy, idle = nodes(made)
    made.scale("op", "ph", 1)
    assert placeholder_on(made, busy.name).ready
    wait(made, MINUTE)
    assert [node.name for node in nodes(made)] == [busy.name]
    assert idle.name not in made.world.nodes


def test_one_that_shares_its_node_with_a_sibling_goes_before_an_older_one_that_does_not() -> None:
    made = warm(2)
    first, second = nodes(made)
    template = PodTemplate(role=Role.PLACEHOLDER, requests=amounts(cpu="1", pods="1"), labels={"app": "pairs"})
    plan = deployments.Plan(template=template, selector={"app": "pairs"}, replicas=2)
    made.cordon(second.name)
    deployments.create(made.world, "op", "pairs", plan)
    made.advance(made.now + HOUR)
    made.uncordon(second.name)
    made.cordon(first.name)
    made.scale("op", "pairs", 3)
    wait(made, MINUTE)
    made.scale("op", "pairs", 2)
    left = [pod.node.name for pod in placeholders(made) if pod.labels["app"] == "pairs" and pod.node]
    assert sorted(left) == sorted([first.name, second.name])
