"""Whole runs in virtual time: what is booked, that they repeat, and that the handler and the model agree."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import resources

import pytest

from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.app.ports import PassReport
from warmpool.sim.cluster import EmbeddedCluster, Outcome
from warmpool.sim.handled import HandledPolicy
from warmpool.sim.outcome import Run, run_document
from warmpool.sim.policies import FixedPool, GuideAutoscaler, OurPolicy, PassFailed, Policy, ReasonsKept, Tick
from warmpool.sim.sessions import Session
from warmpool.sim.simulate import Day, simulate
from warmpool.sim.stage import lead_time, placeholder_requests, settings_of

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
LOADED = load_spec_file(resources.files("warmpool.sim").joinpath("data", "demo.yaml").read_text("utf-8"))
POOL = replace(LOADED.spec.pools["spaces-cpu"], min=2)
DOCUMENT = LOADED.runtime_documents["spaces-cpu"].replace('"min":4', '"min":2')


def session(name: str, at: timedelta, lasts: timedelta = HOUR) -> Session:
    return Session(name=name, launched=START + at, lasts=lasts)


def day(*sessions: Session, hours: float = 2, opening: timedelta = HOUR) -> Day:
    settings = replace(settings_of(POOL, seed=1), jitter="none")
    end = START + timedelta(hours=hours)
    return Day(pool=POOL, settings=settings, sessions=sessions, opening=START - opening, start=START, end=end)


def ours() -> OurPolicy:
    return OurPolicy(pool=POOL, document=DOCUMENT)


def test_only_what_is_between_start_and_end_is_booked() -> None:
    before, within, after = (session(str(at), at) for at in (-30 * MINUTE, 10 * MINUTE, 2 * HOUR + MINUTE))
    run = simulate(day(before, within, after), FixedPool(pool=POOL, placeholders=2))
    assert [launch.name for launch in run.launches] == [within.name]
    assert len(run.samples) == 120
    assert (run.samples[0].at, run.samples[-1].at) == (START, START + 2 * HOUR - MINUTE)


def test_idle_node_hours_are_those_of_the_fixed_pool_while_nothing_is_launched() -> None:
    run = simulate(day(hours=3), FixedPool(pool=POOL, placeholders=3))
    assert run.nodes.idle_hours == pytest.approx(9)
    assert run.nodes.hours == pytest.approx(9)
    assert run.nodes.cost_usd == pytest.approx(9 * 2.76)
    assert (run.nodes.peak_nodes, run.nodes_at_end, run.replicas_at_end) == (3, 3, 3)
    assert run.hit_rate is None


def test_sessions_that_began_before_the_run_are_there_when_it_opens_and_end_as_drawn() -> None:
    evening = session("evening", -5 * HOUR, lasts=5.5 * HOUR)
    run = simulate(day(evening), FixedPool(pool=POOL, placeholders=1))
    workspaces = {sample.at: sample.workspaces for sample in run.samples}
    assert workspaces[START + 29 * MINUTE] == 1
    assert workspaces[START + 31 * MINUTE] == 0


def test_a_session_that_was_over_before_the_run_is_never_launched() -> None:
    run = simulate(day(session("old", -5 * HOUR, lasts=HOUR)), FixedPool(pool=POOL, placeholders=1))
    assert max(sample.workspaces for sample in run.samples) == 0


def test_a_launch_just_before_the_end_is_followed_until_it_is_ready() -> None:
    run = simulate(day(session("late", 2 * HOUR - timedelta(seconds=1))), FixedPool(pool=POOL, placeholders=1))
    assert run.launches[0].waited is not None


def test_without_placeholders_every_launch_is_cold_and_waits_for_its_node() -> None:
    run = simulate(day(session("first", 5 * MINUTE)), FixedPool(pool=POOL, placeholders=0))
    assert run.hit_rate == 0
    assert run.launches[0].outcome is Outcome.COLD
    assert (run.wait_seconds(0.5) or 0) > lead_time(day().settings).total_seconds() - 10


def test_our_pool_is_warm_and_comes_back_down_to_min_after_a_burst() -> None:
    burst = [session(f"s{number}", 5 * MINUTE, lasts=20 * MINUTE) for number in range(12)]
    run = simulate(day(*burst, hours=3), ours())
    assert run.nodes.peak_nodes > 4
    assert run.nodes_at_end == run.replicas_at_end == POOL.min
    assert run.changes
    assert all(change.why for change in run.changes)


def test_the_guides_autoscaler_stays_where_the_burst_took_it() -> None:
    # The ratchet (samples/README.md: 2 -> 6, still 6 when the last workspace was gone).
    burst = [session(f"s{number}", 5 * MINUTE, lasts=20 * MINUTE) for number in range(12)]
    run = simulate(day(*burst, hours=3), GuideAutoscaler(pool=POOL))
    assert run.samples[0].replicas == 2
    assert run.samples[-1].workspaces == 0
    assert run.replicas_at_end == run.nodes_at_end == max(sample.replicas for sample in run.samples) > 2


def test_a_run_repeats_exactly() -> None:
    launches = [session(f"s{number}", number * 3 * MINUTE) for number in range(20)]
    first, second = (simulate(day(*launches), ours()) for _ in range(2))
    assert first == second


def test_progress_rises_to_the_end() -> None:
    seen: list[float] = []
    simulate(day(hours=1), FixedPool(pool=POOL, placeholders=1), seen.append)
    assert seen == sorted(seen)
    assert seen[0] >= 0
    assert seen[-1] == 1


def test_a_placeholder_that_fills_its_node_leaves_a_margin_of_a_twentieth() -> None:
    requests = placeholder_requests(POOL, day().settings)
    assert set(requests) == {"cpu", "memory"}
    assert requests["cpu"] == 47_810_000_000 - 47_810_000_000 // 20


def test_a_small_placeholder_asks_for_what_the_spec_says() -> None:
    small = replace(POOL, placeholder={"cpu": 2 * 10**9, "memory": 8 * 10**9, "pods": 10**9})
    assert placeholder_requests(small, day().settings) == {"cpu": 2 * 10**9, "memory": 8 * 10**9}


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_the_handler_through_queue_and_https_does_what_the_pass_does_at_the_model() -> None:
    launches = [session(f"s{number}", number * 3 * MINUTE, lasts=20 * MINUTE) for number in range(8)]
    scene = day(*launches, hours=0.5, opening=10 * MINUTE)
    log = io.StringIO()
    handled = simulate(scene, HandledPolicy(pool=POOL, document=DOCUMENT, log=log))
    straight = simulate(scene, ours())
    assert _numbers(handled) == _numbers(straight)
    assert handled.samples == straight.samples
    records = [json.loads(line) for line in log.getvalue().splitlines()]
    assert sum(record.get("message") == "pass" for record in records) == 70


@pytest.mark.parametrize("policy", [ours(), GuideAutoscaler(pool=POOL), FixedPool(pool=POOL, placeholders=3)])
def test_every_policy_says_who_it_is(policy: Policy) -> None:
    assert policy.name
    assert policy.about
    assert policy.every > timedelta(0)


def test_a_policy_is_asked_as_often_as_it_says() -> None:
    asked: list[datetime] = []

    class Watching(FixedPool):
        @contextmanager
        def on(self, cluster: EmbeddedCluster) -> Iterator[Tick]:
            def tick() -> str:
                asked.append(cluster.now)
                return ""

            with FixedPool.on(self, cluster):
                yield tick

    simulate(day(hours=1, opening=HOUR), Watching(pool=POOL, placeholders=1, every=20 * MINUTE))
    assert asked == [START - HOUR + number * 20 * MINUTE for number in range(8)]


def test_a_warning_or_a_failure_of_a_pass_ends_the_run() -> None:
    kept = ReasonsKept()
    assert kept.told() == ""
    kept.warn("the ledger cannot be read", pool="spaces-cpu")
    kept.publish(PassReport(decisions=(), failures={"spaces-cpu": "Conflict"}, complete=False, took_seconds=0))
    with pytest.raises(PassFailed, match=r"the ledger cannot be read .*spaces-cpu.*; Conflict"):
        kept.told()


def _numbers(run: Run) -> dict[str, object]:
    return {key: value for key, value in run_document(run).items() if key != "about"}
