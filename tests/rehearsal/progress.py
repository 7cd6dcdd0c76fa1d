"""What the rehearsal tells while it runs: one line when a step begins, one with its time when it has ended."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Failed(Exception):
    """The rehearsal found something that is not as it should be; the text says what, and what was expected."""


def check(holds: object, text: str) -> None:
    """Raise Failed with the text unless the condition holds."""
    if not holds:
        raise Failed(text)


class Progress:
    """Writes to standard error, with the seconds since the start."""

    def __init__(self) -> None:
        self._begun = time.monotonic()

    @contextmanager
    def step(self, what: str) -> Iterator[list[str]]:
        """Tell when a step begins and how long it took; what is added to the list is told with its end."""
        begun = time.monotonic()
        self.say(f"{what} ...")
        results: list[str] = []
        yield results
        self.say("; ".join([f"{what}: done in {time.monotonic() - begun:.1f} s", *results]))

    def say(self, text: str) -> None:
        """Write one line."""
        sys.stderr.write(f"[{time.monotonic() - self._begun:5.1f} s] {text}\n")
        sys.stderr.flush()
