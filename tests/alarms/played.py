"""What was played: the log of it, and what happened when; and the stage on which most of it is."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tests.alarms.synthesised import POOL, SPEC, STACK
from tests.scenarios.judging import judge
from tests.scenarios.story import MINUTE, START, Story
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.adapters.memory import FixedClock, RecordingTelemetry
from warmpool.app.ports import PassReport
from warmpool.sim.alarms.watch import Alarms
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

    def minute(self, at: datetime) -> int:
        """Count from when the pool began to be filled."""
        return (at - self.start) // MINUTE


class Emitting(RecordingTelemetry):
    """Keeps what it is told, and writes the log that Lambda would hand to CloudWatch."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self.log = io.StringIO()
        self.written = PowertoolsTelemetry(stack=STACK, stream=self.log, clock=clock)

    def publish(self, report: PassReport) -> None:
        super().publish(report)
        self.written.publish(report)


@dataclass
class Stage:
    """A story whose passes write their metrics; a calm half hour has passed when a test gets it."""

    alarms: Alarms
    story: Story
    telemetry: Emitting
    notes: list[tuple[datetime, str]] = field(default_factory=list)

    @property
    def now(self) -> datetime:
        return self.story.clock.time

    def note(self, text: str) -> None:
        """Take down what happens now."""
        self.notes.append((self.now, text))

    def wait(self, minutes: int) -> None:
        """Let minutes pass with a pass in each."""
        for _ in range(minutes):
            self.story.tick()

    def played(self) -> Played:
        """Return the log so far. Fails where a launch was judged wrongly."""
        judge(self.story.ledger.books[POOL], self.story.cluster.launches)
        lines = self.telemetry.log.getvalue().splitlines()
        return Played(lines=lines, start=START, end=self.now, notes=self.notes)


def stage(alarms: Alarms, settings: ClusterSettings | None = None) -> Stage:
    """Set up the pool of pools.yaml and wait until it is warm."""
    spec = load_spec_file(SPEC).spec.pools[POOL]
    story = Story(spec=spec, settings=settings or ClusterSettings())
    story.telemetry = telemetry = Emitting(story.clock)
    made = Stage(alarms=alarms, story=story, telemetry=telemetry)
    made.wait(SETTLED)
    return made
