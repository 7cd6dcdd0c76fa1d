"""Builders for the tests of the embedded cluster: the quick cluster of the real run, and questions about one."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, amounts
from warmpool.sim.cluster.state import NodeState, PodState, Role

START = datetime(2026, 12, 1, 8, tzinfo=UTC)
SMALL = amounts(cpu="2", memory="8Gi")
FILLING = amounts(cpu="46", memory="180Gi")
LAUNCH = amounts(cpu="4", memory="16Gi")
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


def cluster(**overrides: Any) -> EmbeddedCluster:
    """Build a cluster as quick as the real run's: 5 s to register, 5 s to pull, empty nodes go after 10 s."""
    values: dict[str, Any] = {
        "registration_delay": 5 * SECOND,
        "initialisation_delay": 0 * SECOND,
        "image_pull_time": 5 * SECOND,
        "consolidate_after": 10 * SECOND,
        "max_disrupted": "100%",
    }
    return EmbeddedCluster(ClusterSettings(**{**values, **overrides}), START)


def warm(nodes: int = 2, *, requests: Any = SMALL, options: Any = None, **overrides: Any) -> EmbeddedCluster:
    """Build a cluster whose placeholders are all Ready, one a node."""
    made = cluster(**overrides)
    made.create_placeholders("op", "ph", replicas=nodes, requests=requests, **(options or {}))
    wait(made, MINUTE)
    assert len(ready_placeholders(made)) == nodes
    return made


def wait(cluster: EmbeddedCluster, span: timedelta) -> None:
    """Let time pass."""
    cluster.advance(cluster.now + span)


def burst(cluster: EmbeddedCluster, count: int, *, apart: timedelta = 3 * SECOND, **options: Any) -> None:
    """Launch workspaces one after the other."""
    first = len(cluster.launches)
    for index in range(first, first + count):
        cluster.launch(f"w{index}", **options)
        wait(cluster, apart)


def nodes(cluster: EmbeddedCluster) -> list[NodeState]:
    """Return the nodes, the oldest first."""
    return list(cluster.world.nodes.values())


def placeholders(cluster: EmbeddedCluster) -> list[PodState]:
    """Return the placeholders, the oldest first."""
    return [pod for pod in cluster.world.pods.values() if pod.role is Role.PLACEHOLDER]


def ready_placeholders(cluster: EmbeddedCluster) -> list[PodState]:
    """Return the Ready ones."""
    return [pod for pod in placeholders(cluster) if pod.ready]


def pending_placeholders(cluster: EmbeddedCluster) -> list[PodState]:
    """Return those without a node."""
    return [pod for pod in placeholders(cluster) if pod.node is None]


def placeholder_on(cluster: EmbeddedCluster, node: str) -> PodState:
    """Return the placeholder of a node."""
    return next(pod for pod in placeholders(cluster) if pod.node and pod.node.name == node)


def launches_by_node(cluster: EmbeddedCluster) -> list[int]:
    """Count launches by node, the fullest first."""
    return sorted(Counter(each.node for each in cluster.launches if each.node).values(), reverse=True)


def happened(cluster: EmbeddedCluster, what: str) -> list[str]:
    """Return the names of the objects to which something happened, in order."""
    return [event.name for event in cluster.history if event.what == what]


def seconds_until(cluster: EmbeddedCluster, what: str, *, since: datetime) -> float:
    """Return how long it took until something first happened."""
    first = next(event.at for event in cluster.history if event.what == what and event.at >= since)
    return (first - since).total_seconds()
