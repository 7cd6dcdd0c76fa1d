"""What passes remember of nodes and launches, and what one of them has learnt. Design section 7."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from warmpool.core.quantity import Amounts

_NONE = timedelta(0)


class Outcome(StrEnum):
    """What a launch found. UNKNOWN is counted beside: no complete pass saw what its node was like."""

    WARM_COEXIST = "warm-coexist"
    WARM_PREEMPT = "warm-preempt"
    COLD = "cold"
    UNKNOWN = "unknown"

    @property
    def warm(self) -> bool:
        """True for a hit, either kind."""
        return self in {Outcome.WARM_COEXIST, Outcome.WARM_PREEMPT}


class Cause(StrEnum):
    """Why a launch was cold: one each."""

    NONE_FREE = "none-free"
    WRONG_ZONE = "wrong-zone"
    IMAGE = "image"
    TOO_BIG = "too-big"
    STILL_PULLING = "still-pulling"
    GATED = "gated"
    STOCK_OUT = "stock-out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a launch found on its node. `cause` is set for a cold one and for nothing else."""

    outcome: Outcome
    cause: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmNode:
    """A node that was warm in the last complete pass."""

    since: datetime
    """When its first placeholder or workspace was Ready."""
    placeholder: str = ""
    """UID of the Ready placeholder on it, empty where it had none."""
    room_beside: Amounts = field(default_factory=dict)
    """What launches may ask for beside its placeholder: the first for which it does not do preempts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A workspace's pod that is not Ready yet."""

    pool: str
    stranded: bool = False
    """A complete pass saw that the scheduler found it no node and nobody to preempt."""
    gated: bool = False
    """A complete pass saw it behind a scheduling gate."""
    stock_out: bool = False
    """While it waited for a node, AWS had no instance to give."""
    room_zones: tuple[str, ...] = ()
    """Zones of warm nodes that had room for it when it was first seen without a node: it could not use them."""
    too_big: bool = False
    """Warm nodes had room for the pool's shape then, and none for it."""
    placed: bool = False
    """It has a node."""
    found: Found | None = None
    """What it found there; None until it is placed, and where only its wait will tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadSample:
    """One order that became warm on a new node, split at what Karpenter, kubelet and registry take."""

    node: timedelta
    """From the placeholder's creation until its Node object was there."""
    join: timedelta
    """From there until the node was Ready."""
    pull: timedelta
    """From there until the placeholder was Ready."""

    @property
    def total(self) -> timedelta:
        """From the order to warm."""
        return self.node + self.join + self.pull


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolWatch:
    """One pool as the last complete pass saw it."""

    nodes: Mapping[str, WarmNode] = field(default_factory=dict)
    lead: tuple[LeadSample, ...] = ()
    """The last fifty orders, the oldest first."""
    replacing: Mapping[str, datetime] = field(default_factory=dict)
    """By UID, placeholders that stand in for a preempted one, and since when the room was gone."""
    idle_nodes: int | None = None
    """Nodes paid for without an ordinary pod; None before the first pass."""
    idle_usd_per_hour: float | None = None
    """What those cost; None where a price is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What the last complete pass saw of all pools; the default has seen nothing."""

    began: datetime | None = None
    """When that pass began."""
    pools: Mapping[str, PoolWatch] = field(default_factory=dict)
    waiting: Mapping[str, Waiting] = field(default_factory=dict)
    """By UID, workspaces' pods that are not classified yet."""
    recent: frozenset[str] = frozenset()
    """UIDs of classified pods that are so young that the watermark alone does not tell them from new ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One launch, classified once, when it is Ready."""

    uid: str
    created: datetime
    ready: datetime
    found: Found

    @property
    def waited(self) -> timedelta:
        """From its pod's creation until that was Ready."""
        return max(_NONE, self.ready - self.created)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What one pass adds to a pool's books."""

    launches: tuple[Launch, ...] = ()
    abandoned: int = 0
    """Launches that ended before they were Ready, or whose first readiness nobody saw."""
    lead: tuple[LeadSample, ...] = ()
    replacements: tuple[timedelta, ...] = ()
    """From the preemption until the new placeholder was Ready."""
    idle_node_hours: float = 0.0
    """Node-hours without an ordinary pod since the last complete pass."""
    idle_usd: float | None = None
    """What those cost; None where a price is unknown."""

    def count(self, outcome: Outcome) -> int:
        """Count the launches that found this."""
        return sum(each.found.outcome is outcome for each in self.launches)
