"""Builders of the core's values: everything has a default, a test says what matters to it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from warmpool.core.assess import Inputs
from warmpool.core.decision import Decision, PoolState
from warmpool.core.model import (
    Condition,
    Deployment,
    Node,
    NodeClaim,
    NodePool,
    Pod,
    PodPhase,
    Selector,
    Snapshot,
)
from warmpool.core.placement import VICTIM_COST
from warmpool.core.quantity import parse_quantity
from warmpool.core.reasons import Code
from warmpool.core.spec import PoolSpec

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
LONG_AGO = NOW - timedelta(hours=6)
SELECTOR = {"pool": "spaces"}


def amounts(**quantities: str) -> dict[str, int]:
    """Parse quantities by resource name: `amounts(cpu="4", memory="16Gi")`."""
    return {name: parse_quantity(text) for name, text in quantities.items()}


SHAPE = amounts(cpu="4", memory="16Gi", pods="1")
SMALL = amounts(cpu="2", memory="8Gi", pods="1")
NODE = amounts(cpu="47900m", memory="196598Mi", pods="110")


def pool(**overrides: Any) -> PoolSpec:
    """Build the pool of the samples: 48-CPU nodes, 4 CPU launches (11 fit a node), small placeholders, min 2, max 8."""
    values: dict[str, Any] = {
        "name": "spaces",
        "namespace": "op",
        "deployment": "ph",
        "node_selector": SELECTOR,
        "shape": SHAPE,
        "placeholder": SMALL,
        "min": 2,
        "max": 8,
    }
    return PoolSpec(**{**values, **overrides})


def node(name: str = "n1", **overrides: Any) -> Node:
    """Build a Ready, empty, initialised pool node."""
    values: dict[str, Any] = {
        "name": name,
        "uid": f"uid-{name}",
        "created": LONG_AGO,
        "labels": {**SELECTOR, "karpenter.sh/nodepool": "spaces"},
        "ready_changed": LONG_AGO,
        "allocatable": NODE,
        "capacity": NODE,
    }
    return Node(**{**values, **overrides})


def placeholder(name: str = "ph-1", on: str | None = None, **overrides: Any) -> Pod:
    """Build a placeholder: Ready where it sits on a node, else Pending."""
    placed = on is not None
    values: dict[str, Any] = {
        "name": name,
        "namespace": "op",
        "uid": f"uid-{name}",
        "created": LONG_AGO,
        "labels": {"app": "ph"},
        "node": on,
        "phase": PodPhase.RUNNING if placed else PodPhase.PENDING,
        "ready": placed,
        "ready_changed": LONG_AGO if placed else None,
        "started": LONG_AGO if placed else None,
        "priority": -1000,
        "requests": SMALL,
        "owner_kind": "ReplicaSet",
        "owner_name": "ph-1",
    }
    return Pod(**{**values, **overrides})


def workspace(name: str = "ws-1", on: str | None = None, **overrides: Any) -> Pod:
    """Build a workspace's pod of one shape."""
    values: dict[str, Any] = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-{name}",
        "created": LONG_AGO,
        "labels": {"workspace.jupyter.org/workspace-name": name},
        "node": on,
        "phase": PodPhase.RUNNING if on else PodPhase.PENDING,
        "ready": on is not None,
        "ready_changed": LONG_AGO if on else None,
        "requests": SHAPE,
        "owner_kind": "ReplicaSet",
        "owner_name": name,
    }
    return Pod(**{**values, **overrides})


def deployment(replicas: int = 2, **overrides: Any) -> Deployment:
    """Build the placeholder Deployment, at rest."""
    values: dict[str, Any] = {
        "namespace": "op",
        "name": "ph",
        "replicas": replicas,
        "selector": Selector(labels={"app": "ph"}),
        "requests": SMALL,
        "status_replicas": replicas,
        "updated_replicas": replicas,
    }
    return Deployment(**{**values, **overrides})


def claim(name: str = "c1", **overrides: Any) -> NodeClaim:
    """Build a NodeClaim of the pool's NodePool."""
    values: dict[str, Any] = {
        "name": name,
        "uid": f"uid-{name}",
        "created": LONG_AGO,
        "nodepool": "spaces",
        "labels": {**SELECTOR, "karpenter.sh/nodepool": "spaces"},
        "capacity": NODE,
    }
    return NodeClaim(**{**values, **overrides})


def nodepool(**overrides: Any) -> NodePool:
    """Build the pool's NodePool, without limits."""
    return NodePool(**{"name": "spaces", "labels": SELECTOR, **overrides})


def snapshot(*things: object, replicas: int | None = None, **overrides: Any) -> Snapshot:
    """Sort nodes, pods, claims and NodePools into a snapshot that holds all pods.

    The Deployment's replicas are the number of placeholders unless `replicas` says otherwise.
    """
    pods = tuple(each for each in things if isinstance(each, Pod))
    mine = sum(pod.labels.get("app") == "ph" for pod in pods)
    given = tuple(each for each in things if isinstance(each, Deployment))
    values: dict[str, Any] = {
        "nodes": tuple(each for each in things if isinstance(each, Node)),
        "pods": pods,
        "claims": tuple(each for each in things if isinstance(each, NodeClaim)),
        "nodepools": tuple(each for each in things if isinstance(each, NodePool)),
        "deployments": given or (deployment(mine if replicas is None else replicas),),
        "all_pods": True,
    }
    return Snapshot(**{**values, **overrides})


def inputs(*things: object, spec: PoolSpec | None = None, **overrides: Any) -> Inputs:
    """Build a decision's inputs; pass `replicas` to set the Deployment's, `snapshot` to give one ready-made."""
    replicas = overrides.pop("replicas", None)
    values: dict[str, Any] = {"spec": spec or pool(), "now": NOW, "state": PoolState()}
    if "snapshot" not in overrides:
        values["snapshot"] = snapshot(*things, replicas=replicas)
    return Inputs(**{**values, **overrides})


def pair(name: str) -> tuple[Node, Pod]:
    """Build an idle node and the Ready placeholder on it."""
    return node(name), placeholder(f"ph-{name}", on=name)


def not_ready(minutes: float, **overrides: Any) -> Mapping[str, Any]:
    """Give the fields of a node that turned NotReady so long ago."""
    return {"ready": Condition.FALSE, "ready_changed": NOW - timedelta(minutes=minutes), **overrides}


def codes(decision: Decision) -> set[Code]:
    """Return the codes of a decision's reasons."""
    return {reason.code for reason in decision.reasons}


def full(name: str, launches: int = 11) -> list[Pod]:
    """Build the workspaces that fill a node (11), or some of them."""
    return [workspace(f"{name}-w{number}", on=name) for number in range(launches)]


def marked(pod: Pod) -> Pod:
    """Mark a placeholder as one that is to go."""
    return pod._replace(deletion_cost=VICTIM_COST)


def lasting(surplus: int, minutes: float = 11) -> PoolState:
    """Build the state of a pool that has had a surplus for so long."""
    since = NOW - timedelta(minutes=minutes)
    return PoolState(surplus_seen=((since, surplus),), surplus_since=since)
