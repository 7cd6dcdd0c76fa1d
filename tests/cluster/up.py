"""Keep the real control plane running for hands-on work: `python -m tests.cluster.up`."""

import signal
import sys
from types import FrameType

from tests.cluster.build import BuildFailed, build, say
from tests.cluster.plane import ControlPlane
from tests.cluster.processes import NotReady


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    """Build what is missing, start everything, and end it on Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        build(say)
        with ControlPlane(say) as plane:
            say(f"export KUBECONFIG={plane.kubeconfig}")
            say(f"logs and audit records are in {plane.folder}; Ctrl-C ends it all")
            signal.pause()
    except (BuildFailed, NotReady) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        say("ended")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
