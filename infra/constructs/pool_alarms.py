"""The alarms of one pool, with thresholds from its spec. Each costs money: docs/metrics.md says how much."""

from datetime import timedelta
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.constructs.alarm_factory import MINUTE, AlarmFactory, Says, When
from warmpool.core.spec import Mode, PoolSpec

LEAST_LAUNCHES: Final = 5
"""Fewer launches in an hour prove nothing about a share of them."""
LEAST_COLD: Final = 2
"""A single cold launch is chance: 99 % of twenty launches would be broken by one."""
USUAL_HIT_RATE: Final = 0.9
"""What is watched where the spec promises no share of launches (`demand.targetHitRate`)."""
LONG_CAPPED: Final = timedelta(minutes=30)
SPARE: Final = 2
"""So many points may be missing or late before an alarm over many of them notices."""
LONGEST: Final = 1440
"""Minutes that an alarm can look back: a day (PutMetricAlarm, EvaluationPeriods)."""

_LESS: Final = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
_FLAG: Final = When(points=3, periods=5)
"""The controller itself waits until a thing has lasted; 3 of 5 passes only keep a single odd one out."""


class PoolAlarms:
    """Makes the alarms of one pool.

    `broken` are the two that tell that people wait: they post through the composite alarm alone, so that nobody is
    called twice. A pool in shadow mode promises nothing, and has neither them nor those on its nodes.
    """

    def __init__(self, factory: AlarmFactory, pool: PoolSpec) -> None:
        self._factory = factory
        self._pool = pool
        self.broken: list[cloudwatch.Alarm] = []
        if pool.mode is not Mode.SHADOW:
            self.broken = [self._promise_not_kept(), self._below_floor()]
            self._nodes()
        self._settings()

    def _says(self, name: str, what: str, *, posted: bool = True) -> Says:
        return Says(name=name, what=what, pool=self._pool.name, posted=posted)

    def _promise_not_kept(self) -> cloudwatch.Alarm:
        """Compare the last hour's hit rate, where enough was launched and something was wanted all the time.

        `Hit` is 1 or 0 for each launch, so that its average is the rate: a launch that is told twice by the log hardly
        moves it, and an hour with cold launches alone has data, which sums of the warm ones would not.
        """
        pool, hour = self._pool, Duration.hours(1)
        rate = USUAL_HIT_RATE if pool.demand is None else float(pool.demand.target_hit_rate)
        enough = f"(FILL(launches, 0) >= {LEAST_LAUNCHES})"
        # Half a launch less, since 10 * (1 - 0.8) is a little below 2.
        several = f"(FILL(launches, 0) * (1 - FILL(rate, 1)) > {LEAST_COLD - 0.5})"
        kept = cloudwatch.MathExpression(
            expression=f"IF({enough} AND {several} AND (need > 0), FILL(rate, 1), 1)",
            using_metrics={
                "rate": self._factory.own("Hit", pool.name, statistic="Average", period=hour),
                "launches": self._factory.own("Hit", pool.name, statistic="SampleCount", period=hour),
                "need": self._factory.own("NeedSlots", pool.name, statistic="Minimum", period=hour),
            },
            label="Hit rate, or 1 where nothing can be said",
            period=hour,
        )
        what = f"fewer than {100 * rate:.6g} % of pool {pool.name}'s launches of the last hour found a warm node"
        when = When(points=1, periods=1, threshold=rate, comparison=_LESS)
        return self._factory.alarm(self._says("PromiseNotKept", what, posted=False), kept, when)

    def _below_floor(self) -> cloudwatch.Alarm:
        """Minimum: a minute counts where every pass of it found too little room."""
        limit = self._pool.lead_time_limit
        metric, when = self._for_long("BelowFloor", limit)
        what = (
            f"pool {self._pool.name} has held less warm room than `min` or the pin in force for {_minutes(limit)} min"
        )
        return self._factory.alarm(self._says("BelowFloor", what, posted=False), metric, when)

    def _nodes(self) -> None:
        name = self._pool.name
        own = self._factory.own
        stuck = f"no node comes for pool {name}'s open orders; `warmpool status` and the log's record tell the reason"
        self._factory.alarm(self._says("CapacityStuck", stuck), own("CapacityStuck", name), _FLAG)
        pulling = f"placeholders of pool {name} have a node and their images do not get there"
        self._factory.alarm(self._says("ImageNotPulled", pulling), own("ImagePullStuck", name), _FLAG)
        metric, when = self._for_long("Capped", LONG_CAPPED)
        capped = f"a ceiling has cut what pool {name} wants for {_minutes(LONG_CAPPED)} min"
        # A ceiling that works as it was set wakes nobody; where people wait for it, the composite alarm says so.
        self._factory.alarm(self._says("CappedLong", capped, posted=False), metric, when)

    def _settings(self) -> None:
        name, own = self._pool.name, self._factory.own
        held = f"pool {name} has been held for longer than its holdLimit, and nobody said that it should be"
        self._factory.alarm(self._says("HeldLong", held), own("HeldLong", name), _FLAG)
        wrong = f"a setting of pool {name} is wrong and the last good one stays in force"
        self._factory.alarm(self._says("ConfigInvalid", wrong), own("ConfigInvalid", name), _FLAG)

    def _for_long(self, name: str, limit: timedelta) -> tuple[cloudwatch.Metric, When]:
        """Watch a flag that must have been set for so long: minute by minute, or coarser over more than a day."""
        minutes = _minutes(limit)
        period = -(-(minutes + SPARE) // LONGEST)
        points = -(-minutes // period)
        metric = self._factory.own(
            name, self._pool.name, statistic="Minimum", period=MINUTE if period == 1 else Duration.minutes(period)
        )
        return metric, When(points=points, periods=min(points + SPARE, LONGEST // period))


def _minutes(limit: timedelta) -> int:
    return -(-limit // timedelta(minutes=1))
