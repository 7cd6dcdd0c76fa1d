"""Snapshots as kubectl prints them: `kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json`."""

import dataclasses
from typing import Final

import msgspec

from warmpool.adapters.kubernetes.collected import Collected
from warmpool.adapters.kubernetes.collector import collector_paused
from warmpool.adapters.kubernetes.malformed import Malformed, excerpt, explain
from warmpool.adapters.kubernetes.objects import KINDS
from warmpool.adapters.kubernetes.wire import Document, Item
from warmpool.app.errors import ConfigInvalid
from warmpool.core.model import Snapshot

COMMAND: Final = "kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json"

_LIST: Final = "List"
_START: Final = 256
_DOCUMENT: Final = msgspec.json.Decoder(Document)


def read_snapshot(raw: bytes) -> Snapshot:
    """Read a List of mixed kinds, a typed list (NodeList) or one object; kinds that a pass does not read are skipped.

    Raises ConfigInvalid with the path, the value seen and what was expected.
    """
    try:
        with collector_paused():
            collected = _collect(_decode(raw))
    except Malformed as problem:
        text = f"{problem.value}: {problem.expected}; a snapshot is what `{COMMAND}` prints"
        raise ConfigInvalid(problem.path or "$", text, source="snapshot") from problem
    return dataclasses.replace(collected.snapshot(), all_pods=True)


def _decode(raw: bytes) -> Document:
    if not raw[:_START].strip():
        raise Malformed("$", "(empty)", "expected JSON, got nothing: see whether kubectl failed")
    try:
        return _DOCUMENT.decode(raw)
    except msgspec.ValidationError as error:
        raise explain(error, raw) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise Malformed("$", excerpt(raw), f"expected JSON: {error}") from error


def _collect(document: Document) -> Collected:
    kind = document.kind or ""
    collected = Collected()
    if kind in KINDS:
        _take(document, document, collected)
        return collected
    listed = kind.removesuffix(_LIST)
    if kind == listed or (listed and listed not in KINDS):
        raise _wrong_kind(document)
    if document.items is None:
        raise Malformed("items", "null", "expected an array of objects")
    defaults = Item(kind=listed or None, api_version=document.api_version if listed else None)
    for index, item in enumerate(document.items):
        try:
            _take(item, defaults, collected)
        except Malformed as problem:
            raise problem.within(f"items[{index}]") from problem
    return collected


def _take(item: Item, defaults: Item, collected: Collected) -> None:
    """Take an object in; those of a typed list leave kind and apiVersion to the list."""
    name = item.kind or defaults.kind
    if name is None:
        raise Malformed("kind", "null", "expected the kind of an object, for instance Node")
    kind = KINDS.get(name)
    if kind is not None and kind.matches(item.api_version or defaults.api_version):
        collected.add(kind.read(item))


def _wrong_kind(document: Document) -> Malformed:
    seen = "null" if document.kind is None else f'"{document.kind}"'
    if document.kind == "Status":
        seen = f"{seen} ({excerpt(document.message)})"
    return Malformed("kind", seen, f"expected List, a list such as NodeList, or one of {', '.join(KINDS)}")
