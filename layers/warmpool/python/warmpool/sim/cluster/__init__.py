"""An embedded Kubernetes cluster with Karpenter and Spaces, in virtual time."""

from warmpool.sim.cluster.books import Books
from warmpool.sim.cluster.cluster import EmbeddedCluster
from warmpool.sim.cluster.door import Failures, PortDoor
from warmpool.sim.cluster.launches import LaunchRecord
from warmpool.sim.cluster.settings import ClusterSettings, NodePoolSettings, amounts
from warmpool.sim.cluster.state import Mismatch, NotFound, Outcome
from warmpool.sim.cluster.world import HistoryEvent

__all__ = [
    "Books",
    "ClusterSettings",
    "EmbeddedCluster",
    "Failures",
    "HistoryEvent",
    "LaunchRecord",
    "Mismatch",
    "NodePoolSettings",
    "NotFound",
    "Outcome",
    "PortDoor",
    "amounts",
]
