"""Karpenter orders nodes: batches, packing, limits, delays, failures."""

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
    ready_placeholders,
    seconds_until,
    wait,
    warm,
)
from warmpool.core.model import Condition
from warmpool.core.quantity import NANO
from warmpool.sim.cluster import EmbeddedCluster, NodePoolSettings, Outcome, amounts

HOUR = timedelta(hours=1)


def _conditions(made: EmbeddedCluster) -> dict[str, str]:
    return {each["type"]: each["status"] for each in made.objects("nodeclaims")[0]["status"]["conditions"]}


def test_pods_that_come_within_a_second_share_one_batch_and_one_node() -> None:
    made = cluster()
    for index in range(5):
        made.launch(f"w{index}")
        wait(made, SECOND / 2)
    wait(made, MINUTE)
    assert len(happened(made, "claim-created")) == 1


def test_a_steady_stream_is_cut_after_ten_seconds() -> None:
    made = cluster(registration_delay=10 * MINUTE)
    burst(made, 30, apart=SECOND / 2)
    assert seconds_until(made, "claim-created", since=START) == 10


def test_later_pods_join_a_node_that_is_on_its_way() -> None:
    made = cluster(registration_delay=3 * MINUTE)
    burst(made, 11, apart=10 * SECOND)
    wait(made, 5 * MINUTE)
    assert len(nodes(made)) == 1
    assert {each.outcome for each in made.launches} == {Outcome.COLD}


def test_the_twelfth_launch_does_not_fit_and_gets_a_second_node() -> None:
    made = cluster()
    burst(made, 12, apart=SECOND / 10)
    wait(made, 2 * MINUTE)
    assert len(nodes(made)) == 2


def test_placeholders_that_repel_each_other_get_a_node_each() -> None:
    made = cluster()
    made.create_placeholders("op", "ph", replicas=3)
    wait(made, 2 * SECOND)
    assert len(happened(made, "claim-created")) == 3


def test_a_node_passes_its_stations_one_by_one() -> None:
    made = cluster(registration_delay=MINUTE, initialisation_delay=20 * SECOND)
    made.create_placeholders("op", "ph", replicas=1)
    wait(made, 3 * SECOND)
    assert _conditions(made) == {
        "Launched": "True",
        "Registered": "Unknown",
        "Initialized": "Unknown",
        "Ready": "Unknown",
    }
    wait(made, MINUTE - SECOND)
    node = nodes(made)[0]
    assert {taint.key for taint in node.taints} == {"karpenter.sh/unregistered", "node.kubernetes.io/not-ready"}
    wait(made, SECOND)
    assert _conditions(made)["Registered"] == "True"
    assert node.labels["karpenter.sh/registered"] == "true"
    assert {taint.key for taint in node.taints} == {"node.kubernetes.io/not-ready"}
    assert node.ready is Condition.FALSE
    wait(made, 22 * SECOND)
    assert _conditions(made) == dict.fromkeys(("Launched", "Registered", "Initialized", "Ready"), "True")
    assert node.labels["karpenter.sh/initialized"] == "true"
    assert node.taints == []


def test_limits_are_never_exceeded() -> None:
    made = cluster(limits=amounts(cpu="100"))
    made.create_placeholders("op", "ph", replicas=4)
    wait(made, 10 * MINUTE)
    assert len(nodes(made)) == 2


def test_limits_may_count_nodes() -> None:
    made = cluster(limits={"nodes": 3 * NANO})
    made.create_placeholders("op", "ph", replicas=5)
    wait(made, 10 * MINUTE)
    assert len(nodes(made)) == 3


def test_what_fits_no_node_orders_none() -> None:
    made = cluster()
    made.launch("huge", requests=amounts(cpu="64", memory="16Gi"))
    wait(made, 10 * MINUTE)
    assert not happened(made, "claim-created")


def test_a_selector_that_no_nodepool_satisfies_orders_none() -> None:
    made = cluster()
    made.launch("gpu", node_selector={"pool": "gpu"})
    wait(made, 10 * MINUTE)
    assert not happened(made, "claim-created")


def test_an_instance_that_never_registers_is_paid_for_and_given_up_after_15_minutes() -> None:
    made = cluster(never_register=frozenset({1}))
    made.create_placeholders("op", "ph", replicas=1)
    wait(made, 15 * MINUTE)
    assert not nodes(made)
    assert made.books.births == 1
    wait(made, 2 * MINUTE)
    assert len(ready_placeholders(made)) == 1
    assert made.books.births == 2
    assert made.books.idle_node_seconds > 15 * 60


def test_an_instance_that_would_join_too_late_never_does() -> None:
    made = cluster(registration_delay=20 * MINUTE, limits=amounts(cpu="48"))
    made.create_placeholders("op", "ph", replicas=1)
    wait(made, HOUR)
    assert happened(made, "registration-failed") == happened(made, "claim-created")[:-1]
    assert not happened(made, "node-created")


def test_an_instance_that_vanishes_while_it_joins_is_replaced() -> None:
    for seconds in range(3):
        made = cluster(initialisation_delay=SECOND)
        made.create_placeholders("op", "ph", replicas=1)
        while not nodes(made):
            wait(made, SECOND)
        wait(made, seconds * SECOND)
        made.remove_node(nodes(made)[0].name)
        wait(made, MINUTE)
        assert len(ready_placeholders(made)) == 1
        assert len(happened(made, "node-created")) == 2


def test_without_capacity_orders_fail_pause_and_succeed_once_there_is_some() -> None:
    made = cluster(insufficient_capacity=((START, START + 10 * MINUTE),), zones=("a",))
    made.create_placeholders("op", "ph", replicas=1)
    wait(made, 10 * MINUTE)
    assert 3 <= len(happened(made, "launch-failed")) <= 4
    assert made.books.births == 0
    wait(made, 5 * MINUTE)
    assert len(ready_placeholders(made)) == 1


def test_a_failed_order_says_why() -> None:
    made = cluster(insufficient_capacity=((START, START + HOUR),), zones=("a",))
    made.create_placeholders("op", "ph", replicas=1)
    wait(made, 2 * SECOND)
    launched = made.objects("nodeclaims")[0]["status"]["conditions"][0]
    assert (launched["type"], launched["status"], launched["reason"]) == (
        "Launched",
        "False",
        "InsufficientCapacityError",
    )


def test_nodes_alternate_between_zones_and_a_pod_may_insist_on_one() -> None:
    made = cluster(zones=("a", "b"))
    made.create_placeholders("op", "ph", replicas=2)
    wait(made, MINUTE)
    assert [node.claim.zone for node in nodes(made)] == ["a", "b"]
    made.launch("w", node_selector={"topology.kubernetes.io/zone": "b"}, requests=FILLING)
    wait(made, MINUTE)
    assert made.launches[0].node == nodes(made)[1].name


def test_a_second_nodepool_serves_those_who_select_it() -> None:
    gpu = NodePoolSettings(nodepool="gpu", node_labels={"pool": "gpu"}, registration_delay=SECOND)
    made = cluster(more_nodepools=(gpu,))
    made.launch("w", node_selector={"pool": "gpu"})
    wait(made, 5 * MINUTE)
    assert [node.labels["karpenter.sh/nodepool"] for node in nodes(made)] == ["gpu"]


def test_a_cordoned_node_is_no_room_for_karpenter_either() -> None:
    made = warm(1, limits=amounts(cpu="96"))
    made.cordon(nodes(made)[0].name)
    burst(made, 1, apart=MINUTE)
    assert len(nodes(made)) == 2


def test_a_node_may_be_relabelled_and_then_suits_other_pods() -> None:
    made = warm(1)
    made.label_node(nodes(made)[0].name, {"pool": "other", "kubernetes.io/os": None})
    made.launch("w", node_selector={"pool": "other"})
    wait(made, MINUTE)
    assert made.launches[0].node == nodes(made)[0].name
    assert "kubernetes.io/os" not in nodes(made)[0].labels


def test_delays_vary_with_the_jitter_and_repeat_with_the_seed() -> None:
    def first_node(**settings: object) -> float:
        made = cluster(registration_delay=3 * MINUTE, **settings)
        made.create_placeholders("op", "ph", replicas=1)
        wait(made, HOUR)
        return seconds_until(made, "node-created", since=START)

    even = first_node()
    for kind in ("lognormal", "uniform"):
        varied = first_node(jitter=kind, seed=1)
        assert varied != even
        assert first_node(jitter=kind, seed=1) == varied
        assert first_node(jitter=kind, seed=2) != varied
