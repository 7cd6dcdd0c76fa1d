"""The embedded cluster as a whole: its clock, its refusals, its repeatability."""

from datetime import datetime, timedelta, timezone

import pytest

from tests.sim.cluster.builders import FILLING, MINUTE, SECOND, START, burst, cluster, nodes, wait, warm
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, HistoryEvent


def test_time_goes_on_where_nothing_happens() -> None:
    made = cluster()
    made.advance(START + 90 * MINUTE)
    assert made.now == START + 90 * MINUTE


def test_time_does_not_go_back() -> None:
    made = cluster()
    with pytest.raises(ValueError, match="cannot go back"):
        made.advance(START - SECOND)


ELSEWHERE = START.astimezone(timezone(timedelta(hours=1)))


@pytest.mark.parametrize("start", [START.replace(tzinfo=None), ELSEWHERE])
def test_it_starts_at_an_instant_in_utc(start: datetime) -> None:
    with pytest.raises(ValueError, match="expected an instant in UTC"):
        EmbeddedCluster(ClusterSettings(), start)


def test_it_starts_where_it_is_told() -> None:
    assert EmbeddedCluster(ClusterSettings(), START).now == START


def test_names_are_given_once() -> None:
    made = warm(1)
    made.launch("w")
    with pytest.raises(ValueError, match="exists already"):
        made.launch("w")
    with pytest.raises(ValueError, match="exists already"):
        made.create_placeholders("op", "ph", replicas=1)


def test_replicas_are_not_negative() -> None:
    made = warm(1)
    with pytest.raises(ValueError, match="-1"):
        made.scale("op", "ph", -1)


def test_an_unknown_kind_of_scaler_is_refused() -> None:
    with pytest.raises(ValueError, match="VPA"):
        cluster().add_foreign_scaler("VPA", "op", "vpa", "ph")


def _eventful(seed: int) -> list[HistoryEvent]:
    made = warm(
        3, requests=FILLING, seed=seed, jitter="lognormal", max_disrupted=1, consolidation="WhenEmptyOrUnderutilized"
    )
    burst(made, 20, apart=20 * SECOND)
    made.set_ready(nodes(made)[0].name, ready=False)
    made.expire(nodes(made)[1].name)
    wait(made, 10 * MINUTE)
    for index in range(20):
        made.end(f"w{index}")
    made.scale("op", "ph", 1)
    wait(made, 60 * MINUTE)
    return made.history


def test_the_same_seed_gives_the_same_history() -> None:
    assert _eventful(seed=7) == _eventful(seed=7)


def test_another_seed_gives_another_history() -> None:
    assert _eventful(seed=7) != _eventful(seed=8)


def test_small_steps_and_large_ones_lead_to_the_same_history() -> None:
    large, small = warm(2, requests=FILLING), warm(2, requests=FILLING)
    for made in (large, small):
        made.launch("w")
    large.advance(large.now + 30 * MINUTE)
    for _ in range(30 * 60):
        wait(small, SECOND)
    assert large.history == small.history


def test_history_is_in_order() -> None:
    times = [event.at for event in _eventful(seed=1)]
    assert times == sorted(times)


def test_a_pods_events_come_in_the_order_of_its_life() -> None:
    made = warm(1)
    burst(made, 1, apart=MINUTE)
    made.end("w0")
    name = made.history[-1].name
    events = [event.what for event in made.history if event.name == name]
    assert events == ["pod-created", "pod-bound", "pod-ready", "pod-ended", "pod-deleted"]
