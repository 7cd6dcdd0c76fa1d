"""Events may ask for a few passes at once, then for one every few seconds; nothing is dropped."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.fakes import FakeCluster, World
from tests.builders import NOW, snapshot
from warmpool.adapters.memory import FixedBudget, FixedClock, MemoryDeadLetters
from warmpool.app.nudges import Message, ServeNudges
from warmpool.app.pace import BURST, EVERY, EventPace
from warmpool.app.ports import PassReport

EVENT = '{"kind":"cluster-event","id":"1"}'
SECOND = timedelta(seconds=1)


@dataclass(slots=True)
class MovingPause:
    """Waits by moving the clock."""

    clock: FixedClock
    waited: list[float] = field(default_factory=list)

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.clock.advance(timedelta(seconds=seconds))


@dataclass(slots=True)
class Paced:
    """The nudges' whole way, paced, on a clock that moves only by waiting."""

    world: World = field(default_factory=lambda: World(cluster=FakeCluster(seen=snapshot(replicas=0))))
    pause: MovingPause = field(init=False)
    nudges: ServeNudges = field(init=False)

    def __post_init__(self) -> None:
        self.pause = MovingPause(self.world.clock)
        pace = EventPace(self.world.clock, self.pause)
        self.nudges = ServeNudges(self.world.reconcile(), MemoryDeadLetters(), self.world.telemetry, pace)

    def serve(self, body: str = EVENT, *, late: timedelta = timedelta(0), seconds: float = 28.0) -> PassReport | None:
        """Serve one nudge that was sent so long ago."""
        return self.nudges.serve([Message(body=body, sent=self.world.clock.now() - late)], FixedBudget(seconds))

    @property
    def passes(self) -> int:
        return len(self.world.telemetry.reports)


def test_a_few_events_have_their_passes_at_once() -> None:
    here = Paced()
    for _ in range(BURST):
        here.serve()

    assert (here.passes, here.pause.waited) == (BURST, [])


def test_after_a_burst_the_next_event_waits_for_its_turn_and_is_not_dropped() -> None:
    here = Paced()
    for _ in range(BURST + 2):
        here.serve()

    assert here.passes == BURST + 2
    assert here.pause.waited == [EVERY.total_seconds()] * 2


def test_a_quiet_time_brings_the_burst_back() -> None:
    here = Paced()
    for _ in range(BURST):
        here.serve()
    here.world.clock.advance(BURST * EVERY)
    for _ in range(BURST):
        here.serve()

    assert here.pause.waited == []


@pytest.mark.parametrize("kind", ["tick", "window", "parameter"])
def test_what_the_clock_or_a_person_asks_for_never_waits_and_counts_for_nothing(kind: str) -> None:
    here = Paced()
    for _ in range(BURST):
        here.serve()
    for _ in range(10):
        here.serve(f'{{"kind":"{kind}"}}')

    assert here.pause.waited == []
    assert here.passes == BURST + 10


def test_one_urgent_nudge_lets_the_whole_batch_through() -> None:
    here = Paced()
    for _ in range(BURST):
        here.serve()
    sent = here.world.clock.now()
    batch = [Message(body=EVENT, sent=sent), Message(body='{"kind":"parameter"}', sent=sent)]

    assert here.nudges.serve(batch, FixedBudget(28)) is not None
    assert here.pause.waited == []


def test_what_a_complete_pass_has_seen_waits_for_nothing_and_asks_nobody() -> None:
    here = Paced()
    here.serve()
    here.world.cluster.scopes.clear()
    here.world.ledger.failure = "must not be asked"

    for _ in range(50):
        assert here.serve(late=SECOND) is None
    assert (here.pause.waited, here.world.cluster.scopes, here.passes) == ([], [], 1)


def test_without_a_pace_every_event_has_its_pass_at_once() -> None:
    here = World(cluster=FakeCluster(seen=snapshot(replicas=0)))
    nudges = ServeNudges(here.reconcile(), MemoryDeadLetters(), here.telemetry)
    for _ in range(2 * BURST):
        assert nudges.serve([Message(body=EVENT, sent=NOW)], FixedBudget(28)) is not None


def test_a_pass_that_has_not_seen_everything_makes_nothing_stale() -> None:
    here = Paced()
    here.world.ledger.failure = "down"
    here.serve()

    assert here.serve(late=SECOND) is not None
    assert here.passes == 2


def test_an_event_of_unknown_time_is_never_stale() -> None:
    here = Paced()
    here.serve()

    assert here.nudges.serve([Message(body=EVENT, sent=None)], FixedBudget(28)) is not None


def test_waiting_leaves_the_pass_its_time() -> None:
    here = Paced()
    for _ in range(BURST):
        here.serve()
    here.serve(seconds=22.0)
    here.serve(seconds=3.0)

    assert here.pause.waited == [2.0]
    assert here.passes == BURST + 2


@given(st.lists(st.integers(0, 2_000), max_size=60))
def test_however_events_come_their_passes_keep_the_pace(gaps: list[int]) -> None:
    here = Paced()
    for gap in gaps:
        here.world.clock.advance(timedelta(milliseconds=gap))
        here.serve()

    took = here.world.clock.now() - NOW
    assert here.passes <= BURST + took / EVERY
    assert all(seconds <= EVERY.total_seconds() for seconds in here.pause.waited)
