"""What the owner of the cluster has set up before us."""

from collections.abc import Mapping
from typing import Any

from tests.cluster.api import Object


def namespace(name: str, labels: Mapping[str, str] | None = None) -> Object:
    """Write a namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels or {})}}


def node_class(name: str, delay: str) -> Object:
    """Write a KWOKNodeClass whose nodes register after `delay`."""
    return {
        "apiVersion": "karpenter.kwok.sh/v1alpha1",
        "kind": "KWOKNodeClass",
        "metadata": {"name": name},
        "spec": {"nodeRegistrationDelay": delay},
    }


def node_pool(name: str, changes: Mapping[str, Any]) -> Object:
    """Write a NodePool as the guide has it, with a shorter patience; `changes` replace keys of its spec."""
    requirements = [
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["ml.m5.12xlarge"]},
    ]
    template = {
        "metadata": {"labels": {"pool": name}},
        "spec": {
            "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": name},
            "requirements": requirements,
            "expireAfter": "720h",
        },
    }
    disruption = {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": "3s",
        "budgets": [{"nodes": "100%"}],
    }
    spec = {"template": template, "limits": {"cpu": "1000"}, "disruption": disruption, **changes}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name}, "spec": spec}
