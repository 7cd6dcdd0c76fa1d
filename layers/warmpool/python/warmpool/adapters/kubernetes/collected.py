"""A snapshot being put together, every object once."""

from warmpool.adapters.kubernetes.workloads import Workload
from warmpool.core.model import Deployment, Node, NodeClaim, NodePool, Pod, Scaler, Snapshot


class Collected:
    """Objects by uid: one that is met twice (between two pages, by two selectors) counts once, as last seen."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.pods: dict[str, Pod] = {}
        self.claims: dict[str, NodeClaim] = {}
        self.nodepools: dict[str, NodePool] = {}
        self.deployments: dict[str, Deployment] = {}
        self.scalers: dict[Scaler, None] = {}

    def add(self, found: object) -> None:
        """Take one object in; what a snapshot does not hold is left out."""
        match found:
            case Node():
                self.nodes[found.uid] = found
            case Pod():
                self.pods[found.uid] = found
            case NodeClaim():
                self.claims[found.uid] = found
            case NodePool():
                self.nodepools[found.name] = found
            case Workload():
                self.deployments[found.deployment.uid] = found.deployment
                self.scalers.update(dict.fromkeys(found.scales))
            case Scaler():
                self.scalers[found] = None

    def snapshot(self) -> Snapshot:
        """Return what has been collected."""
        return Snapshot(
            nodes=tuple(self.nodes.values()),
            pods=tuple(self.pods.values()),
            claims=tuple(self.claims.values()),
            nodepools=tuple(self.nodepools.values()),
            deployments=tuple(self.deployments.values()),
            scalers=tuple(self.scalers),
        )
