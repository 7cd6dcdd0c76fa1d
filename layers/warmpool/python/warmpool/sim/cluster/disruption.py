"""Karpenter's disruption loop: empty nodes first, underused ones where the policy says so, within budgets."""

from datetime import datetime, timedelta
from functools import partial
from math import ceil
from typing import Final, Literal

from warmpool.sim.cluster import drain, provisioning
from warmpool.sim.cluster.settings import NodePoolSettings
from warmpool.sim.cluster.state import NodeState
from warmpool.sim.cluster.world import World

POLL: Final = timedelta(seconds=10)
VALIDATION: Final = timedelta(seconds=15)
"""Karpenter looks twice, this far apart, before it takes a node."""
Reason = Literal["Empty", "Underutilized"]


def consolidatable_at(node: NodeState) -> datetime | None:
    """Return when a node has been left alone for long enough (its Consolidatable condition), None for never."""
    claim = node.claim
    if claim.initialised_at is None or node.pool.consolidate_after is None:
        return None
    return max(claim.initialised_at, claim.last_pod_event or claim.initialised_at) + node.pool.consolidate_after


def plan_poll(world: World) -> None:
    """Make sure that the loop runs when it next could find something; in between it would find nothing."""
    karpenter = world.karpenter
    if karpenter.validating:
        return
    times = [when for node in world.nodes.values() if (when := _interesting_at(world, node))]
    if not times:
        return
    when = _on_grid(world, max(world.now, min(times)))
    if karpenter.poll_at is None or when < karpenter.poll_at:
        karpenter.poll_at = when
        world.at(when, partial(_poll, world, when))


def _on_grid(world: World, moment: datetime) -> datetime:
    when = world.start + POLL * ceil((moment - world.start) / POLL)
    last = world.karpenter.last_poll
    return when if last is None or when > last else last + POLL


def _interesting_at(world: World, node: NodeState) -> datetime | None:
    """Return when a node might be taken, blocked windows of its budget counted in."""
    when = consolidatable_at(node)
    if when is None or node.deleting_at is not None:
        return None
    if drain.resident_pods(node):
        quiet = world.karpenter.quiet_version == world.capacity_version
        if node.pool.consolidation == "WhenEmpty" or (quiet and when <= world.now):
            return None
    for start, end in sorted(node.pool.blocked_windows):
        if start <= max(when, world.now) < end:
            when = end
    return when


def _poll(world: World, when: datetime) -> None:
    karpenter = world.karpenter
    if karpenter.poll_at != when or karpenter.validating:
        return
    karpenter.poll_at, karpenter.last_poll = None, world.now
    empty = [node.name for pool in world.settings.nodepools for node in _empty_nodes(world, pool)]
    underused = [] if empty else _underused_nodes(world)
    if empty or underused:
        karpenter.validating = True
        reason: Reason = "Empty" if empty else "Underutilized"
        world.after(VALIDATION, partial(_take, world, empty or underused, reason))
    else:
        karpenter.quiet_version = world.capacity_version


def _take(world: World, names: list[str], reason: Reason) -> None:
    """Look again, and take those nodes that are still free to go."""
    world.karpenter.validating = False
    if reason == "Empty":
        still = [node.name for pool in world.settings.nodepools for node in _empty_nodes(world, pool)]
    else:
        still = _underused_nodes(world)
    for name in names:
        if name in still:
            drain.begin(world, world.nodes[name], reason)


def _empty_nodes(world: World, pool: NodePoolSettings) -> list[NodeState]:
    """Return the pool's empty nodes that may go now, the oldest first."""
    empty = [node for node in _candidates(world, pool) if not drain.resident_pods(node)]
    return empty[: allowed(world, pool)]


def _candidates(world: World, pool: NodePoolSettings) -> list[NodeState]:
    """Return the nodes that are old enough, not leaving, and not chosen for a pod."""
    found = []
    for node in world.nodes.values():
        when = consolidatable_at(node)
        chosen = node.nominated_until is not None and node.nominated_until > world.now
        if node.pool is pool and node.deleting_at is None and when is not None and when <= world.now and not chosen:
            found.append(node)
    return found


def _underused_nodes(world: World) -> list[str]:
    """Return the one node whose pods would all fit on others, cheapest to disturb first."""
    for pool in world.settings.nodepools:
        if pool.consolidation == "WhenEmpty" or not allowed(world, pool):
            continue
        movable = [node for node in _candidates(world, pool) if _all_movable(world, node)]
        for node in sorted(movable, key=_disturbance):
            pods = [*provisioning.waiting_pods(world), *drain.resident_pods(node)]
            packing = provisioning.pack(world, pods, skip=frozenset({node.name}), may_order=False)
            if _works_without(node, packing):
                return [node.name]
    return []


def _all_movable(world: World, node: NodeState) -> bool:
    residents = drain.resident_pods(node)
    return bool(residents) and all(drain.may_evict(world, pod) for pod in residents)


def _works_without(node: NodeState, packing: provisioning.Packing) -> bool:
    """Karpenter does not rely on nodes that are not initialised yet."""
    ours = {pod.uid for pod in drain.resident_pods(node)}
    if any(pod.uid in ours for pod in packing.nowhere):
        return False
    unfinished = [each for each in packing.existing if each.claim is None or each.claim.initialised_at is None]
    return not any(pod.uid in ours for each in unfinished for pod in each.pods)


def _disturbance(node: NodeState) -> tuple[float, int]:
    """Rank nodes by what moving their pods costs: about one each, a little less for low priorities."""
    cost = sum(1 + pod.template.priority / 2**25 + pod.deletion_cost / 2**27 for pod in drain.resident_pods(node))
    return cost, node.claim.ordinal


def allowed(world: World, pool: NodePoolSettings) -> int:
    """Return how many more nodes the pool's budget lets go now; those leaving or not Ready count against it."""
    if any(start <= world.now < end for start, end in pool.blocked_windows):
        return 0
    ours = [node for node in world.nodes.values() if node.pool is pool and node.claim.initialised_at]
    limit = pool.max_disrupted
    most = limit if isinstance(limit, int) else ceil(len(ours) * int(limit.removesuffix("%")) / 100)
    going = sum(node.deleting_at is not None or not node.is_ready for node in ours)
    return max(0, most - going)
