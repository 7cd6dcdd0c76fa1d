"""Which periods a span of time is shown in."""

from datetime import UTC, datetime, timedelta
from typing import Final

from warmpool.app.measured import Grid

MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_PERIODS: Final = (MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR, _DAY)
_MOST: Final = 180
"""Points that a chart of a page's width can show, and a table beside it."""
_KEPT_IN_MINUTES: Final = 15 * _DAY
_KEPT_IN_FIVE: Final = 63 * _DAY
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def grid_over(start: datetime, end: datetime, now: datetime) -> Grid:
    """Choose the shortest period that gives a readable picture and that CloudWatch still has.

    It keeps minutes for 15 days, five minutes for 63 and hours after that (API reference of GetMetricData). Start and
    end move outwards to whole periods.
    """
    age = now - start
    least = MINUTE if age <= _KEPT_IN_MINUTES else 5 * MINUTE if age <= _KEPT_IN_FIVE else _HOUR
    wanted = max(least, (end - start) / _MOST)
    period = next((each for each in _PERIODS if each >= wanted), _DAY)
    first = start - (start - _EPOCH) % period
    return Grid(start=first, end=end + (first - end) % period, period=period)
