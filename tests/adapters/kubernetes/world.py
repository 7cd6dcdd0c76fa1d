"""A small world on the fake API for the tests of observations, and where its parts are."""

from typing import Any

from tests.adapters.kubernetes.bodies import deployment, node, node_claim, node_pool, pod
from tests.adapters.kubernetes.conftest import FixedBudget
from tests.adapters.kubernetes.fake_api import FakeApi
from tests.builders import pool
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.app.ports import Scope
from warmpool.core.model import Snapshot
from warmpool.core.spec import PoolSpec

NODES = "/api/v1/nodes"
PODS = "/api/v1/pods"
OP_PODS = "/api/v1/namespaces/op/pods"
OP_DEPLOYMENTS = "/apis/apps/v1/namespaces/op/deployments"
PH = f"{OP_DEPLOYMENTS}/ph"
HPAS = "/apis/autoscaling/v2/namespaces/op/horizontalpodautoscalers"
SCALED_OBJECTS = "/apis/keda.sh/v1alpha1/namespaces/op/scaledobjects"
CLAIMS = "/apis/karpenter.sh/v1/nodeclaims"
NODE_POOLS = "/apis/karpenter.sh/v1/nodepools"
WORKSPACE = "workspace.jupyter.org/workspace-name"


def fill(api: FakeApi) -> None:
    """Put one node with a placeholder and a workspace there; KEDA is not installed, Karpenter is."""
    api.lists |= {
        NODES: [node("n1")],
        PODS: [pod("w1", "team", labels={WORKSPACE: "w1"})],
        OP_PODS: [pod("ph-1")],
        OP_DEPLOYMENTS: [deployment()],
        HPAS: [],
        CLAIMS: [node_claim()],
        NODE_POOLS: [node_pool()],
    }
    api.objects[PH] = deployment()


def observe(cluster: KubernetesCluster, *pools: PoolSpec, **scope: Any) -> Snapshot:
    """Observe pool `spaces`, or those given; `scope` goes into the Scope."""
    return cluster.observe(Scope(pools=pools or (pool(),), **scope), FixedBudget())
