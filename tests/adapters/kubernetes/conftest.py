"""A cluster on loopback, and a client for it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.adapters.kubernetes.certificates import Chain, issue_chain
from tests.adapters.kubernetes.fake_api import TOKEN, FakeApi, FakeApiServer, serving
from warmpool.adapters.kubernetes.client import Endpoint, KubernetesClient
from warmpool.adapters.kubernetes.observe import KubernetesCluster


@dataclass(slots=True)
class FixedBudget:
    """A budget that stays as it is until a test spends it."""

    seconds: float = 20.0

    def remaining_seconds(self) -> float:
        return self.seconds


@dataclass(slots=True)
class ListedEndpoints:
    """An EndpointSource that knows one endpoint after the other: each refresh moves on."""

    endpoints: list[Endpoint]
    refreshed: int = 0

    def endpoint(self) -> Endpoint:
        return self.endpoints[min(self.refreshed, len(self.endpoints) - 1)]

    def refresh(self) -> None:
        self.refreshed += 1


@dataclass(slots=True)
class ListedTokens:
    """A TokenSource that knows one token after the other."""

    tokens: list[str] = field(default_factory=lambda: [TOKEN])
    renewed: int = 0

    def token(self) -> str:
        return self.tokens[min(self.renewed, len(self.tokens) - 1)]

    def renew(self) -> None:
        self.renewed += 1


@dataclass(slots=True)
class Pauses:
    """Stands for time.sleep: remembers how long, and calls what a test wants to happen meanwhile."""

    seconds: list[float] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.meanwhile()


@pytest.fixture(scope="session")
def chain() -> Chain:
    return issue_chain()


@pytest.fixture(scope="session")
def pem_file(chain: Chain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    file.write_bytes(chain.server_pem)
    return file


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def server(api: FakeApi, pem_file: Path) -> Iterator[FakeApiServer]:
    with serving(api, pem_file) as running:
        yield running


@pytest.fixture
def endpoints(server: FakeApiServer, chain: Chain) -> ListedEndpoints:
    return ListedEndpoints([Endpoint(url=server.url, ca_pem=chain.ca_pem)])


@pytest.fixture
def tokens() -> ListedTokens:
    return ListedTokens()


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def client(endpoints: ListedEndpoints, tokens: ListedTokens, pauses: Pauses) -> KubernetesClient:
    return KubernetesClient(endpoints, tokens, sleep=pauses)


@pytest.fixture
def cluster(client: KubernetesClient) -> KubernetesCluster:
    return KubernetesCluster(client)


@pytest.fixture
def budget() -> FixedBudget:
    return FixedBudget()
