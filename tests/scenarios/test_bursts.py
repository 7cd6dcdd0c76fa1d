"""Bursts: ours comes back to min, CPA's formula stays where the burst took it."""

from datetime import timedelta
from fractions import Fraction

from tests.scenarios.story import SMALL, Story, spaces
from warmpool.core.spec import Counting, Linear, Proportional
from warmpool.sim.cluster import ClusterSettings

GUIDE = Proportional(
    counting=Counting.SCHEDULABLE,
    linear=Linear(nodes_per_replica=Fraction(3), cores_per_replica=Fraction(48), prevent_single_point_failure=True),
)
"""The guide's ratio on ml.m5.12xlarge: coresPerReplica is a node's cores."""

BURST = [f"ws-{number}" for number in range(58)]
KWOK = ClusterSettings(registration_delay=timedelta(seconds=5), consolidate_after=timedelta(seconds=10))
"""The real run's delays (samples/README.md)."""


def burst(story: Story) -> None:
    """Let 58 launches come in two waves and all stop again."""
    story.tick(3)
    story.launch(*BURST[:30])
    story.tick(3)
    story.launch(*BURST[30:])
    story.tick(5)
    story.end(*BURST)


def test_after_a_burst_that_all_stops_ours_ends_at_min() -> None:
    story = Story(spec=spaces(placeholder=SMALL), settings=KWOK, replicas=2)
    burst(story)
    assert story.nodes > 2
    story.tick(60)
    assert (story.scale, story.nodes) == (2, 2)


def test_after_the_same_burst_compat_stays_where_it_took_it() -> None:
    spec = spaces(placeholder=SMALL, compat=True, proportional=GUIDE)
    story = Story(spec=spec, settings=KWOK, replicas=2)
    burst(story)
    story.tick(60)
    assert (story.scale, story.nodes) == (6, 6)
