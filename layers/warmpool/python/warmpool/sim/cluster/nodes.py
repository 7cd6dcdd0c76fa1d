"""From an order to a working node, and back: NodeClaim, instance, Node object."""

from datetime import timedelta
from functools import partial
from typing import Final

from warmpool.core.model import NODEPOOL_LABEL
from warmpool.core.quantity import Amounts, add
from warmpool.sim.cluster import identity, kubelet, pods
from warmpool.sim.cluster.identity import stretched
from warmpool.sim.cluster.settings import POD_SLOT, NodePoolSettings
from warmpool.sim.cluster.state import (
    INSTANCE_TYPE_LABEL,
    NOT_READY_TAINT,
    UNREGISTERED_TAINT,
    ZONE_LABEL,
    ClaimState,
    NodeState,
    NotFound,
)
from warmpool.sim.cluster.world import World

CONTROL_STEP: Final = timedelta(seconds=1)
"""How long Karpenter takes to register, or initialise, a node that is there (real run: 1 s)."""
REGISTRATION_LIMIT: Final = timedelta(minutes=15)
"""Karpenter gives up an instance that has not registered by then."""
OFFERING_PAUSE: Final = timedelta(minutes=3)
"""For how long a provider's capacity error keeps Karpenter from asking there again."""


def find(world: World, name: str) -> NodeState:
    """Return a node. Raises NotFound."""
    try:
        return world.nodes[name]
    except KeyError:
        msg = f'nodes "{name}" not found'
        raise NotFound(msg) from None


def template_labels(pool: NodePoolSettings) -> dict[str, str]:
    """Return the labels that every node of a NodePool will have, its zone left open."""
    return {
        **pool.instance_labels,
        **pool.node_labels,
        NODEPOOL_LABEL: pool.nodepool,
        "karpenter.sh/capacity-type": "on-demand",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        INSTANCE_TYPE_LABEL: pool.instance_type,
    }


def daemon_requests(pool: NodePoolSettings) -> Amounts:
    """Return what DaemonSets take of each node, pod slots included."""
    return add([*pool.daemonsets.values(), *(POD_SLOT for _ in pool.daemonsets)])


def order(world: World, pool: NodePoolSettings, zone: str) -> ClaimState:
    """Create a NodeClaim; its instance follows."""
    ordinal = world.ordinal(f"claim/{pool.nodepool}")
    claim = ClaimState(
        name=f"{pool.nodepool}-{identity.suffix(world.settings.seed, f'claim/{pool.nodepool}', ordinal)}",
        uid=world.new_uid("claim"),
        created=world.now,
        pool=pool,
        ordinal=ordinal,
        zone=zone,
        labels={**template_labels(pool), ZONE_LABEL: zone},
    )
    world.claims[claim.name] = claim
    world.touch(claim)
    world.capacity_changed(more_room=False)
    world.note("claim-created", claim.name)
    world.after(world.settings.launch_time, partial(_launch, world, claim))
    return claim


def _launch(world: World, claim: ClaimState) -> None:
    if any(start <= world.now < end for start, end in claim.pool.insufficient_capacity):
        claim.launch_failed = True
        world.touch(claim)
        world.note("launch-failed", claim.name, "InsufficientCapacity")
        world.karpenter.unavailable_until[claim.pool.nodepool, claim.zone] = world.now + OFFERING_PAUSE
        world.after(CONTROL_STEP, partial(forget_claim, world, claim))
        return
    claim.launched_at = world.now
    world.touch(claim)
    world.books.open(claim.name, world.now, claim.pool.hourly_price)
    world.after(REGISTRATION_LIMIT, partial(_give_up, world, claim))
    if claim.ordinal not in claim.pool.never_register:
        delay = stretched(world.settings, claim.pool.registration_delay, "registration", claim.ordinal)
        world.after(delay, partial(_join, world, claim))


def _give_up(world: World, claim: ClaimState) -> None:
    if world.claims.get(claim.name) is claim and claim.registered_at is None:
        world.note("registration-failed", claim.name)
        forget_claim(world, claim)


def _join(world: World, claim: ClaimState) -> None:
    if world.claims.get(claim.name) is not claim:
        return
    name = f"hyperpod-i-{identity.hexadecimal(world.settings.seed, f'node/{claim.pool.nodepool}', claim.ordinal)}"
    node = NodeState(
        name=name,
        uid=world.new_uid("node"),
        created=world.now,
        pool=claim.pool,
        claim=claim,
        labels={**claim.labels, "kubernetes.io/hostname": name},
        taints=[*claim.pool.node_taints, UNREGISTERED_TAINT, NOT_READY_TAINT],
        ready_changed=world.now,
        puller_free_at=world.now,
        images=dict.fromkeys(world.settings.preinstalled_images, world.now),
    )
    world.nodes[name] = claim.node = node
    _changed(world, node, more_room=True)
    world.note("node-created", name)
    world.after(CONTROL_STEP, partial(_register, world, node))


def _register(world: World, node: NodeState) -> None:
    if world.nodes.get(node.name) is not node:
        return
    node.labels["karpenter.sh/registered"] = "true"
    node.taints.remove(UNREGISTERED_TAINT)
    node.claim.registered_at = world.now
    world.touch(node.claim)
    _changed(world, node, more_room=False)
    for name, requests in node.pool.daemonsets.items():
        pods.create_daemon(world, node, name, add([requests, POD_SLOT]))
    delay = stretched(world.settings, node.pool.initialisation_delay, "initialisation", node.claim.ordinal)
    world.after(delay, partial(_first_ready, world, node))


def _first_ready(world: World, node: NodeState) -> None:
    if world.nodes.get(node.name) is not node:
        return
    node.claim.ready_at = world.now
    kubelet.set_node_ready(world, node, ready=True)
    world.after(CONTROL_STEP, partial(_initialise, world, node))


def _initialise(world: World, node: NodeState) -> None:
    if world.nodes.get(node.name) is not node:
        return
    node.labels["karpenter.sh/initialized"] = "true"
    node.claim.initialised_at = world.now
    world.touch(node.claim)
    _changed(world, node, more_room=False)


def _changed(world: World, node: NodeState, *, more_room: bool) -> None:
    """Note a change. A scheduler tries pods when a node appears and when it is Ready, not for steps in between.

    A pod that is tried in vain waits twice as long for its next try (real runs: bound in the second of Ready).
    """
    world.touch(node)
    world.capacity_changed(more_room=more_room)


def forget_claim(world: World, claim: ClaimState) -> None:
    """Take a NodeClaim out of the API, and end its instance if there is one."""
    if world.claims.pop(claim.name, None) is None:
        return
    world.books.close(claim.name, world.now)
    world.capacity_changed(more_room=False)
    world.resource_version += 1
    if claim.node is None:
        world.note("claim-deleted", claim.name)


def remove(world: World, node: NodeState) -> None:
    """Take a node, its pods, its NodeClaim and its instance away at once."""
    if world.nodes.pop(node.name, None) is None:
        return
    for pod in list(node.pods.values()):
        pods.delete(world, pod, "lost", grace=timedelta(0))
        pods.remove(world, pod)
    for pod in list(world.nominated.pop(node.name, {}).values()):
        pod.nominated = None
        world.touch(pod)
    world.draining.pop(node.name, None)
    forget_claim(world, node.claim)
    world.note("node-removed", node.name)
