"""The Cluster port on a real Kubernetes API."""

from collections.abc import Sequence

from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.collector import collector_paused
from warmpool.adapters.kubernetes.observation import Observation
from warmpool.adapters.kubernetes.write import mark, scale
from warmpool.app.ports import Budget, ScaleChange, Scope
from warmpool.core.decision import Mark
from warmpool.core.model import Snapshot
from warmpool.core.spec import PoolSpec


class KubernetesCluster:
    """Implements warmpool.app.ports.Cluster."""

    def __init__(self, client: KubernetesClient) -> None:
        self._client = client

    def observe(self, scope: Scope, budget: Budget) -> Snapshot:
        """Read what the pools need; a read that fails is named in `Snapshot.missing`.

        An entry there is `POOL: what failed`, or `*: what failed` where it concerns every pool. A list that fails is
        left out whole. Raises ClusterUnavailable or NotPermitted where nothing could be read at all.
        """
        with collector_paused():
            return Observation(self._client, scope, budget).take()

    def mark(self, marks: Sequence[Mark], budget: Budget, *, dry_run: bool = False) -> None:
        """Patch placeholder pods; a pod that has gone or was replaced meanwhile is no error."""
        for each in marks:
            mark(self._client, each, budget, dry_run=dry_run)

    def scale(self, pool: PoolSpec, change: ScaleChange, budget: Budget) -> int:
        """Test and set `deployments/scale`, read back and return the replicas.

        Raises Conflict where the present replicas are not `change.current`, or are not the target when they are read
        back; DeploymentGone, NotPermitted, ClusterUnavailable.
        """
        return scale(self._client, pool, change, budget)
