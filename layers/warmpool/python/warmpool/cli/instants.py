"""Instants and durations as the command line reads and writes them."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from warmpool.cli.errors import CliError

_DURATION: Final = re.compile(r"(\d{1,6})([smhd])", re.ASCII)
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_EXPECTED: Final = "an instant with its offset, for instance 2026-12-01T08:00:00Z or 2026-12-01T09:00+01:00"


def parse_instant(text: str, option: str) -> datetime:
    """Read an ISO 8601 instant that carries an offset, as UTC. Raises CliError naming the option."""
    try:
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is None:
            raise CliError("Usage", option, f"{text!r} has no offset; expected {_EXPECTED}")
        return instant.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise CliError("Usage", option, f"{text!r} is no instant; expected {_EXPECTED}") from error


def parse_instant_or_day(text: str, option: str, zone: str | None) -> datetime:
    """Read an instant, or a day alone: the midnight at which it begins in `zone` (UTC where None)."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return parse_instant(text, option)
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone) if zone else UTC).astimezone(UTC)


def instant_text(instant: datetime) -> str:
    """Write an instant in UTC, with microseconds only where there are some."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_duration(text: str, option: str) -> timedelta:
    """Read 30s, 10m, 2h or 7d. Raises CliError naming the option."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise CliError("Usage", option, f"{text!r} is no duration; expected for instance 30s, 10m, 2h or 7d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def duration_text(duration: timedelta) -> str:
    """Write a duration in minutes and seconds, as people say it."""
    minutes, seconds = divmod(round(duration.total_seconds()), 60)
    return f"{minutes} min {seconds} s" if minutes and seconds else f"{minutes} min" if minutes else f"{seconds} s"
