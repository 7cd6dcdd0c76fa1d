"""What one simulated run saw, and the few numbers people compare."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from warmpool.sim.cluster.launches import LaunchRecord
from warmpool.sim.cluster.state import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The pool at one minute. Nodes count from their launch on, as they are paid from then."""

    at: datetime
    nodes: int
    busy: int
    replicas: int
    workspaces: int

    @property
    def idle(self) -> int:
        """Nodes without a workspace."""
        return self.nodes - self.busy


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The replicas were changed, and why."""

    at: datetime
    before: int
    after: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTime:
    """Node time that was paid for, by whether a workspace was on the node."""

    busy: timedelta
    idle: timedelta
    cost_usd: float
    peak_nodes: int

    @property
    def idle_hours(self) -> float:
        """Node-hours without a workspace."""
        return self.idle / timedelta(hours=1)

    @property
    def hours(self) -> float:
        """All node-hours."""
        return (self.busy + self.idle) / timedelta(hours=1)

    @property
    def idle_cost_usd(self) -> float:
        """The idle hours' part of the cost."""
        return self.cost_usd * self.idle_hours / self.hours if self.hours else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One policy's run, booked from `start` to `end`; `launches` are those of that time.

    `per_node` is how many workspaces an empty node takes.
    """

    policy: str
    about: str
    start: datetime
    end: datetime
    per_node: int
    nodes: NodeTime
    samples: Sequence[Sample]
    launches: Sequence[LaunchRecord]
    changes: Sequence[Change] = ()

    def found(self, *outcomes: Outcome | None) -> int:
        """Count the launches that found one of these."""
        return sum(launch.outcome in outcomes for launch in self.launches)

    @property
    def cold(self) -> int:
        """Launches that found no warm node, those that found none at all included."""
        return self.found(Outcome.COLD, None)

    @property
    def hit_rate(self) -> float | None:
        """Share of launches that found a warm node; None where there were none."""
        return 1 - self.cold / len(self.launches) if self.launches else None

    @property
    def waits_seconds(self) -> list[float]:
        """Seconds from launch to ready, rising; infinite for a launch that never was ready."""
        waits = [launch.waited for launch in self.launches]
        return sorted(math.inf if wait is None else wait.total_seconds() for wait in waits)

    def wait_seconds(self, share: float) -> float | None:
        """Seconds that the given share of launches waited at most (nearest rank); None where there were none."""
        waits = self.waits_seconds
        return waits[max(0, math.ceil(share * len(waits)) - 1)] if waits else None

    @property
    def replicas_at_end(self) -> int:
        """Placeholders asked for at the end."""
        return self.samples[-1].replicas if self.samples else 0

    @property
    def nodes_at_end(self) -> int:
        """Nodes at the end."""
        return self.samples[-1].nodes if self.samples else 0


def run_document(run: Run) -> dict[str, Any]:
    """Write a run's numbers for scripts."""
    return {
        "policy": run.policy,
        "about": run.about,
        "launches": len(run.launches),
        "hit_rate": _rounded(run.hit_rate, 4),
        "cold_launches": run.cold,
        "p50_wait_s": _rounded(run.wait_seconds(0.5), 1),
        "p99_wait_s": _rounded(run.wait_seconds(0.99), 1),
        "idle_node_hours": _rounded(run.nodes.idle_hours, 2),
        "node_hours": _rounded(run.nodes.hours, 2),
        "cost_usd": _rounded(run.nodes.cost_usd, 2),
        "idle_cost_usd": _rounded(run.nodes.idle_cost_usd, 2),
        "peak_nodes": run.nodes.peak_nodes,
        "pool_size_at_end": run.replicas_at_end,
        "nodes_at_end": run.nodes_at_end,
    }


def _rounded(value: float | None, digits: int) -> float | None:
    # A wait without an end is not a number in JSON.
    return None if value is None or math.isinf(value) else round(value, digits)
