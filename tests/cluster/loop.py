"""A thread that does one small thing again and again."""

import sys
from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from tests.cluster.api import Refused

PERIOD_SECONDS: Final = 0.25


class Loop:
    """Calls `step` four times a second until it is stopped; a server that is away for a while is no reason to end."""

    def __init__(self, name: str, step: Callable[[], None]) -> None:
        self._name = name
        self._step = step
        self._stopping = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop it and wait for the step under way; one that was never started is no error."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(PERIOD_SECONDS):
            try:
                self._step()
            except OSError:
                continue  # the API server is being restarted
            except Refused as error:
                sys.stderr.write(f"{self._name}: {error}\n")
