"""How often events may ask for a pass: a few at once, then one every few seconds."""

from datetime import datetime, timedelta
from typing import Final, Protocol

from warmpool.app.ports import Budget, Clock, Pause

BURST: Final = 5
"""So many passes follow events at once: the few events that one launch makes never wait."""

EVERY: Final = timedelta(seconds=5)
"""Then one pass in this time: a minute of storm costs at most BURST + 12 passes, and nothing waits longer."""

PASS_SECONDS: Final = 20.0
"""What waiting leaves of an invocation for the pass itself."""


class Pace(Protocol):
    """When the nudges in hand may have their pass."""

    def admits(self, newest: datetime | None, budget: Budget) -> bool:
        """Return False where a complete pass has seen it all; else wait for these nudges' turn and return True."""
        ...

    def begins(self) -> None:
        """Take note that a pass begins."""
        ...

    def completed(self) -> None:
        """Take note that the pass which began last has seen everything."""
        ...


class Unpaced:
    """Every nudge has its pass at once."""

    def admits(self, newest: datetime | None, budget: Budget) -> bool:
        """Return True."""
        del newest, budget
        return True

    def begins(self) -> None:
        """Do nothing."""

    def completed(self) -> None:
        """Do nothing."""


class EventPace:
    """Spreads the passes that events ask for; what the clock or a person asks for is not counted here.

    A pass sees everything that happened before it began. So in a storm the nudge in hand may wait, with all those
    behind it, and one pass then serves them all: none is dropped, the last one as little as the first. It lives as
    long as the process does: the queue's one message group means that no other process serves it meanwhile.
    """

    def __init__(self, clock: Clock, pause: Pause) -> None:
        """Take the clock and the means to wait."""
        self._clock = clock
        self._pause = pause
        self._paid_until: datetime | None = None
        self._began: datetime | None = None
        self._complete_since: datetime | None = None

    def admits(self, newest: datetime | None, budget: Budget) -> bool:
        """Return False where a complete pass has seen it all; else wait for these nudges' turn and return True."""
        seen = self._complete_since
        if newest is not None and seen is not None and newest < seen:
            return False
        seconds = min(self._turn().total_seconds(), budget.remaining_seconds() - PASS_SECONDS)
        if seconds > 0:
            self._pause.wait(seconds)
        return True

    def begins(self) -> None:
        """Take note that a pass begins."""
        self._began = self._clock.now()

    def completed(self) -> None:
        """Take note that the pass which began last has seen everything."""
        self._complete_since = self._began

    def _turn(self) -> timedelta:
        """Charge one pass and return how long to wait for it (GCRA: a bucket of BURST that fills by one in EVERY)."""
        now = self._clock.now()
        paid_until = now if self._paid_until is None else max(self._paid_until, now)
        self._paid_until = paid_until + EVERY
        return max(timedelta(0), paid_until - now - (BURST - 1) * EVERY)
