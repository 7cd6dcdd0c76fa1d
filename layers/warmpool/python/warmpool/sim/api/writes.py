"""The two things that can be written: a Deployment's scale, and a pod's labels and annotations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from warmpool.sim.api.face import ClusterFace, JsonObject
from warmpool.sim.api.json_patch import apply_patch, merge_patch
from warmpool.sim.api.resources import Target
from warmpool.sim.api.status import ApiError, bad_request, object_details

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCHES: Final = frozenset({"application/merge-patch+json", "application/strategic-merge-patch+json"})
_POD_METADATA: Final = frozenset({"labels", "annotations", "uid", "resourceVersion", "name", "namespace"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A PATCH request's body and options."""

    content_type: str
    body: bytes
    dry_run: bool = False
    manager: str = "unknown"


def read_patch(headers: Mapping[str, str], query: Mapping[str, str], body: bytes) -> Patch:
    """Read the patch. Raises ApiError 400 for an unknown dryRun."""
    dry_run = query.get("dryRun", "")
    if dry_run not in {"", "All"}:
        bad_request(f'dryRun: Unsupported value: "{dry_run}": supported values: "All"')
    agent = headers.get("user-agent", "unknown").partition("/")[0]
    content_type = headers.get("content-type", "").partition(";")[0].strip()
    manager = query.get("fieldManager") or agent
    return Patch(content_type=content_type, body=body, dry_run=bool(dry_run), manager=manager)


def find(cluster: ClusterFace, target: Target) -> JsonObject:
    """Return the object of that name. Raises ApiError 404."""
    for item in cluster.objects(target.type.plural):
        metadata = item["metadata"]
        if metadata["name"] == target.name and metadata.get("namespace") == target.namespace:
            return item
    raise _missing(target)


def read_scale(cluster: ClusterFace, target: Target) -> dict[str, Any]:
    """Return a Deployment's Scale; as in the API, no replicas field stands for 0. Raises ApiError 404."""
    deployment = find(cluster, target)
    replicas = cluster.get_scale(target.namespace or "", target.name or "")
    if replicas is None:
        raise _missing(target)
    return _scale(deployment, replicas)


def patch_scale(cluster: ClusterFace, target: Target, patch: Patch) -> dict[str, Any]:
    """Patch a Scale and return it. Raises ApiError: 409, 415, 422, 400 as the real server."""
    present = read_scale(cluster, target)
    wanted = _patched(present, patch)
    if wanted["metadata"].get("resourceVersion") not in {None, present["metadata"]["resourceVersion"]}:
        raise _conflict(
            target, "the object has been modified; please apply your changes to the latest version and try again"
        )
    replicas = _replicas(target, wanted)
    if patch.dry_run:
        spec = {"replicas": replicas} if replicas else {}
        return {**present, "spec": spec}
    if replicas != present["spec"].get("replicas", 0):
        cluster.patch_scale(target.namespace or "", target.name or "", replicas, patch.manager, cluster.now)
    return read_scale(cluster, target)


def patch_pod(cluster: ClusterFace, target: Target, patch: Patch) -> JsonObject:
    """Merge labels and annotations into a pod. A uid in the patch is a precondition: another pod's is 409."""
    pod = find(cluster, target)
    if patch.content_type not in MERGE_PATCHES:
        raise ApiError(415, f"the body of the request was in an unknown format: {patch.content_type}")
    body = _decoded(patch.body)
    metadata = body.get("metadata") if isinstance(body, Mapping) else None
    if not isinstance(metadata, Mapping) or set(body) > {"metadata", "kind", "apiVersion"}:
        bad_request("this server patches labels and annotations of pods only")
    if unknown := set(metadata) - _POD_METADATA:
        bad_request(f"this server patches labels and annotations of pods only, not {sorted(unknown)}")
    _check_identity(target, pod, metadata)
    if patch.dry_run:
        return merge_patch(pod, body)
    cluster.patch_pod(
        target.namespace or "",
        target.name or "",
        labels=_texts(target, "labels", metadata),
        annotations=_texts(target, "annotations", metadata),
        uid=metadata.get("uid"),
    )
    return find(cluster, target)


def _check_identity(target: Target, pod: JsonObject, metadata: Mapping[str, Any]) -> None:
    held = pod["metadata"]
    if metadata.get("uid") not in {None, held["uid"]}:
        raise _conflict(
            target,
            f"Precondition failed: UID in precondition: {metadata['uid']}, UID in object meta: {held['uid']}",
        )
    if metadata.get("resourceVersion") not in {None, held.get("resourceVersion")}:
        raise _conflict(
            target, "the object has been modified; please apply your changes to the latest version and try again"
        )


def _texts(target: Target, name: str, metadata: Mapping[str, Any]) -> dict[str, str | None] | None:
    values = metadata.get(name)
    if values is None:
        return None
    if not isinstance(values, Mapping) or not all(each is None or isinstance(each, str) for each in values.values()):
        raise ApiError(422, f'{target.type.kind} "{target.name}" is invalid: metadata.{name}: expected texts')
    return dict(values)


def _patched(present: Mapping[str, Any], patch: Patch) -> dict[str, Any]:
    body = _decoded(patch.body)
    if patch.content_type == JSON_PATCH and isinstance(body, list):
        return apply_patch(present, body)
    if patch.content_type in MERGE_PATCHES and isinstance(body, Mapping):
        return merge_patch(present, body)
    if patch.content_type == JSON_PATCH or patch.content_type in MERGE_PATCHES:
        bad_request("error decoding patch: the body does not fit its content type")
    raise ApiError(415, f"the body of the request was in an unknown format: {patch.content_type}")


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        bad_request(f"error decoding patch: {error}")


def _replicas(target: Target, scale: Mapping[str, Any]) -> int:
    spec = scale.get("spec")
    replicas = spec.get("replicas") if isinstance(spec, Mapping) else None
    if replicas is None:
        return 0
    if isinstance(replicas, bool) or not isinstance(replicas, int):
        bad_request("error decoding patch: json: cannot unmarshal into Go struct field ScaleSpec.spec.replicas")
    if replicas < 0:
        raise ApiError(
            422,
            f'Scale.autoscaling "{target.name}" is invalid: spec.replicas: Invalid value: {replicas}: '
            "must be greater than or equal to 0",
            details=object_details(target.name or "", "autoscaling", "Scale"),
        )
    return replicas


def _scale(deployment: JsonObject, replicas: int) -> dict[str, Any]:
    metadata, labels = deployment["metadata"], deployment["spec"]["selector"].get("matchLabels", {})
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: metadata[key] for key in kept if key in metadata},
        "spec": {"replicas": replicas} if replicas else {},
        "status": {
            "replicas": deployment.get("status", {}).get("replicas", 0),
            "selector": ",".join(f"{key}={value}" for key, value in sorted(labels.items())),
        },
    }


def _missing(target: Target) -> ApiError:
    kind = target.type
    details = object_details(target.name or "", kind.group, kind.plural)
    return ApiError(404, f'{kind.qualified} "{target.name}" not found', details=details)


def _conflict(target: Target, why: str) -> ApiError:
    kind = target.type
    details = object_details(target.name or "", kind.group, kind.plural)
    return ApiError(409, f'Operation cannot be fulfilled on {kind.qualified} "{target.name}": {why}', details=details)
