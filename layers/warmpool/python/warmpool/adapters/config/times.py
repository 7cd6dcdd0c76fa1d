"""Spans, times of day, days, dates and instants as documents write them."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar, Final

from warmpool.adapters.config.scalar import Rejected, Scalar

DAY_NAMES: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FOREVER: Final = "forever"
_UNITS: Final = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1)}
_ANY_DAY: Final = "|".join("".join(f"[{each.upper()}{each}]" for each in name) for name in DAY_NAMES)
_DATE: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_OFFSET: Final = "(?:Z|[+-][0-9]{2}:[0-9]{2})"
_INSTANT: Final = rf"{_DATE}T[0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?{_OFFSET}"


def _matched(kind: type[Scalar[Any]], raw: Any) -> re.Match[str]:
    match = re.fullmatch(kind.schema["pattern"], raw) if isinstance(raw, str) else None
    if match is None:
        raise Rejected(kind.expected)
    return match


class Duration(Scalar[timedelta]):
    """A span of time in one unit."""

    __slots__ = ()
    expected = "a duration such as 30s, 10m or 2h"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": "^([0-9]{1,6})([smh])$"}

    @classmethod
    def read(cls, raw: Any) -> timedelta:
        """Return the span. Raises Rejected."""
        number, unit = _matched(cls, raw).groups()
        return int(number) * _UNITS[unit]


class PositiveDuration(Duration):
    """A span of time above 0."""

    __slots__ = ()
    expected = "a duration above 0 such as 30s, 10m or 2h"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": "^(0{0,5}[1-9][0-9]{0,5})([smh])$"}


class Start(Scalar[timedelta]):
    """A window's start on the wall clock, as the offset from midnight."""

    __slots__ = ()
    expected = "a time of day from 00:00 to 23:59 such as 08:00"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": "^([01][0-9]|2[0-3]):([0-5][0-9])$"}

    @classmethod
    def read(cls, raw: Any) -> timedelta:
        """Return the offset from midnight. Raises Rejected."""
        hours, minutes = _matched(cls, raw)[0].split(":")
        return timedelta(hours=int(hours), minutes=int(minutes))


class End(Start):
    """A window's end on the wall clock; 24:00 is midnight."""

    __slots__ = ()
    expected = "a time of day from 00:00 to 24:00 such as 18:30"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": "^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"}


class Days(Scalar[frozenset[int]]):
    """A weekday or a range of weekdays, which may wrap; 0 is Monday."""

    __slots__ = ()
    expected = "a day (mon, tue, wed, thu, fri, sat or sun) or a range of days such as mon-fri or fri-mon"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": f"^({_ANY_DAY})(?:-({_ANY_DAY}))?$"}

    @classmethod
    def read(cls, raw: Any) -> frozenset[int]:
        """Return the days. Raises Rejected."""
        first, last = _matched(cls, raw).groups()
        start = DAY_NAMES.index(first.lower())
        end = DAY_NAMES.index((last or first).lower())
        return frozenset((start + step) % 7 for step in range((end - start) % 7 + 1))


class Dates(Scalar[tuple[date, date]]):
    """A date or an inclusive range of dates."""

    __slots__ = ()
    expected = "a date such as 2026-12-14 or a range such as 2026-12-24..2027-01-01, its first day first"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": rf"^{_DATE}(?:\.\.{_DATE})?$"}

    @classmethod
    def read(cls, raw: Any) -> tuple[date, date]:
        """Return first and last day. Raises Rejected, also for a range that runs backwards."""
        try:
            days = [date.fromisoformat(each) for each in _matched(cls, raw)[0].split("..")]
        except ValueError as error:
            raise Rejected(cls.expected) from error
        if days[0] > days[-1]:
            raise Rejected(cls.expected)
        return days[0], days[-1]


class Until(Scalar[datetime | None]):
    """An instant with its offset, or for ever (None)."""

    __slots__ = ()
    expected = f'an instant with its offset such as 2026-12-14T18:00+01:00 or 2026-12-14T17:00Z, or "{FOREVER}"'
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": f"^(?:{_INSTANT}|{FOREVER})$"}

    @classmethod
    def read(cls, raw: Any) -> datetime | None:
        """Return the instant in UTC. Raises Rejected."""
        text = _matched(cls, raw)[0]
        try:
            return None if text == FOREVER else datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise Rejected(cls.expected) from error


def written(span: timedelta) -> str:
    """Write a span as a document does: `90s`, `10m`, `2h`."""
    for unit, length in (("h", timedelta(hours=1)), ("m", timedelta(minutes=1))):
        if span and not span % length:
            return f"{span // length}{unit}"
    return f"{span // timedelta(seconds=1)}s"
