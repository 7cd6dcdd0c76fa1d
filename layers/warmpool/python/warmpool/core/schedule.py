"""Windows: which one is in force at an instant, what comes within the lead time, and the calendar."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from warmpool.core.decision import Limits
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import PoolSpec, Window

_DAY: Final = timedelta(days=1)
_INSTANT: Final = timedelta.resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEntry:
    """What is in force in [start, end), UTC; pinned where `target` is set (then min = max = target).

    `order_at` says when the nodes for it are ordered: the lead time before `start`, where it asks for more room.
    """

    start: datetime
    end: datetime
    min: int
    max: int
    window: str | None = None
    target: int | None = None
    order_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Force:
    """A window, or none, with the limits that it sets in its pool; under a pin `max` is still the ceiling."""

    window: Window | None
    min: int
    max: int
    target: int | None


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """One span of a window in real time, half-open, in UTC."""

    start: datetime
    end: datetime
    force: _Force

    @property
    def rank(self) -> tuple[object, ...]:
        """Order of precedence, the winner first; names are unique in a pool, so there is no tie."""
        window = self.force.window
        name, dated = (window.name, bool(window.dates)) if window else ("", False)
        return (not dated, self.end - self.start, -self.force.min, -self.force.max, name)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of time in which the same is in force."""

    start: datetime
    end: datetime
    force: _Force


def window_at(pool: PoolSpec, at: datetime) -> Window | None:
    """Return the window in force: dates beat weekdays, then the shorter occurrence wins, then the higher min."""
    return _timeline(pool, at, at + _INSTANT)[0].force.window


def limits_at(pool: PoolSpec, at: datetime, lead: timedelta) -> Limits:
    """Return the min, max and pin that windows ask for at an instant, without overrides.

    Whatever comes into force within `lead` counts already where it asks for more, so that the room is ready
    when it starts; what lowers acts at the edge itself. Under a pin `max` stays the window's own, else the pool's: an
    override without a max is cut by that one.
    """
    now, *ahead = _timeline(pool, at, at + lead + _INSTANT)
    raising = [piece for piece in ahead if piece.force.min > now.force.min or piece.force.max > now.force.max]
    least = max(piece.force.min for piece in (now, *raising))
    return Limits(
        min=least,
        max=max(piece.force.max for piece in (now, *raising)),
        window=now.force.window.name if now.force.window else None,
        target=None if now.force.target is None else least,
        reasons=tuple(_reasons(pool, now, raising)),
    )


def calendar(pool: PoolSpec, start: datetime, days: int, lead: timedelta) -> tuple[CalendarEntry, ...]:
    """List what is in force for `days` times 24 hours from `start` on: UTC, gapless, edges by the wall clock."""
    begin = start.astimezone(UTC)
    # One instant earlier, to know whether the first row asks for more than what was before it.
    pieces = _timeline(pool, begin - _INSTANT, begin + days * _DAY)
    if pieces[0].end > begin:
        pieces.insert(0, _Piece(begin, begin, pieces[0].force))
    return tuple(_entry(before.force, piece, begin, lead) for before, piece in pairwise(pieces))


def _entry(before: _Force, piece: _Piece, begin: datetime, lead: timedelta) -> CalendarEntry:
    force, start = piece.force, max(piece.start, begin)
    return CalendarEntry(
        start=start,
        end=piece.end,
        min=force.min,
        max=force.max if force.target is None else force.target,
        window=force.window.name if force.window else None,
        target=force.target,
        order_at=start - lead if force.min > before.min else None,
    )


def _timeline(pool: PoolSpec, start: datetime, until: datetime) -> list[_Piece]:
    """Cut [start, until) into the longest pieces in which the same is in force."""
    begin, end = start.astimezone(UTC), until.astimezone(UTC)
    coming = sorted(_occurrences(pool, begin, end), key=lambda each: each.start, reverse=True)
    edges = {edge for each in coming for edge in (each.start, each.end) if begin < edge < end}
    base = _Force(None, min(pool.min, pool.max), pool.max, None)
    pieces: list[_Piece] = []
    active: list[_Occurrence] = []
    for left, right in pairwise((begin, *sorted(edges), end)):
        while coming and coming[-1].start <= left:
            active.append(coming.pop())
        active = [each for each in active if each.end > left]
        force = min(active, key=lambda each: each.rank).force if active else base
        if pieces and pieces[-1].force == force:
            pieces[-1] = _Piece(pieces[-1].start, right, force)
        else:
            pieces.append(_Piece(left, right, force))
    return pieces


def _occurrences(pool: PoolSpec, begin: datetime, end: datetime) -> Iterator[_Occurrence]:
    """Find the occurrences of all windows that touch [begin, end)."""
    if not pool.windows:
        return
    zone = _zone(pool)
    # An overnight occurrence belongs to the day it starts on and ends on the next one: look one day back.
    first = begin.astimezone(zone).date() - _DAY
    last = end.astimezone(zone).date()
    for window in pool.windows:
        force = _force(pool, window)
        for offset in range((last - first).days + 1):
            day = first + offset * _DAY
            if not _on(window, day):
                continue
            start, finish = _span(window, day, zone)
            if start < finish and start < end and finish > begin:
                yield _Occurrence(start, finish, force)


def _zone(pool: PoolSpec) -> ZoneInfo:
    # The loader asks for a zone as soon as there are windows; a pool built without one lives in UTC.
    return ZoneInfo(pool.timezone or "UTC")


def _on(window: Window, day: date) -> bool:
    if window.dates:
        return any(first <= day <= last for first, last in window.dates)
    return day.weekday() in window.days


def _force(pool: PoolSpec, window: Window) -> _Force:
    ceiling = pool.max if window.max is None else window.max
    if window.target is not None:
        pin = min(window.target, ceiling)
        return _Force(window, pin, ceiling, pin)
    floor = pool.min if window.min is None else window.min
    return _Force(window, min(floor, ceiling), ceiling, None)


def _span(window: Window, day: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Translate one occurrence to UTC; where clocks go forward it may be empty (end not after start)."""
    midnight = datetime.combine(day, time.min)
    if window.all_day:
        return _starts(midnight, zone), _ends(midnight + _DAY, zone)
    overnight = _DAY if window.end <= window.start else timedelta(0)
    return _starts(midnight + window.start, zone), _ends(midnight + overnight + window.end, zone)


def _starts(wall: datetime, zone: ZoneInfo) -> datetime:
    """Find the first instant at which the wall clock shows `wall` or, if it skips that, what follows."""
    first, second = _passes(wall, zone)
    return first if first <= second else _change(second, first, zone)


def _ends(wall: datetime, zone: ZoneInfo) -> datetime:
    """Find the instant from which on the wall clock never shows a time before `wall` again on that day.

    In the autumn fold this is the second pass, so that the two passes of a window are one interval; but a
    window that ends just where the fold begins has nothing in the second pass.
    """
    first, second = _passes(wall, zone)
    if first > second:
        return _change(second, first, zone)
    shown_before = (second - _INSTANT).astimezone(zone).replace(tzinfo=None)
    return second if shown_before < wall else first


def _passes(wall: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Read a wall time with both values of `fold` (PEP 495): equal as a rule, in order in a fold, reversed in a gap."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return first, second


def _change(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Find the instant in (before, after] at which the offset changes; zones change on whole seconds."""
    offset = before.astimezone(zone).utcoffset()
    low, high = 0, int((after - before).total_seconds())
    while high - low > 1:
        middle = (low + high) // 2
        if (before + timedelta(seconds=middle)).astimezone(zone).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return before + timedelta(seconds=high)


def _reasons(pool: PoolSpec, now: _Piece, raising: list[_Piece]) -> Iterator[Reason]:
    if now.force.window:
        yield Reason(
            Code.WINDOW, f"window {now.force.window.name} ({_hours(pool, now.force.window)}) {_asks(now.force)}"
        )
    for piece in raising:
        start = f"{piece.start.astimezone(_zone(pool)):%Y-%m-%d %H:%M} {_zone(pool).key}"
        name = f"window {piece.force.window.name}" if piece.force.window else "the time outside windows"
        text = f"{name} starts at {start}, within the lead time: {_asks(piece.force)} from then, room is ordered now"
        yield Reason(Code.WINDOW_AHEAD, text)


def _asks(force: _Force) -> str:
    return f"pins {force.target}" if force.target is not None else f"asks for min {force.min}, max {force.max}"


def _hours(pool: PoolSpec, window: Window) -> str:
    if window.all_day:
        return f"all day, {_zone(pool).key}"
    start, end = (
        f"{each // timedelta(hours=1):02}:{each // timedelta(minutes=1) % 60:02}" for each in (window.start, window.end)
    )
    return f"{start}-{end} {_zone(pool).key}"
