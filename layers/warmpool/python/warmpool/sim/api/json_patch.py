"""JSON patch (RFC 6902) on members of objects, with the behaviour of the API server's library."""

from collections.abc import Mapping, Sequence
from typing import Any

from warmpool.sim.api.status import PATCH_REFUSED, ApiError, bad_request


def apply_patch(document: Mapping[str, Any], operations: Sequence[Any]) -> dict[str, Any]:
    """Return the patched document.

    A `test` that fails and a `replace` of what is not there are both 422 Invalid, in the same words; a `test` for
    null holds where the member is absent (samples/README.md of the project: tried on a real server).
    Raises ApiError 400 for what is no patch at all.
    """
    result = _copied(document)
    for operation in operations:
        if not isinstance(operation, Mapping) or not isinstance(operation.get("path"), str):
            bad_request("error decoding patch: expected a list of operations with a path")
        _apply(result, operation)
    return result


def _apply(document: dict[str, Any], operation: Mapping[str, Any]) -> None:
    parent, member = _parent(document, operation["path"])
    match operation.get("op"):
        case "test":
            # `True == 1` in Python, not in JSON.
            held = parent.get(member)
            wanted = operation.get("value")
            if held != wanted or isinstance(held, bool) is not isinstance(wanted, bool):
                raise _refused()
        case "add":
            parent[member] = operation.get("value")
        case "replace" if member in parent:
            parent[member] = operation.get("value")
        case "remove" if member in parent:
            del parent[member]
        case "replace" | "remove":
            raise _refused()
        case other:
            bad_request(f"Unexpected kind: {other}")


def _parent(document: dict[str, Any], path: str) -> tuple[dict[str, Any], str]:
    if not path.startswith("/"):
        raise _refused()
    *steps, member = [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]
    parent: Any = document
    for step in steps:
        parent = parent.get(step) if isinstance(parent, dict) else None
    if not isinstance(parent, dict):
        raise _refused()
    return parent, member


def _copied(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copied(each) if isinstance(each, Mapping) else each for key, each in value.items()}


def _refused() -> ApiError:
    return ApiError(422, PATCH_REFUSED)


def merge_patch(document: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with a merge patch (RFC 7386) applied."""
    result = dict(document)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            present = result.get(key)
            result[key] = merge_patch(present if isinstance(present, Mapping) else {}, value)
        else:
            result[key] = value
    return result
