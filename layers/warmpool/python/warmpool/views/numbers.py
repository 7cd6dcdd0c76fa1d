"""The few numbers that people ask for first, over a whole span of time: of each pool, and of all together."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from warmpool.app.measured import Grid, Query, Statistic
from warmpool.views.model import Series
from warmpool.views.queries import VALUES, Answers, Names, points_of, queries_of
from warmpool.views.series import (
    COLD_CAUSES,
    HELD_REASONS,
    IDLE_COST,
    IDLE_HOURS,
    LAUNCHES,
    MISSING,
    OUTCOMES,
    WAIT_HALF,
    WAIT_MOST,
)
from warmpool.views.series import (
    one as single,
)
from warmpool.views.spans import MINUTE

NOW: Final = 15 * MINUTE
"""A pass that is older says nothing about now."""


_SHORT: Final = single("", "RoomMissing", Statistic.SUM)
_JUDGED: Final = single("", "RoomMissing", Statistic.SAMPLE_COUNT)
_WARM: Final = single("", "Hit", Statistic.SUM)
_UNSEEN: Final = OUTCOMES[3]
_LEAD: Final = single("", "LeadTotal", Statistic.P90)
_WHOLE: Final = (
    *(_SHORT, _JUDGED, _WARM, LAUNCHES, _UNSEEN, WAIT_HALF, WAIT_MOST, IDLE_HOURS, IDLE_COST, _LEAD),
    *(COLD_CAUSES, HELD_REASONS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What was measured in a span of time. None is "no data", which is never 0."""

    pool: str = ""
    """Empty: all pools together."""
    measured: timedelta = timedelta(0)
    """For how long there is data at all."""
    kept: bool | None = None
    """Whether the warm room covered the need in the last pass of the span."""
    kept_at: datetime | None = None
    """When that pass was, to the minute."""
    kept_share: float | None = None
    """Share of passes in which it did."""
    warm: int | None = None
    launches: int | None = None
    """Launches of which it is known what they found."""
    unseen: int | None = None
    """Launches of which nobody knows what they found."""
    wait_p50_seconds: float | None = None
    wait_p99_seconds: float | None = None
    idle_node_hours: float | None = None
    idle_cost_usd: float | None = None
    lead_p90_seconds: float | None = None
    causes: Mapping[str, int] = field(default_factory=dict)
    """Cold launches by cause, the most frequent first."""
    held: Mapping[str, int] = field(default_factory=dict)
    """Passes that held, by reason, the most frequent first."""
    unpriced: tuple[str, ...] = ()
    """Pools that have idle hours of which nobody knows what they cost."""
    warm_priced: int | None = None
    """The warm launches of those that have a price."""

    @property
    def cold(self) -> int | None:
        """Launches that found no warm node."""
        return None if self.launches is None or self.warm is None else self.launches - self.warm

    @property
    def hit_rate(self) -> float | None:
        """Share of those that found a warm node; None where there were none, too."""
        return self.warm / self.launches if self.warm is not None and self.launches else None

    @property
    def idle_cost_usd_per_day(self) -> float | None:
        """Idle cost by the time for which there is data."""
        if self.idle_cost_usd is None or not self.measured:
            return None
        return self.idle_cost_usd / (self.measured / timedelta(days=1))

    @property
    def usd_per_avoided_cold_start(self) -> float | None:
        """Idle cost by warm launches; None where there were none, too."""
        return self.idle_cost_usd / self.warm_priced if self.idle_cost_usd is not None and self.warm_priced else None


def whole_queries(names: Names, pools: Iterable[str]) -> Iterator[Query]:
    """Yield what has to be asked over the whole span as one period."""
    for pool in pools:
        yield from queries_of(_WHOLE, names, pool)


def now_queries(names: Names, pools: Iterable[str]) -> Iterator[Query]:
    """Yield what has to be asked about the end of the span, by the minute."""
    for pool in pools:
        yield from queries_of((MISSING,), names, pool)


def now_grid(grid: Grid) -> Grid:
    """Return the end of a span, by the minute."""
    return Grid(start=grid.end - NOW, end=grid.end, period=MINUTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """The answers over the grid, over the whole of it, and over its end."""

    grid: Grid
    series: Answers
    whole: Answers
    now: Answers


def numbers_of(pool: str, read: Read, names: Names) -> Numbers:
    """Work out one pool's numbers."""

    def one(series: Series, value: str = "") -> float | None:
        # A span that does not begin where CloudWatch's periods do may come in two parts.
        amounts = [amount for _, amount in points_of(series, read.whole, names, pool, value)]
        worst = series.stat.statistic in {Statistic.P50, Statistic.P90, Statistic.P99}
        return (max if worst else sum)(amounts) if amounts else None

    judged, short, cost, hours = one(_JUDGED), one(_SHORT), one(IDLE_COST), one(IDLE_HOURS)
    last = max(points_of(MISSING, read.now, names, pool), default=None)
    warm = _count(one(_WARM), judged)
    return Numbers(
        pool=pool,
        measured=len(points_of(IDLE_HOURS, read.series, names, pool)) * read.grid.period,
        kept=None if last is None else last[1] == 0,
        kept_at=None if last is None else last[0],
        kept_share=1 - short / judged if judged and short is not None else None,
        warm=warm,
        launches=_count(one(LAUNCHES), judged),
        unseen=_count(one(_UNSEEN), judged),
        wait_p50_seconds=one(WAIT_HALF),
        wait_p99_seconds=one(WAIT_MOST),
        idle_node_hours=hours,
        idle_cost_usd=cost,
        lead_p90_seconds=one(_LEAD),
        causes=_by(one, COLD_CAUSES),
        held=_by(one, HELD_REASONS),
        unpriced=(pool,) if cost is None and hours else (),
        warm_priced=None if cost is None else warm,
    )


def together(pools: Sequence[Numbers]) -> Numbers:
    """Sum pools up; waits and lead times are those of the slowest, and one pool that is not kept is the stack's."""
    kept = [each.kept for each in pools]
    return Numbers(
        measured=max((each.measured for each in pools), default=timedelta(0)),
        kept=False if False in kept else None if None in kept or not kept else True,
        kept_at=max((each.kept_at for each in pools if each.kept_at is not None), default=None),
        kept_share=_weighted([(each.kept_share, each.measured) for each in pools]),
        warm=_total(each.warm for each in pools),
        launches=_total(each.launches for each in pools),
        unseen=_total(each.unseen for each in pools),
        wait_p50_seconds=_most(each.wait_p50_seconds for each in pools),
        wait_p99_seconds=_most(each.wait_p99_seconds for each in pools),
        idle_node_hours=_sum(each.idle_node_hours for each in pools),
        idle_cost_usd=_sum(each.idle_cost_usd for each in pools),
        lead_p90_seconds=_most(each.lead_p90_seconds for each in pools),
        causes=_merged(each.causes for each in pools),
        held=_merged(each.held for each in pools),
        unpriced=tuple(name for each in pools for name in each.unpriced),
        warm_priced=_total(each.warm_priced for each in pools),
    )


def _count(value: float | None, judged: float | None) -> int | None:
    """Count happenings, of which nothing is written where there was none: then the passes tell 0 from no data."""
    if value is None:
        return 0 if judged else None
    return round(value)


def _by(one: Callable[[Series, str], float | None], series: Series) -> Mapping[str, int]:
    found = {value: one(series, value) for value in VALUES[series.level]}
    return _merged([{value: round(amount) for value, amount in found.items() if amount}])


def _merged(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total.most_common())


def _weighted(shares: Iterable[tuple[float | None, timedelta]]) -> float | None:
    known = [(share, measured / MINUTE) for share, measured in shares if share is not None]
    weight = sum(measured for _, measured in known)
    return sum(share * measured for share, measured in known) / weight if weight else None


def _total(values: Iterable[int | None]) -> int | None:
    known = [each for each in values if each is not None]
    return sum(known) if known else None


def _sum(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) if known else None


def _most(values: Iterable[float | None]) -> float | None:
    return max((each for each in values if each is not None), default=None)
