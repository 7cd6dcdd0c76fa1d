"""Gap: moto forgets a deduplication id with its message; SQS remembers it for five minutes, deleted or not."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from moto.sqs.models import DEDUPLICATION_TIME_IN_SECONDS, Message, Queue

from warmpool.sim.aws.gaps.replacing import replaced


@contextmanager
def fifo_deduplication() -> Iterator[None]:
    """Drop a message whose deduplication id was sent within the last five minutes, as SQS does."""
    seen: WeakKeyDictionary[Queue, dict[str, float]] = WeakKeyDictionary()

    def add_message(queue: Queue, message: Message) -> None:
        # A message that was received before comes from a redrive, which is no send.
        if queue.fifo_queue and message.deduplication_id and not message.approximate_receive_count:
            sent: Any = message.sent_timestamp  # in milliseconds; typed as None only
            sent_seconds = sent / 1000
            recent = seen.setdefault(queue, {})
            _forget(recent, before=sent_seconds - DEDUPLICATION_TIME_IN_SECONDS)
            if message.deduplication_id in recent:
                return
            recent[message.deduplication_id] = sent_seconds
        original(queue, message)

    with replaced(Queue, "add_message", add_message) as original:
        yield


def _forget(recent: dict[str, float], *, before: float) -> None:
    """Ids stand in the order of their times, so that the old ones are at the front."""
    while recent:
        oldest = next(iter(recent))
        if recent[oldest] > before:
            return
        del recent[oldest]
