"""One day of launches under one policy, in virtual time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import merge
from typing import Final

from warmpool.core.quantity import times_that_fit
from warmpool.core.spec import PoolSpec
from warmpool.sim.cluster import Books, ClusterSettings, EmbeddedCluster
from warmpool.sim.cluster.state import Role
from warmpool.sim.outcome import Change, NodeTime, Run, Sample
from warmpool.sim.policies import Policy, Tick
from warmpool.sim.sessions import Session

SAMPLE_EVERY: Final = timedelta(minutes=1)
AFTERMATH: Final = timedelta(minutes=30)
"""So long the last launches may still become ready; nothing else of it is booked."""

Progress = Callable[[float], None]
"""Called with the share of the run that is done."""

Moment = tuple[datetime, int, Callable[[], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """What happens, whoever sizes the pool. The run goes from `opening` on; only [start, end) is booked."""

    pool: PoolSpec
    settings: ClusterSettings
    sessions: Sequence[Session]
    opening: datetime
    start: datetime
    end: datetime

    def running_or_to_come(self) -> list[Session]:
        """Return the sessions that touch the run; those that began before its opening are launched at it.

        A session ends at the same instant under every policy: `lasts` after its launch, however long it waited.
        """
        return [
            each for each in self.sessions if each.launched + each.lasts > self.opening and each.launched < self.end
        ]


def simulate(day: Day, policy: Policy, progress: Progress | None = None) -> Run:
    """Run the day under a policy and return what happened from `start` to `end`."""
    cluster = EmbeddedCluster(day.settings, day.opening)
    recorder = _Recorder(day, cluster)
    with policy.on(cluster) as tick:
        for at, _, action in merge(*_happenings(day, cluster, recorder, policy, tick)):
            cluster.advance(at)
            action()
            if progress is not None:
                progress((at - day.opening) / (day.end + AFTERMATH - day.opening))
        cluster.advance(day.end + AFTERMATH)
    if progress is not None:
        progress(1.0)
    return recorder.run(policy)


def _happenings(
    day: Day, cluster: EmbeddedCluster, recorder: "_Recorder", policy: Policy, tick: Tick
) -> Iterator[Iterator[Moment]]:
    """Give each kind of happening in its own order; at one instant the world moves first and is watched last."""
    sessions = day.running_or_to_come()
    last = day.end + AFTERMATH
    starts = [(max(each.launched, day.opening), 0, _launch(cluster, each)) for each in sessions]
    ends = [(each.launched + each.lasts, 1, _end(cluster, each)) for each in sessions]
    yield iter(sorted(starts, key=_when))
    yield iter(sorted((each for each in ends if each[0] <= last), key=_when))
    yield ((at, 2, lambda: recorder.tick(tick)) for at in _every(policy.every, day.opening, last))
    yield ((at, 3, recorder.sample) for at in _every(SAMPLE_EVERY, day.start, day.end))
    yield iter([(day.start, 4, recorder.open_books), (day.end, 4, recorder.close_books)])


def _when(moment: Moment) -> datetime:
    return moment[0]


def _every(step: timedelta, start: datetime, end: datetime) -> Iterator[datetime]:
    at = start
    while at < end:
        yield at
        at += step


def _launch(cluster: EmbeddedCluster, session: Session) -> Callable[[], None]:
    return lambda: cluster.launch(session.name)


def _end(cluster: EmbeddedCluster, session: Session) -> Callable[[], None]:
    return lambda: cluster.end(session.name)


@dataclass(slots=True)
class _Recorder:
    day: Day
    cluster: EmbeddedCluster
    samples: list[Sample] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    opened: Books | None = None
    closed: Books | None = None

    def tick(self, tick: Tick) -> None:
        before = self._replicas()
        why = tick()
        after = self._replicas()
        if before != after and self.day.start <= self.cluster.now < self.day.end:
            self.changes.append(Change(at=self.cluster.now, before=before, after=after, why=why))

    def sample(self) -> None:
        workspaces = [
            sum(pod.role is Role.WORKSPACE for pod in node.pods.values()) for node in self.cluster.world.nodes.values()
        ]
        counts = self.cluster.books.node_counts
        self.samples.append(
            Sample(
                at=self.cluster.now,
                nodes=counts[-1][1] if counts else 0,
                busy=sum(number > 0 for number in workspaces),
                replicas=self._replicas(),
                workspaces=sum(workspaces),
            )
        )

    def open_books(self) -> None:
        self.opened = self.cluster.books

    def close_books(self) -> None:
        self.closed = self.cluster.books

    def run(self, policy: Policy) -> Run:
        day = self.day
        return Run(
            policy=policy.name,
            about=policy.about,
            start=day.start,
            end=day.end,
            per_node=max(1, times_that_fit(day.settings.allocatable, day.settings.launch_requests)),
            nodes=self._node_time(),
            samples=self.samples,
            launches=[each for each in self.cluster.launches if day.start <= each.created < day.end],
            changes=self.changes,
        )

    def _node_time(self) -> NodeTime:
        opened, closed = self.opened, self.closed
        if opened is None or closed is None:
            raise RuntimeError("the run ended before its books were closed")
        before = opened.node_counts[-1][1] if opened.node_counts else 0
        during = closed.node_counts[len(opened.node_counts) :]
        return NodeTime(
            busy=timedelta(seconds=closed.busy_node_seconds - opened.busy_node_seconds),
            idle=timedelta(seconds=closed.idle_node_seconds - opened.idle_node_seconds),
            cost_usd=closed.cost - opened.cost,
            peak_nodes=max((before, *(count for _, count in during))),
        )

    def _replicas(self) -> int:
        return self.cluster.get_scale(self.day.pool.namespace, self.day.pool.deployment) or 0
