"""Nodes and pods as a test looks at them."""

from dataclasses import dataclass

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


def pod_view(pod: Object) -> PodView:
    """Read a pod."""
    conditions = {each["type"]: each["status"] for each in pod["status"].get("conditions", ())}
    return PodView(
        name=pod["metadata"]["name"],
        node=pod["spec"].get("nodeName"),
        ready=conditions.get("Ready") == "True",
        warm=pod["metadata"].get("labels", {}).get(WARM_LABEL),
        uid=pod["metadata"]["uid"],
    )


def node_view(node: Object) -> Node:
    """Read a node."""
    conditions = {each["type"]: each["status"] for each in node["status"].get("conditions", ())}
    return Node(
        name=node["metadata"]["name"],
        ready=conditions.get("Ready") == "True",
        cordoned=bool(node["spec"].get("unschedulable")),
    )
