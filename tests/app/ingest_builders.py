"""Audit records, what is ours among them, and a queue that remembers."""

import json
from dataclasses import dataclass, field
from typing import Any

from warmpool.adapters.memory import RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import NudgeNotSent
from warmpool.app.ingest import AuditBatch, AuditRecord, IngestAudit, Ours
from warmpool.app.ports import Budget

NAMESPACE, DEPLOYMENT = "spaces-overprovisioning", "spaces-placeholder-cpu"
OURS = Ours(role="warmpool-reconciler", placeholders=frozenset({(NAMESPACE, DEPLOYMENT)}))


@dataclass(slots=True)
class MemoryNudges:
    """Keeps bodies; `failure` makes it refuse, with this reason."""

    bodies: list[str] = field(default_factory=list)
    failure: str | None = None

    def send(self, body: str, budget: Budget) -> None:
        del budget
        if self.failure is not None:
            raise NudgeNotSent(self.failure)
        self.bodies.append(body)

    @property
    def last(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.bodies[-1])
        return document


@dataclass(slots=True)
class Ingesting:
    """The use case with all that it talks to."""

    queue: MemoryNudges = field(default_factory=MemoryNudges)
    telemetry: RecordingTelemetry = field(default_factory=RecordingTelemetry)

    def use_case(self) -> IngestAudit:
        return IngestAudit(self.queue, self.telemetry, OURS)

    def take(self, *records: AuditRecord, problems: tuple[str, ...] = ()) -> int:
        return self.use_case().take(AuditBatch(records=records, problems=problems), UnlimitedBudget())


def record(**changes: Any) -> AuditRecord:
    """Build the record of a placeholder that the scheduler preempts."""
    values: dict[str, Any] = {
        "id": "c0864275",
        "verb": "delete",
        "resource": "pods",
        "namespace": NAMESPACE,
        "name": f"{DEPLOYMENT}-747c47f75-zv298",
        "user": "system:kube-scheduler",
        "groups": ("system:authenticated",),
        "code": 200,
        "uri": f"/api/v1/namespaces/{NAMESPACE}/pods/{DEPLOYMENT}-747c47f75-zv298",
        "at": "2026-12-01T09:00:12.350000Z",
    }
    return AuditRecord(**{**values, **changes})


def claim(**changes: Any) -> AuditRecord:
    """Build the record of a NodeClaim that Karpenter creates; it has no name yet."""
    values: dict[str, Any] = {"verb": "create", "resource": "nodeclaims", "api_group": "karpenter.sh", "code": 201}
    return record(**{**values, "namespace": "", "name": "", "uri": "/apis/karpenter.sh/v1/nodeclaims", **changes})


def workspace(**changes: Any) -> AuditRecord:
    """Build the record of a Workspace that a person creates."""
    values: dict[str, Any] = {"verb": "create", "resource": "workspaces", "api_group": "workspace.jupyter.org"}
    uri = "/apis/workspace.jupyter.org/v1alpha1/namespaces/default/workspaces?fieldManager=kubectl"
    return record(**{**values, "code": 201, "namespace": "default", "name": "space-1", "uri": uri, **changes})


def bound(**changes: Any) -> AuditRecord:
    """Build the record of a workspace's pod that the scheduler gives a node."""
    name = "workspace-space-1-688fdc4d7c-vnq7d"
    uri = f"/api/v1/namespaces/default/pods/{name}/binding"
    values: dict[str, Any] = {"verb": "create", "subresource": "binding", "code": 201, "namespace": "default"}
    return record(**{**values, "name": name, "uri": uri, **changes})
