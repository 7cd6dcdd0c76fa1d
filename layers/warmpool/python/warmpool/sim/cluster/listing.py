"""Lists of objects by resource, each object rendered once until it changes."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from warmpool.sim.cluster import objects_apps, objects_nodes, objects_pods
from warmpool.sim.cluster.rendering import Json
from warmpool.sim.cluster.state import Record, WorkspaceState
from warmpool.sim.cluster.world import World

_JSON: Final = "json"
R = TypeVar("R", bound=Record)


def _cached(records: Iterable[R], render: Callable[[R], Json]) -> list[Json]:
    made = []
    for record in records:
        if _JSON not in record.views:
            record.views[_JSON] = render(record)
        made.append(record.views[_JSON])
    return made


def _nodes(world: World) -> list[Json]:
    return _cached(world.nodes.values(), lambda node: objects_nodes.node_json(world, node))


def _pods(world: World) -> list[Json]:
    return _cached(world.pods.values(), objects_pods.pod_json)


def _claims(world: World) -> list[Json]:
    return _cached(world.claims.values(), objects_nodes.claim_json)


def _nodepools(world: World) -> list[Json]:
    """List NodePools; each counts its nodes, so its rendering holds for one version of the capacity."""
    version, rendered = world.nodepool_views
    if version != world.capacity_version:
        rendered = [objects_nodes.nodepool_json(world, pool) for pool in world.settings.nodepools]
        world.nodepool_views = world.capacity_version, rendered
    return list(rendered)


def _deployments(world: World) -> list[Json]:
    return [*_cached(world.deployments.values(), objects_apps.deployment_json), *_scalers(world, objects_apps.CPA)]


def _replicasets(world: World) -> list[Json]:
    return _cached(world.replicasets.values(), objects_apps.replicaset_json)


def _workspaces(world: World) -> list[Json]:
    return [_workspace(workspace) for workspace in world.workspaces.values()]


def _workspace(workspace: WorkspaceState) -> Json:
    """Render a Workspace; it tells its Deployment's state, so its rendering lives and dies with the Deployment's."""
    views = workspace.deployment.views
    if "workspace" not in views:
        views["workspace"] = objects_apps.workspace_json(workspace)
    rendered: Json = views["workspace"]
    return rendered


def _scalers(world: World, kind: str) -> list[Json]:
    return _cached((each for each in world.scalers.values() if each.kind == kind), objects_apps.scaler_json)


def _budgets(world: World) -> list[Json]:
    return _cached(world.budgets.values(), objects_apps.budget_json)


RESOURCES: Final[Mapping[str, Callable[[World], list[Json]]]] = {
    "nodes": _nodes,
    "pods": _pods,
    "deployments": _deployments,
    "replicasets": _replicasets,
    "nodeclaims": _claims,
    "nodepools": _nodepools,
    "workspaces": _workspaces,
    "horizontalpodautoscalers": lambda world: _scalers(world, "HorizontalPodAutoscaler"),
    "scaledobjects": lambda world: _scalers(world, "ScaledObject"),
    "poddisruptionbudgets": _budgets,
}
