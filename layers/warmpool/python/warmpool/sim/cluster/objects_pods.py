"""Pods as Kubernetes JSON."""

from typing import Final

from warmpool.core.model import Toleration
from warmpool.core.quantity import parse_quantity
from warmpool.sim.cluster.rendering import Json, condition, metadata, owner, requests, stamp
from warmpool.sim.cluster.state import PATIENCE, WORKSPACE_LABEL, PodState, PodTemplate, Role

_PATIENCE_SECONDS: Final = 300
_PULLER = {"cpu": parse_quantity("10m"), "memory": parse_quantity("64Mi")}
"""What the guide's initContainer asks for; the pause container's requests are larger, so it never counts."""


def pod_json(pod: PodState) -> Json:
    """Render a pod."""
    meta = metadata(pod, namespace=pod.namespace, labels=pod.labels)
    if pod.annotations:
        meta["annotations"] = dict(pod.annotations)
    if pod.owner:
        meta["generateName"] = f"{pod.owner.name}-"
        meta["ownerReferences"] = owner("ReplicaSet", "apps/v1", pod.owner)
    elif pod.role is Role.DAEMON:
        reference = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": pod.labels["app"], "controller": True}
        meta["ownerReferences"] = [{**reference, "uid": f"daemonset-{pod.labels['app']}"}]
    if pod.deleting_at:
        grace = int(pod.template.grace.total_seconds())
        meta |= {"deletionTimestamp": stamp(pod.deleting_at), "deletionGracePeriodSeconds": grace}
    spec = pod_spec(pod.template)
    spec["tolerations"] = [*spec["tolerations"], *map(_patience_json, PATIENCE)]
    spec["priority"] = pod.template.priority
    spec["preemptionPolicy"] = "PreemptLowerPriority" if pod.template.preempts else "Never"
    if pod.node:
        spec["nodeName"] = pod.node.name
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": _status(pod)}


def pod_spec(template: PodTemplate) -> Json:
    """Render a pod's spec, as it stands in a template too."""
    names = {Role.PLACEHOLDER: "pause", Role.WORKSPACE: "workspace", Role.DAEMON: template.labels.get("app", "agent")}
    image = template.images[0] if template.images else names[template.role]
    wanted = requests(template.requests)
    limits = {} if template.role is Role.DAEMON else {"limits": wanted}
    container: Json = {"name": names[template.role], "image": image, "resources": {"requests": wanted, **limits}}
    spec: Json = {
        "containers": [{**container, "imagePullPolicy": "IfNotPresent"}],
        "nodeSelector": dict(template.node_selector),
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "terminationGracePeriodSeconds": int(template.grace.total_seconds()),
        "tolerations": [_toleration_json(each) for each in template.tolerations],
    }
    if template.priority_class:
        spec["priorityClassName"] = template.priority_class
    if template.init_images:
        spec["initContainers"] = [_puller(index, image) for index, image in enumerate(template.init_images)]
    if template.anti_affinity:
        term = {
            "labelSelector": {"matchLabels": dict(template.anti_affinity)},
            "topologyKey": "kubernetes.io/hostname",
        }
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if template.role is Role.WORKSPACE:
        claim = {"claimName": f"workspace-{template.labels[WORKSPACE_LABEL]}-pvc"}
        spec["volumes"] = [{"name": "workspace-storage", "persistentVolumeClaim": claim}]
    return spec


def _puller(index: int, image: str) -> Json:
    name = "pull-workspace-image" if index == 0 else f"pull-image-{index}"
    resources = {"requests": requests(_PULLER)}
    return {"name": name, "image": image, "command": ["sh", "-c", "echo"], "resources": resources}


def _toleration_json(toleration: Toleration) -> Json:
    made: Json = {"operator": toleration.operator}
    for key in ("key", "value", "effect"):
        if getattr(toleration, key):
            made[key] = getattr(toleration, key)
    return made


def _patience_json(toleration: Toleration) -> Json:
    return {**_toleration_json(toleration), "tolerationSeconds": _PATIENCE_SECONDS}


def _status(pod: PodState) -> Json:
    status: Json = {"phase": "Running" if pod.running else "Pending", "qosClass": "Burstable"}
    if pod.nominated:
        status["nominatedNodeName"] = pod.nominated
    conditions = []
    if pod.bound_at:
        status["startTime"] = stamp(pod.bound_at)
        conditions = _bound_conditions(pod)
        status |= _container_statuses(pod)
    elif pod.refused_at:
        conditions = [condition("PodScheduled", "False", pod.refused_at, "Unschedulable", pod.message)]
    status["conditions"] = conditions
    return status


def _bound_conditions(pod: PodState) -> list[Json]:
    bound = pod.bound_at or pod.created
    made = [condition("PodScheduled", "True", bound)]
    if pod.initialised_at:
        made.append(condition("Initialized", "True", pod.initialised_at))
    else:
        made.append(condition("Initialized", "False", bound, "ContainersNotInitialized"))
    for kind in ("Ready", "ContainersReady"):
        if pod.ready:
            made.append(condition(kind, "True", pod.ready_changed or bound))
        else:
            made.append(condition(kind, "False", pod.ready_changed or bound, "ContainersNotReady"))
    return made


def _container_statuses(pod: PodState) -> Json:
    name = "workspace" if pod.role is Role.WORKSPACE else "pause"
    state: Json = {"waiting": {"reason": "ContainerCreating" if pod.initialised_at else "PodInitializing"}}
    if pod.running and pod.ready_changed:
        state = {"running": {"startedAt": stamp(pod.ready_changed)}}
    image = pod.template.images[0] if pod.template.images else ""
    main = {"name": name, "image": image, "ready": pod.ready, "restartCount": 0, "started": pod.running, "state": state}
    made: Json = {"containerStatuses": [main]}
    if pod.template.init_images:
        made["initContainerStatuses"] = [
            _puller_status(pod, index, image) for index, image in enumerate(pod.template.init_images)
        ]
    return made


def _puller_status(pod: PodState, index: int, image: str) -> Json:
    done = pod.next_image > index
    state: Json = {"waiting": {"reason": "PodInitializing"}}
    if done:
        state = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    name = _puller(index, image)["name"]
    return {"name": name, "image": image, "ready": done, "restartCount": 0, "state": state}
