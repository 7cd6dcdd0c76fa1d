"""What CloudWatch charges for a stack's metrics, alarms and log, from what was really written."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

MONTH: Final = timedelta(hours=730)
"""As AWS reckons its monthly examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """List prices in USD of us-east-1, February 2026, first tier, before the free tier. Others are up to 25 % dearer.

    Every name with every set of values of its dimensions is a metric of its own, paid for each hour in which it is
    written. An alarm is paid by the metrics that it looks at. Source: aws.amazon.com/cloudwatch/pricing.
    """

    metric_month: float = 0.30
    alarm_metric_month: float = 0.10
    composite_alarm_month: float = 0.50
    dashboard_month: float = 3.00
    """Three of up to 50 metrics each are free in an account."""
    log_gigabyte: float = 0.50


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One metric as it is billed: `hours` is in how many hours of the log it was written."""

    pool: str
    """Empty for the stack's own."""
    hours: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmSize:
    """One alarm: how many metrics it looks at, or that it is a composite one."""

    pool: str
    """Empty for the stack's own."""
    metrics: int
    composite: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What one pool, or the stack itself (`pool` is empty), costs a month in USD."""

    pool: str
    metrics: int
    usd_as_written: float
    """At the share of the log's hours in which each metric was written."""
    usd_if_always: float
    """As if each metric of the log were written in every hour of the month: the most it can be."""
    alarms: int
    usd_alarms: float

    @property
    def usd(self) -> float:
        """Metrics as written, and alarms."""
        return self.usd_as_written + self.usd_alarms


def charges(
    series: Sequence[Series], alarms: Sequence[AlarmSize], hours: int, prices: Prices | None = None
) -> list[Charge]:
    """Return the stack's charge and then each pool's; `hours` is how many hours the log has anything of."""
    prices = prices or Prices()
    pools = sorted({"", *(each.pool for each in series), *(each.pool for each in alarms)})
    return [_charge(pool, series, alarms, hours, prices) for pool in pools]


def _charge(pool: str, series: Sequence[Series], alarms: Sequence[AlarmSize], hours: int, prices: Prices) -> Charge:
    mine = [each for each in series if each.pool == pool]
    watching = [each for each in alarms if each.pool == pool]
    return Charge(
        pool=pool,
        metrics=len(mine),
        usd_as_written=sum(prices.metric_month * each.hours / hours for each in mine),
        usd_if_always=prices.metric_month * len(mine),
        alarms=len(watching),
        usd_alarms=sum(
            prices.composite_alarm_month if each.composite else prices.alarm_metric_month * each.metrics
            for each in watching
        ),
    )


def log_usd(size_bytes: int, span: timedelta, prices: Prices | None = None) -> tuple[float, float]:
    """Return gigabytes and USD a month of a log that grows by so much in the span."""
    gigabytes = size_bytes / 1e9 * (MONTH / span)
    return gigabytes, gigabytes * (prices or Prices()).log_gigabyte
