"""From a view's series to the queries that answer it, and from the answers to the series' values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from warmpool.app.measured import Points, Query
from warmpool.core.reasons import Code
from warmpool.core.watch import Cause
from warmpool.metrics import SERVICE, Level
from warmpool.views.model import LAST_DIMENSION, PALETTE, Chart, Resource, Series, Stat, Tone

HOLDS: Final = (
    Code.FROZEN,
    Code.PAUSED_BY_OVERRIDE,
    Code.NOT_PERMITTED,
    Code.PARTIAL_VIEW,
    Code.DEPLOYMENT_MISSING,
    Code.DEPLOYMENT_PAUSED,
    Code.ROLLOUT,
    Code.MOSTLY_NOT_READY,
    Code.AUTOSCALING_NOT_IN_SERVICE,
    Code.FOREIGN_WRITER,
    Code.MANUAL_SCALE,
    Code.NO_GOOD_SPEC,
    Code.CLUSTER_UNAVAILABLE,
)
"""Reasons for which a pass can hold."""
VALUES: Final[Mapping[Level, tuple[str, ...]]] = {
    Level.REASON: tuple(HOLDS),
    Level.CAUSE: tuple(Cause),
}
"""What the last dimension of a metric of this level can be."""
_TONES: Final = (Tone.COLD, *PALETTE, Tone.QUIET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What the measured stack is called; a resource whose name is unknown is left out."""

    stack: str
    resources: Mapping[Resource, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One series of a chart with its values; no points is no data."""

    label: str
    tone: Tone
    points: Points
    sparse: bool = False
    """There is no data where nothing happened, so none may mean that nothing did."""


Answers = Mapping[Query, Points]


def query_of(stat: Stat, names: Names, pool: str = "", value: str = "") -> Query | None:
    """Return the query for a stat of a pool (and a reason or cause); None where the resource's name is unknown."""
    if stat.of is not None:
        name = names.resources.get(stat.of)
        dimensions = {} if name is None else {stat.of.dimension: name}
    else:
        dimensions = {"service": SERVICE, "stack": names.stack}
        if stat.level is not Level.STACK:
            dimensions["pool"] = pool
        if stat.level in LAST_DIMENSION:
            dimensions[LAST_DIMENSION[stat.level]] = value
    if not dimensions:
        return None
    return Query(
        namespace=stat.namespace,
        metric=stat.metric,
        dimensions=tuple(sorted(dimensions.items())),
        statistic=stat.statistic,
    )


def queries_of(series: Sequence[Series], names: Names, pool: str = "") -> Iterator[Query]:
    """Yield what has to be asked for these series; some twice, where they share it."""
    for each in series:
        for value in VALUES.get(each.level, ("",)):
            for stat in each.stats:
                query = query_of(stat, names, pool, value)
                if query is not None:
                    yield query


def points_of(series: Series, answers: Answers, names: Names, pool: str = "", value: str = "") -> Points:
    """Work out a series' values; where the divisor has no data or is 0, there is none."""
    stat = _answer(series.stat, answers, names, (pool, value))
    if series.per is None:
        return [(at, series.factor * amount) for at, amount in stat]
    per = dict(_answer(series.per, answers, names, (pool, value)))
    return [(at, series.factor * amount / per[at]) for at, amount in stat if per.get(at)]


def lines_of(chart: Chart, answers: Answers, names: Names, pool: str = "") -> tuple[Line, ...]:
    """Fill a chart; of reasons and causes only those that occurred."""
    return tuple(line for each in chart.series for line in _lines(each, answers, names, pool))


def _lines(series: Series, answers: Answers, names: Names, pool: str) -> Iterator[Line]:
    values = VALUES.get(series.level)
    if values is None:
        yield Line(
            label=series.label, tone=series.tone, points=points_of(series, answers, names, pool), sparse=series.sparse
        )
        return
    occurred = ((each, points_of(series, answers, names, pool, each)) for each in values)
    for number, (value, points) in enumerate(each for each in occurred if each[1]):
        yield Line(label=value, tone=_TONES[number % len(_TONES)], points=points)


def _answer(stat: Stat, answers: Answers, names: Names, of: tuple[str, str]) -> Points:
    query = query_of(stat, names, *of)
    return answers.get(query, ()) if query is not None else ()
