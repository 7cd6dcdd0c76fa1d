"""The FIFO queue of nudges, one message group and so one writer at a time, with its dead-letter queue."""

from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

FUNCTION_TIMEOUT: Final = Duration.seconds(30)
"""A pass keeps inside it; a killed invocation is the only redelivery."""
MAX_RECEIVES: Final = 3
"""A message whose passes were killed three times goes to the dead letters instead of blocking the group."""


class ReconcileQueue(Construct):
    """Nudges for the reconciler.

    Content-based deduplication is what EventBridge's FIFO targets ask for; senders put the time into the body,
    or the second of two equal nudges within five minutes would be dropped.
    """

    def __init__(self, scope: Construct, construct_id: str, *, stack_name: str) -> None:
        super().__init__(scope, construct_id)
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            queue_name=f"{stack_name}-reconcile-dead.fifo",
            fifo=True,
            content_based_deduplication=True,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
            removal_policy=RemovalPolicy.DESTROY,
        )
        self.queue = sqs.Queue(
            self,
            "Queue",
            queue_name=f"{stack_name}-reconcile.fifo",
            fifo=True,
            content_based_deduplication=True,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            # Three times the function's timeout: nobody else may take the message while a pass still runs.
            visibility_timeout=Duration.seconds(3 * FUNCTION_TIMEOUT.to_seconds()),
            # A nudge says "look now"; an hour later newer ones have said it.
            retention_period=Duration.hours(1),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead_letters, max_receive_count=MAX_RECEIVES),
            removal_policy=RemovalPolicy.DESTROY,
        )
