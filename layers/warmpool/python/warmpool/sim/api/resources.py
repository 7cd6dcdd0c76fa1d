"""The resource types that the door serves, and how a request's path names them."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from warmpool.sim.api.status import PathNotServed


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceType:
    """One resource type. Lists of built-in types leave kind and apiVersion out of their items, custom ones do not."""

    plural: str
    kind: str
    version: str
    group: str = ""
    namespaced: bool = True
    custom: bool = False

    @property
    def api_version(self) -> str:
        """The apiVersion of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """The name that messages use, such as "deployments.apps"."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


RESOURCE_TYPES: Final = (
    ResourceType(plural="nodes", kind="Node", version="v1", namespaced=False),
    ResourceType(plural="pods", kind="Pod", version="v1"),
    ResourceType(plural="deployments", kind="Deployment", group="apps", version="v1"),
    ResourceType(plural="replicasets", kind="ReplicaSet", group="apps", version="v1"),
    ResourceType(
        plural="nodeclaims", kind="NodeClaim", group="karpenter.sh", version="v1", namespaced=False, custom=True
    ),
    ResourceType(
        plural="nodepools", kind="NodePool", group="karpenter.sh", version="v1", namespaced=False, custom=True
    ),
    ResourceType(plural="workspaces", kind="Workspace", group="workspace.jupyter.org", version="v1alpha1", custom=True),
    ResourceType(plural="horizontalpodautoscalers", kind="HorizontalPodAutoscaler", group="autoscaling", version="v2"),
    ResourceType(plural="scaledobjects", kind="ScaledObject", group="keda.sh", version="v1alpha1", custom=True),
    ResourceType(plural="poddisruptionbudgets", kind="PodDisruptionBudget", group="policy", version="v1"),
)

_BY_PLACE: Final = {(kind.group, kind.version, kind.plural): kind for kind in RESOURCE_TYPES}
_GROUP_AND_VERSION: Final = {"api": 2, "apis": 3}
_VERBS: Final = {"GET": "get", "PATCH": "patch", "PUT": "update", "POST": "create", "DELETE": "delete"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a request is about. `resource` has the subresource, as RBAC names it ("deployments/scale")."""

    verb: str
    type: ResourceType
    namespace: str | None = None
    name: str | None = None
    subresource: str | None = None

    @property
    def resource(self) -> str:
        """The resource as RBAC rules name it."""
        return f"{self.type.plural}/{self.subresource}" if self.subresource else self.type.plural


def read_target(method: str, path: str) -> Target:
    """Read method and path. Raises PathNotServed for what no resource type answers to."""
    parts = [unquote(part) for part in path.strip("/").split("/")]
    size = _GROUP_AND_VERSION.get(parts[0], 0)
    if size == 0 or len(parts) <= size or method not in _VERBS:
        raise PathNotServed
    group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[2])
    namespace, rest = _namespace(parts[size:])
    kind = _BY_PLACE.get((group, version, rest[0]))
    if kind is None or len(rest) > len(("plural", "name", "subresource")) or (namespace and not kind.namespaced):
        raise PathNotServed
    name = rest[1] if len(rest) > 1 else None
    return Target(
        verb=_verb(method, named=name is not None),
        type=kind,
        namespace=namespace,
        name=name,
        subresource=rest[2] if name and len(rest) > len(("plural", "name")) else None,
    )


def _namespace(parts: list[str]) -> tuple[str | None, list[str]]:
    if parts[0] == "namespaces" and len(parts) > len(("namespaces", "name")):
        return parts[1], parts[2:]
    return None, parts


def _verb(method: str, *, named: bool) -> str:
    if named:
        return _VERBS[method]
    return {"GET": "list", "DELETE": "deletecollection"}.get(method, _VERBS[method])
