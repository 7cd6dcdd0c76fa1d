"""What an operator asks for: spec, override and stop, checked and typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from fractions import Fraction

from warmpool.core.model import Toleration
from warmpool.core.quantity import Amounts


class Counting(StrEnum):
    """Which nodes a proportional policy counts."""

    DEMAND = "demand"
    SCHEDULABLE = "schedulable"
    ALL = "all"


class Mode(StrEnum):
    """ACTIVE writes, SHADOW does everything but the writes."""

    ACTIVE = "active"
    SHADOW = "shadow"


class DoNotDisrupt(StrEnum):
    """When placeholders carry karpenter.sh/do-not-disrupt."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A span of wall-clock time with its own min, max or pin.

    `start` and `end` are offsets from local midnight; `end` <= `start` runs into the next day, 24 h is
    midnight. `dates` (inclusive spans) beat `days` (0 is Monday). An all-day window has start 0 and end 24 h.
    """

    name: str
    start: timedelta
    end: timedelta
    days: frozenset[int] = frozenset(range(7))
    dates: tuple[tuple[date, date], ...] = ()
    all_day: bool = False
    min: int | None = None
    max: int | None = None
    target: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """CPA's linear parameters, exact. A ratio of None contributes nothing (in CPA: the constant 1)."""

    nodes_per_replica: Fraction | None = None
    cores_per_replica: Fraction | None = None
    prevent_single_point_failure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """CPA's ladder parameters: (threshold, replicas) pairs."""

    nodes_to_replicas: tuple[tuple[int, int], ...] = ()
    cores_to_replicas: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportional:
    """A policy in proportion to nodes and cores; exactly one of `linear` and `ladder`."""

    counting: Counting = Counting.DEMAND
    linear: Linear | None = None
    ladder: Ladder | None = None


class DemandMode(StrEnum):
    """ADVISE reports the level, SIZE lets it act."""

    ADVISE = "advise"
    SIZE = "size"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The learned-demand policy's promise."""

    mode: DemandMode = DemandMode.ADVISE
    target_hit_rate: Fraction = Fraction(99, 100)
    ready_within: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The template-driven policy's threshold and cap."""

    cold_start: timedelta
    max_burst_cap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleDown:
    """How long a surplus must last and how many nodes a minute may go."""

    after: timedelta = timedelta(minutes=10)
    step: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSpec:
    """One pool. Prices are USD per hour, by instance type or (key "") for every type."""

    name: str
    deployment: str
    node_selector: Mapping[str, str]
    min: int
    max: int
    namespace: str = "spaces-overprovisioning"
    workspace_selector: str = "workspace.jupyter.org/workspace-name"
    timezone: str | None = None
    images: tuple[str, ...] = ()
    pause_image: str = "registry.k8s.io/pause:3.10"
    image_pull_secrets: tuple[str, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    shape: Amounts = field(default_factory=dict)
    """Requests of one launch; the loader fills 2100m and 9Gi, and `pods: 1`."""
    placeholder: Amounts | None = None
    """Requests of one placeholder; None fills its node."""
    node_allocatable: Amounts | None = None
    priority: int = 0
    windows: tuple[Window, ...] = ()
    proportional: Proportional | None = None
    demand: Demand | None = None
    templates: Templates | None = None
    scale_down: ScaleDown = ScaleDown()
    lead_time: timedelta = timedelta(minutes=15)
    lead_time_limit: timedelta = timedelta(minutes=30)
    manual_hold: timedelta = timedelta(minutes=30)
    hold_limit: timedelta = timedelta(minutes=30)
    max_hourly_cost: Fraction | None = None
    node_hourly_price: Mapping[str, Fraction] = field(default_factory=dict)
    do_not_disrupt: DoNotDisrupt = DoNotDisrupt.AUTO
    compat: bool = False
    mode: Mode = Mode.ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRef:
    """The cluster: a HyperPod cluster's name, or an EKS cluster's outside HyperPod; exactly one."""

    hyperpod: str | None = None
    eks: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """All pools of one cluster."""

    cluster: ClusterRef
    pools: Mapping[str, PoolSpec]
    timezone: str | None = None
    max_hourly_cost: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A pool's run-time override; `until` None is for ever, `by` is who wrote it by their own word."""

    min: int | None = None
    max: int | None = None
    target: int | None = None
    pause: bool = False
    until: datetime | None = None
    reason: str = ""
    by: str = ""


class StopMode(StrEnum):
    """FREEZE writes nothing, DRAIN asks for nothing at once."""

    FREEZE = "freeze"
    DRAIN = "drain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The stop switch for all pools; `until` None is for ever, `by` is who wrote it by their own word."""

    mode: StopMode
    until: datetime | None = None
    reason: str = ""
    by: str = ""
