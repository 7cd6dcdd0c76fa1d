"""The two writes that the controller makes: replicas of a placeholder Deployment, marks on its pods."""

from typing import Final
from urllib.parse import quote

import msgspec

from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.failures import NotFound
from warmpool.adapters.kubernetes.malformed import explain
from warmpool.adapters.kubernetes.transport import Call
from warmpool.adapters.kubernetes.wire import Scale
from warmpool.app.errors import ClusterUnavailable, Conflict, DeploymentGone
from warmpool.app.ports import Budget, ScaleChange
from warmpool.core.decision import Mark
from warmpool.core.model import DELETION_COST, FIELD_MANAGER, WARM_LABEL
from warmpool.core.spec import PoolSpec

_JSON_PATCH: Final = "application/json-patch+json"
_MERGE_PATCH: Final = "application/merge-patch+json"
_REPLICAS: Final = "/spec/replicas"
_SCALE: Final = msgspec.json.Decoder(Scale)


def scale(client: KubernetesClient, pool: PoolSpec, change: ScaleChange, budget: Budget) -> int:
    """Set replicas where they are still `change.current`, and return what a second look finds.

    A dry run has nothing to look at again: the answer to the patch counts.
    """
    place = f"{pool.namespace}/{pool.deployment}"
    path = (
        f"/apis/apps/v1/namespaces/{quote(pool.namespace, safe='')}/deployments/{quote(pool.deployment, safe='')}/scale"
    )
    patch = Call(
        does=f"patch deployments.apps/scale {place}",
        path=path,
        query=_written(dry_run=change.dry_run),
        method="PATCH",
        body=_operations(change),
        content_type=_JSON_PATCH,
    )
    look = Call(does=f"get deployments.apps/scale {place}", path=path)
    try:
        replicas = _replicas(client.send(patch, budget), patch.does)
        if not change.dry_run:
            replicas = _replicas(client.send(look, budget), look.does)
    except NotFound as error:
        raise DeploymentGone(f"Deployment {place} is gone: {error}") from error
    if replicas != change.target:
        raise Conflict(f"Deployment {place} has {replicas} replicas after {change.target} were written")
    return replicas


def _operations(change: ScaleChange) -> list[dict[str, object]]:
    """Write the patch. The API leaves 0 out of a Scale: there is nothing to replace, and null is what a test finds."""
    if change.current == 0:
        return [
            {"op": "test", "path": _REPLICAS, "value": None},
            {"op": "add", "path": _REPLICAS, "value": change.target},
        ]
    return [
        {"op": "test", "path": _REPLICAS, "value": change.current},
        {"op": "replace", "path": _REPLICAS, "value": change.target},
    ]


def _replicas(body: bytes, does: str) -> int:
    try:
        found = _SCALE.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ClusterUnavailable(f"{does}: the answer is no Scale: {explain(error, body)}") from error
    return (found.spec.replicas if found.spec else None) or 0


def mark(client: KubernetesClient, wanted: Mark, budget: Budget, *, dry_run: bool) -> None:
    """Patch one pod's annotation and label, if it is still that pod: the uid goes along, and nobody can change one."""
    changes: dict[str, object] = {}
    if wanted.set_deletion_cost:
        cost = None if wanted.deletion_cost is None else str(wanted.deletion_cost)
        changes["annotations"] = {DELETION_COST: cost}
    if wanted.warm is not None:
        changes["labels"] = {WARM_LABEL: "true" if wanted.warm else "false"}
    if not changes:
        return
    call = Call(
        does=f"patch pods {wanted.namespace}/{wanted.pod}",
        path=f"/api/v1/namespaces/{quote(wanted.namespace, safe='')}/pods/{quote(wanted.pod, safe='')}",
        query=_written(dry_run=dry_run),
        method="PATCH",
        body={"metadata": {"uid": wanted.uid, **changes}},
        content_type=_MERGE_PATCH,
    )
    try:
        client.send(call, budget)
    except (NotFound, Conflict):  # gone, or another pod by now: the next pass sees what is there
        return


def _written(*, dry_run: bool) -> dict[str, str]:
    written = {"fieldManager": FIELD_MANAGER}
    return {**written, "dryRun": "All"} if dry_run else written
