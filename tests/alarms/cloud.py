"""The stage for what AWS measures by itself: both functions behind their queues in the embedded AWS."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.ingest_audit.handler import handler as ingest_handler
from functions.reconcile.handler import handler
from tests.alarms.played import SETTLED, Emitting, Played
from tests.alarms.synthesised import POOL, STACK
from tests.events.audit_log import delivery
from tests.events.samples import sample
from tests.functions.reconcile_world import MINUTE, START, ReconcileWorld, reconcile_world
from tests.scenarios.eventful import Context
from warmpool.app.errors import NudgeNotSent
from warmpool.ingest_wiring import IngestApp
from warmpool.ingest_wiring import build as build_ingest
from warmpool.settings import IngestSettings
from warmpool.sim.alarms.definitions import MetricAlarm
from warmpool.sim.alarms.watch import Alarms
from warmpool.sim.aws.pump import Invocation, QueuePump
from warmpool.sim.aws.session import quick_session


def point(alarm: MetricAlarm, at: datetime, value: float) -> str:
    """Write one value of the metric that an alarm looks at, as AWS does by itself for its own services."""
    [query] = alarm.metrics.values()
    directive: dict[str, Any] = {
        "Namespace": query.namespace,
        "Dimensions": [[name for name, _ in query.dimensions]],
        "Metrics": [{"Name": query.metric}],
    }
    about = {"Timestamp": int(at.timestamp() * 1000), "CloudWatchMetrics": [directive]}
    return json.dumps({"_aws": about, **dict(query.dimensions), query.metric: value})


@dataclass
class CloudStage:
    """Each minute a tick and one record of the audit log, and at its end what CloudWatch would have measured.

    Age of the oldest message, depth of the queues for what went wrong, errors, throttles and durations are those of
    this stage's own Lambda and Scheduler, which stand in for AWS'.
    """

    alarms: Alarms
    world: ReconcileWorld
    emitting: Emitting
    lines: list[str] = field(default_factory=list)
    notes: list[tuple[datetime, str]] = field(default_factory=list)
    crashes: bool = False
    """The function does not get as far as the handler."""
    served: bool = True
    """Lambda takes messages from the queue."""
    throttled: bool = False
    """Lambda has no concurrency left to start the function with."""
    takes: timedelta = timedelta(0)
    """How long the cluster's API keeps a pass waiting."""
    refused: bool = False
    """The queue takes nothing from the schedule."""
    ingest_queue: str = ""
    """Where the ingest function sends its nudges; empty: into the right queue."""
    _waits_since: datetime | None = None
    _told: int = 0
    _apps: dict[str, IngestApp] = field(default_factory=dict)

    def __post_init__(self) -> None:
        working = partial(handler, app=self.world.app)

        def function(event: dict[str, Any], context: LambdaContext) -> Any:
            if self.crashes:
                raise MemoryError
            done = working(event, context)
            self.world.wait(self.takes)
            return done

        self._pump = QueuePump(self.world.aws, function)
        self._undelivered = self.world.aws.sqs.create_queue(QueueName="undelivered")["QueueUrl"]

    @property
    def now(self) -> datetime:
        return self.world.clock.time

    def note(self, text: str) -> None:
        """Take down what happens now."""
        self.notes.append((self.now, text))

    def wait(self, minutes: int) -> None:
        """Let minutes pass."""
        for _ in range(minutes):
            end = self.now + MINUTE
            self._write("audit-errors", self._ingest())
            self._tick()
            self.world.wait(max(timedelta(0), end - self.now))
            in_queue = self._depth(self.world.aws.queues.url)
            # The queue tells a message's age only to who takes it.
            self._waits_since = None if in_queue == 0 else self._waits_since or self.now
            self._write("queue-late", (self.now - (self._waits_since or self.now)).total_seconds())
            self._write("dead-letters", self._depth(self.world.aws.queues.dead_letters_url))
            self._write("undelivered-ticks", self._depth(self._undelivered))
            for report in self.world.telemetry.reports[self._told :]:
                self.emitting.publish(report)
            self._told = len(self.world.telemetry.reports)

    def purge_undelivered(self) -> None:
        """Empty the queue of what could not be delivered."""
        self.world.aws.sqs.purge_queue(QueueUrl=self._undelivered)

    def _tick(self) -> None:
        """Let the schedule send its tick, and Lambda run on all that is in the queue."""
        tick = json.dumps({"kind": "tick", "scheduled": f"{self.now:%Y-%m-%dT%H:%M:%SZ}", "execution": str(self._id())})
        if self.refused:
            self.world.aws.sqs.send_message(QueueUrl=self._undelivered, MessageBody=tick)
        else:
            self._pump.send(tick)
        self._write("throttled", int(self.throttled and self.served))
        began = self.now
        invocation = None if self.throttled or not self.served else self._deliver()
        self._write("function-errors", int(invocation is not None and invocation.error is not None))
        if invocation is not None:
            self._write("close-to-timeout", (self.now - began) / timedelta(milliseconds=1))

    def _deliver(self) -> Invocation | None:
        """Deliver batch by batch until the queue is empty or the function fails; return the last invocation."""
        last = None
        while (invocation := self._pump.deliver()) is not None:
            last = invocation
            if invocation.error is not None:
                break
        return last

    def _id(self) -> UUID:
        return UUID(int=int(self.now.timestamp()))

    def _ingest(self) -> int:
        """Let CloudWatch Logs deliver a record that matters; return the number of errors."""
        try:
            ingest_handler(
                delivery([sample("audit-workspace-created")]), Context(), self._ingest_app(self.ingest_queue)
            )
        except NudgeNotSent:
            return 1
        return 0

    def _ingest_app(self, queue: str) -> IngestApp:
        if queue in self._apps:
            return self._apps[queue]
        aws, session = self.world.aws, quick_session()
        settings = IngestSettings(
            stack=STACK,
            region=aws.settings().region,
            queue_url=queue or aws.queues.url,
            controller_role=aws.identity.role,
            placeholders=frozenset({("op", f"ph-{POOL}")}),
        )
        self._apps[queue] = build_ingest(settings, session=session, telemetry=self.world.telemetry)
        return self._apps[queue]

    def _depth(self, url: str) -> int:
        found = self.world.aws.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        return int(found["ApproximateNumberOfMessages"]) + int(found["ApproximateNumberOfMessagesNotVisible"])

    def _write(self, alarm: str, value: float) -> None:
        [found] = [each for each in self.alarms.metric if each.name == f"{STACK}-{alarm}"]
        self.lines.append(point(found, self.now, value))

    def played(self) -> Played:
        """Return the log so far."""
        lines = [*self.emitting.log.getvalue().splitlines(), *self.lines]
        return Played(lines=lines, start=START, end=self.now, notes=self.notes)


@contextmanager
def cloud_stage(alarms: Alarms) -> Iterator[CloudStage]:
    """Set up the handler in the embedded AWS and wait until its pool is warm."""
    with reconcile_world() as world:
        world.add_pool()
        on = CloudStage(alarms=alarms, world=world, emitting=Emitting(world.clock))
        on.wait(SETTLED)
        yield on
