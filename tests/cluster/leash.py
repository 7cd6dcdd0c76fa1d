"""Become another program that ends with its parent, also when that is killed: `leash.py PARENT-PID PROGRAM ...`.

Run as a file, not as a module: the fewer imports, the faster eight programs start.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main() -> None:
    """Ask Linux for the signal, then become the program; elsewhere only the runner's own end cleans up."""
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before we asked
            sys.exit(1)
    os.execv(program[0], program)  # noqa: S606 - becoming it is the point


main()
