"""How Karpenter empties a node that must go: eviction that asks budgets and do-not-disrupt, then termination."""

from functools import partial

from warmpool.sim.cluster import nodes, pods
from warmpool.sim.cluster.state import DISRUPTED_TAINT, DO_NOT_DISRUPT, ClaimState, NodeState, PodState, Role
from warmpool.sim.cluster.world import World


def resident_pods(node: NodeState) -> list[PodState]:
    """Return the pods that keep a node from being empty: all but DaemonSets' and those that are leaving."""
    return [pod for pod in node.pods.values() if pod.active and pod.role is not Role.DAEMON]


def may_evict(world: World, pod: PodState) -> bool:
    """Tell whether Karpenter may move a pod."""
    return pod.annotations.get(DO_NOT_DISRUPT) != "true" and not pods.held_by_budget(world, pod)


def begin(world: World, node: NodeState, why: str) -> None:
    """Delete a NodeClaim: its node takes no more pods, and goes once it is drained."""
    if node.deleting_at is not None:
        return
    node.deleting_at = node.claim.deleting_at = world.now
    node.claim.deleting_why = why
    node.taints.append(DISRUPTED_TAINT)
    world.touch(node)
    world.touch(node.claim)
    world.capacity_changed(more_room=False)
    world.note("node-disrupted", node.name, why)
    world.draining[node.name] = node


def expire(world: World, claim: ClaimState) -> None:
    """Delete a NodeClaim that has come of age; no budget protects it."""
    if claim.node is not None and world.claims.get(claim.name) is claim:
        begin(world, claim.node, "Expired")


def carry_on(world: World) -> bool:
    """Evict what may be evicted from draining nodes, and end those that are empty. True where a pod went."""
    evicted = False
    for node in list(world.draining.values()):
        for pod in resident_pods(node):
            if may_evict(world, pod):
                pods.delete(world, pod, "evicted")
                evicted = True
        left = any(pod.role is not Role.DAEMON for pod in node.pods.values())
        if not left and not node.terminating:
            node.terminating = True
            world.after(world.settings.termination_time, partial(nodes.remove, world, node))
    return evicted
