"""A tick through the queue into the real handler, and over HTTPS to the embedded cluster."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.reconcile.handler import handler
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.adapters.memory import RecordingTelemetry
from warmpool.core.decision import Action
from warmpool.core.reasons import Code
from warmpool.sim.api.faults import Fault
from warmpool.sim.aws.cloud import EmbeddedCloud
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, amounts
from warmpool.sim.policies import ClusterClock
from warmpool.wiring import build

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

START = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)
NAMESPACE, DEPLOYMENT = "spaces-overprovisioning", "spaces-placeholder-cpu"
SPEC = """
version: 1
cluster: {hyperpod: ml-research}
pools:
  spaces-cpu:
    deployment: spaces-placeholder-cpu
    nodeSelector: {pool: spaces}
    shape: {cpu: "4", memory: 16Gi}
    nodeAllocatable: {cpu: 47810m, memory: 188520Mi}
    min: 2
    max: 8
    scaleDown: {after: 2m}
"""


class Running:
    """The whole product, one minute at a time."""

    def __init__(self, cluster: EmbeddedCluster, cloud: EmbeddedCloud) -> None:
        self.cluster = cluster
        self.cloud = cloud
        self.telemetry = RecordingTelemetry()
        app = build(cloud.aws.settings(), clock=ClusterClock(cluster=cluster), telemetry=self.telemetry)

        def invoke(event: dict[str, Any], context: LambdaContext) -> Any:
            return handler(event, context, app)

        self.pump = cloud.pump(invoke)

    def minutes(self, count: int) -> None:
        for _ in range(count):
            self.cluster.advance(self.cluster.now + timedelta(minutes=1))
            invocation = self.pump.tick(self.cluster.now)
            assert invocation is not None
            assert invocation.error is None

    def replicas(self) -> int | None:
        return self.cluster.get_scale(NAMESPACE, DEPLOYMENT)

    def last(self) -> Any:
        return self.telemetry.reports[-1]


@pytest.fixture
def running() -> Iterator[Running]:
    cluster = EmbeddedCluster(ClusterSettings(), START)
    requests = amounts(cpu="44", memory="172Gi")
    cluster.create_placeholders(NAMESPACE, DEPLOYMENT, replicas=0, requests=requests, labels={"app": DEPLOYMENT})
    with EmbeddedCloud(cluster) as cloud:
        cloud.aws.put_specs(load_spec_file(SPEC).runtime_documents)
        yield Running(cluster, cloud)


def test_a_tick_raises_the_placeholders_from_nothing_to_min(running: Running) -> None:
    running.minutes(1)
    (decision,) = running.last().decisions
    assert (decision.current, decision.target, decision.action) == (0, 2, Action.UP)
    assert running.replicas() == 2
    assert running.last().complete, running.telemetry.warnings
    assert running.last().failures == {}
    assert running.cloud.aws.dead_letters() == []
    (deployment,) = running.cluster.objects("deployments")
    managers = {each["manager"]: each.get("subresource") for each in deployment["metadata"]["managedFields"]}
    assert managers["warmpool-controller"] == "scale"


def test_every_request_was_authenticated_by_its_eks_token_and_permitted(running: Running) -> None:
    running.minutes(12)
    records = running.cloud.door.records
    assert {record.user for record in records} == {"warmpool:reconcile"}
    assert {record.status for record in records} <= {200, 404}
    assert not running.cloud.door.refused_tokens
    used = {(record.verb, record.resource) for record in records}
    assert ("patch", "deployments/scale") in used
    assert ("list", "nodes") in used


def test_the_pool_becomes_warm_and_then_stands_still(running: Running) -> None:
    running.minutes(15)
    ready = [pod for pod in running.cluster.objects("pods") if pod["metadata"]["namespace"] == NAMESPACE]
    assert len(ready) == 2
    assert len(running.cluster.objects("nodes")) == 2
    assert running.last().decisions[0].warm_slots > 0
    writes = [record for record in running.cloud.door.records if record.resource == "deployments/scale"]
    assert [record.verb for record in writes] == ["patch", "get"], "one write and its read-back in all that time"


def test_a_launch_that_takes_a_warm_node_is_made_good(running: Running) -> None:
    running.minutes(10)
    for index in range(11):
        running.cluster.launch(f"w{index}")
    running.minutes(12)
    assert running.replicas() is not None
    assert len(running.cluster.objects("nodes")) == 3
    assert running.last().decisions[0].busy_nodes == 1


def test_a_storm_of_nudges_costs_one_pass(running: Running) -> None:
    running.minutes(1)
    passes = len(running.telemetry.reports)
    for index in range(25):
        running.pump.send(f'{{"kind": "cluster-event", "id": "{index}"}}')
    running.cluster.advance(running.cluster.now + timedelta(seconds=1))
    batches = 0
    while running.pump.deliver() is not None:
        batches += 1
    # Each batch is an invocation; the first one's pass began after all of them were sent.
    assert batches == 3
    assert len(running.telemetry.reports) == passes + 1


def test_an_unreadable_message_ends_in_the_dead_letters_and_the_tick_is_served(running: Running) -> None:
    running.pump.send("not json")
    running.minutes(1)
    assert running.cloud.aws.dead_letters() == ["not json"]
    assert running.replicas() == 2


def test_an_override_acts_in_the_next_pass_and_ends_by_itself(running: Running) -> None:
    running.minutes(1)
    until = (running.cluster.now + timedelta(minutes=3)).isoformat()
    override = f'{{"min": 4, "until": "{until}", "reason": "exam"}}'
    running.cloud.aws.put_override("spaces-cpu", override)
    running.minutes(1)
    assert running.replicas() == 4
    running.minutes(12)
    assert running.replicas() == 2
    used = {(record.verb, record.resource) for record in running.cloud.door.records}
    assert ("patch", "pods") in used, "victims are marked first"


def test_a_403_holds_and_says_why(running: Running) -> None:
    running.minutes(10)
    running.cloud.door.faults.add(Fault(verb="list", resource="nodes", status=403))
    running.minutes(1)
    (decision,) = running.last().decisions
    assert decision.action is Action.HOLD
    assert any("nodes" in reason.text for reason in decision.reasons), decision.reasons
    assert not running.last().complete
    running.minutes(1)
    assert running.last().complete


def test_a_write_that_meets_another_writer_decides_again(running: Running) -> None:
    running.cloud.door.faults.add(Fault(verb="patch", resource="deployments/scale", status=422))
    running.minutes(1)
    assert running.last().conflicts == 1
    assert running.replicas() == 2


def test_a_cluster_without_keda_and_karpenter_is_served_all_the_same(running: Running) -> None:
    running.cloud.door.absent |= {"scaledobjects", "nodeclaims", "nodepools"}
    running.minutes(1)
    assert running.replicas() == 2
    assert running.last().complete


def test_a_new_certificate_authority_is_read_again_within_the_pass(running: Running) -> None:
    running.minutes(1)
    running.cloud.api.rotate_authority()
    running.minutes(1)
    assert running.last().complete


def test_a_day_old_token_is_renewed_by_the_virtual_clock(running: Running) -> None:
    running.minutes(1)
    running.cluster.advance(START + timedelta(hours=24))
    running.minutes(1)
    assert running.last().complete
    assert not running.cloud.door.refused_tokens


def test_a_role_without_an_access_entry_fails_the_pass_with_advice(running: Running) -> None:
    running.cloud.door.rules = ()
    running.minutes(1)
    assert running.replicas() == 0
    assert not running.last().complete


def test_autoscaling_out_of_service_holds(running: Running) -> None:
    running.cloud.aws.hyperpod.set_autoscaling("ml-research", status="Failed", failure="role is gone")
    running.minutes(1)
    codes = {reason.code for decision in running.last().decisions for reason in decision.reasons}
    assert Code.AUTOSCALING_NOT_IN_SERVICE in codes, codes
    assert running.replicas() == 0


def test_a_ledger_that_is_out_of_reach_does_not_keep_the_pool_cold(running: Running) -> None:
    running.cloud.aws.failures.order("GetItem", "AccessDeniedException", times=10)
    running.minutes(1)
    assert running.replicas() == 2
