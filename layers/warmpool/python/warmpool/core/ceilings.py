"""What caps the idle nodes: max, the NodePool's limits, and money. Max always wins."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from warmpool.core.counting import PoolView, nodepool_of
from warmpool.core.decision import Groups
from warmpool.core.model import NODEPOOL_LABEL, Condition, NodeClaim, NodePool, Snapshot
from warmpool.core.quantity import NANO, NOTHING, Amounts, add, subtract, times_that_fit
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import PoolSpec

INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
ANY_TYPE = ""
"""The key of a price that holds for every instance type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capped:
    """E after the ceilings, and what was cut off or could not be judged."""

    idle_nodes: int
    capped: bool
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """One ceiling on E, None where it does not bind or cannot be known; `reason` explains a cut or the unknown."""

    idle_nodes: int | None
    reason: Reason | None = None


def cap(wanted: int, ceilings: Sequence[Ceiling]) -> Capped:
    """Apply the ceilings in order and keep the reason of each that cut."""
    idle, reasons, was_cut = wanted, [], False
    for each in ceilings:
        if each.idle_nodes is None:
            reasons += [each.reason] if each.reason else []
        elif each.idle_nodes < idle:
            idle, was_cut = max(0, each.idle_nodes), True
            reasons += [each.reason] if each.reason else []
    return Capped(idle_nodes=idle, capped=was_cut, reasons=tuple(reasons))


def by_max(maximum: int, groups: Groups) -> Ceiling:
    """Keep E + x within max."""
    text = f"max {maximum}" + (f" less {groups.x} on unusable nodes" if groups.x else "")
    return Ceiling(
        idle_nodes=maximum - groups.x, reason=Reason(Code.CAPPED_BY_MAX, f"more idle nodes wanted than {text}")
    )


def by_nodepool(spec: PoolSpec, snapshot: Snapshot, view: PoolView, groups: Groups) -> Ceiling:
    """Cut E to i + floor(head-room / one node's capacity), head-room being limits less what exists, each node once."""
    name = nodepool_of(spec, snapshot)
    nodepool = next((each for each in snapshot.nodepools if each.name == name), None)
    if nodepool is None or nodepool.limits == NOTHING:
        return Ceiling(idle_nodes=None)
    there = _capacities(nodepool, snapshot)
    one = {**_capacity_of_one(view, there), "nodes": NANO}
    bound = {key: one[key] for key in nodepool.limits or NOTHING if one.get(key, 0) > 0}
    if nodepool.limits is None or (not bound and len(one) == 1):
        text = f"capacity or limits of NodePool {nodepool.name} cannot be read, so they cap nothing"
        return Ceiling(idle_nodes=None, reason=Reason(Code.UNKNOWN_CAPACITY, text))
    if not bound:
        return Ceiling(idle_nodes=None)
    # A claim that has not launched yet does not know its capacity; it will be a node like the others.
    used = add({**(each or one), "nodes": NANO} for each in there)
    fit = times_that_fit(subtract(nodepool.limits, used), bound)
    text = f"NodePool {nodepool.name}'s limits leave room for {fit} more nodes"
    return Ceiling(
        idle_nodes=groups.i - _without_claim(groups, view, nodepool, snapshot) + fit,
        reason=Reason(Code.CAPPED_BY_NODEPOOL, text),
    )


def _without_claim(groups: Groups, view: PoolView, nodepool: NodePool, snapshot: Snapshot) -> int:
    """Count orders that Karpenter has not taken up: what the limits refuse stays Pending and holds nothing.

    Without this, orders placed before any capacity was known would never be cut (seen on a real Karpenter).
    """
    placed = sum(pod.node is not None for pod in view.placeholders)
    pending = max(0, groups.h + groups.i + groups.x - placed)
    holding = {pod.node for pod in view.placeholders if pod.node is not None}
    claims = [each for each in snapshot.claims if each.nodepool == nodepool.name]
    under_way = sum(each.node not in holding and _coming(each, view) for each in claims)
    return max(0, pending - under_way)


def _coming(claim: NodeClaim, view: PoolView) -> bool:
    node = view.nodes.get(claim.node) if claim.node else None
    return node is None or not node.busy


def _capacities(nodepool: NodePool, snapshot: Snapshot) -> list[Amounts | None]:
    """Return the capacity of every claim and node of a NodePool, a node and its claim once."""
    claims = [each for each in snapshot.claims if each.nodepool == nodepool.name]
    claimed = {each.node for each in claims}
    nodes = [
        each for each in snapshot.nodes if each.labels.get(NODEPOOL_LABEL) == nodepool.name and each.name not in claimed
    ]
    return [*(each.capacity for each in claims), *(each.capacity for each in nodes)]


def _capacity_of_one(view: PoolView, there: Sequence[Amounts | None]) -> Amounts:
    """Return what one more node would take: the largest Ready one, else the largest known; empty where none is."""
    ready = [each.node.capacity for each in view.nodes.values() if each.node.ready is Condition.TRUE]
    known = [each for each in ready if each] or [each for each in there if each]
    # The largest: a limit is no promise, so rather ask for too little than for a node that cannot come.
    return max(known, key=lambda each: sorted(each.items()), default=NOTHING)


def price_of_a_node(spec: PoolSpec, view: PoolView) -> Fraction | None:
    """Return USD per node-hour, the dearest of the pool's types; None where no price is known."""
    prices = spec.node_hourly_price
    if ANY_TYPE in prices:
        return prices[ANY_TYPE]
    types = {each.node.labels.get(INSTANCE_TYPE_LABEL, ANY_TYPE) for each in view.nodes.values()}
    if not prices or not types <= set(prices):
        return None
    return max(prices[each] for each in types or set(prices))


def by_cost(spec: PoolSpec, price: Fraction | None, groups: Groups) -> Ceiling:
    """Keep (E + x) x price within the pool's maxHourlyCost."""
    limit = spec.max_hourly_cost
    if limit is None:
        return Ceiling(idle_nodes=None)
    if price is None:
        text = "no price is known for this pool's instance types, so maxHourlyCost caps nothing - set nodeHourlyPrice"
        return Ceiling(idle_nodes=None, reason=Reason(Code.UNKNOWN_PRICE, text))
    nodes = int(limit // price)
    text = f"maxHourlyCost {float(limit):.2f} USD pays for {nodes} idle nodes at {float(price):.2f} USD an hour each"
    return Ceiling(idle_nodes=nodes - groups.x, reason=Reason(Code.CAPPED_BY_COST, text))


def by_share(nodes: int | None, groups: Groups) -> Ceiling:
    """Keep E + x within the pool's share of the stack's maxHourlyCost."""
    if nodes is None:
        return Ceiling(idle_nodes=None)
    text = f"the stack's maxHourlyCost leaves this pool {nodes} idle nodes"
    return Ceiling(idle_nodes=nodes - groups.x, reason=Reason(Code.CAPPED_BY_COST, text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one pool would like of the stack's money: idle nodes (E + x) at a price."""

    pool: str
    priority: int
    nodes: int
    price: Fraction | None


def shares(claims: Iterable[Claim], limit: Fraction) -> Mapping[str, int | None]:
    """Share the stack's maxHourlyCost by pool priority, highest first, then by name.

    A pool gets as many of its nodes as the rest still pays; one whose price is unknown is not capped.
    """
    ordered = sorted(claims, key=lambda each: (-each.priority, each.pool))
    left, result = limit, dict[str, int | None]()
    for each in ordered:
        if each.price is None:
            result[each.pool] = None
            continue
        granted = each.nodes if each.price == 0 else min(each.nodes, max(0, int(left // each.price)))
        left -= granted * each.price
        result[each.pool] = granted
    return result
