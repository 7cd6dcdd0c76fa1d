"""Where the placeholders sit, how many hold the room, and which go first. Design section 6 item 4."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.counting import NodeView, PoolView
from warmpool.core.decision import Groups, Mark
from warmpool.core.model import WARM_LABEL, NodeClaim, Pod, PodPhase
from warmpool.core.quantity import pods_that_fit

VICTIM_COST: Final = -100
"""The deletion cost of a placeholder that is to go; a ReplicaSet removes the lowest first and unmarked ones count 0."""

EXPIRING_WITHIN: Final = timedelta(hours=24)
"""A node that expires so soon goes before younger ones."""

_PHASE_RANK: Final = {PodPhase.PENDING: 0, PodPhase.UNKNOWN: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The pool's placeholders by group, as pods, and the groups' sizes as the decision uses them."""

    groups: Groups
    on_busy: tuple[Pod, ...] = ()
    idle: tuple[Pod, ...] = ()
    unusable: tuple[Pod, ...] = ()
    uncreated: int = 0
    """Replicas that the ReplicaSet has not created yet: ordered, and the first to go."""
    leaving: int = 0
    """Pods above the replicas that the ReplicaSet has not removed yet."""
    pull_stuck: tuple[Pod, ...] = ()

    @property
    def pods(self) -> tuple[Pod, ...]:
        """All live placeholders."""
        return (*self.on_busy, *self.idle, *self.unusable)

    @property
    def any_pending(self) -> bool:
        """True while an order is open: a placeholder on a usable node is not running yet, or not even created."""
        return self.uncreated > 0 or any(pod.phase is PodPhase.PENDING for pod in (*self.on_busy, *self.idle))


def place(view: PoolView, limit: timedelta, now: datetime) -> Placement:
    """Sort the placeholders into the groups h, i and x and count r; `limit` is the pool's leadTimeLimit."""
    stuck = _pull_stuck(view.placeholders, limit, now)
    # One replacement at a time: a broken registry must not order a second pool.
    replaced = {stuck[0].uid} if stuck else set[str]()
    on_busy: list[Pod] = []
    idle: list[Pod] = []
    unusable: list[Pod] = []
    taken = Counter[str]()
    for pod in sorted(view.placeholders, key=lambda each: (each.created, each.name)):
        group = _group_of(pod, view.nodes, replaced, taken, on_busy=on_busy, idle=idle, unusable=unusable)
        group.append(pod)
    pods = len(view.placeholders)
    replicas = view.deployment.replicas if view.deployment else pods
    uncreated, leaving = max(0, replicas - pods), max(0, pods - replicas)
    groups = Groups(
        h=len(on_busy),
        i=max(0, len(idle) + uncreated - leaving),
        x=len(unusable),
        r=_busy_with_room(view, taken),
    )
    return Placement(
        groups=groups,
        on_busy=tuple(on_busy),
        idle=tuple(idle),
        unusable=tuple(unusable),
        uncreated=uncreated,
        leaving=leaving,
        pull_stuck=stuck,
    )


def _group_of(  # noqa: PLR0913 - the three lists are the answer's names
    pod: Pod,
    nodes: Mapping[str, NodeView],
    replaced: set[str],
    taken: Counter[str],
    *,
    on_busy: list[Pod],
    idle: list[Pod],
    unusable: list[Pod],
) -> list[Pod]:
    if pod.node is None:
        return idle
    node = nodes.get(pod.node)
    taken[pod.node] += 1
    if node is None or node.unusable or pod.uid in replaced:
        return unusable
    # A second placeholder on a node holds nothing that the first does not hold.
    return on_busy if node.busy or taken[pod.node] > 1 else idle


def _pull_stuck(pods: Iterable[Pod], limit: timedelta, now: datetime) -> tuple[Pod, ...]:
    stuck = [
        pod for pod in pods if pod.node is not None and not pod.ready and now - (pod.started or pod.created) > limit
    ]
    return tuple(sorted(stuck, key=lambda each: (each.created, each.name)))


def _busy_with_room(view: PoolView, taken: Mapping[str, int]) -> int:
    request = view.deployment.requests if view.deployment else None
    if request is None:
        return 0
    return sum(
        1
        for name, each in view.nodes.items()
        if each.busy
        and each.exclusion is None
        and not taken.get(name)
        and each.open is not None
        and pods_that_fit(each.open, request)
    )


def removal_order(pods: Iterable[Pod], costs: Mapping[str, int]) -> list[Pod]:
    """Order pods as a ReplicaSet removes them, given the deletion costs by UID that will be in force.

    Rules of Kubernetes' ActivePodsWithRanks: unassigned, pending, not ready, lower deletion cost, doubled up on a
    node, ready for a shorter time, younger.
    """
    known = list(pods)
    on_node = Counter(pod.node for pod in known)

    def rank(pod: Pod) -> tuple[bool, int, bool, int, int, float, float]:
        ready_at = pod.ready_changed.timestamp() if pod.ready and pod.ready_changed else 0.0
        return (
            pod.node is not None,
            _PHASE_RANK.get(pod.phase, 2),
            pod.ready,
            costs.get(pod.uid, 0),
            -on_node[pod.node],
            -ready_at,
            -pod.created.timestamp(),
        )

    return sorted(known, key=rank)


def victims_first(placement: Placement, view: PoolView, claims: Iterable[NodeClaim], now: datetime) -> list[Pod]:
    """Order the idle group as it should go: Pending first, then on nodes that expire soon, then on the oldest."""
    expiry = {claim.node: claim.expires for claim in claims if claim.node and claim.expires}

    def rank(pod: Pod) -> tuple[int, bool, float, str]:
        if pod.node is None or pod.phase is PodPhase.PENDING:
            return (0 if pod.node is None else 1, False, -pod.created.timestamp(), pod.name)
        expires = expiry.get(pod.node)
        soon = expires is not None and expires - now < EXPIRING_WITHIN
        node = view.nodes.get(pod.node)
        born = node.node.created.timestamp() if node else 0.0
        return (2, not soon, born, pod.name)

    return sorted(placement.idle, key=rank)


def cost_marks(placement: Placement, victims: Sequence[Pod]) -> list[Mark]:
    """Mark the victims, and clear the marks that no longer apply."""
    wanted = {pod.uid for pod in victims}
    marks = []
    for pod in placement.pods:
        if pod.uid in wanted and pod.deletion_cost != VICTIM_COST:
            marks.append(_cost(pod, VICTIM_COST))
        elif pod.uid not in wanted and pod.deletion_cost == VICTIM_COST:
            marks.append(_cost(pod, None))
    return marks


def _cost(pod: Pod, cost: int | None) -> Mark:
    return Mark(namespace=pod.namespace, pod=pod.name, uid=pod.uid, set_deletion_cost=True, deletion_cost=cost)


def warm_marks(placement: Placement, limit: timedelta, now: datetime) -> list[Mark]:
    """Label placeholders warm once Ready, on a leaving node, or too old to wait for (design section 6 item 5)."""
    leaving = {pod.uid for pod in placement.unusable}
    return [
        Mark(namespace=pod.namespace, pod=pod.name, uid=pod.uid, warm=True)
        for pod in placement.pods
        if pod.labels.get(WARM_LABEL) == "false" and (pod.ready or pod.uid in leaving or now - pod.created > limit)
    ]


def joined(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Merge the marks of one pod into one patch."""
    merged: dict[str, Mark] = {}
    for each in marks:
        first = merged.get(each.uid)
        merged[each.uid] = each if first is None else _both(first, each)
    return tuple(merged.values())


def _both(one: Mark, other: Mark) -> Mark:
    cost = one if one.set_deletion_cost else other
    return Mark(
        namespace=one.namespace,
        pod=one.pod,
        uid=one.uid,
        set_deletion_cost=cost.set_deletion_cost,
        deletion_cost=cost.deletion_cost,
        warm=one.warm if one.warm is not None else other.warm,
    )
