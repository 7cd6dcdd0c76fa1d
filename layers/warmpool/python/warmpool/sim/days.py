"""Traces of launches per minute: reading them, taking a day out, spreading launches over their minutes."""

import csv
import gzip
import io
import random
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from importlib import resources
from typing import Final

from warmpool.app.errors import ConfigInvalid

COMMITTED_WEEK: Final = "mix5-week.csv"
_GZIP: Final = b"\x1f\x8b"
_HEADER: Final = ["minute", "launches"]
_LARGEST_MINUTE: Final = 2**31
_MOST_LAUNCHES: Final = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Launches by Unix minute (UTC), and where they come from."""

    name: str
    launches: Mapping[int, int]

    @property
    def first_day(self) -> date:
        """The UTC day of the earliest launch."""
        return instant_of(min(self.launches)).date()

    @property
    def last_day(self) -> date:
        """The UTC day of the latest launch."""
        return instant_of(max(self.launches)).date()

    def between(self, start: datetime, end: datetime) -> "Trace":
        """Cut out [start, end)."""
        first, last = minute_of(start), minute_of(end)
        return Trace(name=self.name, launches={m: n for m, n in self.launches.items() if first <= m < last})

    def total(self) -> int:
        """Count all launches."""
        return sum(self.launches.values())

    def busiest_day(self) -> date:
        """Name the UTC day with the most launches; the earlier one of equals."""
        totals: dict[date, int] = {}
        for minute, count in self.launches.items():
            day = instant_of(minute).date()
            totals[day] = totals.get(day, 0) + count
        return min(totals, key=lambda day: (-totals[day], day))


def minute_of(instant: datetime) -> int:
    """Turn an instant into its Unix minute."""
    return int(instant.timestamp()) // 60


def instant_of(minute: int) -> datetime:
    """Turn a Unix minute into the instant at which it begins, in UTC."""
    return datetime.fromtimestamp(minute * 60, UTC)


def midnight(day: date) -> datetime:
    """Return the instant at which a UTC day begins."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def committed_week() -> Trace:
    """Read the week that ships with the package (sim/data/README.md says what it is)."""
    return read_trace(resources.files("warmpool.sim").joinpath("data", COMMITTED_WEEK).read_bytes(), COMMITTED_WEEK)


def read_trace(raw: bytes, source: str) -> Trace:
    """Decode a CSV (gzip'ed or not) of `minute,launches`; rows of the same minute add up.

    Raises ConfigInvalid naming the line and what stood there.
    """
    rows = csv.reader(io.StringIO(_text_of(raw, source), newline=""))
    header = next(rows, None)
    if header is None or [cell.strip() for cell in header] != _HEADER:
        raise ConfigInvalid("line 1", f"expected the header minute,launches, found {_shown(header)}", source=source)
    launches: dict[int, int] = {}
    for row in rows:
        if row:
            minute, count = _row_of(row, rows.line_num, source)
            launches[minute] = launches.get(minute, 0) + count
    if not any(launches.values()):
        raise ConfigInvalid("", "the trace has no launches", source=source)
    return Trace(name=source, launches=launches)


def steady_trace(start: datetime, *, hours: float, launches_per_hour: float, seed: int) -> Trace:
    """Draw launches at an even rate (a Poisson process): the same seed gives the same launches."""
    random_numbers = random.Random(f"launches/{seed}")  # noqa: S311 - a simulation, not a secret
    end, at = start + timedelta(hours=hours), start
    launches: dict[int, int] = {}
    while True:
        at += timedelta(hours=random_numbers.expovariate(launches_per_hour))
        if at >= end:
            return Trace(name=f"{launches_per_hour:g} launches an hour", launches=launches)
        launches[minute_of(at)] = launches.get(minute_of(at), 0) + 1


def launch_times(trace: Trace, seed: int) -> list[datetime]:
    """Spread each minute's launches evenly at random over its 60 seconds, in order."""
    random_numbers = random.Random(f"seconds/{seed}")  # noqa: S311 - a simulation, not a secret
    times = [
        instant_of(minute) + timedelta(milliseconds=random_numbers.randrange(60_000))
        for minute in sorted(trace.launches)
        for _ in range(trace.launches[minute])
    ]
    return sorted(times)


def _text_of(raw: bytes, source: str) -> str:
    try:
        plain = gzip.decompress(raw) if raw.startswith(_GZIP) else raw
        return plain.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise ConfigInvalid("", f"is neither a CSV text nor a gzip'ed one: {error}", source=source) from error


def _row_of(row: list[str], line: int, source: str) -> tuple[int, int]:
    try:
        minute, count = (int(cell) for cell in row)
    except ValueError:
        minute = count = -1
    if not 0 <= minute <= _LARGEST_MINUTE or not 0 <= count <= _MOST_LAUNCHES:
        message = f"expected two whole numbers minute,launches (Unix minutes, UTC), found {_shown(row)}"
        raise ConfigInvalid(f"line {line}", message, source=source)
    return minute, count


def _shown(row: list[str] | None) -> str:
    return "an empty file" if row is None else repr(",".join(row)[:80])
