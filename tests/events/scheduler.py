"""EventBridge Scheduler's part of an edge: when an expression of ours is due."""

import re
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from infra.edges import Edge

WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


def fires(edge: Edge, at: datetime) -> bool:
    """Say whether an edge is due at a whole minute, by its zone's clock."""
    found = re.fullmatch(r"cron\((\d+) (\d+) (\S+) (\S+) (\S+) \*\)", edge.expression)
    assert found is not None, edge.expression
    minute, hour, day, month, weekday = found.groups()
    # One of day and weekday is `?`: Scheduler refuses both.
    assert (day == "?") != (weekday == "?"), edge.expression
    local = at.astimezone(ZoneInfo(edge.timezone))
    return (
        (local.hour, local.minute) == (int(hour), int(minute))
        and (day in {"?", "*"} or local.day in set(_numbers(day)))
        and month in {"*", str(local.month)}
        and (weekday in {"?", "*"} or WEEKDAYS[local.weekday()] in weekday.split(","))
    )


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
