"""What an embedded cluster is made of: nodes, Karpenter's NodePools, images, delays and failures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from warmpool.core.model import Taint
from warmpool.core.quantity import NANO, Amounts, parse_quantity

Consolidation = Literal["WhenEmpty", "WhenEmptyOrUnderutilized"]
JitterKind = Literal["none", "lognormal", "uniform"]
Span = tuple[datetime, datetime]
"""Half-open: [start, end)."""

PAUSE_IMAGE: Final = "registry.k8s.io/pause:3.10"
WORKSPACE_IMAGE: Final = "public.ecr.aws/sagemaker/sagemaker-distribution:latest-cpu"
POD_SLOT: Final[Mapping[str, int]] = {"pods": NANO}


def amounts(**quantities: str) -> dict[str, int]:
    """Read Kubernetes quantities, as in `amounts(cpu="4", memory="16Gi")`. Raises QuantityError."""
    return {name: parse_quantity(text) for name, text in quantities.items()}


def _allocatable() -> Amounts:
    return amounts(cpu="47810m", memory="193044768Ki", pods="110")


def _capacity() -> Amounts:
    return amounts(cpu="48", memory="192Gi", pods="110")


def _instance_labels() -> Mapping[str, str]:
    return {
        "sagemaker.amazonaws.com/compute-type": "hyperpod",
        "sagemaker.amazonaws.com/node-health-status": "Schedulable",
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePoolSettings:
    """One Karpenter NodePool and the nodes that it makes (defaults: the guide's ml.m5.12xlarge)."""

    nodepool: str = "spaces"
    node_labels: Mapping[str, str] = field(default_factory=lambda: {"pool": "spaces"})
    """The NodePool's template labels, which a pod's node selector may name."""
    instance_labels: Mapping[str, str] = field(default_factory=_instance_labels)
    """What the provider itself puts on its nodes."""
    node_taints: tuple[Taint, ...] = ()
    instance_type: str = "ml.m5.12xlarge"
    allocatable: Amounts = field(default_factory=_allocatable)
    capacity: Amounts = field(default_factory=_capacity)
    zones: tuple[str, ...] = ("us-west-2a", "us-west-2b")
    hourly_price: float = 2.76
    """USD."""
    limits: Amounts = field(default_factory=dict)
    """The NodePool's limits on the sum of capacities; `nodes` counts nodes (times NANO)."""
    consolidation: Consolidation = "WhenEmpty"
    consolidate_after: timedelta | None = timedelta(minutes=5)
    """None is `Never`."""
    max_disrupted: int | str = 1
    """The disruption budget: nodes at once, or a percentage such as "10%" (rounded up)."""
    blocked_windows: tuple[Span, ...] = ()
    """When the budget is 0: not even empty nodes go."""
    expire_after: timedelta | None = None
    registration_delay: timedelta = timedelta(minutes=3)
    """From the instance's launch until its Node object appears."""
    initialisation_delay: timedelta = timedelta(seconds=20)
    """From registration until the node is Ready."""
    daemonsets: Mapping[str, Amounts] = field(default_factory=dict)
    """Requests of each DaemonSet's pod, by name."""
    never_register: frozenset[int] = frozenset()
    """Which launches (1 is the pool's first) never join; Karpenter gives them up after 15 minutes."""
    insufficient_capacity: tuple[Span, ...] = ()
    """When the provider has no such instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings(NodePoolSettings):
    """A cluster: its first NodePool (the inherited fields), further ones, and what holds for all."""

    more_nodepools: tuple[NodePoolSettings, ...] = ()
    launch_requests: Amounts = field(default_factory=lambda: amounts(cpu="4", memory="16Gi"))
    """What a workspace asks for where `launch` is not told."""
    launch_image: str = WORKSPACE_IMAGE
    launch_node_selector: Mapping[str, str] | None = None
    """None: the first NodePool's template labels."""
    image_pull_time: timedelta = timedelta(seconds=160)
    """First pull of an image on a node (the default space image, facts/hyperpod.md 5)."""
    image_pull_times: Mapping[str, timedelta] = field(default_factory=dict)
    """Pull times that differ, by image."""
    image_sizes: Mapping[str, int] = field(default_factory=dict)
    """Bytes, by image: the scheduler then prefers nodes that have it (ImageLocality). Empty: it cannot, as on kwok."""
    preinstalled_images: tuple[str, ...] = (PAUSE_IMAGE,)
    pod_start_time: timedelta = timedelta(seconds=13)
    """From images present to Ready, for a workspace."""
    placeholder_start_time: timedelta = timedelta(seconds=2)
    preempted_start_extra: timedelta = timedelta(seconds=18)
    """How much longer a workspace takes where it had to preempt (guide: 30-40 s against 15 s)."""
    preemption_grace: timedelta = timedelta(0)
    """The placeholders' terminationGracePeriodSeconds."""
    workspace_grace: timedelta = timedelta(0)
    batch_idle: timedelta = timedelta(seconds=1)
    batch_max: timedelta = timedelta(seconds=10)
    launch_time: timedelta = timedelta(seconds=1)
    """From the NodeClaim to its instance; billing starts there."""
    termination_time: timedelta = timedelta(seconds=5)
    """From the drained node to its removal (real run: 5 s); billing ends there."""
    not_ready_toleration: timedelta = timedelta(seconds=300)
    jitter: JitterKind = "none"
    """How delays vary: lognormal with this sigma, or evenly within plus or minus this share."""
    jitter_spread: float = 0.2
    seed: int = 0

    @property
    def nodepools(self) -> tuple[NodePoolSettings, ...]:
        """All NodePools, in Karpenter's order of preference."""
        return (self, *self.more_nodepools)

    def pull_time(self, image: str) -> timedelta:
        """Return how long the first pull of an image takes on a node."""
        return self.image_pull_times.get(image, self.image_pull_time)
