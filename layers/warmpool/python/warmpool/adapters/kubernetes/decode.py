"""Kubernetes objects as values of the core's model."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from sys import intern
from typing import Final

from warmpool.adapters.kubernetes import wire, wire_karpenter
from warmpool.adapters.kubernetes.amounts import amounts_or_unknown, pod_requests, read_amounts
from warmpool.core.model import (
    NODEPOOL_LABEL,
    ClaimCondition,
    Condition,
    Node,
    NodeClaim,
    NodePool,
    Pod,
    PodPhase,
    Taint,
    Toleration,
)
from warmpool.core.quantity import Amounts, QuantityError

UNDATED: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for a creation time that is not there: older than everything that has one."""

_CONDITIONS: Final[Mapping[str | None, Condition]] = {
    "True": Condition.TRUE,
    "False": Condition.FALSE,
    "Unknown": Condition.UNKNOWN,
}
_PHASES: Final[Mapping[str | None, PodPhase]] = {None: PodPhase.PENDING, **{each.value: each for each in PodPhase}}
_NOT_THERE: Final = wire.StatusCondition(type="")
_SECONDS: Final[Mapping[str, float]] = {"h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)", re.ASCII)
"""One step of a Go duration; `re.ASCII` keeps \\d to the digits that Go reads."""


def uid_of(meta: wire.Metadata) -> str:
    """Return the object's uid, or its place where a hand-written object has none."""
    return meta.uid or f"{meta.namespace or ''}/{meta.name}"


def _shared(labels: dict[str, str] | None) -> dict[str, str]:
    """Return labels whose texts exist once: nodes of a pool have nearly all of them in common."""
    return {intern(key): intern(value) for key, value in (labels or {}).items()}


def _find(conditions: Iterable[wire.StatusCondition] | None, kind: str) -> wire.StatusCondition:
    for each in conditions or ():
        if each.type == kind:
            return each
    return _NOT_THERE


def _status(condition: wire.StatusCondition) -> Condition:
    if condition is _NOT_THERE:
        return Condition.ABSENT
    return _CONDITIONS.get(condition.status, Condition.UNKNOWN)


def node(meta: wire.Metadata, spec: wire.NodeSpec, status: wire.NodeStatus) -> Node:
    """Build a node."""
    ready = _find(status.conditions, "Ready")
    allocatable, capacity, unreadable = _offer(status)
    return Node(
        name=intern(meta.name),
        uid=uid_of(meta),
        created=meta.creation_timestamp or UNDATED,
        labels=_shared(meta.labels),
        taints=tuple(_taint(each) for each in spec.taints or ()),
        unschedulable=bool(spec.unschedulable),
        deleting=meta.deletion_timestamp is not None,
        ready=_status(ready),
        ready_changed=ready.last_transition_time,
        allocatable=allocatable,
        capacity=capacity,
        unreadable=unreadable,
    )


def _taint(taint: wire.TaintFields) -> Taint:
    return Taint(key=taint.key, effect=taint.effect or "", value=taint.value or "")


def _offer(status: wire.NodeStatus) -> tuple[Amounts | None, Amounts | None, str]:
    offers: list[Amounts | None] = []
    problems: list[str] = []
    for name, quantities in (("allocatable", status.allocatable), ("capacity", status.capacity)):
        try:
            offers.append(read_amounts(quantities))
        except QuantityError as error:
            offers.append(None)
            problems.append(f"{name}.{error}")
    return offers[0], offers[1], "; ".join(problems)


def pod(meta: wire.Metadata, spec: wire.PodSpec, status: wire.PodStatus) -> Pod:
    """Build a pod."""
    ready = _find(status.conditions, "Ready")
    owner_kind, owner_name = _owner(meta)
    return Pod(
        name=meta.name,
        namespace=meta.namespace or "",
        uid=uid_of(meta),
        created=meta.creation_timestamp or UNDATED,
        labels=meta.labels or {},
        node=intern(spec.node_name) if spec.node_name else None,
        nominated_node=status.nominated_node_name or None,
        phase=_PHASES.get(status.phase, PodPhase.UNKNOWN),
        ready=ready.status == "True",
        ready_changed=ready.last_transition_time,
        started=status.start_time,
        priority=spec.priority or 0,
        requests=pod_requests(spec),
        owner_kind=owner_kind,
        owner_name=owner_name,
        deleting=meta.deletion_timestamp is not None,
        gated=bool(spec.scheduling_gates),
        deletion_cost=_deletion_cost(meta),
        node_selector=spec.node_selector or {},
        tolerations=_tolerations(tuple(spec.tolerations)) if spec.tolerations else (),
        images=tuple([each.image for each in spec.containers or () if each.image]),
        refused=not spec.node_name and _find(status.conditions, "PodScheduled").status == "False",
    )


def _owner(meta: wire.Metadata) -> tuple[str, str]:
    owners = meta.owner_references or ()
    for each in owners:
        if each.controller:
            return each.kind, each.name
    return ("", "") if not owners else (owners[0].kind, owners[0].name)


def _deletion_cost(meta: wire.Metadata) -> int | None:
    """Return the cost, or None where there is none; the API server lets only whole numbers in."""
    text = meta.annotations.deletion_cost if meta.annotations else None
    if text is None or not re.fullmatch(r"[+-]?\d{1,10}", text, re.ASCII):
        return None
    return int(text)


@lru_cache(maxsize=1024)
def _tolerations(fields: tuple[wire.TolerationFields, ...]) -> tuple[Toleration, ...]:
    """Thousands of pods share a handful of toleration lists."""
    return tuple(
        Toleration(
            key=each.key or "", operator=each.operator or "Equal", value=each.value or "", effect=each.effect or ""
        )
        for each in fields
    )


def node_claim(
    meta: wire.Metadata, spec: wire_karpenter.NodeClaimSpec, status: wire_karpenter.NodeClaimStatus
) -> NodeClaim:
    """Build a NodeClaim. One that has not been launched has no capacity yet: that is unknown, not zero."""
    labels = _shared(meta.labels)
    return NodeClaim(
        name=meta.name,
        uid=uid_of(meta),
        created=meta.creation_timestamp or UNDATED,
        nodepool=labels.get(NODEPOOL_LABEL, ""),
        node=status.node_name or None,
        labels=labels,
        capacity=amounts_or_unknown(status.capacity) if status.capacity else None,
        conditions={each.type: _claim_condition(each) for each in status.conditions or ()},
        deleting=meta.deletion_timestamp is not None,
        expires=_expiry(meta.creation_timestamp, spec.expire_after),
    )


def _claim_condition(told: wire.ToldCondition) -> ClaimCondition:
    return ClaimCondition(
        status=_status(told), reason=told.reason or "", message=told.message or "", changed=told.last_transition_time
    )


def _expiry(created: datetime | None, after: str | None) -> datetime | None:
    lifetime = read_duration(after or "")
    if created is None or lifetime is None:
        return None
    try:
        return created + lifetime
    except OverflowError:  # beyond the year 9999, which is never
        return None


@lru_cache(maxsize=64)
def read_duration(text: str) -> timedelta | None:
    """Read a Go duration such as `720h` or `1h30m`; None for Karpenter's `Never` and for what is none."""
    steps = _DURATION.findall(text)
    if not steps or "".join(number + unit for number, unit in steps) != text:
        return None
    try:
        return timedelta(seconds=sum(float(number) * _SECONDS[unit] for number, unit in steps))
    except OverflowError:
        return None


def node_pool(
    meta: wire.Metadata, spec: wire_karpenter.NodePoolSpec, status: wire_karpenter.NodePoolStatus
) -> NodePool:
    """Build a NodePool. `labels` are those that its nodes are sure to have: the template's and what one value fixes."""
    template = spec.template or wire_karpenter.NodePoolTemplate()
    requirements = (template.spec.requirements if template.spec else None) or ()
    fixed = {each.key: each.values[0] for each in requirements if _is_fixed(each) and each.key and each.values}
    given = (template.metadata.labels if template.metadata else None) or {}
    policy = spec.disruption.consolidation_policy if spec.disruption else None
    return NodePool(
        name=meta.name,
        labels={**fixed, **given, NODEPOOL_LABEL: meta.name},
        limits=amounts_or_unknown(spec.limits),
        consolidation=policy or "WhenEmptyOrUnderutilized",  # Karpenter's own default
        ready=_status(_find(status.conditions, "Ready")),
    )


def _is_fixed(requirement: wire_karpenter.Requirement) -> bool:
    return requirement.operator == "In" and len(requirement.values or ()) == 1
