"""Gap: moto's SQS reads the machine's clock; visibility, deduplication and SentTimestamp belong to the virtual time."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime

from moto.sqs import models

from warmpool.sim.aws.gaps.replacing import replaced


@contextmanager
def virtual_clock(now: Callable[[], datetime]) -> Iterator[None]:
    """Let SQS live by `now`."""

    def unix_time(at: datetime | None = None) -> float:
        return (at or now()).timestamp()

    def unix_time_millis(at: datetime | None = None) -> float:
        return unix_time(at) * 1000

    with ExitStack() as stack:
        stack.enter_context(replaced(models, "unix_time", unix_time))
        stack.enter_context(replaced(models, "unix_time_millis", unix_time_millis))
        yield
