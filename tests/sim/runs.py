"""Builders of simulated runs for the tests of this folder."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from warmpool.sim.cluster.launches import LaunchRecord
from warmpool.sim.cluster.state import Outcome
from warmpool.sim.outcome import Change, NodeTime, Run, Sample

START = datetime(2019, 1, 16, tzinfo=UTC)


def launch(wait_seconds: float | None, outcome: Outcome | None = Outcome.WARM_COEXIST, minute: int = 0) -> LaunchRecord:
    """Build one launch; a wait of None is a launch that never was ready."""
    created = START + timedelta(minutes=minute)
    ready = None if wait_seconds is None else created + timedelta(seconds=wait_seconds)
    return LaunchRecord(name="s", namespace="n", pod="uid", created=created, ready_at=ready, outcome=outcome)


def sample(minute: int, nodes: int = 3, busy: int = 1, replicas: int = 2) -> Sample:
    """Build the pool at a minute."""
    return Sample(at=START + timedelta(minutes=minute), nodes=nodes, busy=busy, replicas=replicas, workspaces=busy * 4)


def node_time(busy_hours: float = 20, idle_hours: float = 10, cost_usd: float = 60, peak_nodes: int = 4) -> NodeTime:
    """Build node time that was paid for."""
    busy, idle = timedelta(hours=busy_hours), timedelta(hours=idle_hours)
    return NodeTime(busy=busy, idle=idle, cost_usd=cost_usd, peak_nodes=peak_nodes)


def run(  # noqa: PLR0913 - a builder
    policy: str = "ours",
    *,
    launches: Sequence[LaunchRecord] = (),
    samples: Sequence[Sample] = (),
    nodes: NodeTime | None = None,
    changes: Sequence[Change] = (),
    about: str = "how it works",
) -> Run:
    """Build one policy's run of ten hours."""
    return Run(
        policy=policy,
        about=about,
        start=START,
        end=START + timedelta(hours=10),
        per_node=3,
        nodes=nodes or node_time(),
        samples=samples,
        launches=launches,
        changes=changes,
    )
