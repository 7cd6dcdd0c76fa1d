"""Requests to the Kubernetes API that are authenticated, bounded in time, and retried where that is safe."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from urllib3 import Retry
from urllib3.exceptions import InvalidHeader, MaxRetryError

from warmpool.adapters.kubernetes.access import Endpoint, EndpointSource, TokenSource
from warmpool.adapters.kubernetes.failures import Interrupted, TlsFailed, Unauthorized, Unreachable, refused
from warmpool.adapters.kubernetes.transport import Answer, Call, Transport
from warmpool.app.errors import ClusterUnavailable, NotPermitted
from warmpool.app.ports import Budget

__all__ = ["Endpoint", "EndpointSource", "KubernetesClient", "TokenSource"]

LONGEST_PAUSE_SECONDS: Final = 5.0
"""A server that asks for more is left alone until the next pass."""

_RETRIES: Final = Retry(
    total=2,
    allowed_methods=frozenset({"GET"}),
    status_forcelist=frozenset({429, 500, 502, 503, 504}),
    backoff_factor=0.2,
    backoff_jitter=0.1,
)
_UNAUTHORIZED: Final = 401
_FIRST_FAILURE: Final = 300
_BEARER: Final = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
"""A bearer token's characters (RFC 6750); any other would end up in the error text of http.client."""


class KubernetesClient:
    """The API server as a pass uses it. Nothing is connected, looked up or signed before the first request."""

    def __init__(
        self, endpoint: EndpointSource, token: TokenSource, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._endpoint = endpoint
        self._token = token
        self._sleep = sleep
        self._connected: tuple[Endpoint, Transport] | None = None

    def send(self, call: Call, budget: Budget) -> bytes:
        """Return the body of a successful answer.

        GET is tried up to three times (429, 5xx, connection broken), anything else once. Raises NotPermitted,
        ClusterUnavailable (Unreachable where no answer came at all), Conflict, NotFound or Expired.
        """
        retries = _RETRIES
        outcome = self._attempt(call, budget)
        while _may_help(outcome, call):
            try:
                retries = retries.increment(call.method, call.path)
            except MaxRetryError:
                break
            pause = _pause(retries, outcome)
            if pause >= min(LONGEST_PAUSE_SECONDS, budget.remaining_seconds()):
                break
            self._sleep(pause)
            outcome = self._attempt(call, budget)
        if isinstance(outcome, Interrupted):
            raise outcome
        if outcome.status >= _FIRST_FAILURE:
            raise refused(outcome.status, outcome.body, does=call.does)
        return outcome.body

    def _attempt(self, call: Call, budget: Budget) -> Answer | Interrupted:
        try:
            answer = self._verified(call, budget)
            if answer.status == _UNAUTHORIZED:
                self._token.renew()
                answer = self._verified(call, budget)
        except Interrupted as error:
            return error
        return answer

    def _verified(self, call: Call, budget: Budget) -> Answer:
        """Send; where TLS fails, nothing has been sent yet, and a fresh endpoint and CA get one more chance."""
        try:
            return self._once(call, budget)
        except TlsFailed:
            self._endpoint.refresh()
            self._connected = None
            return self._once(call, budget)

    def _once(self, call: Call, budget: Budget) -> Answer:
        transport, token = self._way_in(call)
        answer = transport.send(call, token, budget)
        if answer.status < _FIRST_FAILURE:
            return answer
        # Whatever stands between us and the server might echo the request in its complaint.
        return replace(answer, body=answer.body.replace(token.encode(), b"[token]"))

    def _way_in(self, call: Call) -> tuple[Transport, str]:
        try:
            endpoint = self._endpoint.endpoint()
            token = self._token.token()
        except NotPermitted as error:
            raise Unauthorized(f"{call.does}: {error}") from error
        except ClusterUnavailable as error:
            raise Unreachable(f"{call.does}: {error}") from error
        if not _BEARER.fullmatch(token):
            raise Unauthorized(f"{call.does}: the token holds characters that no bearer token has")
        if self._connected is None or self._connected[0] != endpoint:
            self._connected = (endpoint, Transport(endpoint.url, endpoint.ca_pem))
        return self._connected[1], token


def _may_help(outcome: Answer | Interrupted, call: Call) -> bool:
    if isinstance(outcome, Interrupted):
        return call.method in (_RETRIES.allowed_methods or ())
    return _RETRIES.is_retry(call.method, outcome.status)


def _pause(retries: Retry, outcome: Answer | Interrupted) -> float:
    """Return the seconds to wait: what the server asks for, else a growing pause of our own."""
    backoff = retries.get_backoff_time()
    if isinstance(outcome, Interrupted) or outcome.retry_after is None:
        return backoff
    try:
        return max(backoff, retries.parse_retry_after(outcome.retry_after))
    except InvalidHeader:
        return backoff
