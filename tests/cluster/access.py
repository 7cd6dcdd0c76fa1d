"""The controller's way to the real API server: the product's own client and token, with keys that the tests choose."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.cluster.plane import CLUSTER_NAME, REGION, ControlPlane
from tests.cluster.settings import CONTROLLER, Session
from warmpool.adapters.aws.clock import SystemClock
from warmpool.adapters.aws.eks_token import SigningKeys, TokenProvider
from warmpool.adapters.kubernetes.access import Endpoint
from warmpool.adapters.kubernetes.client import KubernetesClient


@dataclass(slots=True)
class ShiftedClock:
    """The real clock, so much earlier or later."""

    by: timedelta = field(default_factory=timedelta)

    def now(self) -> datetime:
        """Return the shifted instant."""
        return datetime.now(UTC) + self.by


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenKeys:
    """Keys that do not change."""

    keys: SigningKeys

    def current(self) -> SigningKeys:
        """Return the keys."""
        return self.keys


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenEndpoint:
    """An endpoint that does not change."""

    given: Endpoint

    def endpoint(self) -> Endpoint:
        """Return it."""
        return self.given

    def refresh(self) -> None:
        """Nothing is kept."""


@dataclass(slots=True)
class GivenToken:
    """A token made by hand."""

    text: str

    def token(self) -> str:
        """Return it."""
        return self.text

    def renew(self) -> None:
        """There is no other."""


def keys_of(session: Session, *, secret: str | None = None) -> GivenKeys:
    """Return a session's keys, or wrong ones."""
    return GivenKeys(keys=SigningKeys(access_key=session.access_key, secret_key=secret or session.secret_key))


def token_source(
    keys: GivenKeys | None = None, *, cluster: str = CLUSTER_NAME, clock: ShiftedClock | None = None
) -> TokenProvider:
    """Make tokens as the function does."""
    return TokenProvider(
        cluster_name=lambda: cluster, region=REGION, keys=keys or keys_of(CONTROLLER), clock=clock or SystemClock()
    )


def endpoint_of(plane: ControlPlane) -> GivenEndpoint:
    """Return where the real API server is."""
    return GivenEndpoint(given=Endpoint(url=plane.url, ca_pem=plane.ca_pem))


def client_of(plane: ControlPlane, tokens: TokenProvider | GivenToken | None = None) -> KubernetesClient:
    """Return the product's client for the real API server."""
    return KubernetesClient(endpoint_of(plane), tokens or token_source())
