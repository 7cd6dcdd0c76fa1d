"""What was played: the log of it, and what happened when; and the stages on which it is."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.reconcile.handler import handler
from tests.alarms.synthesised import POOL, SPEC, STACK
from tests.functions.reconcile_world import ReconcileWorld
from tests.scenarios.story import MINUTE, START, Story
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.adapters.memory import FixedClock, RecordingTelemetry
from warmpool.app.ports import PassReport
from warmpool.sim.alarms.definitions import MetricAlarm
from warmpool.sim.alarms.watch import Alarms
from warmpool.sim.aws.pump import QueuePump
from warmpool.sim.cluster import ClusterSettings
from warmpool.telemetry import PowertoolsTelemetry

SETTLED = 30
"""Minutes until a pool that begins empty is warm and every alarm has looked at it."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """The passes' log with AWS' own metrics, from when to when, and what was done."""

    lines: Sequence[str]
    start: datetime
    end: datetime
    notes: Sequence[tuple[datetime, str]]


class Emitting(RecordingTelemetry):
    """Keeps what it is told, and writes the log that Lambda would hand to CloudWatch."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self.log = io.StringIO()
        self.written = PowertoolsTelemetry(stack=STACK, stream=self.log, clock=clock)

    def publish(self, report: PassReport) -> None:
        super().publish(report)
        self.written.publish(report)


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
class Stage:
    """A story whose passes write their metrics; a calm half hour has passed when a test gets it."""

    alarms: Alarms
    story: Story
    telemetry: Emitting
    lines: list[str] = field(default_factory=list)
    notes: list[tuple[datetime, str]] = field(default_factory=list)

    @property
    def now(self) -> datetime:
        return self.story.clock.time

    def note(self, text: str) -> None:
        """Take down what happens now."""
        self.notes.append((self.now, text))

    def wait(self, minutes: int, **aws: float) -> None:
        """Let minutes pass with a pass in each; `aws` are values of the metrics that these alarms look at."""
        for _ in range(minutes):
            self.story.tick()
            for name, value in aws.items():
                self.aws(name.replace("_", "-"), value)

    def aws(self, alarm: str, value: float) -> None:
        """Write one value of the metric that a stack's alarm looks at."""
        [found] = [each for each in self.alarms.metric if each.name == f"{STACK}-{alarm}"]
        self.lines.append(point(found, self.now, value))

    def played(self) -> Played:
        """Return the log so far."""
        lines = [*self.telemetry.log.getvalue().splitlines(), *self.lines]
        return Played(lines=lines, start=START, end=self.now, notes=self.notes)


def stage(alarms: Alarms, settings: ClusterSettings | None = None) -> Stage:
    """Set up the pool of pools.yaml and wait until it is warm."""
    spec = load_spec_file(SPEC).spec.pools[POOL]
    story = Story(spec=spec, settings=settings or ClusterSettings())
    story.telemetry = telemetry = Emitting(story.clock)
    made = Stage(alarms=alarms, story=story, telemetry=telemetry)
    made.wait(SETTLED)
    return made


@dataclass
class CloudStage:
    """The handler behind its queue in the embedded AWS: what AWS measures by itself is measured here, in fact.

    Each minute ends as CloudWatch would have it: age of the oldest message, depth of the dead letters, errors.
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
    _waits_since: datetime | None = None
    _told: int = 0

    def __post_init__(self) -> None:
        working = partial(handler, app=self.world.app)

        def function(event: dict[str, Any], context: LambdaContext) -> Any:
            if self.crashes:
                raise MemoryError
            return working(event, context)

        self._pump = QueuePump(self.world.aws, function)

    @property
    def now(self) -> datetime:
        return self.world.clock.time

    def note(self, text: str) -> None:
        """Take down what happens now."""
        self.notes.append((self.now, text))

    def wait(self, minutes: int) -> None:
        """Let minutes pass, with a tick in each."""
        for _ in range(minutes):
            self.world.wait(MINUTE)
            crashed = self._minute()
            in_queue = self._depth(self.world.aws.queues.url)
            # The queue tells a message's age only to who takes it.
            self._waits_since = None if in_queue == 0 else self._waits_since or self.now
            self._write("function-errors", int(crashed))
            self._write("queue-late", (self.now - (self._waits_since or self.now)).total_seconds())
            self._write("dead-letters", self._depth(self.world.aws.queues.dead_letters_url))
            for report in self.world.telemetry.reports[self._told :]:
                self.emitting.publish(report)
            self._told = len(self.world.telemetry.reports)

    def _minute(self) -> bool:
        """Let the schedule send its tick, and Lambda run on all that is there; True where it crashed."""
        tick = {"kind": "tick", "scheduled": f"{self.now:%Y-%m-%dT%H:%M:%SZ}", "execution": str(UUID(int=self._told))}
        self._pump.send(json.dumps(tick))
        invocation = self._pump.deliver() if self.served else None
        while invocation is not None and invocation.error is None:
            invocation = self._pump.deliver()
        return invocation is not None

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
