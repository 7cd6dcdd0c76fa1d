"""One cluster, two doors: the port that tests use, and the HTTPS API that the controller's own client reads."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any

import pytest

from tests.sim.api.standin import TOKENS
from warmpool.adapters.kubernetes.access import Endpoint
from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.adapters.memory import FixedBudget
from warmpool.app.errors import Conflict
from warmpool.app.ports import ScaleChange, Scope
from warmpool.core.decision import Mark
from warmpool.core.spec import PoolSpec
from warmpool.sim.api.access import controller_rules
from warmpool.sim.api.door import Door
from warmpool.sim.api.server import ApiServer
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, PortDoor, amounts

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

START = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)
NAMESPACE, DEPLOYMENT = "spaces-overprovisioning", "spaces-placeholder-cpu"
POOL = PoolSpec(name="spaces-cpu", deployment=DEPLOYMENT, node_selector={"pool": "spaces"}, min=2, max=8)
SCOPE = Scope(pools=[POOL], read_overhead_of=frozenset({POOL.name}))
BUDGET = FixedBudget(30.0)


class Known:
    """A fixed endpoint and token."""

    def __init__(self, api: ApiServer) -> None:
        self.api = api

    def endpoint(self) -> Endpoint:
        return Endpoint(url=self.api.url, ca_pem=self.api.ca_pem.decode())

    def refresh(self) -> None:
        """Nothing is cached."""

    def token(self) -> str:
        return "good"

    def renew(self) -> None:
        """There is no other."""


@pytest.fixture
def cluster() -> EmbeddedCluster:
    settings = ClusterSettings(daemonsets={"aws-node": amounts(cpu="50m", memory="64Mi")}, limits=amounts(cpu="960"))
    embedded = EmbeddedCluster(settings, START)
    requests = amounts(cpu="44", memory="172Gi")
    embedded.create_placeholders(NAMESPACE, DEPLOYMENT, replicas=2, requests=requests)
    embedded.add_disruption_budget(NAMESPACE, "cold", {"warmpool.spaces.aws/warm": "false"})
    return embedded


@pytest.fixture
def over_https(cluster: EmbeddedCluster) -> Iterator[KubernetesCluster]:
    with ApiServer(Door(cluster, TOKENS, controller_rules([NAMESPACE]))) as api:
        known = Known(api)
        yield KubernetesCluster(KubernetesClient(known, known))


def passes(embedded: EmbeddedCluster, minutes: int) -> None:
    embedded.advance(embedded.now + timedelta(minutes=minutes))


def by_name(items: Sequence[Any]) -> Mapping[str, Any]:
    return {item.name: item for item in sorted(items, key=attrgetter("name"))}


def assert_the_same_view(cluster: EmbeddedCluster, over_https: KubernetesCluster) -> None:
    through_port, through_api = PortDoor(cluster).observe(SCOPE, BUDGET), over_https.observe(SCOPE, BUDGET)
    assert through_api.missing == ()
    for part in ("nodes", "pods", "claims", "nodepools", "deployments", "scalers"):
        ours, theirs = by_name(getattr(through_port, part)), by_name(getattr(through_api, part))
        assert theirs == ours, part
    assert through_api.overheads == through_port.overheads


def test_both_doors_show_the_same_cluster_at_every_stage(
    cluster: EmbeddedCluster, over_https: KubernetesCluster
) -> None:
    assert_the_same_view(cluster, over_https)
    passes(cluster, 4)
    assert_the_same_view(cluster, over_https)
    passes(cluster, 6)
    for index in range(14):
        cluster.launch(f"w{index}")
    assert_the_same_view(cluster, over_https)
    passes(cluster, 1)
    cluster.add_foreign_scaler("HPA", NAMESPACE, "hpa", DEPLOYMENT)
    cluster.add_foreign_scaler("ScaledObject", NAMESPACE, "keda", DEPLOYMENT)
    cluster.cordon(cluster.objects("nodes")[0]["metadata"]["name"])
    cluster.set_ready(cluster.objects("nodes")[1]["metadata"]["name"], False)  # noqa: FBT003
    assert_the_same_view(cluster, over_https)


def test_a_write_through_one_door_is_seen_through_the_other(
    cluster: EmbeddedCluster, over_https: KubernetesCluster
) -> None:
    for target in (5, 0, 1):
        current = cluster.get_scale(NAMESPACE, DEPLOYMENT) or 0
        assert over_https.scale(POOL, ScaleChange(current=current, target=target), BUDGET) == target
        assert cluster.get_scale(NAMESPACE, DEPLOYMENT) == target
    dry = ScaleChange(current=1, target=4, dry_run=True)
    assert over_https.scale(POOL, dry, BUDGET) == 4
    with pytest.raises(Conflict):
        over_https.scale(POOL, ScaleChange(current=3, target=4), BUDGET)
    assert cluster.get_scale(NAMESPACE, DEPLOYMENT) == 1
    assert_the_same_view(cluster, over_https)


def test_marks_reach_the_pod_that_was_meant_and_no_other(
    cluster: EmbeddedCluster, over_https: KubernetesCluster
) -> None:
    pods = [pod["metadata"] for pod in cluster.objects("pods") if pod["metadata"]["namespace"] == NAMESPACE]
    meant, other = pods[0], pods[1]
    marks = [
        Mark(
            namespace=NAMESPACE,
            pod=meant["name"],
            uid=meant["uid"],
            set_deletion_cost=True,
            deletion_cost=-100,
            warm=True,
        ),
        Mark(namespace=NAMESPACE, pod=other["name"], uid="another", warm=True),
        Mark(namespace=NAMESPACE, pod="gone", uid="gone", warm=True),
    ]
    over_https.mark(marks, BUDGET)
    found = {pod.name: pod for pod in over_https.observe(SCOPE, BUDGET).pods}
    assert found[meant["name"]].deletion_cost == -100
    assert found[meant["name"]].labels["warmpool.spaces.aws/warm"] == "true"
    assert "warmpool.spaces.aws/warm" not in found[other["name"]].labels
    assert_the_same_view(cluster, over_https)
