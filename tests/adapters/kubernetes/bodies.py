"""Kubernetes objects as JSON, with overrides: only what a test is about differs from the defaults."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from warmpool.adapters.kubernetes.wire import Item

CREATED = "2026-12-01T02:45:09Z"
CREATED_AT = datetime.fromisoformat(CREATED)
LATER = "2026-12-01T02:45:31Z"
LATER_AT = datetime.fromisoformat(LATER)


def metadata(name: str, namespace: str | None = None, **changes: Any) -> dict[str, Any]:
    """Build an object's metadata; its uid is `uid-NAME`."""
    place = {} if namespace is None else {"namespace": namespace}
    return {"name": name, "uid": f"uid-{name}", "creationTimestamp": CREATED, **place, **changes}


def condition(kind: str, status: str = "True", at: str = LATER, **changes: Any) -> dict[str, Any]:
    """Build a condition."""
    return {"type": kind, "status": status, "lastTransitionTime": at, **changes}


def node(name: str = "n1", **changes: Any) -> dict[str, Any]:
    """Build a Ready node of pool `spaces`; `labels`, `spec` and `status` replace the defaults."""
    labels = changes.pop("labels", {"pool": "spaces", "karpenter.sh/nodepool": "spaces"})
    offer = {"cpu": "47900m", "memory": "196598Mi", "pods": "110"}
    return {
        "metadata": metadata(name, labels=labels, **changes.pop("metadata", {})),
        "spec": changes.pop("spec", {}),
        "status": {"allocatable": offer, "capacity": offer, "conditions": [condition("Ready")], **changes},
    }


def container(cpu: str | None = None, memory: str | None = None, **changes: Any) -> dict[str, Any]:
    """Build a container; without requests it has none."""
    requests = {name: text for name, text in (("cpu", cpu), ("memory", memory)) if text is not None}
    return {"name": "main", "image": "pause", "resources": {"requests": requests} if requests else {}, **changes}


def pod(name: str = "p1", namespace: str = "op", on: str | None = "n1", **changes: Any) -> dict[str, Any]:
    """Build a running placeholder pod; `labels`, `spec`, `status` and `metadata` are merged in."""
    spec = {"containers": [container("2", "8Gi")], "priority": -1000, **({"nodeName": on} if on else {})}
    return {
        "metadata": metadata(
            name, namespace, labels=changes.pop("labels", {"app": "ph"}), **changes.pop("metadata", {})
        ),
        "spec": {**spec, **changes.pop("spec", {})},
        "status": {
            "phase": "Running" if on else "Pending",
            "conditions": [condition("Ready")] if on else [],
            **changes.pop("status", {}),
        },
    }


def deployment(name: str = "ph", namespace: str = "op", replicas: int | None = 2, **changes: Any) -> dict[str, Any]:
    """Build a placeholder Deployment that is rolled out; `spec`, `status`, `pod` and `metadata` are merged in."""
    template = {"containers": [container("2", "8Gi")], **changes.pop("pod", {})}
    return {
        "metadata": metadata(name, namespace, **{"generation": 1, **changes.pop("metadata", {})}),
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "ph"}},
            "template": {"spec": template},
            **changes.pop("spec", {}),
        },
        "status": {"observedGeneration": 1, "replicas": replicas, "updatedReplicas": replicas, **changes},
    }


def node_claim(name: str = "spaces-1", **changes: Any) -> dict[str, Any]:
    """Build a launched NodeClaim of NodePool `spaces`."""
    labels = {"pool": "spaces", "karpenter.sh/nodepool": "spaces"}
    return {
        "metadata": metadata(name, labels=changes.pop("labels", labels)),
        "spec": changes.pop("spec", {"expireAfter": "720h"}),
        "status": {
            "nodeName": "n1",
            "capacity": {"cpu": "48", "memory": "192Gi", "pods": "110"},
            "conditions": [condition("Ready", reason="Ready", message="")],
            **changes,
        },
    }


def node_pool(name: str = "spaces", **spec: Any) -> dict[str, Any]:
    """Build a NodePool."""
    return {
        "metadata": metadata(name),
        "spec": {
            "template": {"metadata": {"labels": {"pool": "spaces"}}, "spec": {}},
            "disruption": {"consolidationPolicy": "WhenEmpty"},
            **spec,
        },
        "status": {"conditions": [condition("Ready")]},
    }


def autoscaler(name: str = "hpa", target: str = "ph", **changes: Any) -> dict[str, Any]:
    """Build a HorizontalPodAutoscaler of a Deployment."""
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": target, **changes}
    return {"metadata": metadata(name, "op"), "spec": {"scaleTargetRef": reference}}


_API_VERSIONS: Mapping[str, str] = {
    "Node": "v1",
    "Pod": "v1",
    "Deployment": "apps/v1",
    "NodeClaim": "karpenter.sh/v1",
    "NodePool": "karpenter.sh/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "ScaledObject": "keda.sh/v1alpha1",
}


def item(body: Mapping[str, Any]) -> Item:
    """Return the object as a list's page gives it, its parts still unread."""
    return msgspec.json.decode(json.dumps(body), type=Item)


def of_kind(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object as kubectl prints it in a List: with its kind."""
    return {"apiVersion": _API_VERSIONS[kind], "kind": kind, **body}


def kubectl_list(*items: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `kubectl get ... -o json` prints."""
    return {"apiVersion": "v1", "kind": "List", "items": list(items), "metadata": {"resourceVersion": ""}}
