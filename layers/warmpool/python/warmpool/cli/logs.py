"""A function's log as input of a command: its metrics, and how large it is."""

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from warmpool.adapters.emf_log import EmfLog
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import STDIN, unreadable
from warmpool.cli.printing import warn
from warmpool.metrics import NAMESPACE, SERVICE

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
    """Read a log, or stdin for `-`, and warn of broken lines. Raises CliError."""
    try:
        if name == STDIN:
            return _read(_Counted(sys.stdin.buffer, 0, progress))
        path = Path(name)
        with path.open("rb") as file:
            return _read(_Counted(file, path.stat().st_size, progress))
    except (OSError, ValueError) as error:
        raise unreadable(name, "--log", error) from error


def played_log(progress: Bars) -> ReadLog:
    """Play the demo's day on the embedded cluster, and read what the handler printed. Raises HandlerMissing."""
    # moto and the simulator take seconds to import; a log needs neither.
    from warmpool.sim.demo import demo_scene, run_ours  # noqa: PLC0415
    from warmpool.sim.sessions import DEFAULT_SEED  # noqa: PLC0415

    log = io.StringIO()
    run_ours(demo_scene(None, DEFAULT_SEED), log, progress)
    text = log.getvalue().encode()
    return _read(_Counted(text.splitlines(keepends=True), len(text), progress))


def _read(lines: "_Counted") -> ReadLog:
    read = ReadLog(metrics=EmfLog(lines), size_bytes=lines.done)
    if broken := read.metrics.lines.broken:
        warn(f"{broken} lines with metrics are cut off or broken: they are left out")
    return read


def span_of(log: EmfLog, source: str) -> tuple[datetime, datetime]:
    """Return the first and the last instant of a log. Raises CliError where it holds no metrics."""
    if log.span is None:
        raise CliError(
            "NoMetrics", "--log", f"{source!r} holds no metrics; expected lines in the embedded metric format"
        )
    return log.span


def stack_in(log: EmfLog, wanted: str | None) -> str:
    """Return which stack's metrics are meant, by default the only one's. Raises CliError."""
    stacks = log.named("stack", NAMESPACE, service=SERVICE)
    if not stacks:
        raise CliError("NoMetrics", "--log", f"it holds no metrics in the namespace {NAMESPACE}")
    there = ", ".join(stacks)
    if wanted is not None and wanted not in stacks:
        raise CliError("UnknownStack", "--stack", f"{wanted!r} is not in the log; its stacks: {there}")
    if wanted is None and len(stacks) != 1:
        raise CliError("Usage", "--stack", f"which of the log's stacks? There are: {there}")
    return wanted or stacks[0]


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
