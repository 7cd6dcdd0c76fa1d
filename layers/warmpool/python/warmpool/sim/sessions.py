"""How long sessions last: lognormal, as the traces count launches and no lengths."""

import math
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

DEFAULT_SEED: Final = 20190116


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLengths:
    """A lognormal law given by its median and mean.

    The defaults are those of 2,096 explicit server stops on a university's JupyterHub: median 2.4 h, mean 3.2 h.
    For a lognormal law the mean is the median times exp(sigma^2 / 2), which gives sigma.
    """

    median: timedelta = timedelta(hours=2.4)
    mean: timedelta = timedelta(hours=3.2)

    @property
    def sigma(self) -> float:
        """Standard deviation of the logarithm; 0 where mean and median are equal."""
        return math.sqrt(2 * math.log(self.mean / self.median))

    def draw(self, count: int, seed: int) -> list[timedelta]:
        """Draw `count` lengths; the same seed gives the same ones, and a longer draw begins like a shorter one."""
        random_numbers = random.Random(f"sessions/{seed}")  # noqa: S311 - a simulation, not a secret
        sigma = self.sigma
        return [self.median * math.exp(random_numbers.gauss(0.0, sigma)) for _ in range(count)]


USUAL_LENGTHS: Final = SessionLengths()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One workspace: when it is launched and how long it runs once it is ready."""

    name: str
    launched: datetime
    lasts: timedelta


def sessions_of(times: list[datetime], lengths: SessionLengths, seed: int) -> list[Session]:
    """Give every launch a name and a length."""
    return [
        Session(name=f"space-{number:05d}", launched=at, lasts=lasts)
        for number, (at, lasts) in enumerate(zip(times, lengths.draw(len(times), seed), strict=True), start=1)
    ]
