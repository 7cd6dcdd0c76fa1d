"""The part of a pass' inputs that one pool's decision reads: small enough to be kept with it. Design section 9."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from warmpool.core.assess import Inputs
from warmpool.core.ceilings import INSTANCE_TYPE_LABEL
from warmpool.core.counting import HEALTH_LABEL, INITIALIZED_LABEL, REGISTERED_LABEL, find_deployment, nodepool_of
from warmpool.core.matching import has_labels, selects
from warmpool.core.model import (
    NODEPOOL_LABEL,
    WARM_LABEL,
    ClaimCondition,
    Condition,
    Deployment,
    Node,
    NodeClaim,
    Pod,
    PodPhase,
    Selector,
    Snapshot,
)
from warmpool.core.quantity import NOTHING, Amounts, add
from warmpool.core.spec import PoolSpec

_NODE_LABELS: Final = frozenset(
    {NODEPOOL_LABEL, HEALTH_LABEL, REGISTERED_LABEL, INITIALIZED_LABEL, INSTANCE_TYPE_LABEL}
)
_STEPS: Final = ("Launched", "Registered", "Initialized", "Ready")
"""The conditions of a NodeClaim that tell how far it is."""

_Kind = tuple[str, str, int, PodPhase]
"""All that deciding tells ordinary pods apart by: node, owner's kind, priority and phase."""


def kept_inputs(inputs: Inputs) -> Inputs:
    """Leave out what deciding does not read: `decide` makes the same decision of the rest, byte by byte.

    Placeholders stay as they are; of all other pods the pool's nodes only feel the sum. Whatever deciding reads anew
    must be kept here as well (tests/core/test_kept.py tells).
    """
    spec, seen = inputs.spec, inputs.snapshot
    deployment = find_deployment(spec, seen)
    snapshot = Snapshot(
        nodes=_nodes(spec, seen),
        pods=_pods(spec, seen, deployment, inputs.now),
        claims=_claims(spec, seen, inputs.now),
        nodepools=tuple(each for each in seen.nodepools if each.name == nodepool_of(spec, seen)),
        deployments=() if deployment is None else (deployment,),
        scalers=tuple(
            each for each in seen.scalers if (each.namespace, each.target) == (spec.namespace, spec.deployment)
        ),
        all_pods=seen.all_pods,
        missing=tuple(text for text in seen.missing if text.split(":", 1)[0] in {spec.name, "*"}),
        overheads={name: amounts for name, amounts in seen.overheads.items() if name == spec.name},
    )
    return replace(inputs, snapshot=snapshot)


def _nodes(spec: PoolSpec, seen: Snapshot) -> tuple[Node, ...]:
    """Return the pool's nodes, and those that share its NodePool's limits."""
    nodepool, keys = nodepool_of(spec, seen), sorted(_NODE_LABELS | spec.node_selector.keys())
    return tuple(
        node._replace(uid="", labels=_only(keys, node.labels), unreadable="")
        for node in seen.nodes
        if has_labels(spec.node_selector, node.labels) or node.labels.get(NODEPOOL_LABEL) == nodepool
    )


def _claims(spec: PoolSpec, seen: Snapshot, now: datetime) -> tuple[NodeClaim, ...]:
    nodepool, keys = nodepool_of(spec, seen), sorted(_NODE_LABELS | spec.node_selector.keys())
    mine = {node.name for node in seen.nodes if has_labels(spec.node_selector, node.labels)}
    return tuple(
        _claim(each, keys, now)
        for each in seen.claims
        if each.nodepool == nodepool or each.node in mine or has_labels(spec.node_selector, each.labels)
    )


def _claim(claim: NodeClaim, keys: Sequence[str], now: datetime) -> NodeClaim:
    ready = claim.conditions.get("Ready")
    if ready is None or ready.status is not Condition.TRUE:
        steps = {name: claim.conditions[name] for name in _STEPS if name in claim.conditions}
        return replace(claim, uid="", created=now, labels=_only(keys, claim.labels), conditions=steps)
    # Of one that is Ready nobody asks what it is called and how it came so far.
    return NodeClaim(
        name="",
        uid="",
        created=now,
        nodepool=claim.nodepool,
        node=claim.node,
        labels=_only(keys, claim.labels),
        capacity=claim.capacity,
        conditions={"Ready": ClaimCondition(status=ready.status, changed=ready.changed)},
        expires=claim.expires,
    )


def _pods(spec: PoolSpec, seen: Snapshot, deployment: Deployment | None, now: datetime) -> tuple[Pod, ...]:
    mine = {node.name for node in seen.nodes if has_labels(spec.node_selector, node.labels)}
    placeholders: list[Pod] = []
    others: dict[_Kind, list[Pod]] = {}
    for pod in seen.pods:
        if deployment and pod.namespace == deployment.namespace and selects(deployment.selector, pod.labels):
            placeholders.append(_placeholder(pod, deployment.selector))
        elif pod.node is not None and pod.node in mine:
            others.setdefault((pod.node, pod.owner_kind, pod.priority, pod.phase), []).append(pod)
    return (*placeholders, *(_together(kind, pods, now) for kind, pods in others.items()))


def _placeholder(pod: Pod, selector: Selector) -> Pod:
    return pod._replace(
        labels=_only((WARM_LABEL, *selector.labels, *(key for key, _, _ in selector.expressions)), pod.labels),
        nominated_node=None,
        started=None if pod.ready else pod.started,
        requests=NOTHING,
        owner_name="",
        node_selector={},
        tolerations=(),
        images=(),
    )


def _together(kind: _Kind, pods: list[Pod], now: datetime) -> Pod:
    """Let one pod ask for the sum of all of its kind; without a namespace it is no Deployment's."""
    node, owner_kind, priority, phase = kind
    return Pod(
        name="",
        namespace="",
        uid="",
        created=now,
        node=node,
        phase=phase,
        ready=any(pod.ready for pod in pods),
        priority=priority,
        requests=_sum(pod.requests for pod in pods),
        owner_kind=owner_kind,
    )


def _sum(requests: Iterable[Amounts | None]) -> Amounts | None:
    known = []
    for each in requests:
        if each is None:
            return None
        known.append(each)
    return add(known)


def _only(keys: Iterable[str], labels: Mapping[str, str]) -> Mapping[str, str]:
    return {key: labels[key] for key in keys if key in labels}
