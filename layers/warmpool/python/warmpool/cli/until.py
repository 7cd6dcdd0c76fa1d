"""When an override or a stop ends, as people write it: a time of day, an instant, or for ever."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from warmpool.cli.errors import CliError
from warmpool.cli.instants import parse_instant

FOREVER: Final = "forever"
_OPTION: Final = "--until"
_TIME_OF_DAY: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])|24:00", re.ASCII)
_MOST_DAYS: Final = 3
"""A time of day comes again within a day; where clocks skip or repeat an hour, within two."""


def parse_until(text: str, zone: str | None, now: datetime) -> datetime | None:
    """Read HH:MM as the next such time in `zone` (UTC where None), an instant with its offset, or `forever` (None).

    The result is in the zone. Raises CliError, also for an instant that is past.
    """
    if text == FOREVER:
        return None
    local = ZoneInfo(zone or "UTC")
    if _TIME_OF_DAY.fullmatch(text):
        return _next(text, local, now)
    try:
        until = parse_instant(text, _OPTION).astimezone(local)
    except CliError as error:
        expected = f"a time of day such as 18:00 ({local.key}), an instant with its offset, or {FOREVER}"
        raise CliError("Usage", _OPTION, f"{text!r} is none of these: {expected}") from error
    if until <= now:
        raise CliError("Usage", _OPTION, f"{text!r} is past: now is {now.astimezone(local).isoformat('T', 'minutes')}")
    return until


def until_text(until: datetime | None) -> str:
    """Write it as documents do."""
    return FOREVER if until is None else until.isoformat(timespec="seconds")


def _next(text: str, zone: ZoneInfo, now: datetime) -> datetime:
    hours, minutes = (int(part) for part in text.split(":"))
    today = datetime.combine(now.astimezone(zone).date(), time.min)
    walls = (today + timedelta(days=day, hours=hours, minutes=minutes) for day in range(-1, _MOST_DAYS))
    return min(each for wall in walls for each in _instants(wall, zone) if each > now).astimezone(zone)


def _instants(wall: datetime, zone: ZoneInfo) -> set[datetime]:
    """Read a wall time (PEP 495): twice where clocks go back, once and just after the gap where they skip it."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return {first, max(first, second)}
