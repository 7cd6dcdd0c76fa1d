"""Label and field selectors, with the full grammar of list requests."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from warmpool.sim.api.resources import ResourceType
from warmpool.sim.api.status import bad_request

LabelTest = Callable[[Mapping[str, str]], bool]
FieldTest = Callable[[Mapping[str, Any]], bool]

_KEY = r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?"
_VALUE = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|"
_EXISTS: Final = re.compile(rf"\s*(?P<negated>!?)\s*(?P<key>{_KEY})\s*")
_COMPARE: Final = re.compile(rf"\s*(?P<key>{_KEY})\s*(?P<operator>==|=|!=|>|<)\s*(?P<value>{_VALUE})\s*")
_SET: Final = re.compile(rf"\s*(?P<key>{_KEY})\s+(?P<operator>in|notin)\s*\((?P<values>[^()]*)\)\s*")
# A comma separates requirements only outside parentheses.
_SEPARATOR: Final = re.compile(r",(?![^(]*\))")
_FIELD: Final = re.compile(r"(?P<path>[A-Za-z.]+)(?P<operator>==|=|!=)(?P<value>.*)")

_FIELDS_OF_ALL: Final = frozenset({"metadata.name", "metadata.namespace"})
_FIELDS: Final = {
    "pods": frozenset({"spec.nodeName", "spec.schedulerName", "spec.restartPolicy", "status.phase", "status.podIP"}),
    "nodes": frozenset({"spec.unschedulable"}),
    "replicasets": frozenset({"status.replicas"}),
}


@lru_cache(maxsize=256)
def label_test(selector: str) -> LabelTest:
    """Compile a label selector. An answer of 400 says which requirement could not be read."""
    tests = [_requirement(part) for part in _SEPARATOR.split(selector)] if selector.strip() else []
    return lambda labels: all(test(labels) for test in tests)


def _requirement(text: str) -> LabelTest:
    if match := _SET.fullmatch(text):
        return _set_test(match["key"], match["operator"], match["values"])
    if match := _COMPARE.fullmatch(text):
        return _comparison(match["key"], match["operator"], match["value"])
    match = _EXISTS.fullmatch(text)
    if match is None:
        bad_request(f"unable to parse requirement: found {text.strip()!r}, expected a label selector requirement")
    key, wanted = match["key"], not match["negated"]
    return lambda labels: (key in labels) is wanted


def _set_test(key: str, operator: str, listed: str) -> LabelTest:
    values = frozenset(value.strip() for value in listed.split(","))
    for value in values:
        if not re.fullmatch(_VALUE, value):
            bad_request(f"unable to parse requirement: values[0][{key}]: Invalid value: {value!r}")
    if operator == "in":
        return lambda labels: labels.get(key) in values
    # A label that is not there satisfies `notin`, as in Kubernetes.
    return lambda labels: labels.get(key) not in values


def _comparison(key: str, operator: str, value: str) -> LabelTest:
    if operator == "!=":
        return lambda labels: labels.get(key) != value
    if operator in {"=", "=="}:
        return lambda labels: labels.get(key) == value
    if not value.isdecimal():
        bad_request(f"unable to parse requirement: values[0][{key}]: Invalid value: {value!r}: must be an integer")
    bound = int(value)

    def compares(labels: Mapping[str, str]) -> bool:
        present = labels.get(key, "")
        return present.isdecimal() and (int(present) > bound if operator == ">" else int(present) < bound)

    return compares


@lru_cache(maxsize=256)
def field_test(selector: str, kind: ResourceType) -> FieldTest:
    """Compile a field selector; only the fields that the real server indexes are known, others answer 400."""
    tests = [_field_requirement(part, kind) for part in selector.split(",") if part]
    return lambda item: all(test(item) for test in tests)


def _field_requirement(text: str, kind: ResourceType) -> FieldTest:
    match = _FIELD.fullmatch(text.strip())
    if match is None:
        bad_request(f"invalid field selector: {text!r}; can't understand it")
    path, value, wanted = match["path"], match["value"], match["operator"] != "!="
    if path not in _FIELDS_OF_ALL | _FIELDS.get(kind.plural, frozenset()):
        bad_request(f"field label not supported: {path}")
    steps = path.split(".")
    return lambda item: (_text_at(item, steps) == value) is wanted


def _text_at(item: Mapping[str, Any], steps: list[str]) -> str:
    value: Any = item
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    if value is None:
        return "false" if steps[-1] == "unschedulable" else ""
    return str(value).lower() if isinstance(value, bool) else str(value)
