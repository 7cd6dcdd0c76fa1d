"""Lists: objects encoded once, selected, and handed out page by page from one consistent view."""

import base64
import binascii
import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from warmpool.sim.api.face import JsonObject
from warmpool.sim.api.resources import ResourceType, Target
from warmpool.sim.api.selectors import field_test, label_test
from warmpool.sim.api.status import EXPIRED, ApiError, bad_request

KEPT_VIEWS: Final = 64
"""Lists that may be under way at once; an older one has expired, as after a compaction."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An object and its bytes in a list; holding the object keeps its id from being used again."""

    item: JsonObject
    key: tuple[str, str]
    revision: int
    body: bytes


@dataclass(frozen=True, slots=True)
class View:
    """The rest of a list that is handed out in pages, as it was when the first page was read."""

    revision: int
    rest: Sequence[Encoded]


@dataclass(slots=True)
class Lists:
    """Answers list requests. Encodings live as long as their objects are in the cluster."""

    _encoded: dict[str, dict[int, Encoded]] = field(default_factory=dict)
    _views: OrderedDict[str, View] = field(default_factory=OrderedDict)
    _revision: int = 1
    _views_made: int = 0

    def answer(self, target: Target, objects: Sequence[JsonObject], query: Mapping[str, str]) -> bytes:
        """Return the list's body. Raises ApiError 400 for a query that cannot be read, 410 for an expired page."""
        limit = _limit(query)
        token = query.get("continue", "")
        if token:
            view = self._resume(token)
            selective = True
        else:
            found = self._select(target, objects, query)
            self._revision = max([self._revision, *(each.revision for each in found)])
            view = View(self._revision, found)
            selective = bool(query.get("labelSelector") or query.get("fieldSelector"))
        page, rest = (view.rest[:limit], view.rest[limit:]) if limit else (view.rest, [])
        metadata: dict[str, Any] = {"resourceVersion": str(view.revision)}
        if rest:
            metadata["continue"] = self._keep(View(view.revision, rest))
            # The real server counts what remains only where no selector would make it count by reading.
            if not selective:
                metadata["remainingItemCount"] = len(rest)
        return _body(target.type, metadata, page)

    def expire_pages(self) -> None:
        """Let every page token that is out there be too old (as a compaction does)."""
        self._views.clear()

    def _select(self, target: Target, objects: Sequence[JsonObject], query: Mapping[str, str]) -> list[Encoded]:
        found: Iterable[Encoded] = self._encode(target.type, objects)
        if target.namespace:
            found = (each for each in found if each.key[0] == target.namespace)
        if selector := query.get("labelSelector"):
            labelled = label_test(selector)
            found = (each for each in found if labelled(each.item["metadata"].get("labels") or {}))
        if selector := query.get("fieldSelector"):
            has_field = field_test(selector, target.type)
            found = (each for each in found if has_field(each.item))
        return sorted(found, key=lambda each: each.key)

    def _encode(self, kind: ResourceType, objects: Sequence[JsonObject]) -> list[Encoded]:
        known = self._encoded.get(kind.plural, {})
        present = {}
        for item in objects:
            identity = id(item)
            present[identity] = known.get(identity) or _encode(kind, item)
        self._encoded[kind.plural] = present
        return list(present.values())

    def _keep(self, view: View) -> str:
        self._views_made += 1
        start = "/".join(part for part in view.rest[0].key if part)
        content = {"v": "meta.k8s.io/v1", "rv": view.revision, "start": start, "id": self._views_made}
        token = base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
        self._views[token] = view
        while len(self._views) > KEPT_VIEWS:
            self._views.popitem(last=False)
        return token

    def _resume(self, token: str) -> View:
        try:
            base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except binascii.Error:
            bad_request("continue key is not valid: illegal base64 data")
        view = self._views.get(token)
        if view is None:
            raise ApiError(410, EXPIRED)
        return view


def _encode(kind: ResourceType, item: JsonObject) -> Encoded:
    metadata = item["metadata"]
    listed = item if kind.custom else {key: value for key, value in item.items() if key not in {"kind", "apiVersion"}}
    return Encoded(
        item=item,
        key=(metadata.get("namespace", ""), metadata["name"]),
        revision=int(metadata.get("resourceVersion", 1)),
        body=msgspec.json.encode(listed),
    )


def _limit(query: Mapping[str, str]) -> int:
    text = query.get("limit", "0")
    if not text.isdecimal():
        bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text)


def _body(kind: ResourceType, metadata: Mapping[str, Any], page: Sequence[Encoded]) -> bytes:
    head = msgspec.json.encode({"kind": f"{kind.kind}List", "apiVersion": kind.api_version, "metadata": metadata})
    return b'%b,"items":[%b]}\n' % (head[:-1], b",".join(each.body for each in page))
