"""One HTTPS request to the Kubernetes API through the `kubernetes` package's ApiClient, answered in raw bytes."""

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from kubernetes.client.api_client import ApiClient
from kubernetes.client.configuration import Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.client.rest import RESTResponse
from urllib3.exceptions import SSLError

from warmpool.adapters.kubernetes.failures import TRANSPORT_ERRORS, TlsFailed, Unreachable, unreachable
from warmpool.app.ports import Budget

CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 10.0
"""Between two pieces of an answer; the budget limits the whole of it."""

_CHUNK: Final = 2**16
_FLOWING: Final = 2**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request. `does` says it in words for errors: verb and resource, such as `list nodes`."""

    does: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    method: str = "GET"
    body: object = None
    content_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the server sent back, whatever its status."""

    status: int
    body: bytes
    retry_after: str | None = None


class Transport:
    """The connections to one endpoint, which are kept from pass to pass."""

    def __init__(self, url: str, ca_pem: str) -> None:
        """Prepare, without connecting. Raises Unreachable where the URL or the CA cannot be used."""
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.hostname:
            raise Unreachable(f"the cluster's endpoint is {url!r}; expected https://HOST")
        self._host = parts.netloc
        self._api = ApiClient(Configuration(host=url.rstrip("/"), retries=False, connection_pool_maxsize=1))
        self._api.user_agent = "warmpool"
        pool: dict[str, Any] = self._api.rest_client.pool_manager.connection_pool_kw
        pool["ssl_context"] = tls_context(ca_pem)

    def send(self, call: Call, token: str, budget: Budget) -> Answer:
        """Send one request, once. Raises Unreachable where no answer came within the budget."""
        left = budget.remaining_seconds()
        if left <= 0:
            raise Unreachable(f"{call.does}: no time is left in this pass")
        try:
            response = self._api.call_api(
                call.method,
                self._url(call),
                header_params=self._headers(call, token),
                body=call.body,
                _request_timeout=(min(CONNECT_SECONDS, left), min(READ_SECONDS, left)),
            )
            body = _read(response, call, budget)
        except ApiException as error:  # the package turns TLS errors, and only those, into its own
            raise unreachable(SSLError(error.reason), does=call.does, host=self._host) from error
        except TRANSPORT_ERRORS as error:
            raise unreachable(error, does=call.does, host=self._host) from error
        return Answer(status=response.status, body=body, retry_after=response.headers.get("Retry-After"))

    def _url(self, call: Call) -> str:
        url = f"{self._api.configuration.host}{call.path}"
        return f"{url}?{urlencode(call.query)}" if call.query else url

    def _headers(self, call: Call, token: str) -> dict[str, str]:
        headers = {**self._api.default_headers, "Accept": "application/json", "Authorization": f"Bearer {token}"}
        return {**headers, "Content-Type": call.content_type} if call.content_type else headers


def _read(response: RESTResponse, call: Call, budget: Budget) -> bytes:
    """Read the body piece by piece: a server that drips would never run into the read timeout."""
    source = response.response
    pieces = [source.read1(_CHUNK)]
    while pieces[-1]:
        if budget.remaining_seconds() <= 0:
            source.close()
            raise Unreachable(f"{call.does}: HTTP: no time was left to read the whole answer")
        # To wait for a whole chunk is cheaper, and safe only where data flows.
        pieces.append(source.read(_CHUNK) if len(pieces[-1]) >= _FLOWING else source.read1(_CHUNK))
    return b"".join(pieces)


class _HandshakeContext(ssl.SSLContext):
    """Tells a handshake that breaks off or takes too long from an answer that does."""

    def wrap_socket(self, sock: socket.socket, *args: Any, **kwargs: Any) -> ssl.SSLSocket:
        """Shake hands. Raises ssl.SSLError for everything that goes wrong meanwhile."""
        try:
            # A connection that the server has reset by now would be taken over by the ssl module and never closed.
            sock.getpeername()
            return super().wrap_socket(sock, *args, **kwargs)
        except ssl.SSLError:
            raise
        except OSError as error:
            raise ssl.SSLError(ssl.SSL_ERROR_SYSCALL, f"the handshake broke off: {error}") from error


def tls_context(ca_pem: str) -> ssl.SSLContext:
    """Trust this CA and no other. Raises TlsFailed where it is no PEM.

    Certificate and host name are verified. VERIFY_X509_STRICT is off: Python 3.13 on turns it on by default, and
    it refuses the CAs of EKS, which have no Authority Key Identifier.
    """
    context = _HandshakeContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    try:
        context.load_verify_locations(cadata=ca_pem)
    except (ssl.SSLError, ValueError) as error:
        raise TlsFailed(f"TLS: the cluster's certificate authority is no PEM certificate: {error}") from error
    return context
