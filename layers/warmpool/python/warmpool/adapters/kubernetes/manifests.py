"""What the cluster needs for a pool, as Kubernetes objects: pure, from the spec alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from warmpool.adapters.kubernetes.placeholder import POOL_LABEL, SELECTED_NAME, pod_template
from warmpool.core.model import WARM_LABEL
from warmpool.core.spec import PoolSpec

Manifest = dict[str, Any]

CONTROLLER_GROUP: Final = "warmpool-controller"
"""The Kubernetes group of the controller's access entry."""

PRIORITY_CLASS: Final = "warmpool-placeholder"
PRIORITY: Final = -1000

_RBAC: Final = "rbac.authorization.k8s.io"
_OURS: Final = {"app.kubernetes.io/part-of": "spaces-warmpool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterWide:
    """What the spec does not say.

    `initial_replicas` None leaves `replicas` out, so that applying again never undoes what the controller has set; a
    new Deployment then begins with the one placeholder that Kubernetes fills in. A number is for the first time only.
    `underutilised` are the pools whose NodePool consolidates nodes that are not empty too.
    """

    group: str = CONTROLLER_GROUP
    initial_replicas: int | None = None
    underutilised: frozenset[str] = frozenset()


def manifests(pools: Sequence[PoolSpec], wide: ClusterWide | None = None) -> list[Manifest]:
    """Return the objects in the order in which they can be applied, each once.

    Everything of one pool bears its name, so that pools can be applied one by one. Raises ConfigInvalid where a
    placeholder is to fill its node and the spec does not say how large that is.
    """
    wide = wide or ClusterWide()
    namespaces = dict.fromkeys(pool.namespace for pool in pools)
    made = [*map(_namespace, namespaces), _priority_class(), *_reading(wide)]
    for pool in pools:
        made += [*_pool_access(pool, wide), _deployment(pool, wide), _budget(pool)]
    return made


def _namespace(name: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(_OURS)}}


def _priority_class() -> Manifest:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": PRIORITY_CLASS, "labels": dict(_OURS)},
        "value": PRIORITY,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Placeholders that keep nodes warm: everything else preempts them, they preempt nothing.",
    }


def _reading(wide: ClusterWide) -> Iterable[Manifest]:
    """Let the controller list what a pass reads in the whole cluster."""
    name = wide.group
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": dict(_OURS)},
        "rules": [
            _rule("", ["nodes", "pods"], ["list"]),
            _rule("karpenter.sh", ["nodeclaims", "nodepools"], ["list"]),
        ],
    }
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name, "labels": dict(_OURS)},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
        "subjects": [_subject(wide)],
    }


def _pool_access(pool: PoolSpec, wide: ClusterWide) -> Iterable[Manifest]:
    """Let the controller scale this Deployment, mark pods beside it, and see who else would scale it."""
    metadata = {"name": f"{wide.group}-{pool.deployment}", "namespace": pool.namespace, "labels": _labels(pool)}
    only = [pool.deployment]
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "Role",
        "metadata": metadata,
        "rules": [
            _rule("apps", ["deployments"], ["list"]),  # a list cannot be narrowed to names
            _rule("apps", ["deployments"], ["get"], only),
            _rule("apps", ["deployments/scale"], ["get", "patch"], only),
            _rule("", ["pods"], ["patch"]),
            _rule("autoscaling", ["horizontalpodautoscalers"], ["list"]),
            _rule("keda.sh", ["scaledobjects"], ["list"]),
        ],
    }
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": {**metadata, "labels": _labels(pool)},
        "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": metadata["name"]},
        "subjects": [_subject(wide)],
    }


def _rule(group: str, resources: list[str], verbs: list[str], names: list[str] | None = None) -> Manifest:
    rule: Manifest = {"apiGroups": [group], "resources": resources, "verbs": verbs}
    return {**rule, "resourceNames": list(names)} if names else rule


def _subject(wide: ClusterWide) -> Manifest:
    return {"apiGroup": _RBAC, "kind": "Group", "name": wide.group}


def _deployment(pool: PoolSpec, wide: ClusterWide) -> Manifest:
    replicas = {} if wide.initial_replicas is None else {"replicas": wide.initial_replicas}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": pool.deployment, "namespace": pool.namespace, "labels": _labels(pool)},
        "spec": {
            **replicas,
            "selector": {"matchLabels": selected(pool)},
            # A surge pod could only wait for a node of its own.
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            # A placeholder that waits for its node is no failed rollout.
            "progressDeadlineSeconds": max(1, int(pool.lead_time_limit.total_seconds())),
            "revisionHistoryLimit": 2,
            "template": pod_template(pool, PRIORITY_CLASS, protected=pool.name in wide.underutilised),
        },
    }


def _budget(pool: PoolSpec) -> Manifest:
    """Make the scheduler prefer warm victims: it avoids breaking a budget, and still may (design section 6.5).

    Nodes can be drained all the same: a placeholder that is not Ready may always be evicted, and one that is loses
    the label in the next pass.
    """
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": pool.deployment, "namespace": pool.namespace, "labels": _labels(pool)},
        "spec": {
            "maxUnavailable": 0,
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": {**selected(pool), WARM_LABEL: "false"}},
        },
    }


def selected(pool: PoolSpec) -> dict[str, str]:
    """Return the labels by which the pool's Deployment knows its pods; they can never change."""
    return {"app.kubernetes.io/name": SELECTED_NAME, POOL_LABEL: pool.name}


def _labels(pool: PoolSpec) -> Mapping[str, str]:
    return {**_OURS, POOL_LABEL: pool.name}
