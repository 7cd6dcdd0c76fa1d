"""The cluster-proportional-autoscaler feeds on itself, as it did in the real run (samples/README.md)."""

from datetime import timedelta
from math import ceil

from tests.sim.cluster.builders import LAUNCH, SECOND, SMALL, cluster, nodes, wait
from warmpool.core.quantity import parse_quantity, whole_units
from warmpool.sim.cluster import EmbeddedCluster

CORES_OF_A_NODE = 48


def _cpa(made: EmbeddedCluster, cores_per_replica: int) -> int:
    """Return CPA's linear answer: nodesPerReplica 3, min 2, max 8; all schedulable nodes count, its own too."""
    counted = [node["status"] for node in made.objects("nodes") if not node["spec"].get("unschedulable")]
    ready = [each for each in counted if ("Ready", "True") in ((c["type"], c["status"]) for c in each["conditions"])]
    cores = whole_units(sum(parse_quantity(each["allocatable"]["cpu"]) for each in ready))
    terms = (ceil(cores / cores_per_replica), ceil(len(ready) / 3))
    return max(min(8, max(2, term)) for term in terms)


def _run(made: EmbeddedCluster, cores_per_replica: int, span: timedelta) -> list[int]:
    """Let CPA act every 10 seconds, and return the replicas it went through."""
    seen = [made.get_scale("op", "ph") or 0]
    for _ in range(span // (10 * SECOND)):
        wait(made, 10 * SECOND)
        made.patch_scale("op", "ph", _cpa(made, cores_per_replica), "cluster-proportional-autoscaler", made.now)
        seen.append(made.get_scale("op", "ph") or 0)
    return [after for before, after in zip([None, *seen], seen, strict=False) if after != before]


def _burst_that_all_stops(cores_per_replica: int) -> tuple[EmbeddedCluster, list[int]]:
    made = cluster()
    made.create_placeholders("op", "ph", replicas=2, requests=SMALL)
    replicas = _run(made, cores_per_replica, timedelta(minutes=2))
    for index in range(58):
        made.launch(f"w{index}", requests=LAUNCH)
    replicas += _run(made, cores_per_replica, timedelta(minutes=5))[1:]
    for index in range(58):
        made.end(f"w{index}")
    return made, replicas + _run(made, cores_per_replica, timedelta(minutes=30))[1:]


def test_a_burst_takes_the_replicas_from_2_to_6_and_they_stay_there() -> None:
    made, replicas = _burst_that_all_stops(CORES_OF_A_NODE)
    assert replicas == [2, 6]
    assert len(nodes(made)) == 6
    assert made.objects("workspaces") == []


def test_three_minutes_after_the_last_workspace_six_nodes_are_still_there() -> None:
    made, _ = _burst_that_all_stops(CORES_OF_A_NODE)
    idle = made.books.idle_node_seconds
    _run(made, CORES_OF_A_NODE, timedelta(minutes=3))
    assert made.books.idle_node_seconds - idle == 6 * 180


def test_with_three_nodes_to_a_placeholder_the_pool_comes_back_down() -> None:
    made, replicas = _burst_that_all_stops(3 * CORES_OF_A_NODE)
    assert replicas[-1] == 2
    assert len(nodes(made)) == 2


def test_without_placeholders_all_nodes_leave_within_a_minute() -> None:
    made, _ = _burst_that_all_stops(CORES_OF_A_NODE)
    made.scale("op", "ph", 0)
    wait(made, timedelta(minutes=1))
    assert nodes(made) == []


def test_one_workspace_that_fills_a_node_for_good_drives_the_pool_to_its_max() -> None:
    made = cluster()
    made.create_placeholders("op", "ph", replicas=2, requests=SMALL)
    _run(made, CORES_OF_A_NODE, timedelta(minutes=2))
    made.launch("big", requests={**LAUNCH, "cpu": parse_quantity("46")})
    assert _run(made, CORES_OF_A_NODE, timedelta(minutes=30))[-1] == 8
