"""The harness itself: nothing outlives it, and it says what it needs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cluster import build
from tests.cluster.plane import ControlPlane
from tests.cluster.processes import NotReady, Processes

SLEEPER = """
import sys, time
from pathlib import Path
from tests.cluster.processes import Processes
running = Processes(Path(sys.argv[1]))
running.start("sleeper", Path("/bin/sleep"), "600")
print(running.pids["sleeper"], flush=True)
time.sleep(600)
"""


def gone(pid: int) -> bool:
    """Tell whether a process has ended; one that nobody has waited for yet counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_programs_end_with_their_runner_however_it_ends(tmp_path: Path, how: signal.Signals) -> None:
    command = (sys.executable, "-c", SLEEPER, str(tmp_path))
    with subprocess.Popen(command, cwd=build.ROOT, stdout=subprocess.PIPE, text=True) as runner:  # noqa: S603
        assert runner.stdout is not None
        pid = int(runner.stdout.readline())
        assert not gone(pid)
        os.kill(runner.pid, how)
        runner.wait()

    until = time.monotonic() + 10
    while not gone(pid):
        assert time.monotonic() < until, f"process {pid} has outlived its runner"
        time.sleep(0.05)


def test_a_program_that_ends_too_early_is_shown_with_its_last_words(tmp_path: Path) -> None:
    processes = Processes(tmp_path)
    processes.start("broken", Path("/bin/sh"), "-c", "echo no such flag; exit 3")

    with pytest.raises(NotReady, match="broken ended with code 3:\nno such flag"):
        processes.wait("broken", lambda: False, seconds=10)


def test_a_machine_without_go_is_told_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "CACHE", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(build.BuildFailed, match=r"Go >= 1\.26 builds the real control plane, and there is no `go`"):
        build.build(lambda _: None)


def test_the_server_says_which_version_it_is(plane: ControlPlane) -> None:
    assert plane.api.request("GET", "/version")["gitVersion"] == build.version_of("kubernetes", "k8s.io/kubernetes")


def test_every_program_is_still_running(plane: ControlPlane) -> None:
    assert {name for name, pid in plane.processes.pids.items() if not gone(pid)} == {
        program.name for program in build.PROGRAMS
    }
