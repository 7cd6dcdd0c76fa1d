"""A small Kubernetes API over HTTPS on loopback: lists in pages, objects, a scale, and faults on demand."""

import json
import socket
import ssl
import sys
import traceback
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

TOKEN = "k8s-aws-v1.c2VjcmV0LXNpZ25hdHVyZQ"  # noqa: S105 - made up


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer.

    `drip` sends the body byte by byte, `cut` breaks it off, `silent` never sends anything, `chunked` sends it in
    chunks of unannounced total, as the API server does with long lists.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: bool = False
    cut: bool = False
    silent: bool = False
    chunked: bool = False


def status(code: int, reason: str, message: str = "") -> Reply:
    """Build a failure as the API server words it."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message}
    return Reply(status=code, body={**body, "code": code})


FORBIDDEN = status(403, "Forbidden", 'nodes is forbidden: User "lambda" cannot list resource "nodes"')
EXPIRED = status(410, "Expired", "The provided continue parameter is too old")


class FakeApi:
    """What the server holds. A path has faults, used up first, then a list, an object or a scale."""

    def __init__(self) -> None:
        self.lists: dict[str, list[dict[str, Any]]] = {}
        self.objects: dict[str, dict[str, Any]] = {}
        self.replicas: dict[str, int] = {}
        self.faults: defaultdict[str, deque[Reply]] = defaultdict(deque)
        self.tokens = {TOKEN}
        self.requests: list[Seen] = []

    def paths(self, method: str = "GET") -> list[str]:
        """Return the paths asked for, in order."""
        return [each.path for each in self.requests if each.method == method]

    def last(self, path: str) -> Seen:
        """Return the last request for a path."""
        return next(each for each in reversed(self.requests) if each.path == path)

    def answer(self, seen: Seen) -> Reply:
        """Answer one request."""
        self.requests.append(seen)
        if seen.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return status(401, "Unauthorized", "Unauthorized")
        if self.faults[seen.path]:
            return self.faults[seen.path].popleft()
        if seen.path in self.replicas:
            return self._scale(seen)
        if seen.path in self.lists:
            return self._page(seen)
        if seen.path in self.objects:
            return Reply(body=self.objects[seen.path])
        return status(404, "NotFound", "the server could not find the requested resource")

    def _page(self, seen: Seen) -> Reply:
        start, size = int(seen.query.get("continue", "0")), int(seen.query.get("limit", "500"))
        items = self.lists[seen.path]
        more = {"continue": str(start + size)} if start + size < len(items) else {}
        return Reply(body={"metadata": {"resourceVersion": "7", **more}, "items": items[start : start + size]})

    def _scale(self, seen: Seen) -> Reply:
        present = self.replicas[seen.path]
        if seen.method == "PATCH":
            test, change = seen.body
            # 0 is left out of a Scale: what a test finds there is null, and there is nothing to replace.
            if test["value"] != (present or None) or (change["op"] == "replace" and not present):
                return status(422, "Invalid", "the server rejected our request due to an error in our request")
            present = change["value"]
            if "dryRun" not in seen.query:
                self.replicas[seen.path] = present
        return Reply(body={"kind": "Scale", "spec": {"replicas": present} if present else {}})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "FakeApiServer"

    def setup(self) -> None:
        self.request.settimeout(5)
        self.request = self.server.context.wrap_socket(self.request, server_side=True)
        self.server.connected.add(self.request)
        super().setup()

    def finish(self) -> None:
        super().finish()
        self.server.connected.discard(self.request)
        self.request.close()

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        parts = urlsplit(self.path)
        seen = Seen(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=json.loads(self.rfile.read(length)) if length else None,
        )
        self._send(self.server.api.answer(seen))

    do_GET = do_PATCH = _serve  # noqa: N815 - the names that http.server looks for

    def _send(self, reply: Reply) -> None:
        if reply.silent:
            self.server.stopped.wait()
            return
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        length = {"Transfer-Encoding": "chunked"} if reply.chunked else {"Content-Length": str(len(body))}
        for name, value in {**length, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.chunked:
            for piece in (body[:9], body[9:]):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        elif reply.cut:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif reply.drip:
            for byte in body:
                self.wfile.write(bytes((byte,)))
                self.server.stopped.wait(0.02)
        else:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""


class FakeApiServer(ThreadingHTTPServer):
    """The API on a loopback port; every handler's thread ends with the server."""

    daemon_threads = False

    def __init__(self, api: FakeApi, pem_file: Path) -> None:
        self.api = api
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(pem_file)
        self.stopped = Event()
        self.connected: set[ssl.SSLSocket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Where the server listens."""
        return f"https://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that hang up: that is what these tests are about."""
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc()

    def stop(self) -> None:
        """Hang up on everybody and wait until every thread is done."""
        self.stopped.set()
        self.shutdown()
        for each in list(self.connected):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self.server_close()


@contextmanager
def serving(api: FakeApi, pem_file: Path) -> Iterator[FakeApiServer]:
    """Serve for as long as the block runs."""
    server = FakeApiServer(api, pem_file)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
