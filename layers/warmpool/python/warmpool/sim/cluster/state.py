"""The records of an embedded cluster; controllers change them, doors render them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from warmpool.core.model import DELETION_COST, Condition, FieldOwner, Taint, Toleration
from warmpool.core.quantity import Amounts
from warmpool.sim.cluster.settings import NodePoolSettings

NOT_READY_TAINT = Taint(key="node.kubernetes.io/not-ready", effect="NoSchedule")
UNREGISTERED_TAINT = Taint(key="karpenter.sh/unregistered", effect="NoExecute")
CORDON_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
DISRUPTED_TAINT = Taint(key="karpenter.sh/disrupted", effect="NoSchedule")
NOT_READY_EVICTS = Taint(key="node.kubernetes.io/not-ready", effect="NoExecute")
PATIENCE: Final = tuple(
    Toleration(key=f"node.kubernetes.io/{key}", operator="Exists", effect="NoExecute")
    for key in ("not-ready", "unreachable")
)
"""What the API server adds to every pod."""
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
WORKSPACE_LABEL = "workspace.jupyter.org/workspace-name"
INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
ZONE_LABEL = "topology.kubernetes.io/zone"


class NotFound(LookupError):
    """There is no such object."""


class Mismatch(ValueError):
    """The object is there, and is another one than the caller meant (its uid differs)."""


class Role(StrEnum):
    """What a pod is for."""

    PLACEHOLDER = "placeholder"
    WORKSPACE = "workspace"
    DAEMON = "daemon"


class Outcome(StrEnum):
    """What a launch found."""

    WARM_COEXIST = "warm-coexist"
    WARM_PREEMPT = "warm-preempt"
    COLD = "cold"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTemplate:
    """What a ReplicaSet's or DaemonSet's pods look like. `requests` holds `pods: 1`."""

    role: Role
    requests: Amounts
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    init_images: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()
    priority: int = 0
    priority_class: str = ""
    preempts: bool = True
    anti_affinity: Mapping[str, str] = field(default_factory=dict)
    """Labels of the pods that may not share its node; empty: none."""
    grace: timedelta = timedelta(0)
    placed_like: str = field(init=False, compare=False)
    """The same for pods that the scheduler cannot tell apart."""

    def __post_init__(self) -> None:
        """Work `placed_like` out once: the scheduler asks for it all the time."""
        parts = (self.requests, self.node_selector, self.anti_affinity)
        traits = [sorted(part.items()) for part in parts]
        object.__setattr__(self, "placed_like", repr((traits, self.tolerations, self.priority, self.preempts)))


@dataclass(slots=True, kw_only=True, eq=False)
class Record:
    """One API object. `views` holds its renderings until it changes (World.touch)."""

    name: str
    uid: str
    created: datetime
    version: int = 0
    views: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True, eq=False)
class NodeState(Record):
    """A node; `images` says when each image is (or will be) there."""

    pool: NodePoolSettings
    claim: "ClaimState"
    labels: dict[str, str]
    taints: list[Taint]
    unschedulable: bool = False
    ready: Condition = Condition.FALSE
    ready_changed: datetime
    deleting_at: datetime | None = None
    terminating: bool = False
    images: dict[str, datetime] = field(default_factory=dict)
    puller_free_at: datetime
    used: dict[str, int] = field(default_factory=dict)
    pods: dict[str, "PodState"] = field(default_factory=dict)
    nominated_until: datetime | None = None

    @property
    def is_ready(self) -> bool:
        """True while the kubelet answers."""
        return self.ready is Condition.TRUE

    def has_image(self, image: str, at: datetime) -> bool:
        """Tell whether an image had been pulled by then."""
        there = self.images.get(image)
        return there is not None and there <= at


@dataclass(slots=True, kw_only=True, eq=False)
class ClaimState(Record):
    """A NodeClaim and the instance behind it."""

    pool: NodePoolSettings
    ordinal: int
    zone: str
    labels: dict[str, str]
    launched_at: datetime | None = None
    launch_failed: bool = False
    registered_at: datetime | None = None
    ready_at: datetime | None = None
    initialised_at: datetime | None = None
    last_pod_event: datetime | None = None
    deleting_at: datetime | None = None
    deleting_why: str = ""
    node: NodeState | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class PodState(Record):
    """A pod with its way through scheduler and kubelet."""

    namespace: str
    template: PodTemplate
    ordinal: int
    labels: dict[str, str]
    annotations: dict[str, str]
    owner: "ReplicaSetState | None" = None
    node: NodeState | None = None
    nominated: str | None = None
    bound_at: datetime | None = None
    initialised_at: datetime | None = None
    ready: bool = False
    ready_changed: datetime | None = None
    next_image: int = 0
    starting: bool = False
    deleting_at: datetime | None = None
    attempts: int = 0
    retry_at: datetime | None = None
    tried_version: int = -1
    refused_at: datetime | None = None
    message: str = ""
    preempted: bool = False
    """It pushed lower pods off its node."""
    stranded: bool = False
    """It once found neither room nor pods to preempt."""

    @property
    def requests(self) -> Amounts:
        """What it takes of its node, its pod slot included."""
        return self.template.requests

    @property
    def role(self) -> Role:
        """What it is for."""
        return self.template.role

    @property
    def running(self) -> bool:
        """True once its containers have started."""
        return self.ready_changed is not None

    @property
    def active(self) -> bool:
        """True until its deletion is asked for."""
        return self.deleting_at is None

    @property
    def deletion_cost(self) -> int:
        """The ReplicaSet controller's reading: 0 where absent or not a number."""
        try:
            return int(self.annotations.get(DELETION_COST, "0"))
        except ValueError:
            return 0


@dataclass(slots=True, kw_only=True, eq=False)
class ReplicaSetState(Record):
    """A ReplicaSet: one template of its Deployment."""

    namespace: str
    deployment: "DeploymentState"
    template: PodTemplate
    hash: str
    revision: int
    replicas: int = 0
    pods: dict[str, PodState] = field(default_factory=dict)

    def active_pods(self) -> list[PodState]:
        """Return the pods that count."""
        return [pod for pod in self.pods.values() if pod.active]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """How a Deployment replaces its pods; the defaults are Kubernetes'."""

    strategy: str = "RollingUpdate"
    max_surge: int | str = "25%"
    max_unavailable: int | str = "25%"


@dataclass(slots=True, kw_only=True, eq=False)
class DeploymentState(Record):
    """A Deployment, with the status that its controller last wrote."""

    namespace: str
    selector: dict[str, str]
    template: PodTemplate
    replicas: int
    owners: dict[tuple[str, str], FieldOwner]
    """Who owns spec.replicas, by (manager, subresource)."""
    rollout: Rollout
    paused: bool = False
    generation: int = 1
    observed_generation: int = 0
    revision: int = 0
    shared_out: int = 0
    """The replicas that its ReplicaSets were last scaled for."""
    replicasets: list[ReplicaSetState] = field(default_factory=list)
    status_replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available: bool = False
    available_changed: datetime
    progressed_at: datetime


@dataclass(slots=True, kw_only=True, eq=False)
class WorkspaceState(Record):
    """A Workspace of the Spaces operator."""

    namespace: str
    deployment: DeploymentState
    image: str


@dataclass(slots=True, kw_only=True, eq=False)
class ScalerState(Record):
    """Something else that scales `target`: a HorizontalPodAutoscaler, a ScaledObject, a live CPA."""

    kind: str
    namespace: str
    target: str
    replicas: int = 1


@dataclass(slots=True, kw_only=True, eq=False)
class BudgetState(Record):
    """A PodDisruptionBudget with maxUnavailable 0."""

    namespace: str
    match_labels: dict[str, str]
