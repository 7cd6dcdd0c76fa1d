"""A stand-in for regional STS behind a CONNECT proxy: it checks signatures, so that a wrong key is refused as on AWS.

The reckoning is written out here from AWS' description of Signature Version 4, and shares nothing with the code that
makes our tokens.
"""

import hashlib
import hmac
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import parse_qsl, quote, urlsplit

from tests.cluster.certificates import Leaf

if TYPE_CHECKING:
    from io import BufferedIOBase

TOLERANCE: Final = timedelta(minutes=15)
_NO_BODY: Final = hashlib.sha256(b"").hexdigest()


class Refused(Exception):
    """Why a request is not authentic; STS' own error codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """An assumed role's session and its keys."""

    secret: str = field(repr=False)
    arn: str
    account: str = "111122223333"


class StandIn:
    """The proxy, for one region, on loopback."""

    def __init__(self, region: str, leaf: Leaf, principals: Mapping[str, Principal]) -> None:
        self.host = f"sts.{region}.amazonaws.com"
        self.refusals: list[str] = []
        self._server = _Server(self, region, leaf, principals)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    @property
    def url(self) -> str:
        """Return the address for HTTPS_PROXY."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        """Serve in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, stand_in: StandIn, region: str, leaf: Leaf, principals: Mapping[str, Principal]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.stand_in = stand_in
        self.region = region
        self.principals = principals
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(leaf.certificate, leaf.key)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_CONNECT(self) -> None:
        if self.path != f"{self.server.stand_in.host}:443":
            self.send_error(403, f"{self.path} is not {self.server.stand_in.host}:443")
            return
        self.send_response(200)
        self.end_headers()
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = cast("BufferedIOBase", _Writer(self.connection))
        self.close_connection = False

    def finish(self) -> None:
        super().finish()
        self.connection.close()  # the TLS connection, which the server does not know of

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            principal = authenticate(self.path, headers, self.server.region, self.server.principals)
        except Refused as error:
            self.server.stand_in.refusals.append(str(error))
            self._answer(403, {"Error": {"Code": str(error)}})
            return
        user = f"AROATEST:{principal.arn.rpartition('/')[2]}"
        result = {"Account": principal.account, "Arn": principal.arn, "UserId": user}
        self._answer(200, {"GetCallerIdentityResponse": {"GetCallerIdentityResult": result}})

    def log_message(self, *_: Any) -> None:
        """Say nothing: the URL of a request is a credential."""

    def _answer(self, status: int, document: Mapping[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Writer:
    """What http.server writes to, straight into the TLS connection."""

    closed = False

    def __init__(self, connection: ssl.SSLSocket) -> None:
        self._connection = connection

    def write(self, data: bytes) -> int:
        self._connection.sendall(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Leave that to the server."""


def authenticate(
    target: str, headers: Mapping[str, str], region: str, principals: Mapping[str, Principal]
) -> Principal:
    """Return who signed a presigned request. Raises Refused with STS' error code."""
    path, query = urlsplit(target).path or "/", dict(parse_qsl(urlsplit(target).query, keep_blank_values=True))
    signature = query.pop("X-Amz-Signature", "")
    access_key, _, scope = query.get("X-Amz-Credential", "").partition("/")
    if access_key not in principals:
        raise Refused("InvalidClientTokenId")
    _check_date(query.get("X-Amz-Date", ""), scope, region)
    signed = query.get("X-Amz-SignedHeaders", "").split(";")
    canonical = "\n".join(
        (
            "GET",
            path,
            "&".join(f"{_escaped(name)}={_escaped(query[name])}" for name in sorted(query)),
            *(f"{name}:{' '.join(headers.get(name, '').split())}" for name in signed),
            "",
            ";".join(signed),
            _NO_BODY,
        )
    )
    expected = _sign(principals[access_key].secret, scope, query["X-Amz-Date"], canonical)
    if not hmac.compare_digest(expected, signature):
        raise Refused("SignatureDoesNotMatch")
    return principals[access_key]


def _check_date(stamp: str, scope: str, region: str) -> None:
    try:
        signed_at = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise Refused("IncompleteSignature") from error
    if scope != f"{stamp[:8]}/{region}/sts/aws4_request":
        raise Refused("SignatureDoesNotMatch")
    if abs(datetime.now(UTC) - signed_at) > TOLERANCE:
        raise Refused("SignatureExpired")


def _sign(secret: str, scope: str, stamp: str, canonical: str) -> str:
    text = "\n".join(("AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{secret}".encode()
    for part in (*scope.split("/"), text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


def _escaped(text: str) -> str:
    return quote(text, safe="-_.~")
