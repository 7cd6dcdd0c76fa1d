"""Exactly the right alarms go off and are over again, as they were synthesised, on what the passes measured."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from tests.alarms.played import SETTLED, Played, stage
from tests.alarms.situations import COMPOSITE, SITUATIONS
from tests.alarms.synthesised import slug_of
from tests.scenarios.story import MINUTE
from warmpool.adapters.emf_log import EmfLog
from warmpool.core.spec import Override, Stop, StopMode
from warmpool.sim.alarms.definitions import State
from warmpool.sim.alarms.watch import AT_WORST, USUAL, Alarms, Behaviour, Change

SETTLING = (SETTLED - 10) * MINUTE
"""A pool that begins empty has no heartbeat in its first minutes."""
BEHAVIOURS = pytest.mark.parametrize("behaviour", [USUAL, AT_WORST], ids=["usual", "at-worst"])


def changes(alarms: Alarms, played: Played, behaviour: Behaviour = USUAL) -> list[Change]:
    """Return what changed once the pool had settled."""
    found = alarms.changes(EmfLog(played.lines), played.start, played.end, behaviour)
    return [each for each in found if each.at > played.start + SETTLING]


def gone_off(found: list[Change]) -> set[str]:
    return {slug_of(each.alarm) for each in found if each.after is State.ALARM}


def at_last(found: list[Change]) -> set[State]:
    return set({each.alarm: each.after for each in found}.values())


LONG = frozenset({"close-to-timeout", "function-errors", "queue-late", "throttled", "undelivered-ticks"})
"""Situations of the whole embedded AWS, all but two."""
PARAMS = [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in sorted(SITUATIONS)]


@pytest.fixture(scope="module", params=PARAMS)
def situation(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def played(situation: str, alarms: Alarms) -> Played:
    return SITUATIONS[situation].play(alarms)


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@BEHAVIOURS
def test_exactly_the_right_alarms_go_off_and_are_over(
    situation: str, played: Played, alarms: Alarms, behaviour: Behaviour
) -> None:
    found = changes(alarms, played, behaviour)

    assert gone_off(found) == SITUATIONS[situation].goes_off
    assert at_last(found) == {State.OK}
    assert found[0].at > played.notes[0][0]


def test_every_alarm_has_its_situation(alarms: Alarms) -> None:
    names = {slug_of(each.name) for each in alarms.metric} | {slug_of(each.name) for each in alarms.composite}

    assert set(SITUATIONS) == names


def no_cluster_while_the_room_is_short(alarms: Alarms) -> Iterator[Played]:
    on = stage(alarms)
    on.story.cluster.scale("op", "ph", 0)
    on.wait(24)
    yield on.played()
    on.story.door.failures.unavailable.add("observe")
    on.wait(40)
    yield on.played()


@BEHAVIOURS
def test_nobody_is_called_about_the_promise_while_the_cluster_is_not_seen(alarms: Alarms, behaviour: Behaviour) -> None:
    short, unseen = no_cluster_while_the_room_is_short(alarms)

    assert COMPOSITE in gone_off(changes(alarms, short, behaviour))
    found = changes(alarms, unseen, behaviour)
    lost = time_of(found, "heartbeat-lost", State.ALARM)
    assert time_of(found, COMPOSITE, State.OK) <= lost
    assert [slug_of(each.alarm) for each in found if each.at > lost and each.after is State.ALARM] == []


def time_of(found: list[Change], slug: str, state: State) -> datetime:
    return max(each.at for each in found if slug_of(each.alarm) == slug and each.after is state)


def nothing_wanted(alarms: Alarms) -> Played:
    """Outside hours the schedule wants nothing: who comes then waits, as agreed."""
    on = stage(alarms)
    on.story.override(Override(min=0))
    on.wait(40)
    on.story.launch(*(f"night-{number}" for number in range(8)))
    on.wait(60)
    assert {each.outcome for each in on.story.cluster.launches} == {"cold"}
    return on.played()


def frozen(alarms: Alarms) -> Played:
    """Freeze everything, as an operator does before going home."""
    on = stage(alarms)
    on.story.reader.stops["stop"] = Stop(mode=StopMode.FREEZE)
    on.story.configuration.stop = "stop"
    on.wait(120)
    return on.played()


def three_minutes_without_a_pass(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.story.door.failures.unavailable.add("observe")
    on.wait(2)
    on.story.door.failures.unavailable.clear()
    on.wait(20)
    return on.played()


def a_morning(alarms: Alarms) -> Played:
    """Five people every ten minutes, which the pool is made for."""
    on = stage(alarms)
    for wave in range(12):
        on.story.launch(*(f"wave-{wave}-{number}" for number in range(5)))
        on.wait(10)
    return on.played()


def a_pass_that_conflicts(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.story.override(Override(min=3))
    on.story.door.failures.conflicts = 2
    on.wait(20)
    return on.played()


@pytest.mark.parametrize(
    "quiet",
    [nothing_wanted, frozen, three_minutes_without_a_pass, a_morning, a_pass_that_conflicts],
    ids=lambda each: each.__name__,
)
@BEHAVIOURS
def test_nobody_is_woken_for_nothing(quiet: Callable[[Alarms], Played], alarms: Alarms, behaviour: Behaviour) -> None:
    assert gone_off(changes(alarms, quiet(alarms), behaviour)) == set()
