"""The real clock, and the time that Lambda leaves a pass."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the present instant, in UTC."""
        return datetime.now(UTC)


class SystemPause:
    """Waits in real time."""

    def wait(self, seconds: float) -> None:
        """Sleep for so many seconds."""
        time.sleep(seconds)


class RemainingTime(Protocol):
    """The part of Lambda's context that knows the invocation's deadline."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until Lambda ends the invocation."""
        ...


class LambdaBudget:
    """What is left of an invocation, less a margin for the log and metrics of a late pass."""

    def __init__(self, context: RemainingTime, *, margin_seconds: float) -> None:
        self._context = context
        self._margin_seconds = margin_seconds

    def remaining_seconds(self) -> float:
        """Return the seconds before the pass must have ended; 0 or less is over."""
        return self._context.get_remaining_time_in_millis() / 1000 - self._margin_seconds


class Deadline:
    """A budget of so many seconds from now on, for whoever runs outside Lambda."""

    def __init__(self, seconds: float, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._end = monotonic() + seconds

    def remaining_seconds(self) -> float:
        """Return the seconds left; 0 or less is over."""
        return self._end - self._monotonic()
