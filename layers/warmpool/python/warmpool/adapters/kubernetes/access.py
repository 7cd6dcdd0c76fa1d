"""What the client has to be told: where the API server is, who vouches for it, and by which token it knows us."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the API server is, and the CA that vouches for it."""

    url: str
    ca_pem: str


class EndpointSource(Protocol):
    """Knows the endpoint (EKS DescribeCluster)."""

    def endpoint(self) -> Endpoint:
        """Return the endpoint, from a cache where that is fresh. Raises ClusterUnavailable or NotPermitted."""
        ...

    def refresh(self) -> None:
        """Forget the cache: the endpoint or its CA has changed."""
        ...


class TokenSource(Protocol):
    """Knows the bearer token."""

    def token(self) -> str:
        """Return a token that is still good. Raises ClusterUnavailable or NotPermitted."""
        ...

    def renew(self) -> None:
        """Forget the token: the server has refused it."""
        ...
