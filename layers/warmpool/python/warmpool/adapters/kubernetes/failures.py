"""Failed requests to the Kubernetes API as the product's own errors, saying what was tried and what to do next."""

import ssl
from typing import Final

import msgspec
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NameResolutionError, ReadTimeoutError, SSLError

from warmpool.adapters.kubernetes.wire import ApiStatus
from warmpool.app.errors import ClusterUnavailable, Conflict, NotPermitted, WarmpoolError

_STATUS: Final = msgspec.json.Decoder(ApiStatus)
_LONGEST: Final = 300
"""Characters kept of the server's own words."""


class Unreachable(ClusterUnavailable):
    """No answer at all: whatever else this pass asks will not be answered either."""


class Interrupted(Unreachable):
    """The way to the server broke off (DNS, TCP, HTTP); trying again may help."""


class TlsFailed(Unreachable):
    """The connection is there, but the two sides do not agree; endpoint or CA may have changed."""


class Unauthorized(NotPermitted):
    """The server does not know us, or AWS does not tell us where it is: nothing else will be answered either."""


class NotFound(WarmpoolError):
    """The object, or its whole resource type, is not there."""


class Expired(WarmpoolError):
    """A list's continue token is too old: the list has to start again."""


def refused(status: int, body: bytes, *, does: str) -> WarmpoolError:
    """Return the error for an answer that is none; `does` says what was asked, such as `list nodes`."""
    words = _words(body)
    match status:
        case 401:
            return Unauthorized(
                f"unauthorized: {does}: the token is refused, a new one too; "
                f"give the caller's role an access entry on this EKS cluster{words}"
            )
        case 403:
            return NotPermitted(f"forbidden: {does}; apply `warmpool manifests` to allow it{words}")
        case 404:
            return NotFound(f"not found: {does}{words}")
        case 409 | 422:
            return Conflict(f"conflict: {does}: {status}{words}")
        case 410:
            return Expired(f"expired: {does}: 410{words}")
        case _:
            return ClusterUnavailable(f"{does}: HTTP {status}{words}")


def _words(body: bytes) -> str:
    """Return the message of a Status; something between us and the server may answer in HTML, which helps nobody."""
    try:
        status = _STATUS.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return ""
    return f" ({' '.join(status.message.split())[:_LONGEST]})" if status.message else ""


def unreachable(error: Exception, *, does: str, host: str) -> Unreachable:
    """Say which step on the way to the server failed: DNS, TCP, TLS or HTTP."""
    if isinstance(error, NameResolutionError):
        return Interrupted(f"{does}: DNS: cannot resolve {host}; a private endpoint needs the cluster's VPC")
    if isinstance(error, ConnectTimeoutError):
        return Interrupted(
            f"{does}: TCP: cannot connect to {host}; "
            "the cluster's security group must let the function in on the endpoint's port"
        )
    if isinstance(error, (SSLError, ssl.SSLError)):
        return TlsFailed(f"{does}: TLS: {host}: {_reason(error)}")
    if isinstance(error, ReadTimeoutError):
        return Interrupted(f"{does}: HTTP: {host} has not answered in time")
    return Interrupted(f"{does}: HTTP: {host}: {_reason(error)}")


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:_LONGEST] or type(error).__name__


TRANSPORT_ERRORS: Final = (HTTPError, ssl.SSLError)
"""What urllib3 raises on the way; nothing else counts as the server being out of reach."""
