"""Write samples for tests/events as the real API server logs them: `python -m tests.cluster.record_audit`.

They are those that the run which left the others had not. Only names are changed: those of the lab become those of the
other samples, a node becomes node-1, and Karpenter, which runs with a certificate here, becomes the service account
that it is elsewhere. The server writes with EKS' policy (objects/audit-policy.yaml); who the controller and the
researcher are is what the authenticator said; and the controller may delete pods for once.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tests.cluster.access import client_of, keys_of, token_source
from tests.cluster.api import Object, path_of
from tests.cluster.build import build, say
from tests.cluster.lab import Lab
from tests.cluster.plane import ControlPlane
from tests.cluster.settings import CONTROLLER, RESEARCHER
from tests.cluster.workspaces import VERSION as WORKSPACE_VERSION
from tests.events.samples import FOLDER
from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.transport import Call
from warmpool.adapters.memory import FixedBudget

LAB: Final = "spaces"
SPACE: Final = "space-1"
KARPENTER: Final = "karpenter"
PLACEHOLDER: Final = "spaces-placeholder-cpu"
POD: Final = f"{PLACEHOLDER}-747c47f75-zv298"
SERVICE_ACCOUNT: Final = {
    "username": "system:serviceaccount:karpenter:karpenter",
    "groups": ["system:serviceaccounts", "system:serviceaccounts:karpenter", "system:authenticated"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One sample: the first accepted record of this verb, resource (with subresource) and user."""

    verb: str
    resource: str
    user: str
    says: str = ""
    """A piece of the record that tells it from others."""

    def is_met_by(self, record: Object) -> bool:
        """Tell whether a record is such a one."""
        target = record.get("objectRef", {})
        resource = "/".join(each for each in (target.get("resource"), target.get("subresource")) if each)
        return (
            (record["verb"], resource, record["user"]["username"]) == (self.verb, self.resource, self.user)
            and record["stage"] == "ResponseComplete"
            and record["responseStatus"]["code"] < 300
            and self.says in json.dumps(record)
        )


WANTED: Final = {
    "node-created": Wanted(verb="create", resource="nodes", user=KARPENTER),
    "node-cordoned": Wanted(verb="patch", resource="nodes", user="admin", says='"unschedulable": true'),
    "node-deleted": Wanted(verb="delete", resource="nodes", user=KARPENTER),
    "placeholder-preempted": Wanted(verb="delete", resource="pods", user="system:kube-scheduler", says='"ph-'),
    "placeholder-evicted": Wanted(verb="create", resource="pods/eviction", user=KARPENTER, says='"ph-'),
    "own-scale-patched": Wanted(verb="patch", resource="deployments/scale", user=CONTROLLER.session_arn),
    "own-pod-patched": Wanted(verb="patch", resource="pods", user=CONTROLLER.session_arn),
    "own-pod-deleted": Wanted(verb="delete", resource="pods", user=CONTROLLER.session_arn),
    "workspace-stopped": Wanted(verb="patch", resource="workspaces", user=RESEARCHER.session_arn),
}


def happen(lab: Lab) -> None:
    """Let everything happen once that a sample is wanted of."""
    lab.install()
    lab.plane.api.apply(
        [*allowed(lab.users, RESEARCHER.group, "workspaces"), *allowed(lab.namespace, CONTROLLER.group)]
    )
    lab.warm(2)
    launch_and_stop(lab)
    lab.warm(2)
    placeholder = lab.placeholders()[0]
    send(client_of(lab.plane), "DELETE", path_of("v1", "Pod", placeholder.name, lab.namespace))
    lab.warm(2)
    lose_a_node(lab)


def launch_and_stop(lab: Lab) -> None:
    """Start a Workspace that needs a placeholder's room, as a researcher, and stop it."""
    researcher = client_of(lab.plane, token_source(keys_of(RESEARCHER)))
    every = path_of(WORKSPACE_VERSION, "Workspace", None, lab.users)
    amounts = {"cpu": "46", "memory": "16Gi"}
    spec = {"displayName": SPACE, "resources": {"requests": amounts, "limits": amounts}, "nodeSelector": {"pool": LAB}}
    workspace = {"apiVersion": WORKSPACE_VERSION, "kind": "Workspace", "metadata": {"name": SPACE}, "spec": spec}
    send(researcher, "POST", every, workspace)
    lab.wait("it is available", lambda: lab.available(SPACE))
    send(researcher, "PATCH", f"{every}/{SPACE}", {"spec": {"desiredStatus": "Stopped"}})
    lab.wait("it has stopped", lambda: not lab.workspace_pods())


def lose_a_node(lab: Lab) -> None:
    """Cordon a node and delete its NodeClaim: Karpenter drains it and takes it away."""
    node = lab.placeholders()[0].node
    lab.plane.api.merge(
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}, {"spec": {"unschedulable": True}}
    )
    claims = lab.plane.api.all_of("karpenter.sh/v1", "NodeClaim")
    (claim,) = (each for each in claims if each.get("status", {}).get("nodeName") == node)
    lab.plane.api.delete({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", **claim})
    lab.wait("the node has gone", lambda: lab.plane.api.get("v1", "Node", node or "") is None)


def send(client: KubernetesClient, method: str, path: str, body: Object | None = None) -> None:
    """Send one request as somebody whom the authenticator knows."""
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    client.send(Call(does=f"{method} {path}", path=path, method=method, body=body, content_type=kind), FixedBudget(20))


def allowed(namespace: str, group: str | None, resource: str = "pods") -> Iterator[Object]:
    """Let a group do what it may not do by itself."""
    meta = {"name": "recorded", "namespace": namespace}
    version = "rbac.authorization.k8s.io/v1"
    rule = {"apiGroups": ["", "workspace.jupyter.org"], "resources": [resource], "verbs": ["*"]}
    yield {"apiVersion": version, "kind": "Role", "metadata": meta, "rules": [rule]}
    yield {
        "apiVersion": version,
        "kind": "RoleBinding",
        "metadata": meta,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "recorded"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
    }


def generic(record: Object) -> Object:
    """Give a record the names of the other samples."""
    text = json.dumps(record)
    for pattern, name in renamed(record):
        text = re.sub(pattern, name, text)
    made: Object = json.loads(text, object_hook=_without_managed_fields)
    if made["user"]["username"] == KARPENTER:
        made["user"] = SERVICE_ACCOUNT
    return made


def renamed(record: Object) -> Iterator[tuple[str, str]]:
    """Yield what is called otherwise in the samples."""
    yield f"op-{LAB}", "spaces-overprovisioning"
    yield f"users-{LAB}", "default"
    yield rf"kwok-{LAB}-[a-z0-9-]+", "node-1"
    answer = record.get("responseObject") or {}
    for name in (record["objectRef"].get("name"), answer.get("metadata", {}).get("name")):
        if name and name.startswith("ph-"):
            yield re.escape(name), POD
            yield rf"\b{name.split('-')[1]}\b", POD.split("-")[-2]
    yield r'(?<=["/])ph(?=["/-])', PLACEHOLDER


def _without_managed_fields(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "managedFields"}


def main(tell: Callable[[str], None] = say) -> None:
    """Run it all, and write the samples. Raises StopIteration where one was not logged."""
    build(tell)
    with ControlPlane(tell) as plane:
        happen(Lab(plane=plane, name=LAB))
        records = [json.loads(line) for line in plane.audit_log.read_text(encoding="utf-8").splitlines()]
    for name, wanted in WANTED.items():
        record = next(each for each in records if wanted.is_met_by(each))
        (FOLDER / f"audit-{name}.json").write_text(f"{json.dumps(generic(record), indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
