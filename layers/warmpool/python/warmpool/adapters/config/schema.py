"""The published JSON Schema of spec, override and stop, from the very types that decode them."""

import dataclasses
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import Enum
from fractions import Fraction
from typing import Any, Final

import msgspec
from msgspec import Struct, inspect

from warmpool.adapters.config.controls import OverrideDocument, StopDocument
from warmpool.adapters.config.documents import SpecDocument
from warmpool.adapters.config.scalar import Scalar
from warmpool.adapters.config.times import written

DOCUMENTS: Final[Mapping[str, type[Struct]]] = {
    "spec": SpecDocument,
    "override": OverrideDocument,
    "stop": StopDocument,
}
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_NONE: Final = object()


def schema(document: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `spec`, `override` or `stop`."""
    kind = DOCUMENTS[document]
    made = msgspec.json.schema(kind, schema_hook=_scalar_schema)
    for struct in structs_of(kind):
        part = made["$defs"][struct.__name__]
        part |= getattr(struct, "rules", {})
        for field in msgspec.structs.fields(struct):
            default = default_of(struct, field)
            if default is not None:
                part["properties"][field.encode_name]["default"] = default
    return {"$schema": _DIALECT, "title": f"spaces-warmpool {document}", **made}


def _scalar_schema(kind: type[Any]) -> dict[str, Any]:
    if issubclass(kind, Scalar):
        return kind.schema
    raise NotImplementedError(f"no schema for {kind}")


def structs_of(kind: type[Struct]) -> list[type[Struct]]:
    """List a document's types, the document first, each once, in the order in which it uses them."""
    found: dict[type[Struct], None] = {}
    _collect(inspect.type_info(kind), found)
    return list(found)


def _collect(kind: inspect.Type, found: dict[type[Struct], None]) -> None:
    if isinstance(kind, inspect.StructType):
        if kind.cls not in found:
            found[kind.cls] = None
            for field in kind.fields:
                _collect(field.type, found)
        return
    for part in _parts(kind):
        _collect(part, found)


def _parts(kind: inspect.Type) -> Iterator[inspect.Type]:
    match kind:
        case inspect.Metadata(type=inner):
            yield inner
        case inspect.ListType(item_type=inner):
            yield inner
        case inspect.DictType(value_type=inner):
            yield inner


def default_of(kind: type[Struct], field: msgspec.structs.FieldInfo) -> Any:
    """Return a key's default as a document would write it; None where leaving it out means that there is none."""
    if field.required:
        return None
    if field.name in (named := getattr(kind, "defaults", {})):
        return named[field.name]
    core: Any = getattr(kind, "core")  # noqa: B009  every document has one, which its base class cannot say
    known = {each.name: each for each in dataclasses.fields(core)}
    if field.name not in known:
        return field.default if isinstance(field.default, int) else None
    return _as_written(known[field.name].default)


def _as_written(value: Any) -> Any:
    match value:
        case timedelta():
            return written(value)
        case Fraction():
            return int(value) if value.denominator == 1 else float(value)
        case Enum():
            return value.value
        case bool() | int():
            return value
        case str() if value:
            return value
    return None
