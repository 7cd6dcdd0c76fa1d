"""Builders for the schedule's tests: windows by their wall-clock text, pools with overrides, instants in UTC."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from warmpool.core.spec import PoolSpec, Window

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def utc(text: str) -> datetime:
    """Read an instant such as 2026-12-04T21:00Z."""
    return datetime.fromisoformat(text).astimezone(UTC)


def clock(text: str) -> timedelta:
    """Read HH:MM as an offset from midnight."""
    hours, minutes = text.split(":")
    return timedelta(hours=int(hours), minutes=int(minutes))


def window(start: str = "08:00", end: str = "18:00", *, days: str = "", dates: str = "", **changes: Any) -> Window:
    """Build a window; `days` as `mon tue`, `dates` as `2026-12-14 2026-12-24..2027-01-01`."""
    spans = [each.split("..") for each in dates.split()]
    named = [WEEKDAYS.index(each) for each in days.split()]
    fields: dict[str, Any] = {"name": "office", "start": clock(start), "end": clock(end), "min": 3}
    fields["dates"] = tuple((date.fromisoformat(span[0]), date.fromisoformat(span[-1])) for span in spans)
    if named:
        fields["days"] = frozenset(named)
    return Window(**(fields | changes))


def all_day(*, days: str = "", dates: str = "", **changes: Any) -> Window:
    """Build an all-day window as the loader does."""
    return window("00:00", "24:00", days=days, dates=dates, all_day=True, **changes)


def pool(*windows: Window, **changes: Any) -> PoolSpec:
    """Build a pool with min 1 and max 8 in Berlin."""
    fields: dict[str, Any] = {"name": "cpu", "deployment": "ph", "node_selector": {"pool": "cpu"}, "min": 1, "max": 8}
    return PoolSpec(**(fields | {"timezone": "Europe/Berlin", "windows": windows} | changes))
