"""Programs that the rehearsal runs, each in a process group of its own that never outlives it."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.rehearsal.progress import Failed

ROOT: Final = Path(__file__).parents[2]
PYTHON: Final = sys.executable
_LEASH: Final = ROOT / "tests/cluster/leash.py"
_TAIL_CHARACTERS: Final = 3000
_HIDDEN: Final = ("AWS_", "WARMPOOL_", "LAMBDA_", "POWERTOOLS_", "CDK_")


def run(
    name: str, command: Sequence[str], *, environment: Mapping[str, str], folder: Path, limit_seconds: float
) -> None:
    """Run a program to its end, with its output in `<folder>/<name>.log`.

    Raises Failed with the end of that log where it fails or takes too long. Whatever it started ends with it.
    """
    log = folder / f"{name}.log"
    leashed = (sys.executable, "-S", "-E", str(_LEASH), str(os.getpid()), *command)
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own words only
            leashed,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(limit_seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"{name} took more than {limit_seconds:.0f} s; its log {log} ends in\n{_tail(log)}") from None
        finally:
            _end(process)
    if code:
        raise Failed(f"{name} ended with code {code}; its log {log} ends in\n{_tail(log)}")


def surroundings() -> dict[str, str]:
    """Return this process' variables without those of AWS', CDK's or ours; loopback needs no proxy."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_HIDDEN)}
    loopback = "localhost,127.0.0.1"
    return {
        **kept,
        "PATH": f"{ROOT / '.venv/bin'}:{kept['PATH']}",
        "NO_PROXY": loopback,
        "no_proxy": loopback,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole group, also what the program left behind."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(log: Path) -> str:
    return log.read_text(errors="replace")[-_TAIL_CHARACTERS:]
