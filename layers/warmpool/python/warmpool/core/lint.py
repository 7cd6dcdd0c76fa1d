"""Specs that are allowed, yet will surprise: what to know, and what to do about it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from fractions import Fraction
from typing import Final

from warmpool.core.counting import Counted
from warmpool.core.proportional import nodes_needed
from warmpool.core.quantity import Amounts, format_quantity, pods_that_fit, whole_units
from warmpool.core.spec import Counting, PoolSpec, Proportional, Spec

_LARGEST_TRIED: Final = 1000
"""A ratio that feeds on itself does so in small pools too; no need to try every size up to a huge max."""


class LintCode(StrEnum):
    """What a lint is about."""

    FEEDS_ON_ITSELF = "FeedsOnItself"
    UNKNOWN_NODE_SIZE = "UnknownNodeSize"
    SHAPE_TOO_BIG = "ShapeTooBig"
    PLACEHOLDER_TOO_BIG = "PlaceholderTooBig"
    SMALL_PLACEHOLDER = "SmallPlaceholder"
    TWO_PLACEHOLDERS_FIT = "TwoPlaceholdersFit"
    NO_IMAGES = "NoImages"
    PROMISE_BELOW_WARM_WAIT = "PromiseBelowWarmWait"
    PROMISE_NEEDS_NO_POOL = "PromiseNeedsNoPool"
    LEAD_TIME_ABOVE_LIMIT = "LeadTimeAboveLimit"
    PIN_HIDES_MIN = "PinHidesMin"
    UNKNOWN_PRICE = "UnknownPrice"
    MIN_ABOVE_COST = "MinAboveMaxHourlyCost"


@dataclass(frozen=True, slots=True)
class Lint:
    """One finding: where, which, and a sentence that says what to do."""

    path: str
    code: LintCode
    text: str


def lints(spec: Spec, warm_waits: Mapping[str, timedelta] | None = None) -> tuple[Lint, ...]:
    """Look at every pool; `warm_waits` is the measured 99th percentile of warm waits by pool, where there is one."""
    found: list[Lint] = []
    for pool in spec.pools.values():
        found.extend(_proportional(pool))
        found.extend(_sizes(pool))
        found.extend(_times(pool, (warm_waits or {}).get(pool.name)))
        found.extend(_windows(pool))
        found.extend(_cost(pool, stack_capped=spec.max_hourly_cost is not None))
    found.extend(_stack_cost(spec))
    return tuple(found)


def _proportional(pool: PoolSpec) -> Iterator[Lint]:
    policy = pool.proportional
    if policy is None or (policy.counting is Counting.DEMAND and not pool.compat):
        return
    path = f"pools.{pool.name}.proportional"
    stuck = _stuck_at(pool, policy)
    if stuck:
        text = (
            f"this ratio feeds on itself: placeholders keep their own nodes, and `counting: {policy.counting}` counts"
            f" those too; with no launch left, {stuck} nodes still ask for {stuck} placeholders, not min {pool.min}."
            " Say `counting: demand`, or take a ratio of at least two nodes' worth per replica"
        )
        yield Lint(path, LintCode.FEEDS_ON_ITSELF, text)
    elif _counts_cores(policy) and pool.node_allocatable is None:
        text = (
            f"whether a ratio of cores feeds on itself with `counting: {policy.counting}` depends on the size of"
            " a node: give `nodeAllocatable`, or say `counting: demand`"
        )
        yield Lint(path, LintCode.UNKNOWN_NODE_SIZE, text)


def _counts_cores(policy: Proportional) -> bool:
    if policy.linear is not None:
        return policy.linear.cores_per_replica is not None
    return policy.ladder is not None and bool(policy.ladder.cores_to_replicas)


def _stuck_at(pool: PoolSpec, policy: Proportional) -> int:
    """Return the largest pool of placeholders alone that the formula does not let shrink; 0 where it always returns.

    n nodes that hold nothing but placeholders stay as long as the formula of n nodes (cores rounded up once, as CPA
    sums them) gives n or more: for a linear ratio of gain g (cores of a node / coresPerReplica, 1 / nodesPerReplica)
    this is n < 1 / (1 - g), so every n from a gain of 1 on.
    """
    if policy.linear is not None:
        # Its floor of two is asked for by name and no loop.
        policy = replace(policy, linear=replace(policy.linear, prevent_single_point_failure=False))
    cpu = (pool.node_allocatable or {}).get("cpu", 0)
    largest = max(pool.max, *(max(each.max or 0, each.target or 0) for each in pool.windows), 0)
    for nodes in range(min(largest, _LARGEST_TRIED), max(1, pool.min), -1):
        if nodes_needed(policy, Counted(nodes=nodes, cores=whole_units(nodes * cpu))) >= nodes:
            return nodes
    return 0


def _sizes(pool: PoolSpec) -> Iterator[Lint]:
    path, node = f"pools.{pool.name}", pool.node_allocatable
    if not pool.images:
        text = "no image is pulled ahead, so a launch on a warm node still waits for its own: list the launches' images"
        yield Lint(f"{path}.images", LintCode.NO_IMAGES, text)
    if node is not None and not pods_that_fit(node, pool.shape):
        over = _excess(pool.shape, node)
        text = f"no launch fits on an empty node: it asks for {over}; correct the shape or `nodeAllocatable`"
        yield Lint(f"{path}.shape", LintCode.SHAPE_TOO_BIG, text)
    if pool.placeholder is not None:
        yield from _placeholder(f"{path}.placeholder", pool.placeholder, pool)


def _placeholder(path: str, size: Amounts, pool: PoolSpec) -> Iterator[Lint]:
    node = pool.node_allocatable
    count = 1 if node is None else pods_that_fit(node, size)
    if node is not None and count == 0:
        text = f"no placeholder fits on an empty node: it asks for {_excess(size, node)}; make it smaller or say `node`"
        yield Lint(path, LintCode.PLACEHOLDER_TOO_BIG, text)
        return
    if node is not None and count > 1:
        text = (
            f"{count} placeholders fit on one node, so only their anti-affinity keeps them apart: keep it in the"
            " manifest, or ask for more than half of a node, or say `node`"
        )
        yield Lint(path, LintCode.TWO_PLACEHOLDERS_FIT, text)
    if node is None or pods_that_fit({name: node[name] - size.get(name, 0) for name in node}, pool.shape):
        text = (
            "beside a small placeholder launches spread over the warm nodes, and many nodes that fill or empty within"
            " one pass can briefly take the pool above max: say `node` (default), unless Kueue schedules by topology,"
            " and leave head-room in the NodePool's limits"
        )
        yield Lint(path, LintCode.SMALL_PLACEHOLDER, text)


def _excess(size: Amounts, node: Amounts) -> str:
    over = [name for name, amount in size.items() if name != "pods" and amount > node.get(name, 0)]
    return ", ".join(f"{name} {_written(name, size[name])} of {_written(name, node.get(name, 0))}" for name in over)


def _written(name: str, amount: int) -> str:
    return format_quantity(amount, binary=name == "memory")


def _times(pool: PoolSpec, warm_wait: timedelta | None) -> Iterator[Lint]:
    path = f"pools.{pool.name}"
    if pool.lead_time > pool.lead_time_limit:
        text = (
            f"{_seconds(pool.lead_time)} is above leadTimeLimit ({_seconds(pool.lead_time_limit)}), from which on a"
            " node counts as stuck: raise leadTimeLimit above the longest usual start of a node, image included"
        )
        yield Lint(f"{path}.leadTime", LintCode.LEAD_TIME_ABOVE_LIMIT, text)
    promise = pool.demand.ready_within if pool.demand else timedelta(0)
    if pool.demand and promise >= pool.lead_time:
        text = (
            f"a promise of {_seconds(promise)} is kept by a cold start ({_seconds(pool.lead_time)}) too, so demand asks"
            " for next to no room: promise less than leadTime, or leave `demand` out"
        )
        yield Lint(f"{path}.demand.readyWithin", LintCode.PROMISE_NEEDS_NO_POOL, text)
    if pool.demand and warm_wait is not None and timedelta(0) < promise < warm_wait:
        text = (
            f"99 of 100 warm launches take up to {_seconds(warm_wait)} (measured), so {_seconds(promise)} cannot be"
            f" kept by any number of warm nodes: promise {_seconds(warm_wait)} or more"
        )
        yield Lint(f"{path}.demand.readyWithin", LintCode.PROMISE_BELOW_WARM_WAIT, text)


def _seconds(span: timedelta) -> str:
    return f"{span.total_seconds():g} s"


def _windows(pool: PoolSpec) -> Iterator[Lint]:
    for index, window in enumerate(pool.windows):
        if window.target is not None and window.min is not None:
            text = f"target {window.target} pins the pool, so min {window.min} has no effect: leave one of them out"
            yield Lint(f"pools.{pool.name}.windows[{index}].min", LintCode.PIN_HIDES_MIN, text)


def _cost(pool: PoolSpec, *, stack_capped: bool) -> Iterator[Lint]:
    path = f"pools.{pool.name}"
    if not pool.node_hourly_price and (stack_capped or pool.max_hourly_cost is not None):
        text = "maxHourlyCost cannot cap a pool whose price is unknown: give `nodeHourlyPrice`"
        yield Lint(f"{path}.nodeHourlyPrice", LintCode.UNKNOWN_PRICE, text)
    least = _least_cost(pool)
    if pool.max_hourly_cost is not None and least > pool.max_hourly_cost:
        yield Lint(f"{path}.maxHourlyCost", LintCode.MIN_ABOVE_COST, _too_dear(least, pool.max_hourly_cost))


def _stack_cost(spec: Spec) -> Iterator[Lint]:
    least = sum((_least_cost(pool) for pool in spec.pools.values()), Fraction(0))
    if spec.max_hourly_cost is not None and least > spec.max_hourly_cost:
        yield Lint("maxHourlyCost", LintCode.MIN_ABOVE_COST, _too_dear(least, spec.max_hourly_cost))


def _least_cost(pool: PoolSpec) -> Fraction:
    return pool.min * min(pool.node_hourly_price.values(), default=Fraction(0))


def _too_dear(least: Fraction, most: Fraction) -> str:
    return (
        f"min alone costs {float(least):.2f} USD an hour, above maxHourlyCost {float(most):.2f}, which wins: the pool"
        " stays below min; raise maxHourlyCost or lower min"
    )
