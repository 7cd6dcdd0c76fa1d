"""The server over real TLS connections on loopback."""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3
from kubernetes import client as kubernetes

from tests.sim.api.standin import StandIn, deployment, door, node, pod
from warmpool.sim.api.certificates import issue_certificates
from warmpool.sim.api.door import Door
from warmpool.sim.api.faults import Delivery, Fault
from warmpool.sim.api.server import ApiServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]
GOOD = {"Authorization": "Bearer good"}


@pytest.fixture
def the_door() -> Door:
    return door(StandIn(nodes=[node("a"), node("b")], pods=[pod("p")], deployments=[deployment()]))


@pytest.fixture
def api(the_door: Door) -> Iterator[ApiServer]:
    with ApiServer(the_door) as server:
        yield server


def trust(pem: bytes) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=pem.decode())


def connection(api: ApiServer) -> http.client.HTTPSConnection:
    port = int(api.url.rpartition(":")[2])
    return http.client.HTTPSConnection("127.0.0.1", port, context=trust(api.ca_pem), timeout=60)


def ask(link: http.client.HTTPSConnection, target: str = "/api/v1/nodes", **headers: str) -> tuple[int, Any]:
    link.request("GET", target, headers={**GOOD, **headers})
    answer = link.getresponse()
    return answer.status, json.loads(answer.read())


def test_one_connection_serves_many_requests_with_verification_on(api: ApiServer) -> None:
    link = connection(api)
    for _ in range(3):
        status, body = ask(link)
        assert (status, [item["metadata"]["name"] for item in body["items"]]) == (200, ["a", "b"])
        assert link.sock is not None, "the server keeps the connection"
    link.close()


def test_a_client_that_trusts_another_authority_refuses_the_server(api: ApiServer) -> None:
    other = trust(issue_certificates().ca_pem)
    with (
        urllib3.PoolManager(ssl_context=other, retries=False) as pool,
        pytest.raises(urllib3.exceptions.SSLError, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        pool.request("GET", f"{api.url}/api/v1/nodes", headers=GOOD)


def test_the_chain_is_as_hard_as_eks_for_strict_verification(api: ApiServer) -> None:
    strict = trust(api.ca_pem)
    strict.verify_flags |= ssl.VERIFY_X509_STRICT
    with (
        urllib3.PoolManager(ssl_context=strict, retries=False) as pool,
        pytest.raises(urllib3.exceptions.SSLError, match="Authority Key Identifier"),
    ):
        pool.request("GET", f"{api.url}/api/v1/nodes", headers=GOOD)


def test_a_new_authority_ends_connections_and_is_trusted_once_it_is_read_again(api: ApiServer) -> None:
    link, before = connection(api), api.ca_pem
    ask(link)
    api.rotate_authority()
    with pytest.raises((ssl.SSLError, OSError, http.client.HTTPException)):
        ask(link)
    link.close()
    stale = http.client.HTTPSConnection("127.0.0.1", int(api.url.rpartition(":")[2]), context=trust(before))
    with pytest.raises(ssl.SSLCertVerificationError):
        ask(stale)
    stale.close()
    fresh = connection(api)
    assert ask(fresh)[0] == 200
    fresh.close()


def test_too_many_requests_carry_the_header(api: ApiServer, the_door: Door) -> None:
    the_door.faults.add(Fault(status=429, retry_after_seconds=2))
    link = connection(api)
    link.request("GET", "/api/v1/nodes", headers=GOOD)
    answer = link.getresponse()
    answer.read()
    assert (answer.status, answer.headers["Retry-After"]) == (429, "2")
    link.close()


def test_a_cut_answer_is_an_incomplete_read(api: ApiServer, the_door: Door) -> None:
    the_door.faults.add(Fault(delivery=Delivery.TRUNCATED))
    link = connection(api)
    link.request("GET", "/api/v1/nodes", headers=GOOD)
    with pytest.raises((http.client.IncompleteRead, ssl.SSLError)):
        link.getresponse().read()
    link.close()
    again = connection(api)
    assert ask(again)[0] == 200
    again.close()


def test_a_dropped_connection_gives_no_answer(api: ApiServer, the_door: Door) -> None:
    the_door.faults.add(Fault(delivery=Delivery.DROPPED))
    link = connection(api)
    link.request("GET", "/api/v1/nodes", headers=GOOD)
    with pytest.raises((http.client.RemoteDisconnected, ssl.SSLError, ConnectionError)):
        link.getresponse()
    link.close()


def test_a_late_answer_outlasts_a_clients_patience_and_does_not_hold_up_the_end(the_door: Door) -> None:
    the_door.faults.add(Fault(delay_seconds=600))
    with ApiServer(the_door) as server:
        hasty = connection(server)
        hasty.connect()
        hasty.request("GET", "/api/v1/nodes", headers=GOOD)
        while not the_door.records:  # the request is recorded before it waits
            time.sleep(0.01)
        hasty.sock.settimeout(0.05)
        with pytest.raises(TimeoutError):
            hasty.getresponse()
        hasty.close()
        patient = connection(server)
        assert ask(patient)[0] == 200, "other connections are served meanwhile"
        patient.close()


def test_no_thread_is_left_when_it_ends(the_door: Door) -> None:
    before = threading.active_count()
    with ApiServer(the_door) as server:
        link = connection(server)
        ask(link)
        assert threading.active_count() > before
    assert threading.active_count() == before
    link.close()


def test_a_large_answer_is_compressed_for_those_who_ask(api: ApiServer, the_door: Door) -> None:
    many = [node(f"n{index}", filler="x" * 60) for index in range(1000)]
    the_door.cluster = StandIn(nodes=many)
    with urllib3.PoolManager(ssl_context=trust(api.ca_pem)) as pool:
        headers = {**GOOD, "Accept-Encoding": "gzip"}
        packed = pool.request("GET", f"{api.url}/api/v1/nodes", headers=headers)
        assert packed.headers["Content-Encoding"] == "gzip"
        plain = pool.request("GET", f"{api.url}/api/v1/nodes", headers=GOOD)
        assert "Content-Encoding" not in plain.headers
        assert packed.json() == plain.json()


def test_a_body_that_is_too_large_is_refused_unread(api: ApiServer) -> None:
    link = connection(api)
    link.putrequest("PATCH", "/api/v1/namespaces/op/pods/p")
    link.putheader("Content-Length", str(10**9))
    link.endheaders()
    assert link.getresponse().status == 413
    link.close()


def test_a_server_that_is_not_entered_has_no_address(the_door: Door) -> None:
    with pytest.raises(RuntimeError, match="not running"):
        _ = ApiServer(the_door).url


def test_the_official_client_reads_and_writes_through_it(api: ApiServer) -> None:
    configuration = kubernetes.Configuration(host=api.url)
    configuration.api_key = {"authorization": "good"}
    configuration.api_key_prefix = {"authorization": "Bearer"}
    configuration.ca_cert_data = api.ca_pem.decode()
    with kubernetes.ApiClient(configuration) as link:
        nodes = kubernetes.CoreV1Api(link).list_node(limit=1)
        assert [each.metadata.name for each in nodes.items if each.metadata] == ["a"]
        apps = kubernetes.AppsV1Api(link)
        body = [
            {"op": "test", "path": "/spec/replicas", "value": 2},
            {"op": "replace", "path": "/spec/replicas", "value": 4},
        ]
        scale = apps.patch_namespaced_deployment_scale("ph", "op", body, field_manager="warmpool-controller")
        assert scale.spec is not None
        assert scale.spec.replicas == 4
        with pytest.raises(kubernetes.ApiException) as refusal:
            apps.patch_namespaced_deployment_scale("ph", "op", body)
        assert refusal.value.status == 422
