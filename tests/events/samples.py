"""The samples of this folder, and what may be wrong with one: a field missing, null, of another type, or enormous.

audit-*.json are real records with generic names. Most are of one run that operator, Karpenter and people took part in;
audit-census.json counts all its 7,303 records by the fields that the filter looks at. What that run had not (a
preemption, an eviction, our own writes, a Workspace that is stopped, nodes that come, are cordoned and go) was logged
by the real API server of tests/cluster, with EKS' audit policy; `python -m tests.cluster.record_audit` does it again.
The others have the shapes of AWS' documentation, with the quirks that were seen in the field.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
ENORMOUS: Final = "x" * 300_000

Json = dict[str, Any]


def sample(name: str) -> Json:
    """Read one sample."""
    document: Json = json.loads((FOLDER / f"{name}.json").read_text())
    return document


def names(prefix: str) -> list[str]:
    """List the samples whose names begin so, the census apart."""
    return sorted(path.stem for path in FOLDER.glob(f"{prefix}*.json") if path.stem != "audit-census")


def events() -> dict[str, Json]:
    """Return every event for EventBridge by name; a doubled one is two."""
    found: dict[str, Json] = {}
    for name in (*names("hyperpod"), *names("ssm")):
        document: Any = sample(name)
        each = document if isinstance(document, list) else [document]
        found |= {f"{name}-{number}" if number else name: event for number, event in enumerate(each)}
    return found


def spoilt(document: Json) -> Iterator[tuple[str, Json]]:
    """Yield the document with each of its fields spoilt in each way, by what was done to it."""
    for path in _paths(document):
        for how, value in (("null", None), ("number", 7), ("list", [1]), ("object", {"a": 1}), ("enormous", ENORMOUS)):
            yield f"{'.'.join(path)} is {how}", _changed(document, path, value)
        yield f"{'.'.join(path)} is missing", _without(document, path)


def _paths(document: Json, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in document.items():
        yield (*above, key)
        # Bodies of objects are as deep as Kubernetes is; what we read of them is their name.
        if isinstance(value, dict) and key not in {"spec", "status", "labels", "annotations", "requestObject"}:
            yield from _paths(value, (*above, key))


def _changed(document: Json, path: tuple[str, ...], value: object) -> Json:
    new = copy.deepcopy(document)
    _parent(new, path)[path[-1]] = value
    return new


def _without(document: Json, path: tuple[str, ...]) -> Json:
    new = copy.deepcopy(document)
    del _parent(new, path)[path[-1]]
    return new


def _parent(document: Json, path: tuple[str, ...]) -> Json:
    for key in path[:-1]:
        document = document[key]
    return document
