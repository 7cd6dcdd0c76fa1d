"""The stand-in for Lambda's event source mapping: from the queue into the handler."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from aws_lambda_powertools.utilities.typing import LambdaContext

from warmpool.adapters.aws.nudge_queue import MESSAGE_GROUP
from warmpool.sim.aws.embedded import EmbeddedAws
from warmpool.sim.aws.lambda_context import EmbeddedLambdaContext
from warmpool.sim.aws.resources import FUNCTION_TIMEOUT_SECONDS

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import DeleteMessageBatchRequestEntryTypeDef, MessageTypeDef

Handler = Callable[[dict[str, Any], LambdaContext], Any]

FUNCTION: Final = "warmpool-reconcile"
BATCH: Final = 10
"""The most that a FIFO queue gives at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One call of the handler: what went in, what came out, and what remains in the queue."""

    event: dict[str, Any]
    result: Any = None
    error: Exception | None = None
    failed: frozenset[str] = frozenset()
    """Ids of messages that were not acknowledged."""


class QueuePump:
    """Sends nudges and lets the handler have them, one batch at a time and in order."""

    def __init__(self, aws: EmbeddedAws, handler: Handler, *, monotonic: Callable[[], float] | None = None) -> None:
        """Take the entered AWS and the function's handler.

        Deadlines go by `monotonic` (seconds); without it by the virtual clock, which stands still during a pass:
        a busy machine then changes no decision.
        """
        self._aws = aws
        self._handler = handler
        self._monotonic = monotonic or (lambda: aws.now().timestamp())
        self._ticks = 0
        self._invocations = 0

    def tick(self, scheduled: datetime) -> Invocation | None:
        """Send one tick as EventBridge Scheduler would, and deliver what is in the queue."""
        self._ticks += 1
        execution = str(UUID(int=self._ticks))
        at = scheduled.isoformat(timespec="seconds").replace("+00:00", "Z")
        self.send(json.dumps({"kind": "tick", "scheduled": at, "execution": execution}))
        return self.deliver()

    def send(self, body: str) -> None:
        """Send one nudge; a body that was sent within five minutes is dropped by the queue."""
        self._aws.sqs.send_message(QueueUrl=self._aws.queues.url, MessageBody=body, MessageGroupId=MESSAGE_GROUP)

    def deliver(self) -> Invocation | None:
        """Give the handler the next batch; None where there is none. What it acknowledges is deleted."""
        answer = self._aws.sqs.receive_message(
            QueueUrl=self._aws.queues.url,
            MaxNumberOfMessages=BATCH,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        messages = answer.get("Messages", [])
        if not messages:
            return None
        invocation = self._invoke(messages)
        acknowledged: list[DeleteMessageBatchRequestEntryTypeDef] = [
            {"Id": str(index), "ReceiptHandle": message["ReceiptHandle"]}
            for index, message in enumerate(messages)
            if message["MessageId"] not in invocation.failed
        ]
        if acknowledged:
            self._aws.sqs.delete_message_batch(QueueUrl=self._aws.queues.url, Entries=acknowledged)
        return invocation

    def _invoke(self, messages: "list[MessageTypeDef]") -> Invocation:
        self._invocations += 1
        context = EmbeddedLambdaContext(
            FUNCTION,
            request_id=str(UUID(int=self._invocations)),
            region=self._aws.names.region,
            timeout_seconds=FUNCTION_TIMEOUT_SECONDS,
            monotonic=self._monotonic,
        )
        event = {"Records": [self._record(message) for message in messages]}
        everything = frozenset(message["MessageId"] for message in messages)
        try:
            result = self._handler(event, context)
        except Exception as error:  # noqa: BLE001 - Lambda's own boundary: a batch whose handler raises has failed
            return Invocation(event=event, error=error, failed=everything)
        return Invocation(event=event, result=result, failed=_failed(result, everything))

    def _record(self, message: "MessageTypeDef") -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": dict(message["Attributes"]),
            "messageAttributes": dict(message.get("MessageAttributes", {})),
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": self._aws.queues.arn,
            "awsRegion": self._aws.names.region,
        }


def _failed(result: Any, everything: frozenset[str]) -> frozenset[str]:
    """Read `batchItemFailures` as Lambda does: an entry without a known id fails the whole batch."""
    failures = result.get("batchItemFailures") if isinstance(result, dict) else None
    if not failures:
        return frozenset()
    named = frozenset(each.get("itemIdentifier", "") for each in failures)
    unknown = named - everything
    return everything if unknown else named
