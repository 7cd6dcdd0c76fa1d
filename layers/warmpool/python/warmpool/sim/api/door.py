"""The Kubernetes API as a function of requests: authenticate, authorise, fail where ordered, answer."""

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

import msgspec

from warmpool.sim.api.access import Authenticator, Rule, TokenRefused, User, authorize
from warmpool.sim.api.face import ClusterFace
from warmpool.sim.api.faults import Delivery, Fault, Faults
from warmpool.sim.api.listing import Lists
from warmpool.sim.api.resources import Target, read_target
from warmpool.sim.api.status import ApiError, PathNotServed, bad_request
from warmpool.sim.api.writes import find, patch_pod, patch_scale, read_patch, read_scale

KEPT_RECORDS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer, and how it is to reach the client."""

    status: int
    body: bytes
    content_type: str = "application/json"
    retry_after_seconds: int | None = None
    delay_seconds: float = 0.0
    delivery: Delivery = Delivery.WHOLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What was asked and answered, for tests and measurements; without tokens."""

    verb: str
    resource: str
    namespace: str | None
    name: str | None
    query: str
    user: str
    status: int
    body_bytes: int


class Door:
    """Serves one cluster. Requests take `lock`; hold it to change the cluster while requests may be under way."""

    def __init__(
        self,
        cluster: ClusterFace,
        authenticator: Authenticator,
        rules: Iterable[Rule],
        *,
        absent: Iterable[str] = (),
    ) -> None:
        """`absent` names custom resources whose CRD is not installed; it can be changed at any time."""
        self.cluster = cluster
        self.authenticator = authenticator
        self.rules = tuple(rules)
        self.absent = set(absent)
        self.faults = Faults()
        self.lists = Lists()
        self.lock = threading.RLock()
        self.records: deque[Record] = deque(maxlen=KEPT_RECORDS)
        self.refused_tokens: deque[str] = deque(maxlen=KEPT_RECORDS)
        """Why tokens were refused (the client only sees 401)."""

    def handle(self, request: Request) -> Answer:
        """Answer one request; every refusal is an answer too."""
        try:
            user = self._authenticate(request.headers)
            url = urlsplit(request.target)
            target = read_target(request.method, url.path)
        except ApiError as error:
            return _refusal(error)
        fault = self.faults.take(target)
        try:
            ordered = fault.error(user, target) if fault else None
            if ordered is not None:
                raise ordered
            answer = self._serve(user, target, _query(url.query), request)
        except ApiError as error:
            answer = _refusal(error)
        self._record(user, target, url.query, answer)
        return _as_ordered(answer, fault)

    def _authenticate(self, headers: Mapping[str, str]) -> User:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            self.refused_tokens.append("no bearer token")
            raise ApiError(401, "Unauthorized")
        try:
            return self.authenticator.authenticate(token.strip())
        except TokenRefused as error:
            self.refused_tokens.append(str(error))
            raise ApiError(401, "Unauthorized") from error

    def _serve(self, user: User, target: Target, query: Mapping[str, str], request: Request) -> Answer:
        authorize(self.rules, user, target)
        if target.type.plural in self.absent:
            raise PathNotServed
        with self.lock:
            match target.verb, target.subresource:
                case "list", None:
                    if query.get("watch") in {"1", "true"}:
                        bad_request("this server has no watch")
                    return Answer(status=200, body=self._list(target, query))
                case "get", None:
                    return _object(find(self.cluster, target))
                case "get", "scale" if target.type.plural == "deployments":
                    return _object(read_scale(self.cluster, target))
                case "patch", "scale" if target.type.plural == "deployments":
                    patch = read_patch(request.headers, query, request.body)
                    return _object(patch_scale(self.cluster, target, patch))
                case "patch", None if target.type.plural == "pods":
                    patch = read_patch(request.headers, query, request.body)
                    return _object(patch_pod(self.cluster, target, patch))
        raise ApiError(405, "the server does not allow this method on the requested resource")

    def _list(self, target: Target, query: Mapping[str, str]) -> bytes:
        return self.lists.answer(target, self.cluster.objects(target.type.plural), query)

    def _record(self, user: User, target: Target, query: str, answer: Answer) -> None:
        self.records.append(
            Record(
                verb=target.verb,
                resource=target.resource,
                namespace=target.namespace,
                name=target.name,
                query=query,
                user=user.name,
                status=answer.status,
                body_bytes=len(answer.body),
            )
        )


def _query(text: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(text, keep_blank_values=True, strict_parsing=True)) if text else {}
    except ValueError:
        bad_request(f"invalid query: {text!r}")


def _object(item: Mapping[str, object]) -> Answer:
    return Answer(status=200, body=msgspec.json.encode(item) + b"\n")


def _refusal(error: ApiError) -> Answer:
    if isinstance(error, PathNotServed):
        return Answer(status=404, body=error.message.encode() + b"\n", content_type="text/plain; charset=utf-8")
    body = msgspec.json.encode(error.body()) + b"\n"
    return Answer(status=error.code, body=body, retry_after_seconds=error.retry_after_seconds)


def _as_ordered(answer: Answer, fault: Fault | None) -> Answer:
    if fault is None:
        return answer
    return Answer(
        status=answer.status,
        body=answer.body,
        content_type=answer.content_type,
        retry_after_seconds=answer.retry_after_seconds,
        delay_seconds=fault.delay_seconds,
        delivery=fault.delivery,
    )
