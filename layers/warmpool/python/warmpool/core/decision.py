"""What a pass decides and what it remembers, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from warmpool.core.quantity import Amounts
from warmpool.core.reasons import Code, Exclusion, Reason


class Action(StrEnum):
    """What happens to the replicas."""

    UP = "up"
    DOWN = "down"
    NONE = "none"
    HOLD = "hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """One policy's need, in nodes' worth of room or in slots, with a sentence why."""

    policy: str
    text: str
    nodes: int | None = None
    slots: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Min, max and pin in force, and which window or override set them."""

    min: int
    max: int
    window: str | None = None
    target: int | None = None
    override: bool = False
    capped: bool = False
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Placeholders on busy nodes (h), on idle ones or ordered (i), on unusable ones (x); busy nodes with room (r)."""

    h: int = 0
    i: int = 0
    x: int = 0
    r: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A patch of one placeholder pod; None clears the annotation or leaves the label as it is."""

    namespace: str
    pod: str
    uid: str
    set_deletion_cost: bool = False
    deletion_cost: int | None = None
    warm: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """What the ledger keeps of one pool between passes; the defaults are a fresh start."""

    surplus_seen: tuple[tuple[datetime, int], ...] = ()
    """(pass, surplus) with rising surplus: the sliding minimum over `scaleDown.after`."""
    surplus_since: datetime | None = None
    """Since when every pass has seen a surplus."""
    last_step_at: datetime | None = None
    last_written: int | None = None
    last_written_at: datetime | None = None
    last_h: int | None = None
    last_max: int | None = None
    deployment_uid: str = ""
    """Of the Deployment that `last_written` is about."""
    manual_since: datetime | None = None
    manual_replicas: int | None = None
    hold_since: datetime | None = None
    hold_code: Code | None = None
    known_nodes: int = 0
    overhead: Amounts | None = None
    """DaemonSet requests on one node; None until read."""
    overhead_read_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The answer for one pool. `current` and `target` are None where the Deployment is missing."""

    pool: str
    at: datetime
    current: int | None
    target: int | None
    action: Action
    reasons: tuple[Reason, ...]
    contributions: tuple[Contribution, ...] = ()
    limits: Limits | None = None
    groups: Groups = Groups()
    counted_nodes: int = 0
    busy_nodes: int = 0
    idle_nodes_wanted: int = 0
    warm_slots: int = 0
    warm_nodes: int = 0
    """Nodes that a launch would find warm, busy or not."""
    need_slots: int = 0
    """Room that the policies ask for, before any ceiling."""
    floor_slots: int = 0
    """Room that `min` or a pin alone asks for."""
    lead_time: timedelta | None = None
    """From an order to warm, as reckoned with; None where nothing was seen."""
    ready_placeholders: int = 0
    pending_placeholders: int = 0
    excluded: Mapping[str, Exclusion] = field(default_factory=dict)
    capped: bool = False
    marks: tuple[Mark, ...] = ()
    hold: Code | None = None
    """Why the pass changed nothing on purpose; a fallen ceiling may still lower `target`."""
    dry_run: bool = False
    state: PoolState = PoolState()
    """The state to keep once the decision is applied."""

    @property
    def held(self) -> bool:
        """True where the pass changed nothing on purpose (but for a fallen ceiling)."""
        return self.hold is not None

    @property
    def writes_scale(self) -> bool:
        """True where replicas are to change."""
        return self.target is not None and self.target != self.current
