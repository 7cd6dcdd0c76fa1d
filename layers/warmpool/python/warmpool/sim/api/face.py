"""What the HTTPS door needs of the cluster behind it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

JsonObject = Mapping[str, Any]
"""One Kubernetes object as JSON; a changed object is a new mapping, so identity tells whether it is the same."""


class ClusterFace(Protocol):
    """The cluster that the door serves; `warmpool.sim.cluster.EmbeddedCluster` is one."""

    @property
    def now(self) -> datetime:
        """The cluster's own time, in UTC."""
        ...

    def objects(self, resource: str) -> Sequence[JsonObject]:
        """Return all objects of a resource ("pods"), the very same mapping for each as long as it is unchanged."""
        ...

    def get_scale(self, namespace: str, name: str) -> int | None:
        """Return a Deployment's replicas, None where there is no such Deployment."""
        ...

    def patch_scale(self, namespace: str, name: str, replicas: int, manager: str, at: datetime) -> object:
        """Set a Deployment's replicas in the name of a field manager."""
        ...

    def patch_pod(
        self,
        namespace: str,
        name: str,
        labels: Mapping[str, str | None] | None = None,
        annotations: Mapping[str, str | None] | None = None,
        uid: str | None = None,
    ) -> object:
        """Merge labels and annotations into a pod; None removes a key."""
        ...
