"""The parts that a view is made of: numbers and charts of series, each with its unit and a sentence of explanation."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from warmpool.app.measured import Statistic
from warmpool.metrics import METRICS, NAMESPACE, Level


class Resource(StrEnum):
    """A part of the stack of which AWS keeps metrics by itself, named after the stack's output that names it."""

    FUNCTION = "Function"
    QUEUE = "QueueUrl"
    DEAD_LETTERS = "DeadLetterQueueUrl"
    UNDELIVERED = "UndeliveredTicksQueueUrl"

    @property
    def namespace(self) -> str:
        """AWS' namespace of the metrics."""
        return "AWS/Lambda" if self is Resource.FUNCTION else "AWS/SQS"

    @property
    def dimension(self) -> str:
        """The dimension that names the resource."""
        return "FunctionName" if self is Resource.FUNCTION else "QueueName"


class Tone(StrEnum):
    """Which colour a series has, by what it means; the medium decides how that looks."""

    WARM = "warm"
    PREEMPTED = "preempted"
    COLD = "cold"
    QUIET = "demand"
    FIRST = "series-1"
    SECOND = "series-2"
    THIRD = "series-3"
    FOURTH = "series-4"
    FIFTH = "series-5"
    SIXTH = "series-6"


PALETTE: Final = (Tone.FIRST, Tone.SECOND, Tone.THIRD, Tone.FOURTH, Tone.FIFTH, Tone.SIXTH)
"""For series that mean nothing by their colour, in this order."""


class Style(StrEnum):
    """How a chart is drawn. DOTS: values of single happenings, with nothing between them."""

    LINES = "lines"
    DOTS = "dots"
    STACKED = "stacked"


class Across(StrEnum):
    """How the pools of a stack become one number."""

    SUM = "sum"
    MAX = "max"


class Span(StrEnum):
    """Which time a number of the dashboard covers."""

    NOW = "now"
    DAY = "last 24 hours"
    WEEK = "last 7 days"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stat:
    """One statistic of a metric of ours, or of one that AWS keeps `of` a resource."""

    metric: str
    statistic: Statistic
    of: Resource | None = None

    @property
    def namespace(self) -> str:
        """The metric's namespace."""
        return NAMESPACE if self.of is None else self.of.namespace

    @property
    def level(self) -> Level:
        """What the metric is about; what AWS keeps is about the stack."""
        return Level.STACK if self.of is not None else METRICS[self.metric].level


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """`factor` * stat, divided by `per` where there is one; a metric by reason or cause is one series for each of them.

    Where `per` has no data or is 0, the quotient has none.
    """

    label: str
    stat: Stat
    per: Stat | None = None
    factor: float = 1
    tone: Tone = Tone.FIRST

    @property
    def level(self) -> Level:
        """What the series is about."""
        return self.stat.level

    @property
    def sparse(self) -> bool:
        """It has no data where nothing happened."""
        return self.stat.of is None and METRICS[self.stat.metric].sparse

    @property
    def stats(self) -> tuple[Stat, ...]:
        """What has to be known for it."""
        return (self.stat,) if self.per is None else (self.stat, self.per)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number for a manager, about all pools together."""

    title: str
    about: str
    unit: str
    span: Span
    series: tuple[Series, ...]
    across: Across = Across.SUM


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Values over time, for an engineer."""

    title: str
    about: str
    unit: str
    series: tuple[Series, ...]
    style: Style = Style.LINES
    only_occurred: bool = False
    """On a page, series that are 0 throughout are left out: they would lie upon each other."""
    logarithmic: bool = False
    """On a page, the axis is logarithmic: a few values are much larger than most."""

    @property
    def sums(self) -> bool:
        """Its values add up over a period, so they depend on its length."""
        return any(each.per is None and each.stat.statistic is Statistic.SUM for each in self.series)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Charts that answer one question, with the runbook's sections on what to do about it."""

    title: str
    charts: tuple[Chart, ...]
    runbook: tuple[str, ...] = ()


LAST_DIMENSION: Final[Mapping[Level, str]] = {Level.REASON: "reason", Level.CAUSE: "cause"}
"""Metrics of these levels have one more dimension beside service, stack and pool."""
