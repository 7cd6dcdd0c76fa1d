"""A function's log as input of a command: its metrics, and how large it is."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from warmpool.adapters.emf_log import EmfLog
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import STDIN, unreadable

Bars = Callable[[str, float], None]
"""Takes the name of what is under way and the share of it that is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLog:
    """A log that was read to its end."""

    metrics: EmfLog
    size_bytes: int


def source_of(name: str) -> str:
    """Return what messages call the log."""
    return "stdin" if name == STDIN else name


def read_log(name: str, progress: Bars) -> ReadLog:
    """Read a log, or stdin for `-`. Raises CliError."""
    try:
        if name == STDIN:
            read = _Counted(sys.stdin.buffer, 0, progress)
            return ReadLog(metrics=EmfLog(read), size_bytes=read.done)
        path = Path(name)
        with path.open("rb") as file:
            read = _Counted(file, path.stat().st_size, progress)
            return ReadLog(metrics=EmfLog(read), size_bytes=read.done)
    except (OSError, ValueError) as error:
        raise unreadable(name, "--log", error) from error


def span_of(log: EmfLog, source: str) -> tuple[datetime, datetime]:
    """Return the first and the last instant of a log. Raises CliError where it holds no metrics."""
    if log.span is None:
        raise CliError(
            "NoMetrics", "--log", f"{source!r} holds no metrics; expected lines in the embedded metric format"
        )
    return log.span


class _Counted:
    """Lines as text, with how many bytes they were; a size of 0 is unknown."""

    def __init__(self, lines: Iterable[bytes], size: int, progress: Bars) -> None:
        self._lines = lines
        self._size = size
        self._progress = progress
        self.done = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.done += len(line)
            if self._size:
                self._progress("reading the log", min(1.0, self.done / self._size))
            yield line.decode(errors="replace")
