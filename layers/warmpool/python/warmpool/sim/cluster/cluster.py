"""The embedded cluster: one model in virtual time, moved by calls and by the clock."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Unpack

from warmpool.sim.cluster import deployments, drain, engine, kubelet, nodes, objects_apps, workloads
from warmpool.sim.cluster.books import Books
from warmpool.sim.cluster.launches import LaunchRecord
from warmpool.sim.cluster.listing import RESOURCES
from warmpool.sim.cluster.settings import ClusterSettings
from warmpool.sim.cluster.state import BudgetState, Mismatch, NotFound, PodState, ScalerState
from warmpool.sim.cluster.workloads import LaunchOptions, PlaceholderOptions
from warmpool.sim.cluster.world import HistoryEvent, World

Json = dict[str, Any]
_SHORT_NAMES: Final = {"HPA": "HorizontalPodAutoscaler", "CPA": objects_apps.CPA}


class EmbeddedCluster:
    """A whole cluster in one process: deterministic, without threads, real clock or I/O.

    Every change settles at once: controllers react before the call returns; what takes time happens in `advance`.
    Objects handed out are shared and cached: do not change them.
    """

    def __init__(self, settings: ClusterSettings, start: datetime) -> None:
        """Start empty, at an instant in UTC. Raises ValueError for any other."""
        if start.utcoffset() != timedelta(0):
            msg = f"start is {start.isoformat()}; expected an instant in UTC"
            raise ValueError(msg)
        self.settings = settings
        self.world = World(settings, start)

    @property
    def now(self) -> datetime:
        """The cluster's present."""
        return self.world.now

    def advance(self, to: datetime) -> None:
        """Let time pass, all that happens by `to` included. Raises ValueError for the past."""
        if to < self.now:
            msg = f"cannot go back to {to.isoformat()}; it is {self.now.isoformat()}"
            raise ValueError(msg)
        engine.advance(self.world, to)

    def create_placeholders(self, namespace: str, name: str, **options: Unpack[PlaceholderOptions]) -> None:
        """Create a placeholder Deployment. Raises ValueError where it exists."""
        self._do(lambda world: workloads.create_placeholders(world, namespace, name, options))

    def scale(self, namespace: str, name: str, replicas: int) -> None:
        """Scale a Deployment as a person with `kubectl scale` does. Raises NotFound, ValueError."""
        self.patch_scale(namespace, name, replicas, manager="kubectl", at=self.now)

    def get_scale(self, namespace: str, name: str) -> int | None:
        """Return a Deployment's replicas, None where there is no such Deployment."""
        deployment = self.world.deployments.get((namespace, name))
        return None if deployment is None else deployment.replicas

    def patch_scale(self, namespace: str, name: str, replicas: int, manager: str, at: datetime) -> None:
        """Write the scale subresource as a field manager. Raises NotFound, ValueError."""
        deployment = deployments.find(self.world, namespace, name)
        del at  # the real API server keeps no time of it
        owner = deployments.written_by(manager)
        self._do(lambda world: deployments.set_replicas(world, deployment, replicas, owner))

    def set_image(self, namespace: str, name: str, image: str) -> None:
        """Change the first image that placeholders pull; a rollout follows. Raises NotFound."""
        deployment = deployments.find(self.world, namespace, name)
        template = deployments.with_first_image(deployment.template, image)
        self._do(lambda world: deployments.set_template(world, deployment, template))

    def pause_deployment(self, namespace: str, name: str, *, paused: bool = True) -> None:
        """Pause a Deployment's rollouts, or resume them. Raises NotFound."""
        deployment = deployments.find(self.world, namespace, name)
        self._do(lambda world: deployments.set_paused(world, deployment, paused=paused))

    def delete_deployment(self, namespace: str, name: str) -> None:
        """Delete a Deployment with its pods. Raises NotFound."""
        deployment = deployments.find(self.world, namespace, name)
        self._do(lambda world: deployments.delete(world, deployment))

    def launch(self, name: str, **options: Unpack[LaunchOptions]) -> None:
        """Create a Workspace, and with it its pod. Raises ValueError where it exists."""
        self._do(lambda world: workloads.launch(world, name, options))

    def end(self, name: str, namespace: str = "default") -> None:
        """Delete a Workspace. Raises NotFound."""
        self._do(lambda world: workloads.end(world, name, namespace))

    def patch_pod(
        self,
        namespace: str,
        name: str,
        labels: Mapping[str, str | None] | None = None,
        annotations: Mapping[str, str | None] | None = None,
        uid: str | None = None,
    ) -> None:
        """Merge labels and annotations into a pod; None removes one. Raises NotFound, and Mismatch for another uid."""
        pod = self.find_pod(namespace, name)
        if uid is not None and uid != pod.uid:
            msg = f"pod {namespace}/{name} has uid {pod.uid}; expected {uid}"
            raise Mismatch(msg)
        _merge(pod.labels, labels or {})
        _merge(pod.annotations, annotations or {})
        self.world.touch(pod)
        # A budget may cover the pod no longer, or a drain go on.
        engine.settle(self.world)

    def find_pod(self, namespace: str, name: str) -> PodState:
        """Return a pod's record. Raises NotFound."""
        pod = self.world.pods_by_name.get((namespace, name))
        if pod is None:
            msg = f'pods "{name}" not found in namespace {namespace}'
            raise NotFound(msg)
        return pod

    def cordon(self, node: str) -> None:
        """Let a node take no more pods. Raises NotFound."""
        self._set_unschedulable(node, unschedulable=True)

    def uncordon(self, node: str) -> None:
        """Let a node take pods again. Raises NotFound."""
        self._set_unschedulable(node, unschedulable=False)

    def _set_unschedulable(self, name: str, *, unschedulable: bool) -> None:
        node = nodes.find(self.world, name)
        node.unschedulable = unschedulable
        self.world.touch(node)
        self.world.capacity_changed(more_room=not unschedulable)
        self.world.note("node-cordoned" if unschedulable else "node-uncordoned", name)
        engine.settle(self.world)

    def label_node(self, node: str, labels: Mapping[str, str | None]) -> None:
        """Merge labels into a node; None removes one. Raises NotFound."""
        record = nodes.find(self.world, node)
        _merge(record.labels, labels)
        self.world.touch(record)
        self.world.capacity_changed(more_room=True)
        engine.settle(self.world)

    def set_ready(self, node: str, ready: bool) -> None:  # noqa: FBT001 (the name says which node, the value what)
        """Let a node's kubelet fail or recover. Raises NotFound."""
        record = nodes.find(self.world, node)
        self._do(lambda world: kubelet.set_node_ready(world, record, ready=ready))

    def remove_node(self, node: str) -> None:
        """Let an instance vanish with everything on it. Raises NotFound."""
        record = nodes.find(self.world, node)
        self._do(lambda world: nodes.remove(world, record))

    def expire(self, node: str) -> None:
        """Let Karpenter replace a node that is too old: it drains whatever budgets say. Raises NotFound."""
        record = nodes.find(self.world, node)
        self._do(lambda world: drain.expire(world, record.claim))

    def add_foreign_scaler(self, kind: str, namespace: str, name: str, target: str, replicas: int = 1) -> None:
        """Add a HorizontalPodAutoscaler, a ScaledObject or a ClusterProportionalAutoscaler for a Deployment.

        It is there, and does nothing. "HPA" and "CPA" are understood. Raises ValueError for another kind.
        """
        kind = _SHORT_NAMES.get(kind, kind)
        known = ("HorizontalPodAutoscaler", "ScaledObject", objects_apps.CPA)
        if kind not in known:
            msg = f"kind is {kind!r}; expected one of {', '.join(known)}"
            raise ValueError(msg)
        uid = self.world.new_uid("scaler")
        scaler = ScalerState(
            name=name, uid=uid, created=self.now, kind=kind, namespace=namespace, target=target, replicas=replicas
        )
        self.world.scalers[kind, namespace, name] = scaler
        self.world.touch(scaler)

    def remove_foreign_scaler(self, kind: str, namespace: str, name: str) -> None:
        """Take a foreign scaler away. Raises NotFound."""
        if self.world.scalers.pop((_SHORT_NAMES.get(kind, kind), namespace, name), None) is None:
            msg = f"{kind} {namespace}/{name} not found"
            raise NotFound(msg)
        self.world.resource_version += 1

    def add_disruption_budget(self, namespace: str, name: str, match_labels: Mapping[str, str]) -> None:
        """Add a PodDisruptionBudget with maxUnavailable 0 on the pods with these labels (design 6.5)."""
        budget = BudgetState(
            name=name,
            uid=self.world.new_uid("budget"),
            created=self.now,
            namespace=namespace,
            match_labels=dict(match_labels),
        )
        self.world.budgets[namespace, name] = budget
        self.world.touch(budget)

    @property
    def resource_version(self) -> int:
        """The newest resource version, as lists carry it."""
        return self.world.resource_version

    def objects(self, resource: str) -> list[Json]:
        """Return all objects of a resource ("pods", "nodeclaims", ...) as Kubernetes JSON.

        Raises NotFound for a resource that the API does not know.
        """
        render = RESOURCES.get(resource)
        if render is None:
            msg = f"the server could not find the resource {resource!r}; there are {', '.join(RESOURCES)}"
            raise NotFound(msg)
        return render(self.world)

    @property
    def launches(self) -> list[LaunchRecord]:
        """What every launch found, in the order of their creation."""
        return self.world.launches.all()

    @property
    def books(self) -> Books:
        """Idle and busy node time up to now."""
        return self.world.books.at(self.now)

    @property
    def history(self) -> list[HistoryEvent]:
        """Everything that happened, in order."""
        return self.world.history

    def _do(self, change: Callable[[World], None]) -> None:
        change(self.world)
        engine.settle(self.world)


def _merge(there: dict[str, str], changes: Mapping[str, str | None]) -> None:
    for key, value in changes.items():
        if value is None:
            there.pop(key, None)
        else:
            there[key] = value
