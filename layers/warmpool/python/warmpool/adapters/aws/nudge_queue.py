"""The reconcile queue, for those who put nudges into it."""

from typing import Final

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe
from warmpool.app.errors import NudgeNotSent
from warmpool.app.ports import Budget

MESSAGE_GROUP: Final = "reconcile"
"""One group for all pools of the cluster: FIFO then runs one pass at a time."""


class SqsNudges:
    """The FIFO queue; it deduplicates by content, so a body that was sent within five minutes is there once."""

    def __init__(self, clients: AwsClients, *, queue_url: str) -> None:
        self._clients = clients
        self._queue_url = queue_url

    def send(self, body: str, budget: Budget) -> None:
        """Put one nudge into the queue. Raises NudgeNotSent."""
        try:
            self._clients.client("sqs", budget).send_message(
                QueueUrl=self._queue_url, MessageBody=body, MessageGroupId=MESSAGE_GROUP
            )
        except AWS_FAILURES as error:
            raise NudgeNotSent(describe(error, action="sqs:SendMessage", resource=self._queue_url)) from error
