"""Gap: moto's EKS cluster has an endpoint that nobody serves, random text for a CA, and no access config."""

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol

from moto.eks.models import EKSBackend

from warmpool.sim.aws.gaps.replacing import replaced

KUBERNETES_VERSION: Final = "1.33"
_NETWORK: Final = {
    "clusterSecurityGroupId": "sg-0c1a5e2b7d9f40311",
    "vpcId": "vpc-0a1b2c3d4e5f60718",
    "endpointPublicAccess": True,
    "endpointPrivateAccess": True,
    "publicAccessCidrs": ["0.0.0.0/0"],
}


class KubernetesEndpoint(Protocol):
    """Where a Kubernetes API answers; `warmpool.sim.api.server.ApiServer` is one."""

    @property
    def url(self) -> str:
        """The endpoint's URL."""
        ...

    @property
    def ca_pem(self) -> bytes:
        """The authority behind the endpoint's present certificate."""
        ...


@contextmanager
def eks_endpoint(endpoints: Mapping[str, KubernetesEndpoint]) -> Iterator[None]:
    """Let DescribeCluster tell of these endpoints, by cluster name, as they are when it is called."""

    def describe_cluster(backend: EKSBackend, name: str) -> Any:
        cluster = original(backend, name)
        endpoint = endpoints.get(name)
        if endpoint is not None:
            cluster.endpoint = endpoint.url
            cluster.certificate_authority = {"data": base64.b64encode(endpoint.ca_pem).decode()}
            cluster.access_config = {"authenticationMode": "API_AND_CONFIG_MAP"}
            cluster.version = KUBERNETES_VERSION
            cluster.resources_vpc_config = {**_NETWORK, **cluster.resources_vpc_config}
        return cluster

    with replaced(EKSBackend, "describe_cluster", describe_cluster) as original:
        yield
