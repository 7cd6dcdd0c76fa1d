"""Plain values to documents, strictly; and where that fails, every problem with its path."""

import re
from collections.abc import Iterator
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct, inspect

from warmpool.adapters.config.documents import PoolDocument, SpecDocument
from warmpool.adapters.config.names import DnsLabel, nearest
from warmpool.adapters.config.problems import Problem, value_at, wrong
from warmpool.adapters.config.scalar import Path, Rejected, Scalar, decode_scalar

D = TypeVar("D", bound=Struct)

_PATH: Final = re.compile(r" - at `(?:key` in `)?\$([^`]*)`$")
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_MISSING: Final = re.compile(r"Object missing required field `([^`]+)`")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.+)`", re.DOTALL)


def decode_document(raw: Any, kind: type[D]) -> tuple[D | None, list[Problem]]:
    """Turn plain values into a document, or say all that is wrong (the first problem of each key)."""
    try:
        return msgspec.convert(raw, kind, strict=True, dec_hook=decode_scalar), []
    except msgspec.ValidationError as error:
        found = list(_struct_problems(raw, kind, ()))
        # Should the library see something that the search by key does not, its own words are better than none.
        return None, found or [Problem((), str(error))]


def _struct_problems(raw: Any, kind: type[Struct], path: Path) -> Iterator[Problem]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    if not isinstance(raw, dict):
        yield wrong(path, raw, describe(inspect.type_info(kind)))
        return
    for key in raw:
        if key not in fields:
            yield _unknown((*path, str(key)), list(fields))
    for key, field in fields.items():
        if key in raw:
            yield from _field_problems(raw[key], kind, field, (*path, key))
        elif field.required:
            yield _missing((*path, key), inspect.type_info(field.type))


def _field_problems(raw: Any, kind: type[Struct], field: msgspec.structs.FieldInfo, path: Path) -> Iterator[Problem]:
    if kind is SpecDocument and field.name == "pools" and isinstance(raw, dict) and raw:
        yield from _pool_problems(raw, path)
        return
    try:
        msgspec.convert(raw, field.type, strict=True, dec_hook=decode_scalar)
    except msgspec.ValidationError as error:
        yield _translated(error, raw, field.type, path)


def _pool_problems(raw: dict[Any, Any], path: Path) -> Iterator[Problem]:
    """Look at the pools one by one: the library's own paths do not name the keys of a mapping."""
    for name, pool in raw.items():
        yield from name_problems(name, path)
        yield from _struct_problems(pool, PoolDocument, (*path, str(name)))


def name_problems(name: Any, path: Path) -> Iterator[Problem]:
    """Check a pool's name: it becomes part of parameter paths and metric dimensions."""
    try:
        DnsLabel.read(name)
    except Rejected as error:
        yield wrong((*path, str(name)), name, f"the pool's name to be {error.expected}")


def _translated(error: msgspec.ValidationError, raw: Any, kind: Any, path: Path) -> Problem:
    """Put the library's error into our words: path, value seen, what was expected."""
    text = str(error)
    found = _PATH.search(text)
    where: Path = tuple(key or int(index) for key, index in _STEP.findall(found[1])) if found else ()
    expected = inspect.type_info(kind)
    for part in where:
        expected = _within(expected, part)
    bare = _PATH.sub("", text)
    unknown, missing = _UNKNOWN.fullmatch(bare), _MISSING.fullmatch(bare)
    if unknown:
        return _unknown((*path, *where, unknown[1]), _keys(expected))
    if missing:
        return _missing((*path, *where, missing[1]), _within(expected, missing[1]))
    if isinstance(error.__cause__, Rejected):
        where = (*where, *error.__cause__.where)
        seen = where[-1] if error.__cause__.key else value_at(raw, where)
        return wrong((*path, *where), seen, error.__cause__.expected)
    if bare.startswith("Expected `int` <="):
        return wrong((*path, *where), value_at(raw, where), f"a whole number, at most {bare.rpartition(' ')[2]}")
    return wrong((*path, *where), value_at(raw, where), describe(expected))


def _unknown(path: Path, known: list[str]) -> Problem:
    near = nearest(path[-1], known)
    hint = f"did you mean `{near}`?" if near else f"expected one of {', '.join(known)}"
    return Problem(path, f"unknown key; {hint}")


def _missing(path: Path, kind: inspect.Type) -> Problem:
    return Problem(path, f"missing; expected {describe(kind)}")


def _plain(kind: inspect.Type) -> inspect.Type:
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    return kind


def _within(kind: inspect.Type, part: str | int) -> inspect.Type:
    """Return the type of a key or an element."""
    match _plain(kind):
        case inspect.StructType(fields=fields):
            return next((field.type for field in fields if field.encode_name == part), inspect.AnyType())
        case inspect.ListType(item_type=item):
            return item
        case inspect.TupleType(item_types=items) if isinstance(part, int) and part < len(items):
            return items[part]
    return inspect.AnyType()


def _keys(kind: inspect.Type) -> list[str]:
    plain = _plain(kind)
    return [field.encode_name for field in plain.fields] if isinstance(plain, inspect.StructType) else []


def describe(kind: inspect.Type) -> str:  # noqa: C901, PLR0911  one short line for each kind of type
    """Say what a type takes, for people."""
    match _plain(kind):
        case inspect.IntType(ge=least, le=most):
            return (
                f"a whole number from {least} to {most}" if least and least < 0 else f"a whole number, {least} or more"
            )
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType():
            return "text"
        case inspect.EnumType(cls=choices):
            return f"one of {', '.join(str(each.value) for each in choices)}"
        case inspect.LiteralType(values=values):
            return " or ".join(str(each) for each in values)
        case inspect.StructType(fields=fields):
            needed = [field.encode_name for field in fields if field.required]
            return (
                f"a mapping with {', '.join(needed)}"
                if needed
                else f"a mapping with keys out of {', '.join(_keys(kind))}"
            )
        case inspect.ListType(item_type=item, min_length=least):
            return f"a list{' of at least one' if least else ''}, each {describe(item)}"
        case inspect.TupleType(item_types=items):
            return f"a list of {len(items)}, each {describe(items[0])}"
        case inspect.DictType():
            return "a mapping of at least one pool, by name"
        case inspect.CustomType(cls=custom) if issubclass(custom, Scalar):
            return str(custom.expected)
    return "a documented value"
