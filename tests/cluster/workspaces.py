"""A small Workspace controller: turns a Workspace into the Deployment and pod that the operator would make."""

from typing import Any, Final

from tests.cluster.api import Api, Object
from tests.cluster.loop import Loop

GROUP: Final = "workspace.jupyter.org"
VERSION: Final = f"{GROUP}/v1alpha1"
_DEFAULT_IMAGE: Final = "registry.test/sagemaker-distribution:latest-cpu"


class WorkspaceController:
    """Keeps each Workspace's Deployment and its `Available` condition; a stopped or deleted one has no Deployment."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._loop = Loop("workspaces", self._look)

    def start(self) -> None:
        """Begin to look at the Workspaces."""
        self._loop.start()

    def stop(self) -> None:
        """Stop looking."""
        self._loop.stop()

    def _look(self) -> None:
        found = self._api.all_of("apps/v1", "Deployment", labelSelector=f"{GROUP}/component=workspace")
        deployments = {(each["metadata"]["namespace"], each["metadata"]["name"]): each for each in found}
        for workspace in self._api.all_of(VERSION, "Workspace"):
            metadata = workspace["metadata"]
            name = (metadata["namespace"], f"workspace-{metadata['name']}")
            deployment = deployments.pop(name, None)
            running = workspace["spec"].get("desiredStatus", "Running") == "Running"
            if running and deployment is None:
                deployment = self._api.create(self._deployment(workspace))
            elif not running and deployment is not None:
                self._delete(deployment)
            self._tell(workspace, deployment if running else None)
        for orphan in deployments.values():
            self._delete(orphan)

    def _delete(self, deployment: Object) -> None:
        self._api.delete({"apiVersion": "apps/v1", "kind": "Deployment", **deployment})

    def _deployment(self, workspace: Object) -> Object:
        metadata, spec = workspace["metadata"], workspace["spec"]
        template = self._template(workspace)
        labels = _labels(workspace)
        pod = {
            "terminationGracePeriodSeconds": 0,
            "nodeSelector": spec.get("nodeSelector", template.get("defaultNodeSelector", {})),
            "tolerations": spec.get("tolerations", template.get("defaultTolerations", [])),
            "containers": [
                {
                    "name": "workspace",
                    "image": spec.get("image", template.get("defaultImage", _DEFAULT_IMAGE)),
                    "resources": spec.get("resources", template.get("defaultResources", {})),
                }
            ],
        }
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": f"workspace-{metadata['name']}",
                "namespace": metadata["namespace"],
                "labels": labels,
            },
            "spec": {
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": {f"{GROUP}/workspace-name": metadata["name"]}},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        }

    def _template(self, workspace: Object) -> dict[str, Any]:
        reference = workspace["spec"].get("templateRef")
        if reference is None:
            return {}
        namespace = reference.get("namespace", workspace["metadata"]["namespace"])
        found = self._api.get(VERSION, "WorkspaceTemplate", reference["name"], namespace)
        template: dict[str, Any] = found["spec"] if found else {}
        return template

    def _tell(self, workspace: Object, deployment: Object | None) -> None:
        """Write `Available`, where it has changed."""
        available = bool(deployment and deployment.get("status", {}).get("availableReplicas"))
        wanted = "True" if available else "False"
        status = workspace.get("status", {})
        known = {each["type"]: each["status"] for each in status.get("conditions", ())}
        if known.get("Available") == wanted:
            return
        condition = {"type": "Available", "status": wanted, "reason": "ResourcesReady" if available else "NotReady"}
        name = f"workspace-{workspace['metadata']['name']}"
        changes = {"status": {"deploymentName": name, "conditions": [condition]}}
        self._api.merge({"apiVersion": VERSION, "kind": "Workspace", **workspace}, changes, subresource="status")


def _labels(workspace: Object) -> dict[str, str]:
    """Return the labels that the operator gives to Deployment and pod, the Workspace's own among them."""
    metadata = workspace["metadata"]
    labels = {
        **metadata.get("labels", {}),
        "app": "jupyter",
        f"{GROUP}/component": "workspace",
        f"{GROUP}/workspace-name": metadata["name"],
    }
    reference = workspace["spec"].get("templateRef")
    if reference is not None:
        labels[f"{GROUP}/template-name"] = reference["name"]
        labels[f"{GROUP}/template-namespace"] = metadata["namespace"]
    return labels
