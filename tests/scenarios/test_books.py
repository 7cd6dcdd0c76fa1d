"""What passes count of launches and idle time equals what really happened, however the passes come."""

import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib import resources
from random import Random
from typing import Any

import pytest

from tests.scenarios.judging import counted, judge
from tests.scenarios.story import FILLING, MINUTE, SMALL, START, Story, spaces
from warmpool.adapters.config.reader import Reader
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.adapters.memory import (
    FixedProvider,
    MemoryConfiguration,
    MemoryLedger,
    RecordingTelemetry,
    UnlimitedBudget,
)
from warmpool.app.ports import Budget, Clock, Completion, Telemetry
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.core.spec import ClusterRef, PoolSpec
from warmpool.core.watch import Launch, Tally
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, PortDoor, amounts
from warmpool.sim.days import committed_week, midnight
from warmpool.sim.policies import ClusterClock, Tick
from warmpool.sim.scenes import Scene
from warmpool.sim.simulate import simulate
from warmpool.sim.stage import install_ours
from warmpool.telemetry import PowertoolsTelemetry

STACK = "books"
DEMO = load_spec_file(resources.files("warmpool.sim").joinpath("data", "demo.yaml").read_text("utf-8"))


class Killed(BaseException):
    """Lambda ended the invocation."""


@dataclass(slots=True)
class MortalLedger(MemoryLedger):
    """Dies at the end of a pass where it is told to: before its books are written, or just after."""

    dies: str = ""
    untold: list[Tally] = field(default_factory=list)
    """Written, and the pass died before it could print them."""

    def complete(self, completion: Completion, budget: Budget) -> bool:
        if self.dies == "before":
            raise Killed
        done = MemoryLedger.complete(self, completion, budget)
        if self.dies == "after":
            self.untold += completion.tallies.values() if done else ()
            raise Killed
        return done


@dataclass(slots=True)
class Ragged:
    """Our passes, but some are skipped, some come twice, some are killed, and for half an hour none comes."""

    pool: PoolSpec
    seed: int | None = None
    """None: a whole pass every minute."""
    ledger: MortalLedger = field(default_factory=MortalLedger)
    every: timedelta = MINUTE
    name: str = "ragged"
    about: str = ""
    log: io.StringIO | None = None
    """Where metrics are printed."""
    cluster: EmbeddedCluster = field(init=False)

    @contextmanager
    def on(self, cluster: EmbeddedCluster) -> Iterator[Tick]:
        self.cluster = cluster
        install_ours(cluster, self.pool, replicas=0)
        document, clock = DEMO.runtime_documents[self.pool.name], ClusterClock(cluster=cluster)
        ports = Ports(
            cluster=PortDoor(cluster),
            configuration=MemoryConfiguration(specs={self.pool.name: document}),
            ledger=self.ledger,
            provider=FixedProvider(),
            reader=_Given(self.pool),
            telemetry=self._telemetry(clock),
            clock=clock,
        )
        reconcile = Reconcile(ports, ClusterRef(eks="embedded"))
        numbers, quiet = Random(self.seed), 0  # noqa: S311 - a simulation, not a secret

        def tick() -> str:
            nonlocal quiet
            chance = 1.0 if self.seed is None else numbers.random()
            quiet = max(quiet - 1, 30 if chance < 0.005 else 0)
            if quiet or chance < 0.1:
                return "skipped"
            self.ledger.dies = "before" if chance < 0.15 else "after" if chance < 0.2 else ""
            for _ in range(2 if chance < 0.3 else 1):
                try:
                    reconcile.run(UnlimitedBudget())
                except Killed:
                    self.ledger.dies = ""
            return "passed"

        yield tick

    def _telemetry(self, clock: Clock) -> Telemetry:
        if self.log is None:
            return RecordingTelemetry()
        return PowertoolsTelemetry(stack=STACK, stream=self.log, clock=clock)

    def counted(self) -> dict[str, Launch]:
        """Return what was counted, by pod. Fails where one was counted twice."""
        return counted(self.ledger.books[self.pool.name])

    def judged(self) -> Counter[str]:
        """Return how many were counted as what. Fails where one is judged wrongly."""
        return judge(self.ledger.books[self.pool.name], self.cluster.launches)


class _Given(Reader):
    """Reads the demo's document, with this pool in it."""

    def __init__(self, pool: PoolSpec) -> None:
        super().__init__()
        self._pool = pool

    def spec(self, text: str, source: str) -> Any:
        return replace(super().spec(text, source), pools={self._pool.name: self._pool})


def run(minimum: int, *, days: int, seed: int | None = None, log: io.StringIO | None = None) -> Ragged:
    """Simulate the committed trace's first days."""
    pool = replace(next(iter(DEMO.spec.pools.values())), min=minimum)
    week = committed_week()
    first = midnight(week.first_day)
    ragged = Ragged(pool=pool, seed=seed, log=log)
    scene = Scene(trace=week, start=first, end=first + timedelta(days=days), seed=3)
    simulate(scene.day(pool), ragged)
    return ragged


DAYS = pytest.mark.parametrize("days", [1, pytest.param(7, marks=pytest.mark.slow)])


@DAYS
@pytest.mark.parametrize("minimum", [4, 1])
def test_every_launch_of_days_with_a_pass_a_minute_is_counted_as_what_it_was(minimum: int, days: int) -> None:
    ragged = run(minimum, days=days)
    counts = ragged.judged()
    assert sum(counts.values()) == len(ragged.cluster.launches)
    # Where even a pass a minute cannot tell, it says so: it happens on nodes that are becoming warm.
    assert counts["unknown"] <= 0.005 * counts.total()
    assert counts["warm-coexist"] > 200 * days


@DAYS
def test_what_it_tells_stays_true_where_passes_are_skipped_repeated_and_killed(days: int) -> None:
    ragged = run(1, days=days, seed=5)
    counts = ragged.judged()
    missed = len(ragged.cluster.launches) - counts.total()
    # Only who came and went while nobody looked is missing.
    assert 0 <= missed <= 0.005 * counts.total()
    assert counts["unknown"] <= 0.02 * counts.total()
    assert counts["cold"] >= 2 * days


@pytest.mark.parametrize(("minimum", "seed", "off_by"), [(4, None, 0.005), (1, None, 0.01), (1, 5, 0.05)])
def test_idle_time_and_its_price_are_those_of_the_simulators_books(
    minimum: int, seed: int | None, off_by: float
) -> None:
    ragged = run(minimum, days=1, seed=seed)
    tallies = ragged.ledger.books[ragged.pool.name]
    hours = sum(each.idle_node_hours for each in tallies)
    real = ragged.cluster.books.idle_node_hours
    assert hours == pytest.approx(real, rel=off_by)
    price = float(next(iter(ragged.pool.node_hourly_price.values())))
    assert sum(each.idle_usd or 0.0 for each in tallies) == pytest.approx(hours * price)


def told(story: Story) -> dict[str, tuple[str, str | None]]:
    """Return by name what the story's passes counted each launch as, with its cause."""
    names = {each.pod: each.name for each in story.cluster.launches}
    return {
        names[each.uid]: (each.found.outcome.value, each.found.cause and each.found.cause.value)
        for tally in story.ledger.books["spaces"]
        for each in tally.launches
    }


def warm(**options: Any) -> Story:
    """Wait until a story's pool is warm."""
    story = Story(**options)
    story.until(lambda decision: decision.ready_placeholders == story.spec.min)
    story.tick(2)
    return story


class TestCauses:
    def test_none_free(self) -> None:
        story = warm(spec=spaces(min=1))
        story.launch(*(f"ws-{number}" for number in range(14)))
        story.tick(15)
        counts = Counter(told(story).values())
        assert counts == {("warm-preempt", None): 1, ("warm-coexist", None): 10, ("cold", "none-free"): 3}

    def test_wrong_zone(self) -> None:
        story = warm(spec=spaces(min=1))
        (there,) = (node.labels["topology.kubernetes.io/zone"] for node in story.cluster.world.nodes.values())
        elsewhere = next(zone for zone in story.settings.zones if zone != there)
        story.cluster.launch("far", node_selector={"pool": "spaces", "topology.kubernetes.io/zone": elsewhere})
        story.tick(15)
        assert told(story) == {"far": ("cold", "wrong-zone")}

    def test_image(self) -> None:
        settings = ClusterSettings()
        story = warm(spec=spaces(min=1, images=(settings.launch_image,)))
        story.cluster.launch("own", image="registry/mine:7")
        story.tick(15)
        assert told(story) == {"own": ("cold", "image")}

    def test_too_big(self) -> None:
        story = warm(spec=spaces(min=1, placeholder=SMALL))
        story.launch(*(f"ws-{number}" for number in range(5)))
        story.tick(3)
        story.cluster.launch("big", requests=amounts(cpu="40", memory="100Gi"))
        story.tick(15)
        assert told(story)["big"] == ("cold", "too-big")

    def test_still_pulling(self) -> None:
        story = Story(spec=spaces(min=1))
        story.until(lambda decision: any(pod.node for pod in story.cluster.world.pods.values()))
        story.tick()
        story.launch("early")
        story.tick(10)
        assert told(story) == {"early": ("cold", "still-pulling")}

    def test_stock_out(self) -> None:
        dry = (START + 30 * MINUTE, START + 90 * MINUTE)
        story = warm(spec=spaces(min=1), settings=ClusterSettings(insufficient_capacity=(dry,)))
        story.tick(int((dry[0] - story.clock.time) / MINUTE) + 1)
        story.launch(*(f"ws-{number}" for number in range(13)))
        story.tick(90)
        counts = Counter(told(story).values())
        assert counts == {("warm-preempt", None): 1, ("warm-coexist", None): 10, ("cold", "stock-out"): 2}


def test_the_lead_time_is_measured_from_orders_and_used() -> None:
    story = warm(spec=spaces(min=2, placeholder=FILLING))
    story.launch("a")
    story.tick(15)
    samples = story.ledger.watch.pools["spaces"].lead
    decision = story.tick()
    longest = max(each.total for each in samples)
    assert (len(samples), decision.lead_time) == (3, longest)
    assert timedelta(minutes=5) < longest < timedelta(minutes=7)


def test_a_replacement_is_timed() -> None:
    story = warm(spec=spaces(min=1))
    story.launch("a")
    story.tick(15)
    (took,) = (each for tally in story.ledger.books["spaces"] for each in tally.replacements)
    assert timedelta(minutes=5) < took < timedelta(minutes=7)
