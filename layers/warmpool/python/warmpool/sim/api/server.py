"""The HTTPS server on loopback: TLS, keep-alive connections, whole, late, cut or dropped answers."""

import gzip
import http
import logging
import socket
import ssl
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from warmpool.sim.api.certificates import Certificates, issue_certificates
from warmpool.sim.api.door import Answer, Door, Request
from warmpool.sim.api.faults import Delivery

LOG = logging.getLogger(__name__)

LOOPBACK: Final = "127.0.0.1"
MAX_BODY_BYTES: Final = 3 * 1024 * 1024
"""The API server's own limit on a request's body."""
COMPRESS_FROM_BYTES: Final = 128 * 1024
"""From here on the real server compresses for clients that accept gzip."""
IDLE_SECONDS: Final = 300


class ApiServer:
    """Serves a door at `url` while it is entered. Clients verify it with `ca_pem`."""

    def __init__(self, door: Door) -> None:
        """Take the door; nothing listens before `with` enters."""
        self.door = door
        self._certificates = issue_certificates()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The endpoint, as DescribeCluster would give it."""
        return f"https://{LOOPBACK}:{self._running.server_address[1]}"

    @property
    def ca_pem(self) -> bytes:
        """The authority that signed the server's present certificate."""
        return self._certificates.ca_pem

    def rotate_authority(self) -> None:
        """Show a certificate of a new authority from now on, and end the connections that are open."""
        self._certificates = issue_certificates()
        self._running.tls = _tls(self._certificates)
        self._running.end_connections()

    def __enter__(self) -> Self:
        """Start to listen on a free port."""
        self._server = _Server(self.door, _tls(self._certificates))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening, end all connections and wait for their threads."""
        server = self._running
        server.closing.set()
        server.shutdown()
        server.end_connections()
        server.server_close()
        if self._thread is not None:
            self._thread.join()
        self._server = None

    @property
    def _running(self) -> "_Server":
        if self._server is None:
            raise RuntimeError("the API server is not running: enter it with `with` first")
        return self._server


class _Server(ThreadingHTTPServer):
    # Joined on close, so that no thread outlives a test.
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, door: Door, tls: ssl.SSLContext) -> None:
        self.door = door
        self.tls = tls
        self.closing = threading.Event()
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__((LOOPBACK, 0), _Handler)

    def server_bind(self) -> None:
        # HTTPServer's own would look the host's name up.
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = LOOPBACK, int(self.server_address[1])

    def finish_request(self, request: Any, client_address: Any) -> None:
        # In the connection's own thread: a slow handshake must not hold up the others.
        request.settimeout(IDLE_SECONDS)
        try:
            connection = self.tls.wrap_socket(request, server_side=True)
        except OSError as error:
            LOG.info("TLS handshake failed: %s", error)
            return
        with self._lock:
            self._connections.add(connection)
        try:
            _Handler(connection, client_address, self)
        except OSError as error:
            LOG.info("connection ended: %s", error)
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()

    def end_connections(self) -> None:
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            _shut(connection)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer goes out as one write at once: no waiting for the client's acknowledgement.
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        length = self._body_length()
        if length is None:
            return
        body = self.rfile.read(length) if length else b""
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(method=self.command, target=self.path, headers=headers, body=body)
        answer = self.server.door.handle(request)
        if answer.delay_seconds:
            self.server.closing.wait(answer.delay_seconds)
        self._deliver(answer, accepts_gzip="gzip" in headers.get("accept-encoding", ""))

    do_PATCH = do_GET  # noqa: N815 - the base class looks methods up by these names
    do_PUT = do_GET  # noqa: N815
    do_POST = do_GET  # noqa: N815
    do_DELETE = do_GET  # noqa: N815

    def _body_length(self) -> int | None:
        text = self.headers.get("content-length", "0")
        length = int(text) if text.isdecimal() else MAX_BODY_BYTES + 1
        if length <= MAX_BODY_BYTES and "transfer-encoding" not in self.headers:
            return length
        self.close_connection = True
        self._deliver(Answer(status=413, body=b"Request entity too large\n"), accepts_gzip=False)
        return None

    def _deliver(self, answer: Answer, *, accepts_gzip: bool) -> None:
        if answer.delivery is Delivery.DROPPED:
            self.close_connection = True
            _shut(self.connection)
            return
        body, encoding = answer.body, ""
        if accepts_gzip and len(body) >= COMPRESS_FROM_BYTES:
            body, encoding = gzip.compress(body, compresslevel=1), "Content-Encoding: gzip\r\n"
        retry = "" if answer.retry_after_seconds is None else f"Retry-After: {answer.retry_after_seconds}\r\n"
        head = (
            f"HTTP/1.1 {answer.status} {http.HTTPStatus(answer.status).phrase}\r\n"
            f"Cache-Control: no-cache, private\r\nContent-Type: {answer.content_type}\r\n"
            f"{encoding}{retry}Content-Length: {len(body)}\r\n\r\n"
        )
        if answer.delivery is Delivery.TRUNCATED:
            body = body[: len(body) // 2]
            self.close_connection = True
        self.wfile.write(head.encode("latin-1") + body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        LOG.debug(format, *args)


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError as error:
        LOG.debug("connection was closed already: %s", error)


def _tls(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # The ssl module loads keys from files only; this one is gone as soon as it is loaded.
    with tempfile.TemporaryDirectory() as folder:
        pem = Path(folder, "server.pem")
        pem.touch(mode=0o600)
        pem.write_bytes(certificates.server_pem + certificates.server_key_pem)
        context.load_cert_chain(pem)
    return context
