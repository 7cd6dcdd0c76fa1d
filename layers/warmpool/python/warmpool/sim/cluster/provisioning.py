"""Karpenter's provisioner: batches unschedulable pods, packs them onto what is coming, orders the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final

from warmpool.core.matching import has_labels, untolerated
from warmpool.core.model import Taint
from warmpool.core.quantity import NANO, Amounts, add, subtract
from warmpool.sim.cluster import drain, fitting, nodes
from warmpool.sim.cluster.settings import NodePoolSettings
from warmpool.sim.cluster.state import (
    CORDON_TAINT,
    NOT_READY_TAINT,
    UNREGISTERED_TAINT,
    ZONE_LABEL,
    ClaimState,
    NodeState,
    PodState,
)
from warmpool.sim.cluster.world import World

RETRY: Final = timedelta(seconds=10)
"""How often Karpenter looks again at a pod that still waits."""
NOMINATION: Final = timedelta(seconds=20)
"""For how long a node that was chosen for a pod is not disrupted."""


@dataclass(slots=True, kw_only=True)
class Bin:
    """A node that is there, coming, or only planned (then `node` and `claim` are None)."""

    pool: NodePoolSettings
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    free: dict[str, int]
    node: NodeState | None = None
    claim: ClaimState | None = None
    pods: list[PodState] = field(default_factory=list)
    placed: int = 0

    def take(self, pod: PodState) -> bool:
        """Add a pod if it fits."""
        if not has_labels(pod.template.node_selector, self.labels) or fitting.lacking(pod.requests, self.free, {}):
            return False
        if untolerated(self.taints, pod.template.tolerations) is not None:
            return False
        if any(fitting.repel(pod, other) for other in self.pods):
            return False
        self.pods.append(pod)
        self.free = subtract(self.free, pod.requests)
        self.placed += 1
        return True


@dataclass(slots=True, kw_only=True)
class Packing:
    """Where pods would go: onto existing bins, planned ones, or nowhere."""

    existing: list[Bin]
    planned: list[Bin] = field(default_factory=list)
    nowhere: list[PodState] = field(default_factory=list)


def waiting_pods(world: World) -> list[PodState]:
    """Return the pods that the scheduler could not place and that have not preempted anybody."""
    return [pod for pod in world.unbound.values() if pod.attempts and pod.nominated is None]


def displaced_pods(world: World) -> list[PodState]:
    """Return the pods on nodes that are going: they will need room elsewhere."""
    return [pod for node in world.draining.values() for pod in drain.resident_pods(node)]


def watch(world: World) -> None:
    """Notice pods that wait for the first time, and open or extend the batch window."""
    noticed = world.karpenter.noticed
    seen = [(pod.uid, "waiting") for pod in waiting_pods(world)]
    seen += [(pod.uid, "displaced") for pod in displaced_pods(world)]
    fresh = [each for each in seen if each not in noticed]
    if fresh:
        noticed.update(dict.fromkeys(fresh))
        _trigger(world)


def _trigger(world: World) -> None:
    karpenter, settings = world.karpenter, world.settings
    if karpenter.window_opened is None:
        karpenter.window_opened = world.now
        world.after(settings.batch_idle, partial(_batch, world))
    karpenter.window_due = min(world.now + settings.batch_idle, karpenter.window_opened + settings.batch_max)


def _batch(world: World) -> None:
    karpenter = world.karpenter
    if karpenter.window_due is not None and world.now < karpenter.window_due:
        world.at(karpenter.window_due, partial(_batch, world))
        return
    karpenter.window_opened = karpenter.window_due = None
    _provision(world)
    karpenter.noticed = {seen: None for seen in karpenter.noticed if seen[0] in world.pods}
    if waiting_pods(world) and not karpenter.retry_planned:
        karpenter.retry_planned = True
        world.after(RETRY, partial(_retry, world))


def _retry(world: World) -> None:
    world.karpenter.retry_planned = False
    if waiting_pods(world):
        _trigger(world)


def _provision(world: World) -> None:
    pods = [*waiting_pods(world), *displaced_pods(world)]
    question = (world.capacity_version, tuple(pod.uid for pod in pods), _offerings(world))
    karpenter = world.karpenter
    if question != karpenter.last_plan:
        packing = pack(world, pods, skip=frozenset(), may_order=True)
        karpenter.chosen = [each.node for each in packing.existing if each.placed and each.node]
        _order(world, packing)
        karpenter.last_plan = (world.capacity_version, *question[1:])
    for node in karpenter.chosen:
        node.nominated_until = world.now + NOMINATION


def _order(world: World, packing: Packing) -> None:
    for each in packing.planned:
        claim = nodes.order(world, each.pool, each.labels[ZONE_LABEL])
        if each.pool.expire_after is not None:
            world.after(each.pool.expire_after, partial(drain.expire, world, claim))


def pack(world: World, pods: list[PodState], *, skip: frozenset[str], may_order: bool) -> Packing:
    """Work out where pods would go, largest first, without the nodes to `skip`; nothing is changed."""
    packing = Packing(existing=_existing(world, skip))
    for pod in sorted(pods, key=_largest_first):
        if any(each.take(pod) for each in packing.existing):
            continue
        if any(each.take(pod) for each in sorted(packing.planned, key=lambda each: each.placed)):
            continue
        planned = _plan(world, pod, packing.planned) if may_order else None
        if planned:
            packing.planned.append(planned)
        else:
            packing.nowhere.append(pod)
    return packing


def _largest_first(pod: PodState) -> tuple[int, int, int]:
    return -pod.requests.get("cpu", 0), -pod.requests.get("memory", 0), pod.ordinal


def _existing(world: World, skip: frozenset[str]) -> list[Bin]:
    """Return what is there or coming, working nodes first."""
    alive = [claim for claim in world.claims.values() if claim.deleting_at is None and not claim.launch_failed]
    bins = [_bin(claim) for claim in alive if claim.node is None or claim.node.name not in skip]
    return sorted(bins, key=lambda each: each.claim is None or each.claim.initialised_at is None)


def _bin(claim: ClaimState) -> Bin:
    node, pool = claim.node, claim.pool
    if node is None:
        free = subtract(pool.allocatable, nodes.daemon_requests(pool))
        return Bin(pool=pool, labels=claim.labels, taints=pool.node_taints, free=free, claim=claim)
    free = subtract(pool.allocatable, node.used)
    if claim.registered_at is None:
        free = subtract(free, nodes.daemon_requests(pool))
    # A node that is still starting is expected to lose these taints; on a working one they are real.
    passing = () if claim.initialised_at else (NOT_READY_TAINT, UNREGISTERED_TAINT)
    taints = tuple(taint for taint in node.taints if taint not in passing)
    if node.unschedulable:
        taints = (*taints, CORDON_TAINT)
    neighbours = list(node.pods.values())
    return Bin(pool=pool, labels=node.labels, taints=taints, free=free, node=node, claim=claim, pods=neighbours)


def _plan(world: World, pod: PodState, planned: list[Bin]) -> Bin | None:
    """Plan a new node for a pod, in the first NodePool that suits it, has a zone and stays within its limits."""
    for pool in world.settings.nodepools:
        zones = [zone for name, zone in _offerings(world) if name == pool.nodepool]
        wanted = pod.template.node_selector.get(ZONE_LABEL)
        zones = [zone for zone in zones if wanted in (None, zone)]
        if not zones or not _within_limits(world, pool, planned):
            continue
        count = sum(claim.pool is pool for claim in world.claims.values()) + sum(each.pool is pool for each in planned)
        zone = zones[count % len(zones)]
        free = subtract(pool.allocatable, nodes.daemon_requests(pool))
        labels = {**nodes.template_labels(pool), ZONE_LABEL: zone}
        made = Bin(pool=pool, labels=labels, taints=pool.node_taints, free=free)
        if made.take(pod):
            return made
    return None


def _offerings(world: World) -> tuple[tuple[str, str], ...]:
    """Return the (NodePool, zone) pairs that have not just run out of capacity."""
    until = world.karpenter.unavailable_until
    pairs = ((pool.nodepool, zone) for pool in world.settings.nodepools for zone in pool.zones)
    return tuple(pair for pair in pairs if until.get(pair, world.start) <= world.now)


def _within_limits(world: World, pool: NodePoolSettings, planned: list[Bin]) -> bool:
    if not pool.limits:
        return True
    one: Amounts = {**pool.capacity, "nodes": NANO}
    there = sum(claim.pool is pool and claim.deleting_at is None for claim in world.claims.values())
    coming = sum(each.pool is pool for each in planned)
    total = add([one] * (there + coming + 1))
    return all(total.get(name, 0) <= limit for name, limit in pool.limits.items())
