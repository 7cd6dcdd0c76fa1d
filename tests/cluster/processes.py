"""The programs of the control plane as processes that never outlive their runner."""

import atexit
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

_LEASH: Final = Path(__file__).parent / "leash.py"
_PAUSE_SECONDS: Final = 0.1
_TAIL: Final = 2000


class NotReady(Exception):
    """A program ended or did not answer in time; the text has the end of its log."""


class Processes:
    """Everything that was started, ended all at once: its state is thrown away, so there is nothing to wait for.

    Each program has a process group of its own, so that Ctrl-C reaches the runner alone. Use it from one thread that
    lives as long as the programs should: Linux ends them with the thread that started them.
    """

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        logs.mkdir(parents=True, exist_ok=True)
        atexit.register(self.end)

    def start(self, name: str, program: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        """Start a program; its output is appended to a log of its name."""
        command = (sys.executable, "-S", "-E", str(_LEASH), str(os.getpid()), str(program), *arguments)
        with self.log(name).open("ab") as log:
            self._running[name] = subprocess.Popen(  # noqa: S603 - our own words only
                command,
                env={"PATH": os.environ["PATH"], **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def log(self, name: str) -> Path:
        """Return where a program's output goes."""
        return self._logs / f"{name}.log"

    def wait(self, name: str, ready: Callable[[], bool], *, seconds: float) -> None:
        """Wait until a program answers. Raises NotReady where it ended or took too long."""
        until = time.monotonic() + seconds
        while True:
            ended = self._running[name].poll()
            if ended is not None:
                raise NotReady(f"{name} ended with code {ended}:\n{self._tail(name)}")
            with suppress(OSError):
                if ready():
                    return
            if time.monotonic() >= until:
                raise NotReady(f"{name} did not answer within {seconds:.0f} s:\n{self._tail(name)}")
            time.sleep(_PAUSE_SECONDS)

    def stop(self, name: str) -> None:
        """End one program at once."""
        process = self._running.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def end(self) -> None:
        """End what is still running, the last first."""
        for name in reversed(list(self._running)):
            self.stop(name)

    @property
    def pids(self) -> Mapping[str, int]:
        """Return the running programs' process ids."""
        return {name: process.pid for name, process in self._running.items()}

    def _tail(self, name: str) -> str:
        return self.log(name).read_bytes()[-_TAIL:].decode(errors="replace")


def free_port() -> int:
    """Return a port of loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(port: int) -> bool:
    """Tell whether something listens."""
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
