"""What idle nodes take: node-hours, and money where the prices are known. Design section 7."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.ceilings import ANY_TYPE, INSTANCE_TYPE_LABEL
from warmpool.core.counting import PoolView
from warmpool.core.model import Condition, NodeClaim
from warmpool.core.spec import PoolSpec
from warmpool.core.watch import PoolWatch

_HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """The nodes that are paid for without an ordinary pod on them, and USD per hour for them (None: unknown)."""

    nodes: int
    usd_per_hour: float | None
    born: tuple[datetime, ...] = ()
    """When the instances of these nodes were launched, as far as their NodeClaims tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleTime:
    """Idle node-hours between two complete passes, and what they cost in USD (None: unknown)."""

    node_hours: float = 0.0
    usd: float | None = None


def idle_now(spec: PoolSpec, view: PoolView, claims: Sequence[NodeClaim]) -> Idle:
    """Count the pool's idle nodes, those whose instance runs and has not joined yet included.

    `claims` are those of the pool's NodePool.
    """
    idle = [each.node for each in view.nodes.values() if not each.busy]
    coming = [each for each in claims if each.node not in view.nodes and not each.deleting and _launched(each)]
    labels = [*(each.labels for each in idle), *(each.labels for each in coming)]
    types = [each.get(INSTANCE_TYPE_LABEL, ANY_TYPE) for each in labels]
    prices = [spec.node_hourly_price.get(each, spec.node_hourly_price.get(ANY_TYPE)) for each in types]
    known = [float(each) for each in prices if each is not None]
    priced = bool(spec.node_hourly_price) and len(known) == len(types)
    names = {each.name for each in idle}
    born = [at for each in claims if (at := _launched(each)) and (each in coming or each.node in names)]
    return Idle(nodes=len(types), usd_per_hour=sum(known) if priced else None, born=tuple(born))


def _launched(claim: NodeClaim) -> datetime | None:
    launched = claim.conditions.get("Launched")
    return launched.changed if launched is not None and launched.status is Condition.TRUE else None


def idle_time(before: PoolWatch, idle: Idle, began: datetime | None, now: datetime) -> IdleTime:
    """Integrate between two complete passes.

    A node launched since counts from then; whatever else changed counts as if it had changed half-way (trapezoidal
    rule): off by half a minute at most with a pass a minute, as often too early as too late.
    """
    if began is None or before.idle_nodes is None:
        return IdleTime()
    passed = max(0.0, (now - began) / _HOUR)
    ages = [max(0.0, (now - at) / _HOUR) for at in idle.born if at > began]
    there = idle.nodes - len(ages)
    hours = (before.idle_nodes + there) / 2 * passed + sum(ages)
    usd = None
    if before.idle_usd_per_hour is not None and idle.usd_per_hour is not None:
        each = idle.usd_per_hour / idle.nodes if idle.nodes else 0.0
        usd = (before.idle_usd_per_hour + there * each) / 2 * passed + each * sum(ages)
    return IdleTime(node_hours=hours, usd=usd)
