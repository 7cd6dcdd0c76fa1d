"""What a pass sees of the cluster, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from warmpool.core.quantity import NOTHING, Amounts

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
WARM_LABEL = "warmpool.spaces.aws/warm"
NODEPOOL_LABEL = "karpenter.sh/nodepool"
FIELD_MANAGER = "warmpool-controller"

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class Condition(StrEnum):
    """A Kubernetes condition's status; ABSENT where the condition is not there."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"
    ABSENT = "Absent"


class PodPhase(StrEnum):
    """A pod's phase."""

    PENDING = "Pending"
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """A node's taint."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toleration:
    """A pod's toleration; empty key with `Exists` tolerates all, empty effect every effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


class Node(NamedTuple):
    """A node (a named tuple: thousands are built in a pass, several times as fast as a frozen dataclass).

    `allocatable` is None where a quantity could not be read (`unreadable` says which).
    """

    name: str
    uid: str
    created: datetime
    labels: Mapping[str, str] = _NONE
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    deleting: bool = False
    ready: Condition = Condition.TRUE
    ready_changed: datetime | None = None
    allocatable: Amounts | None = NOTHING
    capacity: Amounts | None = NOTHING
    unreadable: str = ""


class Pod(NamedTuple):
    """A pod (a named tuple, as Node is).

    `requests` already holds init containers, sidecars, overhead and `pods: 1`; None is unreadable.
    """

    name: str
    namespace: str
    uid: str
    created: datetime
    labels: Mapping[str, str] = _NONE
    node: str | None = None
    nominated_node: str | None = None
    phase: PodPhase = PodPhase.RUNNING
    ready: bool = False
    ready_changed: datetime | None = None
    started: datetime | None = None
    priority: int = 0
    requests: Amounts | None = NOTHING
    owner_kind: str = ""
    owner_name: str = ""
    deleting: bool = False
    gated: bool = False
    deletion_cost: int | None = None
    node_selector: Mapping[str, str] = _NONE
    tolerations: tuple[Toleration, ...] = ()
    images: tuple[str, ...] = ()
    """Of its containers, without init containers."""
    refused: bool = False
    """The scheduler has found no node for it, or a gate keeps it from looking (condition PodScheduled is False)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCondition:
    """One condition of a NodeClaim."""

    status: Condition
    reason: str = ""
    message: str = ""
    changed: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClaim:
    """A Karpenter NodeClaim. `capacity` is None where unknown."""

    name: str
    uid: str
    created: datetime
    nodepool: str = ""
    node: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    capacity: Amounts | None = None
    conditions: Mapping[str, ClaimCondition] = field(default_factory=dict)
    deleting: bool = False
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePool:
    """A Karpenter NodePool. `limits` is empty where there are none, None where unreadable."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    limits: Amounts | None = field(default_factory=dict)
    consolidation: str = "WhenEmpty"
    ready: Condition = Condition.TRUE


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """A Kubernetes label selector. `expressions` are (key, operator, values)."""

    labels: Mapping[str, str] = field(default_factory=dict)
    expressions: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldOwner:
    """Who wrote `spec.replicas`, from managed fields."""

    manager: str
    operation: str
    subresource: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The placeholder Deployment: its scale, its rollout and who owns its replicas."""

    namespace: str
    name: str
    replicas: int
    uid: str = ""
    selector: Selector = field(default_factory=Selector)
    requests: Amounts | None = field(default_factory=dict)
    paused: bool = False
    deleting: bool = False
    generation: int = 1
    observed_generation: int = 1
    status_replicas: int = 0
    updated_replicas: int = 0
    replica_owners: tuple[FieldOwner, ...] = ()

    @property
    def rolling_out(self) -> bool:
        """True while pods of an older template are still being replaced."""
        return self.observed_generation < self.generation or self.updated_replicas < self.status_replicas


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaler:
    """Something else that sets a Deployment's replicas: HorizontalPodAutoscaler, ScaledObject or a live CPA."""

    kind: str
    namespace: str
    name: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The cluster at one moment.

    `missing` has a text for each read that failed, "POOL: what" for one pool or "*: what" for all; then the snapshot
    is partial for them.
    `all_pods` says that every pod of the pool nodes is here, DaemonSets included.
    """

    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    claims: tuple[NodeClaim, ...] = ()
    nodepools: tuple[NodePool, ...] = ()
    deployments: tuple[Deployment, ...] = ()
    scalers: tuple[Scaler, ...] = ()
    all_pods: bool = False
    missing: tuple[str, ...] = ()
    overheads: Mapping[str, Amounts] = field(default_factory=dict)
    """DaemonSet requests on one node, by pool, where this pass read them (hourly)."""
