"""One pool on the real control plane, kept by the real pass; what happens is read with the administrator's eyes."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.cluster.access import client_of
from tests.cluster.api import Object, Refused
from tests.cluster.nodepools import namespace, node_class, node_pool
from tests.cluster.plane import ControlPlane
from tests.cluster.views import Node, PodView, node_view, pod_view
from tests.cluster.workspaces import VERSION as WORKSPACE_VERSION
from warmpool.adapters.aws.clock import SystemClock
from warmpool.adapters.config.reader import Reader
from warmpool.adapters.kubernetes.manifests import ClusterWide, manifests
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.adapters.memory import (
    FixedBudget,
    FixedProvider,
    MemoryConfiguration,
    MemoryLedger,
    RecordingTelemetry,
)
from warmpool.app.ports import Cluster, PassReport
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.core.decision import Decision
from warmpool.core.reasons import Code
from warmpool.core.spec import ClusterRef, PoolSpec

IMAGE: Final = "registry.test/sagemaker-distribution:latest-cpu"
SHAPE: Final = {"cpu": "4", "memory": "16Gi"}
SMALL: Final = {"cpu": "2", "memory": "8Gi"}
PASS_SECONDS: Final = 20.0
PERIOD_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 90.0
"""So long a test waits before it fails; on an idle machine everything happens in a third of it."""


@dataclass(slots=True)
class Lab:
    """A pool of its own: NodePool, namespaces and nodes all bear its name, so that labs do not see each other."""

    plane: ControlPlane
    name: str
    spec: Mapping[str, Any] = field(default_factory=dict)
    nodepool: Mapping[str, Any] = field(default_factory=dict)
    registration_delay: str = "2s"
    initial_replicas: int | None = None
    """Whether `replicas` is applied too; then the API server remembers from the start who writes them."""
    cluster: Cluster | None = None
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    configuration: MemoryConfiguration = field(default_factory=MemoryConfiguration)
    telemetry: RecordingTelemetry = field(default_factory=RecordingTelemetry)
    reports: list[PassReport] = field(default_factory=list)
    _reconcile: Reconcile | None = None
    _warm_nodes: set[str | None] = field(default_factory=set)

    @property
    def namespace(self) -> str:
        """Return the placeholders' namespace."""
        return f"op-{self.name}"

    @property
    def users(self) -> str:
        """Return the workspaces' namespace."""
        return f"users-{self.name}"

    @property
    def pool(self) -> PoolSpec:
        """Return the spec in force."""
        return Reader().spec(self._document(), self.name).pools[self.name]

    def _document(self) -> str:
        return pool_document(self.name, self.namespace, self.spec)

    def change(self, **spec: Any) -> None:
        """Change the spec from the next pass on, as a deployment of the stack does."""
        self.spec = {**self.spec, **spec}
        self.configuration.specs[self.name] = self._document()

    def override(self, document: Mapping[str, Any] | None) -> None:
        """Set or remove the override."""
        self.configuration.overrides[self.name] = None if document is None else json.dumps(document)

    def install(self) -> None:
        """Do what the cluster's owner does: NodePool, then `warmpool manifests` by server-side apply."""
        self.change()
        enforced = {"pod-security.kubernetes.io/enforce": "restricted"}
        self.plane.api.apply(
            [
                node_class(self.name, self.registration_delay),
                node_pool(self.name, self.nodepool),
                namespace(self.users),
                namespace(self.namespace, enforced),
            ],
            manager="platform-team",
        )
        self.plane.api.apply(manifests([self.pool], ClusterWide(initial_replicas=self.initial_replicas)))
        self.wait("the Deployment is observed", self._observed)

    def _observed(self) -> bool:
        found = self.deployment() or {}
        return bool(found.get("status", {}).get("observedGeneration"))

    def remove(self) -> None:
        """Delete everything again, without waiting for it."""
        for each in (namespace(self.users), namespace(self.namespace), node_pool(self.name, {})):
            self.plane.api.delete(each)

    def tick(self) -> Decision:
        """Run one pass and return its decision."""
        if self._reconcile is None:
            ports = Ports(
                cluster=self.cluster or KubernetesCluster(client_of(self.plane)),
                configuration=self.configuration,
                ledger=self.ledger,
                provider=FixedProvider(),
                reader=Reader(),
                telemetry=self.telemetry,
                clock=SystemClock(),
            )
            self._reconcile = Reconcile(ports, ClusterRef(eks="ml-research"))
        report = self._reconcile.run(FixedBudget(PASS_SECONDS))
        assert report is not None
        self.reports.append(report)
        (decision,) = report.decisions
        return decision

    def until(self, what: str, holds: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> Decision:
        """Run passes until something holds, and return the last decision; fails with what is there instead."""
        ends = time.monotonic() + seconds
        while True:
            decision = self.tick()
            if holds():
                return decision
            assert time.monotonic() < ends, f"not within {seconds:.0f} s: {what}\n{self.describe(decision)}"
            time.sleep(PERIOD_SECONDS)

    def for_passes(self, number: int) -> list[Decision]:
        """Run so many passes and return their decisions."""
        decisions = []
        for _ in range(number):
            decisions.append(self.tick())
            time.sleep(PERIOD_SECONDS)
        return decisions

    def wait(self, what: str, holds: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait without any pass."""
        ends = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < ends, f"not within {seconds:.0f} s: {what}\n{self.describe(None)}"
            time.sleep(PERIOD_SECONDS / 4)

    def warm(self, number: int) -> Decision:
        """Run passes until so many placeholders are Ready, each on a node of its own, and marked warm."""

        def settled() -> bool:
            found = self.placeholders()
            ready = [each for each in found if each.ready and each.warm == "true"]
            return len(found) == len(ready) == len({each.node for each in ready}) == number

        return self.until(f"{number} warm placeholders", settled)

    def launch(self, name: str, *, cpu: str = SHAPE["cpu"], memory: str = SHAPE["memory"]) -> None:
        """Create a Workspace."""
        amounts = {"cpu": cpu, "memory": memory}
        self.plane.api.create(
            {
                "apiVersion": WORKSPACE_VERSION,
                "kind": "Workspace",
                "metadata": {"name": name, "namespace": self.users},
                "spec": {
                    "displayName": name,
                    "image": IMAGE,
                    "resources": {"requests": amounts, "limits": amounts},
                    "nodeSelector": {"pool": self.name},
                },
            }
        )

    def close(self, *names: str) -> None:
        """Delete Workspaces."""
        for name in names:
            self.plane.api.delete(
                {
                    "apiVersion": WORKSPACE_VERSION,
                    "kind": "Workspace",
                    "metadata": {"name": name, "namespace": self.users},
                }
            )

    def launch_and_tell(self, name: str, *, cpu: str = SHAPE["cpu"], memory: str = SHAPE["memory"]) -> str:
        """Launch a Workspace without any pass meanwhile, and say what it found: warm-coexist, warm-preempt or cold."""
        before = {each.node: each.uid for each in self.placeholders() if each.ready}
        self._warm_nodes |= before.keys()
        self.launch(name, cpu=cpu, memory=memory)
        self.wait(f"{name} is available", lambda: self.available(name))
        node = self.workspace_pods()[name].node
        if node not in before:
            return "warm-coexist" if node in self._warm_nodes else "cold"
        return "warm-coexist" if before[node] in {each.uid for each in self.placeholders()} else "warm-preempt"

    def available(self, name: str) -> bool:
        """Tell whether a Workspace says so itself."""
        found = self.plane.api.get(WORKSPACE_VERSION, "Workspace", name, self.users) or {}
        conditions = found.get("status", {}).get("conditions", ())
        return any(each["type"] == "Available" and each["status"] == "True" for each in conditions)

    def workspace_pods(self) -> dict[str, PodView]:
        """Return the workspaces' pods, by workspace."""
        found = self.plane.api.all_of("v1", "Pod", self.users)
        label = "workspace.jupyter.org/workspace-name"
        return {each["metadata"]["labels"][label]: pod_view(each) for each in found}

    def placeholders(self) -> list[PodView]:
        """Return the placeholders, those that are being deleted left out."""
        found = self.plane.api.all_of("v1", "Pod", self.namespace)
        return [pod_view(each) for each in found if "deletionTimestamp" not in each["metadata"]]

    def nodes(self) -> list[Node]:
        """Return the pool's nodes, those that are being deleted left out."""
        found = self.plane.api.all_of("v1", "Node", labelSelector=f"pool={self.name}")
        return [node_view(each) for each in found if "deletionTimestamp" not in each["metadata"]]

    def deployment(self) -> Object | None:
        """Return the placeholder Deployment."""
        return self.plane.api.get("apps/v1", "Deployment", "ph", self.namespace)

    def replicas(self) -> int:
        """Return the replicas that are asked for."""
        found = self.deployment()
        assert found is not None
        replicas: int = found["spec"]["replicas"]
        return replicas

    def scale_by_hand(self, replicas: int) -> None:
        """Do what `kubectl scale` does."""
        self.plane.api.request(
            "PATCH",
            f"/apis/apps/v1/namespaces/{self.namespace}/deployments/ph/scale",
            {"spec": {"replicas": replicas}},
            content_type="application/merge-patch+json",
            fieldManager="kubectl",
        )

    def describe(self, decision: Decision | None) -> str:
        """Tell what is there, for a test that has waited in vain."""
        lines = [f"nodes: {self.nodes()}", f"placeholders: {self.placeholders()}"]
        try:
            lines += [f"workspaces: {self.workspace_pods()}", f"replicas: {self.replicas()}"]
        except (Refused, AssertionError) as error:
            lines.append(str(error))
        return "\n".join([*lines, f"decision: {decision}"])


def pool_document(name: str, namespace: str, changes: Mapping[str, Any]) -> str:
    """Write the runtime copy of a pool's spec: the guide's small placeholders, min 2, max 8, and little patience."""
    pool = {
        "namespace": namespace,
        "deployment": "ph",
        "nodeSelector": {"pool": name},
        "images": [IMAGE],
        "shape": SHAPE,
        "placeholder": SMALL,
        "nodeAllocatable": {"cpu": "47900m", "memory": "190Gi"},
        "min": 2,
        "max": 8,
        "scaleDown": {"after": "3s", "step": 8},
        **changes,
    }
    pools = {name: pool}
    return json.dumps({"version": 1, "cluster": {"eks": "ml-research"}, "timezone": "Europe/Berlin", "pools": pools})


def codes(decision: Decision) -> set[Code]:
    """Return the codes of a decision's reasons."""
    return {each.code for each in decision.reasons}
