"""The dead-letter queue for messages that cannot be read."""

from hashlib import sha256
from typing import Final

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe
from warmpool.app.ports import Telemetry

_GROUP: Final = "unreadable"
_WHY_CHARACTERS: Final = 256
_EMPTY: Final = "(empty)"
"""SQS takes neither an empty body nor an empty attribute."""


class _Moment:
    """A budget of its own: a dead letter is worth one short call, however late the pass is."""

    def remaining_seconds(self) -> float:
        return 5.0


class SqsDeadLetters:
    """A FIFO queue; the same body sent twice within SQS' five minutes of deduplication is there once."""

    def __init__(self, clients: AwsClients, *, queue_url: str, telemetry: Telemetry) -> None:
        self._clients = clients
        self._queue_url = queue_url
        self._telemetry = telemetry

    def send(self, body: str, why: str) -> None:
        """Put one message into the queue with the reason beside it.

        A failure is logged, not raised: the message is only a nudge, and the next tick does its work.
        """
        digest = sha256(body.encode(errors="surrogatepass")).hexdigest()
        reason = "".join(each if each.isprintable() else " " for each in why)[:_WHY_CHARACTERS].strip()
        try:
            self._clients.client("sqs", _Moment()).send_message(
                QueueUrl=self._queue_url,
                MessageBody=body or _EMPTY,
                MessageGroupId=_GROUP,
                MessageDeduplicationId=digest,
                MessageAttributes={"why": {"DataType": "String", "StringValue": reason or _EMPTY}},
            )
        except AWS_FAILURES as error:
            self._telemetry.warn(
                describe(error, action="sqs:SendMessage", resource=self._queue_url),
                body_sha256=digest,
                body_characters=len(body),
                why=reason,
            )
