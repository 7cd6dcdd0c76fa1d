"""The records as core's values, for the port that needs no JSON; both doors tell the same, to the second."""

from datetime import datetime
from typing import Final, cast

from warmpool.core.model import (
    DELETION_COST,
    NODEPOOL_LABEL,
    ClaimCondition,
    Condition,
    Deployment,
    Node,
    NodeClaim,
    NodePool,
    Pod,
    PodPhase,
    Scaler,
    Selector,
)
from warmpool.sim.cluster.objects_nodes import claim_conditions
from warmpool.sim.cluster.settings import NodePoolSettings
from warmpool.sim.cluster.state import (
    CORDON_TAINT,
    INSTANCE_TYPE_LABEL,
    PATIENCE,
    ClaimState,
    DeploymentState,
    NodeState,
    PodState,
    ScalerState,
)

VALUE: Final = "value"
"""Under which name a record keeps its value."""


def _seconds(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(microsecond=0)


def node_value(node: NodeState) -> Node:
    """Return a node as core sees it."""
    if VALUE not in node.views:
        node.views[VALUE] = Node(
            name=node.name,
            uid=node.uid,
            created=node.created.replace(microsecond=0),
            labels=dict(node.labels),
            taints=(*node.taints, *((CORDON_TAINT,) if node.unschedulable else ())),
            unschedulable=node.unschedulable,
            deleting=node.deleting_at is not None,
            ready=node.ready,
            ready_changed=_seconds(node.ready_changed),
            allocatable=node.pool.allocatable,
            capacity=node.pool.capacity,
        )
    return cast("Node", node.views[VALUE])


def pod_value(pod: PodState) -> Pod:
    """Return a pod as core sees it."""
    if VALUE not in pod.views:
        kind, owner = ("ReplicaSet", pod.owner.name) if pod.owner else ("DaemonSet", pod.labels["app"])
        pod.views[VALUE] = Pod(
            name=pod.name,
            namespace=pod.namespace,
            uid=pod.uid,
            created=pod.created.replace(microsecond=0),
            labels=dict(pod.labels),
            node=pod.node.name if pod.node else None,
            nominated_node=pod.nominated,
            phase=PodPhase.RUNNING if pod.running else PodPhase.PENDING,
            ready=pod.ready,
            ready_changed=_seconds(pod.ready_changed or pod.bound_at),
            started=_seconds(pod.bound_at),
            priority=pod.template.priority,
            requests=pod.requests,
            owner_kind=kind,
            owner_name=owner,
            deleting=not pod.active,
            deletion_cost=_cost(pod),
            node_selector=pod.template.node_selector,
            tolerations=(*pod.template.tolerations, *PATIENCE),
            images=pod.template.images,
            refused=pod.node is None and pod.refused_at is not None,
        )
    return cast("Pod", pod.views[VALUE])


def _cost(pod: PodState) -> int | None:
    return pod.deletion_cost if DELETION_COST in pod.annotations else None


def claim_value(claim: ClaimState) -> NodeClaim:
    """Return a NodeClaim as core sees it."""
    if VALUE not in claim.views:
        expires = claim.created + claim.pool.expire_after if claim.pool.expire_after else None
        claim.views[VALUE] = NodeClaim(
            name=claim.name,
            uid=claim.uid,
            created=claim.created.replace(microsecond=0),
            nodepool=claim.pool.nodepool,
            node=claim.node.name if claim.node else None,
            labels=dict(claim.labels),
            capacity=claim.pool.capacity if claim.launched_at else None,
            conditions=_conditions(claim),
            deleting=claim.deleting_at is not None,
            expires=_seconds(expires),
        )
    return cast("NodeClaim", claim.views[VALUE])


def _conditions(claim: ClaimState) -> dict[str, ClaimCondition]:
    return {
        each["type"]: ClaimCondition(
            status=Condition(each["status"]),
            reason=each.get("reason", ""),
            message=each.get("message", ""),
            changed=datetime.fromisoformat(each["lastTransitionTime"]),
        )
        for each in claim_conditions(claim)
    }


def nodepool_value(pool: NodePoolSettings) -> NodePool:
    """Return a NodePool as core sees it."""
    return NodePool(
        name=pool.nodepool,
        labels={**pool.node_labels, NODEPOOL_LABEL: pool.nodepool, INSTANCE_TYPE_LABEL: pool.instance_type},
        limits=pool.limits,
        consolidation=pool.consolidation,
    )


def deployment_value(deployment: DeploymentState) -> Deployment:
    """Return a Deployment as core sees it."""
    if VALUE not in deployment.views:
        deployment.views[VALUE] = Deployment(
            namespace=deployment.namespace,
            name=deployment.name,
            replicas=deployment.replicas,
            uid=deployment.uid,
            selector=Selector(labels=dict(deployment.selector)),
            requests=deployment.template.requests,
            paused=deployment.paused,
            generation=deployment.generation,
            observed_generation=deployment.observed_generation,
            status_replicas=deployment.status_replicas,
            updated_replicas=deployment.updated_replicas,
            replica_owners=tuple(deployment.owners.values()),
        )
    return cast("Deployment", deployment.views[VALUE])


def scaler_value(scaler: ScalerState) -> Scaler:
    """Return a foreign scaler as core sees it."""
    return Scaler(kind=scaler.kind, namespace=scaler.namespace, name=scaler.name, target=scaler.target)
