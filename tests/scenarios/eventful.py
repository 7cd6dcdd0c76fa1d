"""The whole product on one virtual clock, with every source of events on: what AWS would send reaches the queue.

The cluster's history becomes audit records, which pass CloudWatch's filter, the ingest function and the queue; a
written parameter becomes an event, which passes the rule and its transformer. Nothing takes time but what is told to.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from functions.ingest_audit.handler import handler as ingest_handler
from functions.reconcile.handler import handler as reconcile_handler
from infra.audit_filter import filter_pattern
from infra.event_patterns import cluster_event_pattern, cluster_state_pattern, parameter_pattern
from tests.events.audit_log import subscribed
from tests.events.cloudwatch_filter import compile_pattern
from tests.events.eventbridge import matches, transformed, transformer
from tests.events.samples import sample
from warmpool import ingest_wiring
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.adapters.memory import RecordingTelemetry
from warmpool.app.ingest import LAUNCHED_POD
from warmpool.core.model import WARM_LABEL
from warmpool.settings import IngestSettings, Settings
from warmpool.sim.aws.cloud import EmbeddedCloud
from warmpool.sim.aws.pump import Invocation, QueuePump
from warmpool.sim.aws.session import quick_session
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, amounts
from warmpool.sim.cluster.world import HistoryEvent
from warmpool.sim.policies import ClusterClock
from warmpool.wiring import build

Json = dict[str, Any]

START = datetime(2026, 12, 1, 7, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
POOL, NAMESPACE, DEPLOYMENT = "spaces-cpu", "spaces-overprovisioning", "spaces-placeholder-cpu"
SPEC = """
version: 1
cluster: {hyperpod: ml-research}
timezone: Europe/Berlin
pools:
  spaces-cpu:
    deployment: spaces-placeholder-cpu
    nodeSelector: {pool: spaces}
    shape: {cpu: "4", memory: 16Gi}
    placeholder: {cpu: "2", memory: 8Gi}
    min: 2
    max: 20
    leadTime: 10m
"""
SMALL = amounts(cpu="2", memory="8Gi")


class Context:
    """A few seconds, as Lambda gives them to the ingest function."""

    def get_remaining_time_in_millis(self) -> int:
        return 15_000


class Eventful:
    """One stack at work; it is also the means to wait, which lets the virtual time pass.

    `bodies` is what events put into the queue, `waited` how long passes waited for their turn, in seconds, and `plan`
    what happens at instants to come, also while the function waits.
    """

    def __init__(self, cluster: EmbeddedCluster, cloud: EmbeddedCloud, settings: Settings) -> None:
        self.cluster, self.cloud, self.settings = cluster, cloud, settings
        self.telemetry = RecordingTelemetry()
        self.waited: list[float] = []
        self.plan: list[tuple[datetime, Callable[[], object]]] = []
        self.called: set[str] = set()
        """AWS services that the functions have called."""
        session = quick_session()
        session.register("before-call", self._take_note)
        app = build(
            settings, clock=ClusterClock(cluster=cluster), session=session, telemetry=self.telemetry, pause=self
        )
        self.pump: QueuePump = cloud.pump(partial(reconcile_handler, app=app))
        self.ingest = ingest_wiring.build(
            IngestSettings(
                stack=settings.stack,
                region=settings.region,
                queue_url=cloud.aws.queues.url,
                controller_role=cloud.aws.identity.role,
                placeholders=frozenset({(NAMESPACE, DEPLOYMENT)}),
            ),
            session=session,
            telemetry=self.telemetry,
        )
        self.bodies: list[str] = []
        self._passes_filter = compile_pattern(filter_pattern([NAMESPACE]))
        self._told = 0
        self._records = 0
        self._events = 0

    def advance(self, by: timedelta) -> None:
        """Let time pass without anybody looking, with what was planned for it."""
        until = self.cluster.now + by
        while self.plan and min(self.plan, key=_due)[0] <= until:
            next_one = min(self.plan, key=_due)
            self.plan.remove(next_one)
            self.cluster.advance(max(next_one[0], self.cluster.now))
            next_one[1]()
        self.cluster.advance(until)

    def wait(self, seconds: float) -> None:
        """Let the function wait."""
        self.waited.append(seconds)
        self.advance(timedelta(seconds=seconds))

    def tick(self, minutes: int = 1) -> None:
        """Let minutes pass, with a tick at the end of each and nothing else."""
        for _ in range(minutes):
            self.advance(MINUTE)
            invocation = self.pump.tick(self.cluster.now)
            assert invocation is not None
            assert invocation.error is None
            self.serve()

    def audit(self) -> list[Json]:
        """Return the audit records of all that has happened in the cluster since this was last asked."""
        new = self.cluster.history[self._told :]
        self._told = len(self.cluster.history)
        return [record for event in new if (record := self._record(event)) is not None]

    def deliver_audit(self, records: list[Json] | None = None, *, at_once: int = 50) -> int:
        """Let CloudWatch deliver records, those of the cluster's history by default; return how many matter."""
        events = subscribed(self.audit() if records is None else records, self._passes_filter, at_once=at_once)
        return sum(ingest_handler(event, Context(), self.ingest)["matter"] for event in events)

    def put_override(self, document: str) -> Json:
        """Write an override as an operator does, and return the event of it."""
        self.cloud.aws.put_override(POOL, document)
        event = self._event("ssm-override-changed")
        event["detail"]["name"] = f"{self.settings.parameter_prefix}/{POOL}/override"
        return event

    def hyperpod_event(self, name: str = "hyperpod-instance-failed") -> Json:
        """Return an event of the cluster."""
        return self._event(name)

    def publish(self, event: Json) -> int:
        """Put an event on the bus: each rule that takes it sends one message. Returns how many do."""
        rules = {
            "parameter": [parameter_pattern(self.settings.parameter_prefix)],
            "cluster-event": [cluster_event_pattern("ml-research"), cluster_state_pattern("ml-research")],
        }
        taken = [kind for kind, patterns in rules.items() for each in patterns if matches(each, event)]
        for kind in taken:
            self.send(transformed(transformer(kind), event))
        return len(taken)

    def send(self, body: str) -> None:
        """Put a message into the queue."""
        self.bodies.append(body)
        self.pump.send(body)

    def serve(self) -> list[Invocation]:
        """Let the handler have what is in the queue, batch by batch, as Lambda does at once."""
        made: list[Invocation] = []
        while (invocation := self.pump.deliver()) is not None:
            made.append(invocation)
        return made

    @property
    def passes(self) -> int:
        """How many passes were made."""
        return len(self.telemetry.reports)

    @property
    def replicas(self) -> int:
        """The Deployment's replicas."""
        found = self.cluster.get_scale(NAMESPACE, DEPLOYMENT)
        assert found is not None
        return found

    @property
    def patches(self) -> int:
        """How often replicas were written."""
        return sum((each.verb, each.resource) == ("patch", "deployments/scale") for each in self.cloud.door.records)

    @property
    def warm(self) -> int:
        """How many placeholders are Ready."""
        pods = [each for each in self.cluster.world.pods.values() if each.namespace == NAMESPACE]
        return sum(each.ready for each in pods)

    def workspace_record(self, name: str, what: str = "created") -> Json:
        """Return the audit record of a person's Workspace."""
        return self._from(f"audit-workspace-{what}", {"namespace": "default", "name": name})

    def _take_note(self, **call: Any) -> None:
        self.called.add(call["model"].service_model.service_name)

    def _record(self, event: HistoryEvent) -> Json | None:
        if event.what in {"claim-created", "claim-deleted"}:
            return self._from(f"audit-node{event.what}", {"name": event.name})
        if event.what == "pod-bound" and event.name.startswith(LAUNCHED_POD):
            return self._from("audit-workspace-pod-bound", {"name": event.name})
        if not event.name.startswith(f"{DEPLOYMENT}-"):
            return self._from("audit-workspace-status-updated", {"name": event.name})
        kinds = {"pod-created": "created", "pod-preempted": "preempted", "pod-evicted": "evicted", "pod-bound": "bound"}
        kind = kinds.get(event.what)
        return self._from(f"audit-placeholder-{kind}", {"name": event.name}) if kind else None

    def _from(self, name: str, reference: Mapping[str, str]) -> Json:
        self._records += 1
        record = deepcopy(sample(name))
        record["auditID"] = f"{self.cluster.now.timestamp():.0f}-{self._records}"
        record["objectRef"].update(reference)
        return record

    def _event(self, name: str) -> Json:
        self._events += 1
        event = sample(name)
        event["id"] = f"0bd4a141-0a02-9d8a-f977-{self._events:012d}"
        event["time"] = self.cluster.now.strftime("%Y-%m-%dT%H:%M:%SZ")
        return event


def _due(planned: tuple[datetime, Callable[[], object]]) -> datetime:
    return planned[0]


@contextmanager
def eventful(
    spec: str = SPEC, *, start: datetime = START, requests: Mapping[str, int] = SMALL, **changes: Any
) -> Iterator[Eventful]:
    """Start a stack whose placeholder Deployment is there, with none; `changes` are the cluster's settings."""
    cluster = EmbeddedCluster(ClusterSettings(**changes), start)
    cluster.create_placeholders(
        NAMESPACE,
        DEPLOYMENT,
        replicas=0,
        requests=requests,
        labels={"app": DEPLOYMENT, WARM_LABEL: "false"},
        max_surge=0,
        max_unavailable=1,
    )
    loaded = load_spec_file(spec)
    with EmbeddedCloud(cluster) as cloud:
        cloud.aws.put_specs(loaded.runtime_documents)
        settings = cloud.aws.settings()
        if loaded.spec.cluster.hyperpod is None:
            settings = Settings(
                stack=settings.stack,
                region=settings.region,
                table=settings.table,
                dead_letter_queue_url=settings.dead_letter_queue_url,
                eks_cluster=loaded.spec.cluster.eks,
            )
        yield Eventful(cluster, cloud, settings)


def warmed(running: Eventful) -> Eventful:
    """Let the pool become warm, and forget what was told on the way."""
    running.tick(12)
    assert running.warm == running.replicas
    running.audit()
    return running
