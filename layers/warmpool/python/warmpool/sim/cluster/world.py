"""All state of one embedded cluster, its clock and its queue of future events."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import heappop, heappush
from typing import Any

from warmpool.sim.cluster import identity
from warmpool.sim.cluster.books import Bookkeeper
from warmpool.sim.cluster.launches import LaunchLog
from warmpool.sim.cluster.settings import ClusterSettings
from warmpool.sim.cluster.state import (
    BudgetState,
    ClaimState,
    DeploymentState,
    NodeState,
    PodState,
    Record,
    ReplicaSetState,
    ScalerState,
    WorkspaceState,
)

Key = tuple[str, str]
"""Namespace and name."""


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One thing that happened: `what` to which object, with a word of detail."""

    at: datetime
    what: str
    name: str
    detail: str = ""


@dataclass(slots=True, kw_only=True)
class KarpenterState:
    """What Karpenter remembers between its loops."""

    window_opened: datetime | None = None
    window_due: datetime | None = None
    noticed: dict[Key, None] = field(default_factory=dict)
    """Pods (uid, why they need room) that have opened a batch already."""
    retry_planned: bool = False
    last_plan: object = None
    chosen: list[NodeState] = field(default_factory=list)
    """The working nodes on which the last plan put pods."""
    unavailable_until: dict[Key, datetime] = field(default_factory=dict)
    """Offerings (NodePool, zone) that lately had no capacity."""
    poll_at: datetime | None = None
    last_poll: datetime | None = None
    validating: bool = False
    quiet_version: int = -1
    """The capacity version at which no node could be consolidated."""


class World:
    """Every record, by name, in the order of creation; nothing here iterates over a set, so runs repeat exactly."""

    def __init__(self, settings: ClusterSettings, start: datetime) -> None:
        self.settings = settings
        self.start = start
        self.now = start
        self.nodes: dict[str, NodeState] = {}
        self.claims: dict[str, ClaimState] = {}
        self.pods: dict[str, PodState] = {}
        self.pods_by_name: dict[Key, PodState] = {}
        self.unbound: dict[str, PodState] = {}
        self.nominated: dict[str, dict[str, PodState]] = {}
        self.deployments: dict[Key, DeploymentState] = {}
        self.replicasets: dict[Key, ReplicaSetState] = {}
        self.workspaces: dict[Key, WorkspaceState] = {}
        self.scalers: dict[tuple[str, str, str], ScalerState] = {}
        self.budgets: dict[Key, BudgetState] = {}
        self.dirty: dict[Key, DeploymentState] = {}
        self.draining: dict[str, NodeState] = {}
        self.karpenter = KarpenterState()
        self.books = Bookkeeper()
        self.launches = LaunchLog()
        self.history: list[HistoryEvent] = []
        self.resource_version = 500
        self.nodepool_views: tuple[int, list[dict[str, Any]]] = (-1, [])
        self.room_version = 0
        self.capacity_version = 0
        self._queue: list[tuple[datetime, int, Callable[[], None]]] = []
        self._sequence = 0
        self._ordinals: Counter[str] = Counter()

    def at(self, when: datetime, action: Callable[[], None]) -> None:
        """Let `action` happen at an instant, after everything already planned for it."""
        self._sequence += 1
        heappush(self._queue, (max(when, self.now), self._sequence, action))

    def after(self, delay: timedelta, action: Callable[[], None]) -> None:
        """Let `action` happen after a while."""
        self.at(self.now + delay, action)

    def next_action(self, until: datetime) -> Callable[[], None] | None:
        """Move the clock to the next planned action, if it comes by `until`, and return it."""
        if not self._queue or self._queue[0][0] > until:
            return None
        when, _, action = heappop(self._queue)
        self.now = when
        return action

    def ordinal(self, purpose: str) -> int:
        """Count up from 1, for each purpose apart."""
        self._ordinals[purpose] += 1
        return self._ordinals[purpose]

    def new_uid(self, purpose: str) -> str:
        """Make the next identifier."""
        return identity.uid(self.settings.seed, purpose, self.ordinal(f"uid/{purpose}"))

    def touch(self, record: Record) -> None:
        """Give a changed record a new resource version and forget its renderings."""
        self.resource_version += 1
        record.version = self.resource_version
        record.views.clear()

    def note(self, what: str, name: str, detail: str = "") -> None:
        """Add to the history."""
        self.history.append(HistoryEvent(self.now, what, name, detail))

    def make_dirty(self, deployment: DeploymentState) -> None:
        """Ask the Deployment controller to look again."""
        self.dirty[deployment.namespace, deployment.name] = deployment

    def capacity_changed(self, *, more_room: bool) -> None:
        """Tell Karpenter that nodes or their pods changed and, where a pod might fit now, the scheduler too."""
        self.capacity_version += 1
        if more_room:
            self.room_version += 1
