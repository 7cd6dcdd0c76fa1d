"""From needs to idle nodes: how much room there should be, and how many empty nodes that takes (E)."""

from collections.abc import Iterable
from dataclasses import dataclass

from warmpool.core.counting import NodeView, PoolView
from warmpool.core.decision import Contribution, Limits
from warmpool.core.model import Condition
from warmpool.core.quantity import ceil_div, pods_that_fit, times_that_fit
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import PoolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The pool's room in slots (launches that still fit)."""

    per_node: int
    """k: slots of an empty node, at least 1."""
    on_busy: int
    """Free slots on busy usable nodes."""
    warm: int
    """Free slots on usable nodes whose images are there."""
    reasons: tuple[Reason, ...] = ()


def measure(spec: PoolSpec, view: PoolView) -> Room:
    """Measure the pool's room; see design section 6 item 2."""
    per_node, reasons = _slots_of_an_empty_node(spec, view)
    offering = [(each, slots(spec, each)) for each in view.nodes.values() if each.offers]
    return Room(
        per_node=per_node,
        on_busy=sum(free for each, free in offering if each.busy),
        warm=sum(free for each, free in offering if each.warm and each.exclusion is None),
        reasons=reasons,
    )


def slots(spec: PoolSpec, node: NodeView) -> int:
    """Count the launches that still fit on a node, placeholders counted as free; 0 where unreadable."""
    return 0 if node.free is None else times_that_fit(node.free, spec.shape)


def _slots_of_an_empty_node(spec: PoolSpec, view: PoolView) -> tuple[int, tuple[Reason, ...]]:
    live = [
        each.empty
        for each in view.nodes.values()
        if each.empty is not None and each.node.ready is Condition.TRUE and not each.coming
    ]
    offers = live or ([spec.node_allocatable] if spec.node_allocatable else [])
    if not offers:
        return 1, ()
    fits = min(pods_that_fit(offer, spec.shape) for offer in offers)
    if fits:
        return fits, ()
    text = "not one launch of this shape fits on an empty node; reckoning with 1 - check `shape` and the instance type"
    return 1, (Reason(Code.SHAPE_TOO_BIG, text),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """The largest need and the idle nodes (E) that it takes before any ceiling."""

    slots: int
    idle_nodes: int
    policy: str


def idle_nodes_for(contributions: Iterable[Contribution], room: Room) -> Need:
    """Turn needs into E = max(0, ceil((need - free slots on busy usable nodes) / k)); the largest need wins."""
    largest, policy = 0, ""
    for each in contributions:
        need = (each.nodes or 0) * room.per_node if each.slots is None else each.slots
        if need > largest:
            largest, policy = need, each.policy
    return Need(slots=largest, idle_nodes=max(0, ceil_div(largest - room.on_busy, room.per_node)), policy=policy)


def pinned_or_floor(limits: Limits) -> Contribution:
    """Return the need of the pin in force, which replaces all others, or else of `min`."""
    if limits.target is not None:
        return Contribution(
            policy="pin", nodes=limits.target, text=f"pinned to {limits.target} empty nodes' worth of room"
        )
    return Contribution(
        policy="min", nodes=limits.min, text=f"min {limits.min} in force: room of {limits.min} empty nodes"
    )
