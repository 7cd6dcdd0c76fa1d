"""Karpenter takes nodes away: empty ones, underused ones, budgets, windows, expiry, drains."""

from datetime import timedelta

from tests.sim.cluster.builders import (
    FILLING,
    MINUTE,
    SECOND,
    START,
    burst,
    cluster,
    happened,
    nodes,
    placeholders,
    ready_placeholders,
    seconds_until,
    wait,
    warm,
)
from warmpool.core.model import WARM_LABEL
from warmpool.sim.cluster import EmbeddedCluster

HOUR = timedelta(hours=1)
UNDERUTILISED = "WhenEmptyOrUnderutilized"


def _busy_and_idle(made: EmbeddedCluster) -> tuple[str, str]:
    """Let a launch push the placeholder of a filled node to a second node, where it becomes Ready."""
    burst(made, 1, apart=MINUTE)
    busy, idle = nodes(made)
    return busy.name, idle.name


def test_an_empty_node_goes_half_a_minute_after_its_last_pod() -> None:
    made = warm(1)
    made.scale("op", "ph", 0)
    since = made.now
    wait(made, 2 * MINUTE)
    assert 25 <= seconds_until(made, "node-disrupted", since=since) <= 35
    assert 30 <= seconds_until(made, "node-removed", since=since) <= 40


def test_a_placeholder_keeps_its_node_for_ever() -> None:
    made = warm(2)
    wait(made, 5 * HOUR)
    assert len(nodes(made)) == 2


def test_daemonsets_do_not_keep_a_node() -> None:
    made = warm(1, daemonsets={"aws-node": {"cpu": 10**8}})
    made.scale("op", "ph", 0)
    wait(made, 2 * MINUTE)
    assert nodes(made) == []
    assert made.objects("pods") == []


def test_with_a_budget_of_one_nodes_go_one_after_the_other() -> None:
    made = warm(4, max_disrupted=1)
    made.scale("op", "ph", 0)
    for _ in range(300):
        wait(made, SECOND)
        assert sum(node.deleting_at is not None for node in nodes(made)) <= 1
    assert nodes(made) == []


def test_a_percentage_is_rounded_up() -> None:
    made = warm(4, max_disrupted="30%")
    made.scale("op", "ph", 0)
    since = made.now
    wait(made, HOUR)
    first = [event.at for event in made.history if event.what == "node-disrupted" and event.at > since]
    assert first[0] == first[1] < first[2]


def test_a_budget_of_nothing_keeps_empty_nodes_until_its_window_ends() -> None:
    window = (START, START + HOUR)
    made = warm(2, blocked_windows=(window,))
    made.scale("op", "ph", 0)
    made.advance(START + HOUR - SECOND)
    assert len(nodes(made)) == 2
    wait(made, 2 * MINUTE)
    assert nodes(made) == []


def test_a_window_that_begins_while_karpenter_looks_twice_keeps_the_node() -> None:
    begins = START + MINUTE + 20 * SECOND
    made = warm(1, blocked_windows=((begins, begins + HOUR),))
    made.scale("op", "ph", 0)
    wait(made, 30 * MINUTE)
    assert len(nodes(made)) == 1
    wait(made, HOUR)
    assert nodes(made) == []


def test_an_expired_node_that_is_leaving_already_is_left_to_it() -> None:
    made = warm(1)
    made.expire(nodes(made)[0].name)
    made.expire(nodes(made)[0].name)
    assert len(happened(made, "node-disrupted")) == 1


def test_a_budget_that_is_always_zero_keeps_them_for_good() -> None:
    made = warm(1, max_disrupted=0)
    made.scale("op", "ph", 0)
    wait(made, HOUR)
    assert len(nodes(made)) == 1


def test_a_pod_that_lands_while_karpenter_looks_twice_saves_the_node() -> None:
    made = warm(1)
    made.scale("op", "ph", 0)
    wait(made, 20 * SECOND)
    made.launch("w")
    wait(made, 5 * MINUTE)
    assert len(nodes(made)) == 1
    assert made.launches[0].node == nodes(made)[0].name


def test_a_node_on_its_way_out_takes_no_pod() -> None:
    made = warm(1)
    made.scale("op", "ph", 0)
    while not happened(made, "node-disrupted"):
        wait(made, SECOND)
    gone = nodes(made)[0].name
    made.launch("w")
    wait(made, MINUTE)
    assert made.launches[0].node not in {None, gone}


def test_when_empty_leaves_an_underused_pool_alone() -> None:
    made = warm(1, requests=FILLING)
    _busy_and_idle(made)
    made.end("w0")
    made.launch("small")
    wait(made, HOUR)
    assert len(nodes(made)) == 2


def test_when_underutilised_karpenter_moves_placeholders_and_tears_the_pool_down() -> None:
    made = warm(1, consolidation=UNDERUTILISED)
    burst(made, 1, apart=MINUTE)
    made.scale("op", "ph", 2)
    wait(made, MINUTE)
    busy, idle = nodes(made)
    _drop_placeholder_of(made, busy.name)
    wait(made, 5 * MINUTE)
    assert [node.name for node in nodes(made)] == [busy.name]
    assert idle.name in happened(made, "node-disrupted")


def _drop_placeholder_of(made: EmbeddedCluster, node: str) -> None:
    """Leave one placeholder, on the other node: what a pool looks like after a scale-down."""
    for pod in placeholders(made):
        if pod.node and pod.node.name == node:
            made.patch_pod("op", pod.name, annotations={"controller.kubernetes.io/pod-deletion-cost": "-1"})
    made.scale("op", "ph", 1)


def test_do_not_disrupt_keeps_the_warm_node_in_such_a_pool() -> None:
    made = warm(1, consolidation=UNDERUTILISED, options={"do_not_disrupt": True})
    burst(made, 1, apart=MINUTE, annotations={"karpenter.sh/do-not-disrupt": "true"})
    made.scale("op", "ph", 2)
    wait(made, MINUTE)
    _drop_placeholder_of(made, nodes(made)[0].name)
    wait(made, HOUR)
    assert len(nodes(made)) == 2


def test_one_placeholder_a_node_cannot_be_moved_together() -> None:
    made = warm(3, consolidation=UNDERUTILISED)
    wait(made, HOUR)
    assert len(nodes(made)) == 3


def test_an_expired_node_is_drained_and_its_placeholder_gets_another() -> None:
    made = warm(2)
    old = nodes(made)[0].name
    made.expire(old)
    wait(made, MINUTE)
    assert old not in made.world.nodes
    assert len(ready_placeholders(made)) == 2
    assert happened(made, "node-disrupted") == [old]


def test_nodes_expire_by_themselves() -> None:
    made = warm(1, expire_after=2 * HOUR)
    wait(made, 5 * HOUR)
    assert len(happened(made, "node-disrupted")) == 2


def test_do_not_disrupt_blocks_the_drain_of_an_expired_node() -> None:
    made = warm(1, options={"do_not_disrupt": True})
    made.expire(nodes(made)[0].name)
    wait(made, HOUR)
    assert nodes(made)[0].deleting_at is not None
    assert len(ready_placeholders(made)) == 1


def test_a_budget_on_cold_placeholders_blocks_a_drain_until_the_label_says_warm() -> None:
    made = warm(1, options={"labels": {"app": "ph", WARM_LABEL: "false"}})
    made.add_disruption_budget("op", "pulling", {WARM_LABEL: "false"})
    old = nodes(made)[0].name
    made.expire(old)
    wait(made, HOUR)
    assert old in made.world.nodes
    made.patch_pod("op", placeholders(made)[0].name, labels={WARM_LABEL: "true"})
    wait(made, MINUTE)
    assert old not in made.world.nodes


def test_a_running_workspace_is_evicted_from_an_expired_node() -> None:
    made = warm(1)
    burst(made, 1, apart=MINUTE)
    made.expire(nodes(made)[0].name)
    wait(made, 2 * MINUTE)
    assert [each.name for each in made.launches] == ["w0", "w0"]
    assert made.launches[1].outcome is not None


def test_a_removed_node_is_gone_at_once_with_its_claim() -> None:
    made = warm(1)
    made.remove_node(nodes(made)[0].name)
    assert made.objects("nodes") == made.objects("nodeclaims") == []


def test_karpenter_orders_room_for_the_pods_of_a_node_that_must_go() -> None:
    made = warm(1, options={"do_not_disrupt": True})
    made.expire(nodes(made)[0].name)
    wait(made, 30 * SECOND)
    assert len(happened(made, "claim-created")) == 2


def test_an_empty_cluster_stays_empty() -> None:
    made = cluster()
    wait(made, 24 * HOUR)
    assert made.objects("nodes") == []
    assert made.history == []
