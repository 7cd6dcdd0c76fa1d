"""Nodes and pods as a test looks at them."""

from dataclasses import dataclass
from datetime import datetime

from tests.cluster.api import Object
from warmpool.core.model import WARM_LABEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as a test looks at it."""

    name: str
    ready: bool
    cordoned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PodView:
    """A pod as a test looks at it."""

    name: str
    node: str | None
    ready: bool
    warm: str | None
    uid: str
    waited_seconds: float
    """From its creation until its readiness last changed, to the second as the API writes it; 0 where it never did."""


def pod_view(pod: Object) -> PodView:
    """Read a pod."""
    conditions = {each["type"]: each["status"] for each in pod["status"].get("conditions", ())}
    changed = {each["type"]: each["lastTransitionTime"] for each in pod["status"].get("conditions", ())}
    created = pod["metadata"]["creationTimestamp"]
    waited = datetime.fromisoformat(changed.get("Ready", created)) - datetime.fromisoformat(created)
    return PodView(
        name=pod["metadata"]["name"],
        node=pod["spec"].get("nodeName"),
        ready=conditions.get("Ready") == "True",
        warm=pod["metadata"].get("labels", {}).get(WARM_LABEL),
        uid=pod["metadata"]["uid"],
        waited_seconds=waited.total_seconds(),
    )


def node_view(node: Object) -> Node:
    """Read a node."""
    conditions = {each["type"]: each["status"] for each in node["status"].get("conditions", ())}
    return Node(
        name=node["metadata"]["name"],
        ready=conditions.get("Ready") == "True",
        cordoned=bool(node["spec"].get("unschedulable")),
    )
