"""The pool's part of a snapshot: which nodes are usable, which are busy, and what CPA would count."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.matching import has_labels, selects, untolerated
from warmpool.core.model import NODEPOOL_LABEL, Condition, Deployment, Node, Pod, PodPhase, Snapshot, Taint, Toleration
from warmpool.core.quantity import NOTHING, Amounts, add, subtract, whole_units
from warmpool.core.reasons import Exclusion
from warmpool.core.spec import Counting, PoolSpec

NOT_READY_GRACE: Final = timedelta(minutes=5)
"""So long a node that turned NotReady keeps its place; kubelets lose their heartbeat for less."""

PLACEHOLDER_PRIORITY: Final = -1000
"""Pods of this priority or lower give way to every launch."""

HEALTH_LABEL: Final = "sagemaker.amazonaws.com/node-health-status"
REGISTERED_LABEL: Final = "karpenter.sh/registered"
INITIALIZED_LABEL: Final = "karpenter.sh/initialized"
UNREGISTERED_TAINT: Final = "karpenter.sh/unregistered"
DISRUPTION_TAINTS: Final = frozenset({"karpenter.sh/disrupted", "karpenter.sh/disruption"})
STARTUP_TAINT: Final = "node.cloudprovider.kubernetes.io/uninitialized"

# These taints follow from a state that has an exclusion of its own.
_STATE_TAINTS: Final = DISRUPTION_TAINTS | {
    UNREGISTERED_TAINT,
    STARTUP_TAINT,
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
}
_OVER: Final = frozenset({PodPhase.SUCCEEDED, PodPhase.FAILED})
_NODE_OWNED: Final = frozenset({"DaemonSet", "Node"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Nodes, and their allocatable CPU summed exactly and rounded up once to cores."""

    nodes: int
    cores: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """One pool node as a launch sees it. Amounts are nano-units; `empty` and `free` are None where unreadable."""

    node: Node
    exclusion: Exclusion | None
    unusable: bool
    """Cannot take a launch for good: cordoned, leaving, unhealthy, tainted, NotReady beyond the grace."""
    coming: bool
    """Still registering or initialising."""
    busy: bool
    warm: bool
    empty: Amounts | None
    """Allocatable less DaemonSets."""
    free: Amounts | None
    """What launches find: placeholders and other low-priority pods count as free."""
    open: Amounts | None
    """What a placeholder finds: only its own kind counts as free."""

    @property
    def offers(self) -> bool:
        """True where a launch can go now, or a young NotReady node will soon be back."""
        return self.exclusion is None or (self.exclusion is Exclusion.NOT_READY and not self.unusable)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolView:
    """The pool's nodes and live placeholders."""

    nodes: Mapping[str, NodeView]
    placeholders: tuple[Pod, ...]
    deployment: Deployment | None

    @property
    def busy_nodes(self) -> int:
        """Nodes with a workspace or another ordinary pod, usable or not."""
        return sum(view.busy for view in self.nodes.values())

    @property
    def excluded(self) -> dict[str, Exclusion]:
        """Each node left out, with its reason."""
        return {name: view.exclusion for name, view in self.nodes.items() if view.exclusion is not None}


def look(spec: PoolSpec, snapshot: Snapshot, overhead: Amounts | None, now: datetime) -> PoolView:
    """Pick the pool's part of a snapshot. `overhead` is one node's DaemonSet requests where pods are not all there."""
    deployment = find_deployment(spec, snapshot)
    nodes = {node.name: node for node in snapshot.nodes if has_labels(spec.node_selector, node.labels)}
    placeholders, others = _split(snapshot.pods, deployment, nodes)
    extra = NOTHING if snapshot.all_pods else overhead or NOTHING
    warm = {pod.node for pod in placeholders if pod.ready}
    views = {
        name: _view(node, spec, others.get(name, ()), extra, now, warm=name in warm) for name, node in nodes.items()
    }
    return PoolView(nodes=views, placeholders=placeholders, deployment=deployment)


def find_deployment(spec: PoolSpec, snapshot: Snapshot) -> Deployment | None:
    """Return the pool's placeholder Deployment; one that is being deleted is gone."""
    for each in snapshot.deployments:
        if each.namespace == spec.namespace and each.name == spec.deployment and not each.deleting:
            return each
    return None


def _split(
    pods: Iterable[Pod], deployment: Deployment | None, nodes: Mapping[str, Node]
) -> tuple[tuple[Pod, ...], dict[str, list[Pod]]]:
    placeholders: list[Pod] = []
    others: dict[str, list[Pod]] = {}
    for pod in pods:
        if pod.phase in _OVER:
            continue
        if deployment and pod.namespace == deployment.namespace and selects(deployment.selector, pod.labels):
            if not pod.deleting:
                placeholders.append(pod)
        elif pod.node is not None and pod.node in nodes:
            others.setdefault(pod.node, []).append(pod)
    return tuple(placeholders), others


def _view(  # noqa: PLR0913 - one node's facts, all of them needed at once
    node: Node, spec: PoolSpec, pods: Iterable[Pod], extra: Amounts, now: datetime, *, warm: bool
) -> NodeView:
    fixed, ordinary, low = _by_kind(pods)
    plain = _plain(node)
    exclusion = None if plain else exclusion_of(node, spec)
    empty = free = open_ = None
    known = all(pod.requests is not None for pod in (*fixed, *ordinary, *low))
    if node.allocatable is not None and known:
        empty = _less(subtract(node.allocatable, extra) if extra else node.allocatable, fixed)
        free = _less(empty, ordinary)
        open_ = _less(free, low)
    elif exclusion is None:
        exclusion = Exclusion.UNREADABLE_QUANTITY
    return NodeView(
        node=node,
        exclusion=exclusion,
        unusable=not plain and _unusable(node, spec, now),
        coming=not plain and _coming(node),
        busy=bool(ordinary),
        warm=warm or any(pod.ready for pod in ordinary),
        empty=empty,
        free=free,
        open=open_,
    )


def _by_kind(pods: Iterable[Pod]) -> tuple[list[Pod], list[Pod], list[Pod]]:
    fixed: list[Pod] = []
    ordinary: list[Pod] = []
    low: list[Pod] = []
    for pod in pods:
        if pod.owner_kind in _NODE_OWNED:
            fixed.append(pod)
        elif pod.priority <= PLACEHOLDER_PRIORITY:
            low.append(pod)
        else:
            ordinary.append(pod)
    return fixed, ordinary, low


def _less(amounts: Amounts, pods: list[Pod]) -> Amounts:
    return subtract(amounts, add(pod.requests for pod in pods if pod.requests is not None)) if pods else amounts


def exclusion_of(node: Node, spec: PoolSpec) -> Exclusion | None:
    """Say why a node offers no room now, the gravest reason first, or None where it does."""
    keys = {taint.key for taint in node.taints}
    checks = (
        (Exclusion.DELETING, node.deleting),
        (Exclusion.DISRUPTED, bool(keys & DISRUPTION_TAINTS)),
        (Exclusion.NOT_REGISTERED, UNREGISTERED_TAINT in keys),
        (Exclusion.NOT_INITIALISED, _coming(node)),
        (Exclusion.NOT_READY, node.ready is not Condition.TRUE),
        (Exclusion.CORDONED, node.unschedulable),
        (Exclusion.UNHEALTHY, not _healthy(node)),
        (Exclusion.UNTOLERATED_TAINT, foreign_taint(node, spec.tolerations) is not None),
        (Exclusion.UNREADABLE_QUANTITY, node.allocatable is None),
    )
    return next((reason for reason, holds in checks if holds), None)


def _plain(node: Node) -> bool:
    """Tell what holds for nearly all nodes of a large pool: nothing at all is the matter."""
    at_rest = not (node.taints or node.unschedulable or node.deleting or node.allocatable is None)
    return at_rest and node.ready is Condition.TRUE and not _coming(node) and _healthy(node)


def _coming(node: Node) -> bool:
    keys = {taint.key for taint in node.taints}
    if keys & {UNREGISTERED_TAINT, STARTUP_TAINT}:
        return True
    # Karpenter sets `registered` first and `initialized` later; a node with neither is not Karpenter's.
    return REGISTERED_LABEL in node.labels and node.labels.get(INITIALIZED_LABEL) != "true"


def _healthy(node: Node) -> bool:
    return node.labels.get(HEALTH_LABEL, "Schedulable") == "Schedulable"


def foreign_taint(node: Node, tolerations: Iterable[Toleration]) -> Taint | None:
    """Return the first taint that keeps a pod away for good: those that only tell a node's state come and go."""
    return untolerated((taint for taint in node.taints if taint.key not in _STATE_TAINTS), tolerations)


def _unusable(node: Node, spec: PoolSpec, now: datetime) -> bool:
    leaving = node.deleting or any(taint.key in DISRUPTION_TAINTS for taint in node.taints)
    if leaving or node.unschedulable or not _healthy(node):
        return True
    if _coming(node):
        return False
    if node.ready is not Condition.TRUE and now - (node.ready_changed or node.created) > NOT_READY_GRACE:
        return True
    return foreign_taint(node, spec.tolerations) is not None


def count(view: PoolView, how: Counting) -> Counted:
    """Count nodes and cores: busy ones (`demand`), or by CPA's own rules (`schedulable`, `all`).

    CPA's schedulable means Ready and not cordoned; it never looks at taints. A node whose CPU cannot be read adds no
    cores.
    """
    nodes = [each for each in view.nodes.values() if _counts(each, how)]
    cpu = sum((each.node.allocatable or NOTHING).get("cpu", 0) for each in nodes)
    return Counted(nodes=len(nodes), cores=whole_units(cpu))


def _counts(view: NodeView, how: Counting) -> bool:
    if how is Counting.DEMAND:
        return view.busy
    return how is Counting.ALL or (view.node.ready is Condition.TRUE and not view.node.unschedulable)


def nodepool_of(spec: PoolSpec, snapshot: Snapshot) -> str | None:
    """Name the pool's Karpenter NodePool: by its nodes' (or claims') label, else by the selector or template labels."""
    labelled = (*(node.labels for node in snapshot.nodes), *(claim.labels for claim in snapshot.claims))
    for labels in labelled:
        if NODEPOOL_LABEL in labels and has_labels(spec.node_selector, labels):
            return labels[NODEPOOL_LABEL]
    if NODEPOOL_LABEL in spec.node_selector:
        return spec.node_selector[NODEPOOL_LABEL]
    for nodepool in snapshot.nodepools:
        if has_labels(spec.node_selector, {**nodepool.labels, NODEPOOL_LABEL: nodepool.name}):
            return nodepool.name
    return None
