"""The published JSON Schema says what the decoder does."""

import dataclasses
import json
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from tests.adapters.config.config_builders import pool_document, spec_document, window_document
from warmpool.adapters.config.raw import read_json
from warmpool.adapters.config.reader import build_spec
from warmpool.adapters.config.scalar import decode_scalar
from warmpool.adapters.config.schema import DOCUMENTS, default_of, schema, structs_of

STRUCTS = [kind for document in DOCUMENTS.values() for kind in structs_of(document)]
FIELDS = [(kind, field) for kind in STRUCTS for field in msgspec.structs.fields(kind)]


def identity(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else value.name if hasattr(value, "name") else str(value)


def part(document: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = schema(document)["$defs"][name]
    return found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_schema_is_json_of_draft_2020_12_and_forbids_unknown_keys(document: str) -> None:
    made = json.loads(json.dumps(schema(document)))
    assert made["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    objects = [each for each in made["$defs"].values() if each.get("type") == "object"]
    assert len(objects) == len(structs_of(DOCUMENTS[document]))
    assert not any(each["additionalProperties"] for each in objects)


@pytest.mark.parametrize(("kind", "field"), FIELDS, ids=identity)
def test_every_key_is_described(kind: type[Struct], field: msgspec.structs.FieldInfo) -> None:
    document = next(name for name, top in DOCUMENTS.items() if kind in structs_of(top))
    assert part(document, kind.__name__)["properties"][field.encode_name]["description"].endswith((".", "`."))


@pytest.mark.parametrize(("kind", "field"), FIELDS, ids=identity)
def test_every_example_and_every_default_is_accepted(kind: type[Struct], field: msgspec.structs.FieldInfo) -> None:
    document = next(name for name, top in DOCUMENTS.items() if kind in structs_of(top))
    shown = part(document, kind.__name__)["properties"][field.encode_name]
    values = [*shown.get("examples", []), *([shown["default"]] if "default" in shown else [])]
    for value in values:
        msgspec.convert(as_read(value), field.type, strict=True, dec_hook=decode_scalar)


def as_read(value: Any) -> Any:
    """Pass a value through JSON as a document comes: there a number keeps its text."""
    return read_json(json.dumps(value), "test")


@pytest.mark.parametrize("kind", STRUCTS, ids=identity)
def test_every_key_has_its_place_in_the_core(kind: type[Struct]) -> None:
    core: Any = vars(kind)["core"]
    known = {field.name for field in dataclasses.fields(core)}
    assert set(kind.__struct_fields__) - {"version"} <= known


def test_defaults_are_those_of_the_core() -> None:
    properties = part("spec", "PoolDocument")["properties"]
    shown = {key: each["default"] for key, each in properties.items() if "default" in each}
    assert shown == {
        "namespace": "spaces-overprovisioning",
        "workspaceSelector": "workspace.jupyter.org/workspace-name",
        "pauseImage": "registry.k8s.io/pause:3.10",
        "shape": {"cpu": "2100m", "memory": "9Gi"},
        "placeholder": "node",
        "priority": 0,
        "leadTime": "15m",
        "leadTimeLimit": "30m",
        "manualHold": "30m",
        "holdLimit": "30m",
        "doNotDisrupt": "auto",
        "compat": False,
        "mode": "active",
    }
    assert part("spec", "DemandDocument")["properties"]["targetHitRate"]["default"] == 0.99
    assert part("spec", "DemandDocument")["properties"]["readyWithin"]["default"] == "0s"
    assert part("spec", "SpecDocument")["properties"]["version"]["default"] == 1


def test_a_default_that_is_written_down_is_the_default_that_is_taken() -> None:
    """Write every default into a document: the spec must not change."""
    window = window_document()
    bare = {"windows": [window], "proportional": {"linear": {"nodesPerReplica": 3}}, "demand": {}, "templates": {}}
    full = {
        key: each["default"] for key, each in part("spec", "PoolDocument")["properties"].items() if "default" in each
    }
    inner = {"demand": "DemandDocument", "templates": "TemplatesDocument", "scaleDown": "ScaleDownDocument"}
    for key, name in inner.items():
        full[key] = defaults(name)
    full["windows"] = [window | defaults("WindowDocument")]
    full["proportional"] = defaults("ProportionalDocument") | {
        "linear": {"nodesPerReplica": 3} | defaults("LinearDocument")
    }
    specs = [build_spec(as_read(spec_document({"cpu": pool_document(**each)}))) for each in (bare, full)]
    assert specs[0] == specs[1]
    assert specs[0][1] == []


def defaults(name: str) -> dict[str, Any]:
    kind = next(each for each in STRUCTS if each.__name__ == name)
    found = {field.encode_name: default_of(kind, field) for field in msgspec.structs.fields(kind)}
    return {key: value for key, value in found.items() if value is not None}


def test_rules_between_keys_are_published() -> None:
    assert {"required": ["linear"]} in part("spec", "ProportionalDocument")["oneOf"]
    assert part("spec", "WindowDocument")["not"] == {"required": ["days", "dates"]}
    assert part("override", "OverrideDocument")["required"] == ["until"]
