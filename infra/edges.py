"""When a nudge is due for the windows: where one starts, ends, or its nodes are to be ordered.

No edge decides anything: the pass works out by itself which window is in force, also where clocks change, and the tick
comes every minute. An edge gains a minute at most, so one that is missed, or comes for nothing, does no harm.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from itertools import groupby
from typing import Final

from warmpool.core.spec import PoolSpec, Window

LONGEST_NAME: Final = 64
"""What Scheduler takes."""

_DAY: Final = timedelta(days=1)
_MINUTE: Final = timedelta(minutes=1)
_WEEKDAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_DIGEST: Final = 8

_Days = frozenset[int] | frozenset[date]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One schedule: an expression that Scheduler reads on a zone's wall clock, and what happens then."""

    expression: str
    timezone: str
    what: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name it after the first thing that happens, unlike every other edge."""
        digest = sha256(f"{self.expression} {self.timezone}".encode()).hexdigest()[:_DIGEST]
        slug = re.sub(r"[^0-9A-Za-z]+", "-", self.what[0])[: LONGEST_NAME - _DIGEST - 1]
        return f"{slug}-{digest}"


def edges_of(pools: Iterable[PoolSpec]) -> list[Edge]:
    """List the edges of all windows, equal ones once: those of the week first, then those of dates."""
    found: dict[tuple[bool, str, str], list[str]] = {}
    for pool in pools:
        zone = pool.timezone or "UTC"
        for window in pool.windows:
            for moment in _moments(pool, window):
                for expression in moment.expressions():
                    found.setdefault((bool(window.dates), expression, zone), []).append(moment.what)
    return [
        Edge(expression=expression, timezone=zone, what=tuple(dict.fromkeys(found[dated, expression, zone])))
        for dated, expression, zone in sorted(found, key=lambda each: each[0])
    ]


@dataclass(frozen=True, slots=True)
class _Moment:
    """What happens at one time from the midnight of each day on which a window starts."""

    days: _Days
    offset: timedelta
    what: str

    def expressions(self) -> Iterator[str]:
        """Write it for Scheduler; a second is rounded up, since a nudge before its time says nothing."""
        minutes = -(-self.offset // _MINUTE)
        shift, minute_of_day = divmod(minutes, _DAY // _MINUTE)
        hour, minute = divmod(minute_of_day, 60)
        weekdays = {(each + shift) % 7 for each in self.days if isinstance(each, int)}
        dates = {each + shift * _DAY for each in self.days if isinstance(each, date)}
        if len(weekdays) == len(_WEEKDAYS):
            yield f"cron({minute} {hour} * * ? *)"
        elif weekdays:
            yield f"cron({minute} {hour} ? * {','.join(_WEEKDAYS[each] for each in sorted(weekdays))} *)"
        for month in sorted({each.month for each in dates}):
            days = sorted({each.day for each in dates if each.month == month})
            yield f"cron({minute} {hour} {_ranges(days)} {month} ? *)"


def _moments(pool: PoolSpec, window: Window) -> Iterator[_Moment]:
    """Name a window's edges, and when what begins there is ordered.

    A one-time schedule would say a date better than one that returns every year. But Scheduler refuses to create one
    whose time has passed, so old dates in a spec would fail a new stack; a yearly nudge costs one spare pass.
    """
    name = f"{pool.name} {window.name}"
    end = window.end if window.end > window.start else window.end + _DAY
    starts, ends = _edge_days(window, whole_days=end - window.start == _DAY)
    if starts:
        yield _Moment(starts, window.start - pool.lead_time, f"{name} is ordered")
        yield _Moment(starts, window.start, f"{name} starts")
    if ends:
        if _gives_way_to_more(pool, window):
            yield _Moment(ends, end - pool.lead_time, f"what follows {name} is ordered")
        yield _Moment(ends, end, f"{name} ends")


def _edge_days(window: Window, *, whole_days: bool) -> tuple[_Days, _Days]:
    """Return the days whose occurrence has a start, and an end, of its own: 24-hour ones run into each other."""
    if window.dates:
        dates = frozenset(
            first + offset * _DAY for first, last in window.dates for offset in range((last - first).days + 1)
        )
        if not whole_days:
            return dates, dates
        return (
            frozenset(each for each in dates if each - _DAY not in dates),
            frozenset(each for each in dates if each + _DAY not in dates),
        )
    if not whole_days:
        return window.days, window.days
    return (
        frozenset(each for each in window.days if (each - 1) % 7 not in window.days),
        frozenset(each for each in window.days if (each + 1) % 7 not in window.days),
    )


def _gives_way_to_more(pool: PoolSpec, window: Window) -> bool:
    """Say whether anything else in the pool asks for more room, which is then ordered before this window ends."""
    own_floor, own_ceiling = _asks(pool, window)
    others = [(min(pool.min, pool.max), pool.max), *(_asks(pool, each) for each in pool.windows)]
    return any(floor > own_floor or ceiling > own_ceiling for floor, ceiling in others)


def _asks(pool: PoolSpec, window: Window) -> tuple[int, int]:
    ceiling = pool.max if window.max is None else window.max
    floor = window.target if window.target is not None else window.min
    return min(pool.min if floor is None else floor, ceiling), ceiling


def _ranges(days: Sequence[int]) -> str:
    """Write days of a month as cron does: 1,14-18."""
    runs = [[day for _, day in run] for _, run in groupby(enumerate(days), lambda pair: pair[1] - pair[0])]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
