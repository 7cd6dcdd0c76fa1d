"""What has been measured, wherever it is kept: metric queries and their answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from warmpool.app.ports import Budget

Points = Sequence[tuple[datetime, float]]
"""Values by when their period began, the oldest first; a period without data has none."""
Progress = Callable[[float], None]
"""Called with the share that is read."""


class Statistic(StrEnum):
    """What becomes of the values of one period, by CloudWatch's names."""

    AVERAGE = "Average"
    SUM = "Sum"
    MINIMUM = "Minimum"
    MAXIMUM = "Maximum"
    SAMPLE_COUNT = "SampleCount"
    P50 = "p50"
    P90 = "p90"
    P99 = "p99"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One statistic of one metric; `dimensions` are all that the metric has, sorted by name."""

    namespace: str
    metric: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: Statistic


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A span of time [start, end) in periods, the first of which begins with it."""

    start: datetime
    end: datetime
    period: timedelta

    @property
    def whole(self) -> "Grid":
        """The same span as one period."""
        return Grid(start=self.start, end=self.end, period=self.end - self.start)


class Measurements(Protocol):
    """Where measured values come from."""

    def read(self, queries: Sequence[Query], grid: Grid, budget: Budget, progress: Progress) -> Mapping[Query, Points]:
        """Answer every query; one without data has no points. Raises MetricsUnreadable or NotPermitted."""
        ...
