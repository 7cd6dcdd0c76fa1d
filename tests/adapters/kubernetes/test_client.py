"""Requests on the wire: TLS, token, time limits, retries, and errors that say what to do."""

import logging
import socket
import traceback

import pytest

from tests.adapters.kubernetes.conftest import FixedBudget, ListedEndpoints, ListedTokens, Pauses
from tests.adapters.kubernetes.fake_api import EXPIRED, FORBIDDEN, TOKEN, FakeApi, FakeApiServer, Reply, status
from warmpool.adapters.kubernetes.client import Endpoint, KubernetesClient
from warmpool.adapters.kubernetes.failures import Expired, Interrupted, NotFound, Unauthorized, Unreachable
from warmpool.adapters.kubernetes.transport import Call
from warmpool.app.errors import ClusterUnavailable, Conflict, NotPermitted

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PATH = "/api/v1/nodes"
NODES = Call(does="list nodes", path=PATH, query={"limit": "500"})
PATCH = Call(does="patch pods op/ph-1", path=PATH, method="PATCH", body={}, content_type="application/merge-patch+json")
BUSY = status(503, "ServiceUnavailable", "apiserver is shutting down")


@pytest.fixture(autouse=True)
def _empty_list(api: FakeApi) -> None:
    api.lists[PATH] = []


def test_the_token_is_on_the_wire_as_a_bearer(client: KubernetesClient, api: FakeApi, budget: FixedBudget) -> None:
    body = client.send(NODES, budget)

    assert b'"items": []' in body
    assert api.last(PATH).headers["authorization"] == f"Bearer {TOKEN}"
    assert api.last(PATH).headers["user-agent"] == "warmpool"


def test_the_connection_is_kept_for_the_next_request(
    client: KubernetesClient, server: FakeApiServer, budget: FixedBudget
) -> None:
    client.send(NODES, budget)
    client.send(NODES, budget)

    assert len(server.connected) == 1


def test_an_answer_in_chunks_is_read_whole_and_its_connection_kept(
    client: KubernetesClient, api: FakeApi, server: FakeApiServer, budget: FixedBudget
) -> None:
    api.faults[PATH].extend([Reply(body=b"0123456789" * 9, chunked=True)] * 2)

    assert client.send(NODES, budget) == b"0123456789" * 9
    assert client.send(NODES, budget) == b"0123456789" * 9
    assert len(server.connected) == 1


def test_a_401_renews_the_token_once(
    client: KubernetesClient, api: FakeApi, tokens: ListedTokens, budget: FixedBudget
) -> None:
    tokens.tokens = ["k8s-aws-v1.stale", TOKEN]

    client.send(PATCH, budget)

    assert tokens.renewed == 1
    assert [each.headers["authorization"] for each in api.requests] == ["Bearer k8s-aws-v1.stale", f"Bearer {TOKEN}"]


def test_a_second_401_says_that_the_access_entry_is_missing(
    client: KubernetesClient, api: FakeApi, tokens: ListedTokens, budget: FixedBudget
) -> None:
    tokens.tokens = ["k8s-aws-v1.stranger"]

    with pytest.raises(Unauthorized, match=r"unauthorized: list nodes: .*access entry"):
        client.send(NODES, budget)

    assert len(api.requests) == 2


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (FORBIDDEN, (NotPermitted, r"^forbidden: list nodes; apply `warmpool manifests`.*cannot list resource")),
        (status(404, "NotFound"), (NotFound, "^not found: list nodes")),
        (status(409, "Conflict", "uid"), (Conflict, r"^conflict: list nodes: 409 \(uid\)")),
        (status(422, "Invalid", "rejected"), (Conflict, r"^conflict: list nodes: 422 \(rejected\)")),
        (EXPIRED, (Expired, "^expired: list nodes: 410")),
        (status(400, "BadRequest", "no\n selector"), (ClusterUnavailable, r"^list nodes: HTTP 400 \(no selector\)$")),
        (Reply(status=415, body=b"<html>"), (ClusterUnavailable, "^list nodes: HTTP 415$")),
        (Reply(status=400, body=b"[" * 100_000), (ClusterUnavailable, "^list nodes: HTTP 400$")),
    ],
)
def test_a_refusal_says_what_was_asked_and_is_not_repeated(
    client: KubernetesClient, api: FakeApi, budget: FixedBudget, reply: Reply, expected: tuple[type[Exception], str]
) -> None:
    api.faults[PATH].append(reply)

    with pytest.raises(expected[0], match=expected[1]):
        client.send(NODES, budget)

    assert len(api.requests) == 1


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_get_survives_two_passing_failures(
    client: KubernetesClient, api: FakeApi, pauses: Pauses, budget: FixedBudget, code: int
) -> None:
    api.faults[PATH].extend([status(code, "Busy")] * 2)

    client.send(NODES, budget)

    assert len(api.requests) == 3
    assert len(pauses.seconds) == 2


def test_a_get_gives_up_after_three_attempts(client: KubernetesClient, api: FakeApi, budget: FixedBudget) -> None:
    api.faults[PATH].extend([BUSY] * 9)

    with pytest.raises(ClusterUnavailable, match=r"list nodes: HTTP 503 \(apiserver is shutting down\)"):
        client.send(NODES, budget)

    assert len(api.requests) == 3


@pytest.mark.parametrize("reply", [BUSY, status(429, "TooManyRequests"), Reply(body=b"{}", cut=True)])
def test_a_patch_is_never_sent_again(client: KubernetesClient, api: FakeApi, budget: FixedBudget, reply: Reply) -> None:
    api.faults[PATH].append(reply)

    with pytest.raises(ClusterUnavailable):
        client.send(PATCH, budget)

    assert len(api.requests) == 1


def test_retry_after_is_respected(client: KubernetesClient, api: FakeApi, pauses: Pauses, budget: FixedBudget) -> None:
    api.faults[PATH].append(Reply(status=429, body={}, headers={"Retry-After": "2"}))

    client.send(NODES, budget)

    assert pauses.seconds == [2.0]


def test_a_retry_after_that_makes_no_sense_is_ignored(
    client: KubernetesClient, api: FakeApi, pauses: Pauses, budget: FixedBudget
) -> None:
    api.faults[PATH].append(Reply(status=429, body={}, headers={"Retry-After": "soon"}))

    client.send(NODES, budget)

    assert len(api.requests) == 2
    assert max(pauses.seconds) < 1


@pytest.mark.parametrize(("asked", "left"), [("60", 20.0), ("3", 2.5)])
def test_a_server_that_asks_for_more_time_than_there_is_is_left_alone(
    client: KubernetesClient, api: FakeApi, pauses: Pauses, asked: str, left: float
) -> None:
    api.faults[PATH].append(Reply(status=429, body={}, headers={"Retry-After": asked}))

    with pytest.raises(ClusterUnavailable, match="HTTP 429"):
        client.send(NODES, FixedBudget(left))

    assert pauses.seconds == []


def test_no_attempt_is_made_once_the_time_is_up(
    client: KubernetesClient, api: FakeApi, pauses: Pauses, budget: FixedBudget
) -> None:
    api.faults[PATH].append(Reply(status=503, body={}, headers={"Retry-After": "1"}))
    pauses.meanwhile = lambda: setattr(budget, "seconds", 0.0)

    with pytest.raises(Unreachable, match="no time is left"):
        client.send(NODES, budget)

    assert len(api.requests) == 1


def test_an_answer_that_breaks_off_is_asked_for_again(
    client: KubernetesClient, api: FakeApi, budget: FixedBudget
) -> None:
    api.faults[PATH].append(Reply(body={"items": ["lost"]}, cut=True))

    assert b"lost" not in client.send(NODES, budget)


def test_a_server_that_never_answers_ends_with_the_budget(
    client: KubernetesClient, api: FakeApi, budget: FixedBudget
) -> None:
    client.send(NODES, budget)  # the handshake is not what has to hurry here
    api.faults[PATH].append(Reply(silent=True))
    budget.seconds = 0.1

    with pytest.raises(Interrupted, match=r"patch pods op/ph-1: HTTP: 127\.0\.0\.1:\d+ has not answered in time"):
        client.send(PATCH, budget)


def test_a_server_that_drips_ends_with_the_budget(
    endpoints: ListedEndpoints, api: FakeApi, tokens: ListedTokens
) -> None:
    class Waning:
        """Time runs out at the third look."""

        left = [9.0, 9.0, 0.0]  # noqa: RUF012 - one test's own

        def remaining_seconds(self) -> float:
            return self.left.pop(0) if len(self.left) > 1 else 0.0

    api.faults[PATH].append(Reply(body={"items": ["x" * 100]}, drip=True))

    with pytest.raises(Unreachable, match="no time was left to read the whole answer"):
        KubernetesClient(endpoints, tokens).send(NODES, Waning())


def test_a_name_that_cannot_be_resolved_is_an_error_of_dns(
    endpoints: ListedEndpoints, client: KubernetesClient, budget: FixedBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    endpoints.endpoints = [Endpoint(url="https://api.example", ca_pem=endpoints.endpoint().ca_pem)]

    with pytest.raises(Interrupted, match=r"list nodes: DNS: cannot resolve api\.example; .*VPC"):
        client.send(NODES, budget)


def test_a_port_where_nobody_listens_is_an_error_of_tcp(
    endpoints: ListedEndpoints, client: KubernetesClient, budget: FixedBudget
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"https://127.0.0.1:{unused.getsockname()[1]}"
        endpoints.endpoints = [Endpoint(url=url, ca_pem=endpoints.endpoint().ca_pem)]

        with pytest.raises(Interrupted, match=r"list nodes: TCP: cannot connect to 127\.0\.0\.1:.*security group"):
            client.send(NODES, budget)


def test_a_redirect_is_not_followed_with_our_token(
    client: KubernetesClient, api: FakeApi, server: FakeApiServer, budget: FixedBudget
) -> None:
    api.faults[PATH].append(Reply(status=302, body={}, headers={"Location": f"{server.url}/elsewhere"}))

    with pytest.raises(ClusterUnavailable, match="HTTP 302"):
        client.send(NODES, budget)

    assert api.paths() == [PATH]


@pytest.mark.parametrize("bad", ["", "two words", "line\nbreak", "k8s-aws-v1.\x00"])
def test_a_token_that_no_header_can_carry_is_not_shown(
    client: KubernetesClient, tokens: ListedTokens, budget: FixedBudget, bad: str
) -> None:
    tokens.tokens = [bad]

    with pytest.raises(Unauthorized, match=r"^list nodes: the token holds characters that no bearer token has$"):
        client.send(NODES, budget)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [(NotPermitted("eks:DescribeCluster"), Unauthorized), (ClusterUnavailable("eks"), Unreachable)],
)
def test_a_lookup_that_fails_says_so(
    tokens: ListedTokens, budget: FixedBudget, raised: Exception, expected: type[Exception]
) -> None:
    class Lost:
        def endpoint(self) -> Endpoint:
            raise raised

        def refresh(self) -> None:
            pytest.fail("nothing was connected yet")

    with pytest.raises(expected, match="list nodes: eks"):
        KubernetesClient(Lost(), tokens).send(NODES, budget)


@pytest.mark.parametrize(
    "reply",
    [
        status(403, "Forbidden", f"bad header: Bearer {TOKEN}"),
        status(401, "Unauthorized", f"token {TOKEN} has expired"),
        status(500, "InternalError", f"Bearer {TOKEN}"),
        Reply(body={"a": TOKEN}, cut=True),
        Reply(status=302, body={}, headers={"Location": "https://127.0.0.1:1/"}),
    ],
)
def test_the_token_is_in_no_log_and_no_error(
    client: KubernetesClient, api: FakeApi, caplog: pytest.LogCaptureFixture, budget: FixedBudget, reply: Reply
) -> None:
    api.faults[PATH].extend([reply] * 3)
    caplog.set_level(logging.DEBUG)

    with pytest.raises((ClusterUnavailable, NotPermitted)) as caught:
        client.send(NODES, budget)

    told = "".join(traceback.format_exception(caught.value))
    assert TOKEN not in told + repr(caught.value) + repr(client) + caplog.text
    assert "/api/v1/nodes" in caplog.text  # the log was on
