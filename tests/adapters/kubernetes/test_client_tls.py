"""Whom the client trusts, and what it does where TLS fails."""

import select
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509

from tests.adapters.kubernetes.certificates import Chain, issue_chain
from tests.adapters.kubernetes.conftest import FixedBudget, ListedEndpoints, ListedTokens
from tests.adapters.kubernetes.fake_api import FakeApi, FakeApiServer, serving, status
from warmpool.adapters.kubernetes.client import Endpoint, KubernetesClient
from warmpool.adapters.kubernetes.collector import collector_paused
from warmpool.adapters.kubernetes.failures import TlsFailed, Unreachable
from warmpool.adapters.kubernetes.transport import Call, tls_context

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PATH = "/api/v1/nodes"
NODES = Call(does="list nodes", path=PATH, query={"limit": "500"})
PATCH = Call(does="patch pods op/ph-1", path=PATH, method="PATCH", body={}, content_type="application/merge-patch+json")
BUSY = status(503, "ServiceUnavailable", "apiserver is shutting down")


@pytest.fixture(autouse=True)
def _empty_list(api: FakeApi) -> None:
    api.lists[PATH] = []


def shake_hands(server: FakeApiServer, context: ssl.SSLContext) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port)) as plain:
        context.wrap_socket(plain, server_hostname="127.0.0.1").close()


def test_a_ca_without_authority_key_identifier_is_good_enough(server: FakeApiServer, chain: Chain) -> None:
    context = tls_context(chain.ca_pem)

    shake_hands(server, context)
    assert not context.verify_flags & ssl.VERIFY_X509_STRICT


def test_strict_mode_would_refuse_that_ca(server: FakeApiServer, chain: Chain) -> None:
    context = tls_context(chain.ca_pem)
    context.verify_flags |= ssl.VERIFY_X509_STRICT

    with pytest.raises(ssl.SSLCertVerificationError, match="Missing Authority Key Identifier"):
        shake_hands(server, context)


def test_verification_of_certificate_and_host_name_stays_on(chain: Chain) -> None:
    context = tls_context(chain.ca_pem)

    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert [each["subject"] for each in context.get_ca_certs()] == [((("commonName", "ca"),),)]


def test_a_server_of_another_ca_is_refused(
    endpoints: ListedEndpoints, client: KubernetesClient, api: FakeApi, budget: FixedBudget
) -> None:
    endpoints.endpoints = [Endpoint(url=endpoints.endpoint().url, ca_pem=issue_chain().ca_pem)]

    with pytest.raises(TlsFailed, match=r"list nodes: TLS: 127\.0\.0\.1.*certificate verify failed"):
        client.send(NODES, budget)

    assert api.requests == []


def test_a_certificate_for_another_host_is_refused(api: FakeApi, tmp_path: Path, budget: FixedBudget) -> None:
    other = issue_chain(x509.DNSName("kubernetes.example"))
    (tmp_path / "other.pem").write_bytes(other.server_pem)
    with serving(api, tmp_path / "other.pem") as server:
        client = KubernetesClient(ListedEndpoints([Endpoint(url=server.url, ca_pem=other.ca_pem)]), ListedTokens())

        with pytest.raises(TlsFailed, match=r"TLS.*127\.0\.0\.1"):
            client.send(NODES, budget)

    assert api.requests == []


def test_a_tls_failure_refreshes_endpoint_and_ca_once(
    endpoints: ListedEndpoints, client: KubernetesClient, budget: FixedBudget
) -> None:
    good = endpoints.endpoint()
    endpoints.endpoints = [Endpoint(url=good.url, ca_pem=issue_chain().ca_pem), good]

    client.send(PATCH, budget)

    assert endpoints.refreshed == 1


def test_a_tls_failure_that_a_refresh_does_not_cure_is_not_tried_for_ever(
    endpoints: ListedEndpoints, client: KubernetesClient, budget: FixedBudget
) -> None:
    wrong = Endpoint(url=endpoints.endpoint().url, ca_pem=issue_chain().ca_pem)
    endpoints.endpoints = [wrong]

    with pytest.raises(TlsFailed):
        client.send(NODES, budget)

    assert endpoints.refreshed == 1


@pytest.mark.parametrize(
    "ca_pem", ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]
)
def test_a_ca_that_is_no_certificate_is_an_error_of_tls(
    endpoints: ListedEndpoints, client: KubernetesClient, budget: FixedBudget, ca_pem: str
) -> None:
    endpoints.endpoints = [Endpoint(url=endpoints.endpoint().url, ca_pem=ca_pem)]

    with pytest.raises(TlsFailed, match="TLS: the cluster's certificate authority is no PEM certificate"):
        client.send(NODES, budget)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "127.0.0.1", ""])
def test_an_endpoint_without_tls_never_gets_the_token(
    endpoints: ListedEndpoints, client: KubernetesClient, budget: FixedBudget, url: str
) -> None:
    endpoints.endpoints = [Endpoint(url=url, ca_pem=endpoints.endpoint().ca_pem)]

    with pytest.raises(Unreachable, match="expected https://HOST"):
        client.send(NODES, budget)


@pytest.fixture
def mute() -> Iterator[str]:
    """Return the URL of a port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"


def test_a_handshake_that_nobody_answers_is_an_error_of_tls(
    endpoints: ListedEndpoints, client: KubernetesClient, mute: str
) -> None:
    endpoints.endpoints = [Endpoint(url=mute, ca_pem=endpoints.endpoint().ca_pem)]

    with pytest.raises(TlsFailed, match=r"list nodes: TLS: 127\.0\.0\.1:.*the handshake broke off"):
        client.send(NODES, FixedBudget(0.1))


@pytest.fixture
def reset() -> Iterator[socket.socket]:
    """Return a connection that the server has reset before anybody said anything."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as plain,
    ):
        accepted, _ = listening.accept()
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        accepted.close()
        assert select.select([plain], [], [], 5)[0], "the reset has arrived"
        yield plain


def test_a_connection_that_is_reset_before_the_handshake_stays_its_owners_to_close(
    chain: Chain, reset: socket.socket
) -> None:
    with pytest.raises(ssl.SSLError, match="the handshake broke off"):
        tls_context(chain.ca_pem).wrap_socket(reset, server_hostname="127.0.0.1")

    assert reset.fileno() >= 0


def test_connections_to_an_endpoint_that_has_moved_are_closed_at_once(
    endpoints: ListedEndpoints, server: FakeApiServer, api: FakeApi, pem_file: Path, client: KubernetesClient
) -> None:
    client.send(NODES, FixedBudget())
    assert len(server.connected) == 1

    with serving(api, pem_file) as moved_to, collector_paused():
        endpoints.endpoints = [Endpoint(url=moved_to.url, ca_pem=endpoints.endpoint().ca_pem)]
        client.send(NODES, FixedBudget())

        until = time.monotonic() + 5
        while server.connected and time.monotonic() < until:
            time.sleep(0.01)
        assert server.connected == set()
