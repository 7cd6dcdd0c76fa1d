"""Replicas in proportion to nodes and cores: exact, and as cluster-proportional-autoscaler computes them.

The formulas are CPA's (linear and ladder controller, release 1.10); tests/oracles/cpa.json holds its results.
"""

import math
from fractions import Fraction

from warmpool.core.counting import Counted
from warmpool.core.spec import Ladder, Linear, Proportional

CPA_LEAST = 1
"""CPA reads a `min` of 0 as 1, and a ratio that is not set as the constant 1."""


def nodes_needed(policy: Proportional, counted: Counted) -> int:
    """Return the exact need in nodes: the larger of the node and the core term, each rounded up once."""
    if policy.linear is not None:
        return _linear(policy.linear, counted)
    ladder = policy.ladder or Ladder()
    return _ladder(ladder, counted)


def _linear(linear: Linear, counted: Counted) -> int:
    by_nodes = 0 if linear.nodes_per_replica is None else math.ceil(counted.nodes / linear.nodes_per_replica)
    by_cores = 0 if linear.cores_per_replica is None else math.ceil(counted.cores / linear.cores_per_replica)
    need = max(by_nodes, by_cores)
    if linear.prevent_single_point_failure and counted.nodes > 1:
        return max(2, need)
    return need


def _ladder(ladder: Ladder, counted: Counted) -> int:
    return max(_step(counted.nodes, ladder.nodes_to_replicas), _step(counted.cores, ladder.cores_to_replicas))


def _step(count: int, steps: tuple[tuple[int, int], ...]) -> int:
    if not steps:
        return 0
    rising = sorted(steps)
    below = [replicas for threshold, replicas in rising if threshold <= count]
    return below[-1] if below else rising[0][1]


def cpa_replicas(policy: Proportional, counted: Counted, minimum: int, maximum: int) -> int:
    """Return the replicas that CPA would set, to the letter.

    Float division, `minimum` 0 read as 1, `maximum` 0 as no cap, and preventSinglePointFailure applied to the node
    term after its cap, so that the result can exceed `maximum`.
    """
    if policy.linear is None:
        return _ladder(policy.ladder or Ladder(), counted)
    linear = policy.linear
    least = max(CPA_LEAST, minimum)
    by_nodes = _cpa_term(counted.nodes, linear.nodes_per_replica, least, maximum)
    if linear.prevent_single_point_failure and counted.nodes > 1:
        by_nodes = max(2, by_nodes)
    return max(by_nodes, _cpa_term(counted.cores, linear.cores_per_replica, least, maximum))


def _cpa_term(count: int, ratio: Fraction | None, least: int, most: int) -> int:
    if ratio is None:
        return CPA_LEAST
    replicas = math.ceil(float(count) / float(ratio))
    if most:
        replicas = min(most, replicas)
    return max(least, replicas)
