"""The `Cluster` port straight from the model: what the adapters would see, without JSON or network."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, TypeVar

from warmpool.app.errors import ClusterUnavailable, Conflict, DeploymentGone, NotPermitted
from warmpool.app.ports import Budget, ScaleChange, Scope
from warmpool.core.decision import Mark
from warmpool.core.matching import has_labels, parse_selector, selects
from warmpool.core.model import (
    DELETION_COST,
    FIELD_MANAGER,
    WARM_LABEL,
    Deployment,
    Node,
    NodeClaim,
    Pod,
    Scaler,
    Snapshot,
)
from warmpool.core.quantity import Amounts, add
from warmpool.core.spec import PoolSpec
from warmpool.sim.cluster import values
from warmpool.sim.cluster.cluster import EmbeddedCluster
from warmpool.sim.cluster.state import Mismatch, NotFound, Role

T = TypeVar("T")
_SAMPLED: Final = 3


@dataclass(slots=True, kw_only=True)
class Failures:
    """What goes wrong at the door, until it is changed back."""

    unreadable: set[str] = field(default_factory=set)
    """Reads that fail ("nodes", "pods", "nodeclaims", "nodepools", "deployments", "scalers"): the snapshot has nothing
    of them, and says that it is partial."""
    refused: set[str] = field(default_factory=set)
    """Verbs that are forbidden: "observe", "mark", "scale"."""
    unavailable: set[str] = field(default_factory=set)
    """Verbs that get no answer."""
    conflicts: int = 0
    """How many of the next writes of replicas lose against somebody else."""
    before_scale: Callable[[], None] | None = None
    """What somebody else does just before our next write of replicas; once."""


class PortDoor:
    """An `app.ports.Cluster` over an embedded cluster, with failures to inject."""

    def __init__(self, cluster: EmbeddedCluster, failures: Failures | None = None) -> None:
        self.cluster = cluster
        self.failures = failures or Failures()
        self.writes: list[tuple[str, int]] = []
        """Every write of replicas that took effect: (Deployment, replicas)."""

    def observe(self, scope: Scope, budget: Budget) -> Snapshot:
        """Read what the pools need. Raises NotPermitted, ClusterUnavailable."""
        self._enter("observe", "list nodes", budget)
        world = self.cluster.world
        return Snapshot(
            nodes=self._part("nodes", self._nodes(scope)),
            pods=self._part("pods", self._pods(scope)),
            claims=self._part("nodeclaims", self._claims(scope)),
            nodepools=self._part("nodepools", [values.nodepool_value(pool) for pool in world.settings.nodepools]),
            deployments=self._part("deployments", self._deployments(scope)),
            scalers=self._part("scalers", self._scalers(scope)),
            missing=tuple(f"*: list {name}: HTTP 503" for name in sorted(self.failures.unreadable)),
            overheads=self._overheads(scope),
        )

    def mark(self, marks: Sequence[Mark], budget: Budget, *, dry_run: bool = False) -> None:
        """Patch placeholder pods; one that is gone, or another by now, is left out.

        Raises NotPermitted, ClusterUnavailable.
        """
        self._enter("mark", "patch pods", budget)
        for mark in marks:
            if dry_run:
                continue
            labels = {} if mark.warm is None else {WARM_LABEL: str(mark.warm).lower()}
            cost = None if mark.deletion_cost is None else str(mark.deletion_cost)
            annotations = {DELETION_COST: cost} if mark.set_deletion_cost else {}
            with suppress(NotFound, Mismatch):
                self.cluster.patch_pod(mark.namespace, mark.pod, labels=labels, annotations=annotations, uid=mark.uid)

    def scale(self, pool: PoolSpec, change: ScaleChange, budget: Budget) -> int:
        """Test and set the replicas. Raises Conflict, DeploymentGone, NotPermitted, ClusterUnavailable."""
        self._enter("scale", "patch deployments/scale", budget)
        if self.failures.before_scale:
            first, self.failures.before_scale = self.failures.before_scale, None
            first()
        deployment = self.cluster.world.deployments.get((pool.namespace, pool.deployment))
        if deployment is None:
            msg = f"deployment {pool.namespace}/{pool.deployment} is not there"
            raise DeploymentGone(msg)
        if self.failures.conflicts > 0 or deployment.replicas != change.current:
            self.failures.conflicts = max(0, self.failures.conflicts - 1)
            msg = f"{pool.deployment} has {deployment.replicas} replicas; expected {change.current}"
            raise Conflict(msg)
        if change.dry_run:
            return change.target
        self.cluster.patch_scale(pool.namespace, pool.deployment, change.target, FIELD_MANAGER, self.cluster.now)
        self.writes.append((pool.deployment, change.target))
        return deployment.replicas

    def _enter(self, verb: str, right: str, budget: Budget) -> None:
        if verb in self.failures.refused:
            msg = f"forbidden: {right}"
            raise NotPermitted(msg)
        if verb in self.failures.unavailable or budget.remaining_seconds() <= 0:
            msg = f"no answer in time: {right}"
            raise ClusterUnavailable(msg)

    def _part(self, name: str, whole: list[T]) -> tuple[T, ...]:
        return () if name in self.failures.unreadable else tuple(whole)

    def _nodes(self, scope: Scope) -> list[Node]:
        selectors = [pool.node_selector for pool in scope.pools]
        nodes = self.cluster.world.nodes.values()
        return [values.node_value(node) for node in nodes if any(has_labels(each, node.labels) for each in selectors)]

    def _claims(self, scope: Scope) -> list[NodeClaim]:
        selectors = [pool.node_selector for pool in scope.pools]
        claims = self.cluster.world.claims.values()
        return [
            values.claim_value(each) for each in claims if any(has_labels(wanted, each.labels) for wanted in selectors)
        ]

    def _pods(self, scope: Scope) -> list[Pod]:
        placeholders = [(each.namespace, each.selector) for each in self._deployments(scope)]
        workspaces = [parse_selector(text) for text in {pool.workspace_selector: None for pool in scope.pools}]
        return [
            values.pod_value(pod)
            for pod in self.cluster.world.pods.values()
            if any(pod.namespace == namespace and selects(each, pod.labels) for namespace, each in placeholders)
            or any(selects(each, pod.labels) for each in workspaces)
        ]

    def _deployments(self, scope: Scope) -> list[Deployment]:
        there = self.cluster.world.deployments
        keys = [(pool.namespace, pool.deployment) for pool in scope.pools]
        return [values.deployment_value(there[key]) for key in keys if key in there]

    def _scalers(self, scope: Scope) -> list[Scaler]:
        namespaces = {pool.namespace for pool in scope.pools}
        scalers = self.cluster.world.scalers.values()
        return [values.scaler_value(each) for each in scalers if each.namespace in namespaces and each.replicas > 0]

    def _overheads(self, scope: Scope) -> dict[str, Amounts]:
        due = [pool for pool in scope.pools if pool.name in scope.read_overhead_of]
        return {pool.name: overhead for pool in due if (overhead := self._overhead(pool)) is not None}

    def _overhead(self, pool: PoolSpec) -> Amounts | None:
        """Return what DaemonSets take of a Ready pool node, the largest of three; None where there is no such node."""
        nodes = self.cluster.world.nodes.values()
        ready = [node for node in nodes if node.is_ready and has_labels(pool.node_selector, node.labels)][:_SAMPLED]
        daemons = [[pod for pod in node.pods.values() if pod.role is Role.DAEMON] for node in ready]
        sums = [add(pod.requests for pod in pods) for pods in daemons]
        return {name: max(each.get(name, 0) for each in sums) for each in sums for name in each} if sums else None
