"""A hand-written cluster behind the door, and ways to ask the door without sockets."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from warmpool.sim.api.access import CONTROLLER_GROUP, StaticTokens, User, controller_rules
from warmpool.sim.api.door import Answer, Door, Request

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
CONTROLLER = User(name="warmpool:tick", groups=(CONTROLLER_GROUP,))
STRANGER = User(name="stranger", groups=("somebody",))
TOKENS = StaticTokens({"good": CONTROLLER, "strange": STRANGER})
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"


class StandIn:
    """Objects in lists, changed by replacing them, as the real embedded cluster does."""

    def __init__(self, **objects: list[dict[str, Any]]) -> None:
        self.now = NOW
        self.held: dict[str, list[dict[str, Any]]] = objects
        self.managers: list[str] = []
        self._revision = 1000

    def objects(self, resource: str) -> Sequence[Mapping[str, Any]]:
        return self.held.get(resource, [])

    def get_scale(self, namespace: str, name: str) -> int | None:
        index = self._find("deployments", namespace, name)
        return None if index is None else int(self.held["deployments"][index]["spec"].get("replicas", 0))

    def patch_scale(self, namespace: str, name: str, replicas: int, manager: str, at: datetime) -> None:
        assert at == self.now
        index = self._find("deployments", namespace, name)
        assert index is not None
        self.managers.append(manager)
        item = self.held["deployments"][index]
        self._replace("deployments", index, {**item, "spec": {**item["spec"], "replicas": replicas}})

    def patch_pod(
        self,
        namespace: str,
        name: str,
        labels: Mapping[str, str | None] | None = None,
        annotations: Mapping[str, str | None] | None = None,
        uid: str | None = None,
    ) -> None:
        index = self._find("pods", namespace, name)
        assert index is not None
        item = self.held["pods"][index]
        assert uid in {None, item["metadata"]["uid"]}
        metadata = {
            **item["metadata"],
            "labels": _merged(item["metadata"].get("labels", {}), labels or {}),
            "annotations": _merged(item["metadata"].get("annotations", {}), annotations or {}),
        }
        self._replace("pods", index, {**item, "metadata": metadata})

    def _find(self, resource: str, namespace: str, name: str) -> int | None:
        for index, item in enumerate(self.held.get(resource, [])):
            if (item["metadata"].get("namespace"), item["metadata"]["name"]) == (namespace, name):
                return index
        return None

    def _replace(self, resource: str, index: int, item: dict[str, Any]) -> None:
        self._revision += 1
        metadata = {**item["metadata"], "resourceVersion": str(self._revision)}
        self.held[resource][index] = {**item, "metadata": metadata}


def _merged(present: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in {**present, **changes}.items() if value is not None}


def node(name: str, **labels: str) -> dict[str, Any]:
    """Build a Node."""
    metadata = {"name": name, "uid": f"uid-{name}", "resourceVersion": "7", "labels": labels}
    return {"kind": "Node", "apiVersion": "v1", "metadata": metadata, "spec": {}, "status": {}}


def pod(name: str, namespace: str = "op", on: str | None = None, **labels: str) -> dict[str, Any]:
    """Build a Pod."""
    metadata = {
        "name": name,
        "namespace": namespace,
        "uid": f"uid-{name}",
        "resourceVersion": "8",
        "labels": labels,
    }
    spec = {} if on is None else {"nodeName": on}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": spec, "status": {"phase": "Running"}}


def deployment(name: str = "ph", namespace: str = "op", replicas: int = 2) -> dict[str, Any]:
    """Build a Deployment; like the real one it holds `replicas: 0` where its Scale leaves it out."""
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "resourceVersion": "9"}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}}
    status = {"replicas": replicas}
    return {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": metadata, "spec": spec, "status": status}


def nodeclaim(name: str) -> dict[str, Any]:
    """Build a NodeClaim."""
    metadata = {"name": name, "uid": f"uid-{name}", "resourceVersion": "5"}
    return {"kind": "NodeClaim", "apiVersion": "karpenter.sh/v1", "metadata": metadata, "spec": {}, "status": {}}


def door(cluster: StandIn, *, namespaces: Sequence[str] = ("op",)) -> Door:
    """Build a door with static tokens and the controller's own rules."""
    return Door(cluster, TOKENS, controller_rules(namespaces))


def get(the_door: Door, target: str) -> Answer:
    """Ask for something as the controller."""
    return the_door.handle(Request(method="GET", target=target, headers={"authorization": "Bearer good"}))


def patch(the_door: Door, target: str, body: object, content_type: str = JSON_PATCH) -> Answer:
    """Patch something."""
    headers = {"authorization": "Bearer good", "content-type": content_type, "user-agent": "test/1.0"}
    return the_door.handle(Request(method="PATCH", target=target, headers=headers, body=json.dumps(body).encode()))


def read(answer: Answer) -> Any:
    """Decode an answer's body."""
    return json.loads(answer.body)


def names(answer: Answer) -> list[str]:
    """Return the names of a list's items."""
    assert answer.status == 200, answer.body
    return [item["metadata"]["name"] for item in read(answer)["items"]]
