"""From a trace and a spec to a day that can be simulated, and to the words that say what it rests on."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.spec import PoolSpec
from warmpool.sim.cluster import ClusterSettings
from warmpool.sim.days import Trace, launch_times
from warmpool.sim.sessions import USUAL_LENGTHS, SessionLengths, sessions_of
from warmpool.sim.simulate import Day
from warmpool.sim.stage import lead_time, settings_of

WARM_UP: Final = timedelta(hours=2)
EVENING_BEFORE: Final = timedelta(hours=24)
"""Launches so long before the start are drawn too: some of their sessions still run when it begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is launched when, and how long it runs."""

    trace: Trace
    start: datetime
    end: datetime
    seed: int
    lengths: SessionLengths = USUAL_LENGTHS
    warm_up: timedelta = WARM_UP

    def day(self, pool: PoolSpec) -> Day:
        """Turn the scene into sessions in a cluster for this pool."""
        launches = self.trace.between(self.start - EVENING_BEFORE, self.end)
        sessions = sessions_of(launch_times(launches, self.seed), self.lengths, self.seed)
        return Day(
            pool=pool,
            settings=settings_of(pool, seed=self.seed),
            sessions=sessions,
            opening=self.start - self.warm_up,
            start=self.start,
            end=self.end,
        )

    def assumptions(self, day: Day) -> dict[str, str]:
        """Say what the numbers rest on, by heading."""
        launches = self.trace.between(self.start, self.end).total()
        span = f"{_shown(self.start)} to {_shown(self.end)}"
        return {
            "Launches": f"{launches} of {self.trace.name}, {span}; each placed at random within its minute.",
            "Sessions": f"{self._lengths()}, seed {self.seed}, as the trace holds no lengths. Each session ends at the "
            "same instant under every policy.",
            "Before the day": self._before(day),
            "Cluster": _cluster(day.settings),
        }

    def _lengths(self) -> str:
        median, mean = (each / timedelta(hours=1) for each in (self.lengths.median, self.lengths.mean))
        return f"Lognormal with median {median:g} h and mean {mean:g} h (sigma {self.lengths.sigma:.3f})"

    def _before(self, day: Day) -> str:
        earlier = sum(each.launched < day.opening for each in day.running_or_to_come())
        hours = self.warm_up / timedelta(hours=1)
        return (
            f"The run begins {hours:g} h earlier, in an empty cluster, with that evening's launches and the {earlier} "
            "sessions that were still running then; only the day is booked."
        )


def _cluster(settings: ClusterSettings) -> str:
    joining = _minutes(settings.registration_delay + settings.initialisation_delay)
    warm, pull = _minutes(lead_time(settings)), _minutes(settings.image_pull_time)
    removal = _minutes(settings.consolidate_after)
    return (
        f"The embedded model in virtual time: {settings.instance_type} at ${settings.hourly_price:g} an hour. "
        f"A new node is warm after {warm} on average (join {joining}, image {pull}), spread lognormally by "
        f"{settings.jitter_spread:g}; Karpenter removes nodes that were empty for {removal}, one at a time."
    )


def _shown(instant: datetime) -> str:
    return instant.strftime("%a %Y-%m-%d %H:%M UTC")


def _minutes(span: timedelta | None) -> str:
    return "ever" if span is None else f"{span.total_seconds() / 60:.1f} min"
