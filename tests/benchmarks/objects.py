"""A cluster of any size as raw Kubernetes objects, shaped like the real ones in tests/samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

BORN: Final = "2026-12-01T02:45:31Z"
SINCE: Final = {"lastHeartbeatTime": BORN, "lastTransitionTime": BORN}
CONDITIONS: Final = (
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)
NODE_INFO: Final = {
    "architecture": "amd64",
    "bootID": "",
    "containerRuntimeVersion": "containerd://2.0",
    "kernelVersion": "6.12",
    "kubeProxyVersion": "",
    "kubeletVersion": "v1.36.3",
    "machineID": "",
    "operatingSystem": "linux",
    "osImage": "Amazon Linux 2023",
    "systemUUID": "",
}
IMAGES: Final = [
    {
        "names": [
            f"registry.example/team/image-{number}@sha256:{number:064x}",
            f"registry.example/team/image-{number}:1",
        ],
        "sizeBytes": 10**8 + number,
    }
    for number in range(50)
]
"""A kubelet reports up to 50 images."""
FIELDS: Final[Mapping[str, Any]] = {
    "f:status": {
        f"f:conditions/{kind}": {f"f:{name}": {} for name in ("type", "status", "reason", "lastTransitionTime")}
        for kind in ("Ready", "Initialized", "PodScheduled", "ContainersReady")
    },
    "f:metadata": {"f:labels": {f"f:label-{number}": {} for number in range(12)}, "f:annotations": {".": {}}},
}
TOKEN: Final[Mapping[str, Any]] = {
    "name": "kube-api-access",
    "projected": {
        "defaultMode": 420,
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        ],
    },
}


def node(number: int, pool: str) -> dict[str, Any]:
    """Build a Ready node of about 12 kB, its image list included; real ones have 10 kB."""
    name = f"hyperpod-i-{number:017x}"
    labels = {
        "pool": pool,
        "karpenter.sh/nodepool": pool,
        "karpenter.sh/registered": "true",
        "karpenter.sh/initialized": "true",
        "kubernetes.io/hostname": name,
        "node.kubernetes.io/instance-type": "ml.m5.12xlarge",
        "topology.kubernetes.io/zone": f"us-west-2{'abc'[number % 3]}",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _metadata(name, labels, None),
        "spec": {"providerID": f"aws:///{name}"},
        "status": {
            "allocatable": {"cpu": "47810m", "memory": "193044768Ki", "pods": "110"},
            "capacity": {"cpu": "48", "memory": "192Gi", "pods": "110"},
            "conditions": [
                {"type": kind, "status": status, "reason": reason, "message": text, **SINCE}
                for kind, status, reason, text in CONDITIONS
            ],
            "images": IMAGES,
            "nodeInfo": NODE_INFO,
        },
    }


def pod(name: str, on: str, *, placeholder: bool) -> dict[str, Any]:
    """Build a running pod of about 4 kB: a placeholder, or a workspace of 4 CPU."""
    namespace = "op" if placeholder else "default"
    labels = {"app": "ph"} if placeholder else {"app": "jupyter", "workspace.jupyter.org/workspace-name": name}
    requests = {"cpu": "2", "memory": "8Gi"} if placeholder else {"cpu": "4", "memory": "16Gi"}
    container = {
        "name": "pause" if placeholder else "workspace",
        "image": "registry.example/image",
        "resources": {"requests": requests, "limits": requests},
        "env": [{"name": f"SETTING_{number}", "value": "x" * 40} for number in range(12)],
        "volumeMounts": [{"name": "home", "mountPath": "/home/jovyan"}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(name, labels, namespace),
        "spec": {
            "nodeName": on,
            "priority": -1000 if placeholder else 0,
            "containers": [container],
            "volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": f"{name}-pvc"}}, TOKEN],
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
        },
        "status": {
            "phase": "Running",
            "startTime": BORN,
            "conditions": [
                {"type": kind, "status": "True", **SINCE} for kind in ("PodScheduled", "Initialized", "Ready")
            ],
            "containerStatuses": [
                {"name": container["name"], "ready": True, "restartCount": 0, "image": "image", "imageID": "sha256:0"}
            ],
        },
    }


def deployment(replicas: int) -> dict[str, Any]:
    """Build the placeholder Deployment, at rest."""
    template = {
        "metadata": {"labels": {"app": "ph"}},
        "spec": {"containers": [{"name": "pause", "resources": {"requests": {"cpu": "2", "memory": "8Gi"}}}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**_metadata("ph", {}, "op"), "generation": 1},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "ph"}}, "template": template},
        "status": {"observedGeneration": 1, "replicas": replicas, "updatedReplicas": replicas},
    }


def nodepool() -> dict[str, Any]:
    """Build the pool's NodePool."""
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": _metadata("spaces", {}, None),
        "spec": {"template": {"metadata": {"labels": {"pool": "spaces"}}}},
    }


def _metadata(name: str, labels: Mapping[str, str], namespace: str | None) -> dict[str, Any]:
    managed = {
        "manager": "kubelet",
        "operation": "Update",
        "fieldsV1": FIELDS,
        "time": BORN,
    }
    owner = {"kind": "ReplicaSet", "apiVersion": "apps/v1", "name": "rs", "uid": "0", "controller": True}
    scope = {} if namespace is None else {"namespace": namespace, "ownerReferences": [owner]}
    return {
        "name": name,
        "uid": f"uid-{name}",
        "resourceVersion": "1000",
        "creationTimestamp": BORN,
        "labels": dict(labels),
        "annotations": {"note": "x" * 200},
        "managedFields": [managed],
        **scope,
    }


@dataclass(slots=True)
class StaticCluster:
    """A cluster that stands still: `pool_nodes` in the pool, `other_nodes` outside, four pods on each node."""

    pool_nodes: int
    other_nodes: int = 0
    objects_by_resource: dict[str, Sequence[Mapping[str, Any]]] = field(init=False)

    def __post_init__(self) -> None:
        """Build all objects once."""
        nodes = [node(number, "spaces") for number in range(self.pool_nodes)]
        others = [node(self.pool_nodes + number, "other") for number in range(self.other_nodes)]
        pods = [
            pod(f"pod-{index}-{slot}", each["metadata"]["name"], placeholder=slot == 0 and index < self.pool_nodes)
            for index, each in enumerate((*nodes, *others))
            for slot in range(4)
        ]
        for each in pods[4 * self.pool_nodes :]:
            each["metadata"]["labels"] = {"app": "batch"}
        self.objects_by_resource = {
            "nodes": [*nodes, *others],
            "pods": pods,
            "deployments": [deployment(self.pool_nodes)],
            "nodepools": [nodepool()],
        }

    @property
    def now(self) -> datetime:
        """The real time: tokens are made now."""
        return datetime.now(UTC)

    def objects(self, resource: str) -> Sequence[Mapping[str, Any]]:
        """Return the objects of a resource."""
        return self.objects_by_resource.get(resource, ())

    def get_scale(self, namespace: str, name: str) -> int | None:
        """Return the replicas, which never change."""
        return self.pool_nodes if (namespace, name) == ("op", "ph") else None

    def patch_scale(self, namespace: str, name: str, replicas: int, manager: str, at: datetime) -> object:
        """Take a write without effect: each run finds the same cluster."""
        return {}

    def patch_pod(
        self,
        namespace: str,
        name: str,
        labels: Mapping[str, str | None] | None = None,
        annotations: Mapping[str, str | None] | None = None,
        uid: str | None = None,
    ) -> object:
        """Take a patch without effect."""
        return {}
