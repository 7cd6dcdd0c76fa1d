"""Whether a pod may go to a node: selector, taints, room and neighbours."""

from collections.abc import Mapping, Sequence

from warmpool.core.matching import has_labels, untolerated
from warmpool.core.quantity import Amounts
from warmpool.sim.cluster.state import NodeState, PodState
from warmpool.sim.cluster.world import World


def repel(pod: PodState, other: PodState) -> bool:
    """Tell whether two pods may not share a node: required anti-affinity works both ways."""
    if pod.namespace != other.namespace:
        return False
    mine, theirs = pod.template.anti_affinity, other.template.anti_affinity
    return bool((mine and has_labels(mine, other.labels)) or (theirs and has_labels(theirs, pod.labels)))


def lacking(requests: Amounts, allocatable: Mapping[str, int], used: Mapping[str, int]) -> str | None:
    """Name the first resource of which there is too little left."""
    for name, wanted in requests.items():
        if wanted > allocatable.get(name, 0) - used.get(name, 0):
            return name
    return None


def unsuitable(pod: PodState, node: NodeState) -> str | None:
    """Say why a pod cannot go to a node whatever leaves it; preempting there would be useless."""
    if node.unschedulable:
        return "node(s) were unschedulable"
    if not has_labels(pod.template.node_selector, node.labels):
        return "node(s) didn't match Pod's node affinity/selector"
    taint = untolerated(node.taints, pod.template.tolerations)
    if taint is not None:
        return f"node(s) had untolerated taint(s) {{{taint.key}: {taint.value}}}"
    name = lacking(pod.requests, node.pool.allocatable, {})
    return f"Insufficient {name}" if name else None


def crowded(pod: PodState, node: NodeState, neighbours: Sequence[PodState], used: Mapping[str, int]) -> str | None:
    """Say why a pod does not fit beside its neighbours."""
    name = lacking(pod.requests, node.pool.allocatable, used)
    if name == "pods":
        return "Too many pods"
    if name:
        return f"Insufficient {name}"
    if any(repel(pod, other) for other in neighbours):
        return "node(s) didn't match pod anti-affinity rules"
    return None


def promised(world: World, pod: PodState, node: NodeState) -> list[PodState]:
    """Return the pods that were nominated to a node and come before this one."""
    waiting = world.nominated.get(node.name)
    if not waiting:
        return []
    return [p for p in waiting.values() if p is not pod and p.template.priority >= pod.template.priority]


def occupancy(node: NodeState, plus: Sequence[PodState] = ()) -> tuple[list[PodState], Mapping[str, int]]:
    """Return who is on a node and what they take, further pods included."""
    if not plus:
        return list(node.pods.values()), node.used
    used = dict(node.used)
    for pod in plus:
        for name, amount in pod.requests.items():
            used[name] = used.get(name, 0) + amount
    return [*node.pods.values(), *plus], used


def refusal(world: World, pod: PodState, node: NodeState) -> str | None:
    """Say why a pod cannot go to a node now, or None where it can."""
    reason = unsuitable(pod, node)
    if reason:
        return reason
    neighbours, used = occupancy(node, promised(world, pod, node))
    return crowded(pod, node, neighbours, used)
