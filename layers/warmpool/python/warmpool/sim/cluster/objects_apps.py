"""Deployments, ReplicaSets, Workspaces, scalers and budgets as Kubernetes JSON."""

from collections.abc import Mapping
from typing import Final

from warmpool.core.model import FieldOwner
from warmpool.sim.cluster.objects_pods import pod_spec
from warmpool.sim.cluster.rendering import Json, condition, metadata, owner, requests, stamp
from warmpool.sim.cluster.state import (
    BudgetState,
    DeploymentState,
    PodTemplate,
    ReplicaSetState,
    ScalerState,
    WorkspaceState,
)

CPA: Final = "ClusterProportionalAutoscaler"
CPA_IMAGE: Final = "registry.k8s.io/cpa/cluster-proportional-autoscaler:1.10.2"


def deployment_json(deployment: DeploymentState) -> Json:
    """Render a Deployment with its managed fields."""
    meta = metadata(deployment, namespace=deployment.namespace, labels=deployment.selector)
    meta["generation"] = deployment.generation
    meta["annotations"] = {"deployment.kubernetes.io/revision": str(deployment.revision)}
    meta["managedFields"] = [*map(_replicas_owner, deployment.owners.values()), _status_owner(deployment)]
    rollout = deployment.rollout
    strategy: Json = {"type": rollout.strategy}
    if rollout.strategy == "RollingUpdate":
        strategy["rollingUpdate"] = {"maxSurge": rollout.max_surge, "maxUnavailable": rollout.max_unavailable}
    spec: Json = {
        "progressDeadlineSeconds": 600,
        "replicas": deployment.replicas,
        "revisionHistoryLimit": 10,
        "selector": {"matchLabels": dict(deployment.selector)},
        "strategy": strategy,
        "template": _template_json(deployment.template, deployment.template.labels),
    }
    if deployment.paused:
        spec["paused"] = True
    status = _deployment_status(deployment)
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec, "status": status}


def _replicas_owner(field_owner: FieldOwner) -> Json:
    made: Json = {
        "manager": field_owner.manager,
        "operation": field_owner.operation,
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:replicas": {}}},
    }
    if field_owner.subresource:
        made["subresource"] = field_owner.subresource
    if field_owner.time:
        made["time"] = stamp(field_owner.time)
    return made


def _status_owner(deployment: DeploymentState) -> Json:
    return {
        "manager": "kube-controller-manager",
        "operation": "Update",
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:status": {"f:replicas": {}, "f:readyReplicas": {}, "f:observedGeneration": {}}},
        "subresource": "status",
        "time": stamp(deployment.progressed_at),
    }


def _template_json(template: PodTemplate, labels: Mapping[str, str]) -> Json:
    meta: Json = {"labels": dict(labels)}
    if template.annotations:
        meta["annotations"] = dict(template.annotations)
    return {"metadata": meta, "spec": pod_spec(template)}


def _deployment_status(deployment: DeploymentState) -> Json:
    available = "True" if deployment.available else "False"
    reason = "MinimumReplicasAvailable" if deployment.available else "MinimumReplicasUnavailable"
    counts = {
        "replicas": deployment.status_replicas,
        "updatedReplicas": deployment.updated_replicas,
        "readyReplicas": deployment.ready_replicas,
        "availableReplicas": deployment.ready_replicas,
        "unavailableReplicas": max(0, deployment.status_replicas - deployment.ready_replicas),
    }
    return {
        "observedGeneration": deployment.observed_generation,
        # The API leaves counts of zero out.
        **{name: count for name, count in counts.items() if count},
        "conditions": [
            condition("Available", available, deployment.available_changed, reason),
            condition("Progressing", "True", deployment.created, "NewReplicaSetAvailable"),
        ],
    }


def replicaset_json(replicaset: ReplicaSetState) -> Json:
    """Render a ReplicaSet."""
    labels = {**replicaset.template.labels, "pod-template-hash": replicaset.hash}
    selector = {**replicaset.deployment.selector, "pod-template-hash": replicaset.hash}
    meta = metadata(replicaset, namespace=replicaset.namespace, labels=labels)
    meta["annotations"] = {"deployment.kubernetes.io/revision": str(replicaset.revision)}
    meta["ownerReferences"] = owner("Deployment", "apps/v1", replicaset.deployment)
    active = replicaset.active_pods()
    ready = sum(pod.ready for pod in active)
    counts = {"readyReplicas": ready, "availableReplicas": ready}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": meta,
        "spec": {
            "replicas": replicaset.replicas,
            "selector": {"matchLabels": selector},
            "template": _template_json(replicaset.template, labels),
        },
        "status": {"replicas": len(active), **{name: count for name, count in counts.items() if count}},
    }


def workspace_json(workspace: WorkspaceState) -> Json:
    """Render a Workspace; its conditions all carry the time of the last change, as the operator writes them."""
    deployment = workspace.deployment
    template = deployment.template
    names = {key: template.labels[key] for key in template.labels if "/template-" in key}
    meta = metadata(workspace, namespace=workspace.namespace, labels=names)
    meta["finalizers"] = ["workspace.jupyter.org/workspace-protection"]
    meta["resourceVersion"] = str(max(workspace.version, deployment.version))
    meta["generation"] = 1
    ready = deployment.ready_replicas > 0
    at = deployment.available_changed
    why = "ResourcesReady" if ready else "ComputeNotReady"
    resources = requests(template.requests)
    return {
        "apiVersion": "workspace.jupyter.org/v1alpha1",
        "kind": "Workspace",
        "metadata": meta,
        "spec": {
            "appType": "jupyter",
            "desiredStatus": "Running",
            "displayName": workspace.name,
            "image": workspace.image,
            "nodeSelector": dict(template.node_selector),
            "resources": {"requests": resources, "limits": resources},
            "templateRef": {"name": "basic"},
        },
        "status": {
            "deploymentName": deployment.name,
            "serviceName": f"{deployment.name}-service",
            "conditions": [
                condition("Available", str(ready), at, why),
                condition("Progressing", str(not ready), at, why),
                condition("Degraded", "False", at, "NoError"),
                condition("Stopped", "False", at, "DesiredStateRunning"),
                condition("Deleting", "False", at, "DesiredStateRunning"),
            ],
        },
    }


def scaler_json(scaler: ScalerState) -> Json:
    """Render whatever else scales a Deployment; a CPA is a Deployment itself."""
    if scaler.kind == CPA:
        return _cpa_json(scaler)
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": scaler.target}
    meta = metadata(scaler, namespace=scaler.namespace)
    if scaler.kind == "ScaledObject":
        spec: Json = {"scaleTargetRef": target, "minReplicaCount": 1, "maxReplicaCount": 10, "triggers": []}
        return {"apiVersion": "keda.sh/v1alpha1", "kind": scaler.kind, "metadata": meta, "spec": spec}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 10}
    return {"apiVersion": "autoscaling/v2", "kind": scaler.kind, "metadata": meta, "spec": spec}


def _cpa_json(scaler: ScalerState) -> Json:
    labels = {"app": "spaces-cpa"}
    command = [
        "/cluster-proportional-autoscaler",
        f"--namespace={scaler.namespace}",
        "--configmap=spaces-overprovision-cpa-config",
        f"--target=deployment/{scaler.target}",
        "--nodelabels=pool=spaces",
    ]
    container = {"name": "autoscaler", "image": CPA_IMAGE, "command": command}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    counts = {"replicas": scaler.replicas, "readyReplicas": scaler.replicas, "availableReplicas": scaler.replicas}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(scaler, namespace=scaler.namespace, labels=labels),
        "spec": {"replicas": scaler.replicas, "selector": {"matchLabels": labels}, "template": template},
        "status": {name: count for name, count in counts.items() if count},
    }


def budget_json(budget: BudgetState) -> Json:
    """Render a PodDisruptionBudget."""
    spec = {"maxUnavailable": 0, "selector": {"matchLabels": dict(budget.match_labels)}}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(budget, namespace=budget.namespace),
        "spec": spec,
        "status": {"disruptionsAllowed": 0},
    }
