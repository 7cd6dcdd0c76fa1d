"""Nodes, NodeClaims and NodePools as Kubernetes JSON."""

from datetime import datetime

from warmpool.core.model import Taint
from warmpool.core.quantity import NANO, add
from warmpool.sim.cluster.rendering import Json, condition, duration, metadata, owner, quantities, stamp
from warmpool.sim.cluster.settings import NodePoolSettings
from warmpool.sim.cluster.state import CORDON_TAINT, INSTANCE_TYPE_LABEL, ClaimState, NodeState
from warmpool.sim.cluster.world import World

_PRESSURES = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)


def node_json(world: World, node: NodeState) -> Json:
    """Render a node."""
    meta = metadata(node, labels=node.labels)
    meta["annotations"] = {"karpenter.sh/nodepool-hash-version": "v3", "node.alpha.kubernetes.io/ttl": "0"}
    meta["finalizers"] = ["karpenter.sh/termination"]
    meta["ownerReferences"] = owner("NodeClaim", "karpenter.sh/v1", node.claim, controller=False)
    if node.deleting_at:
        meta |= {"deletionTimestamp": stamp(node.deleting_at), "deletionGracePeriodSeconds": 0}
    spec: Json = {"providerID": _provider_id(node)}
    taints = [*node.taints, *([CORDON_TAINT] if node.unschedulable else [])]
    if taints:
        spec["taints"] = [_taint_json(taint) for taint in taints]
    if node.unschedulable:
        spec["unschedulable"] = True
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec, "status": _node_status(world, node)}


def _provider_id(node: NodeState) -> str:
    return f"aws:///{node.claim.zone}/sagemaker/cluster/{node.name}"


def _taint_json(taint: Taint) -> Json:
    made = {"key": taint.key, "effect": taint.effect}
    return {**made, "value": taint.value} if taint.value else made


def _node_status(world: World, node: NodeState) -> Json:
    reason = "KubeletReady" if node.is_ready else "KubeletNotReady"
    message = "kubelet is posting ready status" if node.is_ready else "container runtime network not ready"
    conditions = [condition(kind, "False", node.created, why, text) for kind, why, text in _PRESSURES]
    conditions.append(condition("Ready", node.ready.value, node.ready_changed, reason, message))
    sizes = world.settings.image_sizes
    images = [image for image in node.images if node.has_image(image, world.now)]
    return {
        "allocatable": quantities(node.pool.allocatable),
        "capacity": quantities(node.pool.capacity),
        "conditions": [{**each, "lastHeartbeatTime": each["lastTransitionTime"]} for each in conditions],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "images": [{"names": [image], "sizeBytes": sizes.get(image, 0)} for image in images],
        "nodeInfo": {"architecture": "amd64", "kubeletVersion": "v1.33.5-eks-ba24e9c", "operatingSystem": "linux"},
    }


def claim_json(claim: ClaimState) -> Json:
    """Render a NodeClaim."""
    meta = metadata(claim, labels=claim.labels)
    meta["finalizers"] = ["karpenter.sh/termination"]
    meta["generation"] = 1
    meta["ownerReferences"] = [{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "name": claim.pool.nodepool}]
    if claim.deleting_at:
        meta |= {"deletionTimestamp": stamp(claim.deleting_at), "deletionGracePeriodSeconds": 0}
    status: Json = {"conditions": claim_conditions(claim)}
    if claim.launched_at:
        status["allocatable"] = quantities(claim.pool.allocatable)
        status["capacity"] = quantities(claim.pool.capacity)
    if claim.last_pod_event:
        status["lastPodEventTime"] = stamp(claim.last_pod_event)
    if claim.node:
        status |= {"nodeName": claim.node.name, "providerID": _provider_id(claim.node)}
    spec = {
        "expireAfter": duration(claim.pool.expire_after),
        "nodeClassRef": _node_class(),
        "requirements": [
            {"key": key, "operator": "In", "values": [value]} for key, value in claim.pool.node_labels.items()
        ],
        "resources": {"requests": {"pods": "1"}},
    }
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": meta, "spec": spec, "status": status}


def claim_conditions(claim: ClaimState) -> list[Json]:
    """Render a NodeClaim's conditions."""
    if claim.launch_failed:
        why = "InsufficientCapacityError"
        text = f"sufficient capacity of {claim.pool.instance_type} is not available in {claim.zone}"
        return [
            condition("Launched", "False", claim.created, why, text),
            condition("Ready", "False", claim.created, "UnhealthyDependents", "Launched=False"),
        ]
    made = [
        _step("Launched", claim.launched_at, claim.created, "AwaitingReconciliation"),
        _step("Registered", claim.registered_at, claim.launched_at or claim.created, "NodeNotFound"),
        _step("Initialized", claim.initialised_at, claim.launched_at or claim.created, "AwaitingReconciliation"),
        _step("Ready", claim.initialised_at, claim.created, "ReconcilingDependents"),
    ]
    if claim.deleting_at:
        made.append(condition("DisruptionReason", "True", claim.deleting_at, claim.deleting_why))
    return made


def _step(kind: str, at: datetime | None, since: datetime, until_then: str) -> Json:
    return condition(kind, "True", at, kind) if at else condition(kind, "Unknown", since, until_then)


def _node_class() -> Json:
    return {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "default"}


def nodepool_json(world: World, pool: NodePoolSettings) -> Json:
    """Render a NodePool with what it holds now."""
    count = sum(claim.pool is pool for claim in world.claims.values())
    ready = ("ValidationSucceeded", "NodeClassReady", "Ready")
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {
            "name": pool.nodepool,
            "uid": f"nodepool-{pool.nodepool}",
            "creationTimestamp": stamp(world.start),
            "resourceVersion": str(world.capacity_version + 1),
            "generation": 1,
        },
        "spec": _nodepool_spec(pool),
        "status": {
            "conditions": [condition(kind, "True", world.start, kind) for kind in ready],
            "nodes": count,
            "resources": quantities({**add([pool.capacity] * count), "nodes": count * NANO}),
        },
    }


def _nodepool_spec(pool: NodePoolSettings) -> Json:
    node_spec: Json = {
        "expireAfter": duration(pool.expire_after),
        "nodeClassRef": _node_class(),
        "requirements": [{"key": INSTANCE_TYPE_LABEL, "operator": "In", "values": [pool.instance_type]}],
    }
    if pool.node_taints:
        node_spec["taints"] = [_taint_json(taint) for taint in pool.node_taints]
    spec: Json = {
        "disruption": {
            "budgets": [{"nodes": str(pool.max_disrupted)}],
            "consolidateAfter": duration(pool.consolidate_after),
            "consolidationPolicy": pool.consolidation,
        },
        "template": {"metadata": {"labels": dict(pool.node_labels)}, "spec": node_spec},
    }
    return {**spec, "limits": quantities(pool.limits)} if pool.limits else spec
