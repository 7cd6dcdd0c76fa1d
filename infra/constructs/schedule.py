"""The tick: EventBridge Scheduler puts one message a minute into the reconcile queue."""

from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_scheduler_targets as targets
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from warmpool.adapters.aws.nudge_queue import MESSAGE_GROUP
from warmpool.app.kinds import Kind

_RETRIES: Final = 1
_MAX_AGE: Final = Duration.seconds(60)
"""A nudge that could not be delivered for a minute has a successor; Scheduler's own default replays a whole day."""


class Tick(Construct):
    """A nudge every minute, which is the source of truth: every event source beside it is best effort."""

    def __init__(self, scope: Construct, construct_id: str, *, queue: sqs.IQueue) -> None:
        super().__init__(scope, construct_id)
        # Scheduler delivers dead letters to standard queues only, so it has one of its own.
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
            removal_policy=RemovalPolicy.DESTROY,
        )
        self.group = scheduler.ScheduleGroup(self, "Group", removal_policy=RemovalPolicy.DESTROY)
        self.role = self._role(self.group, queue)
        self._queue = queue
        scheduler.Schedule(
            self,
            "EveryMinute",
            description="A pass over all pools of the cluster",
            schedule=scheduler.ScheduleExpression.rate(Duration.minutes(1)),
            schedule_group=self.group,
            target=self.target(Kind.TICK),
        )

    def target(self, kind: Kind) -> targets.SqsSendMessage:
        """Return the reconcile queue as a target of this group's schedules; every message has its own time in it."""
        return targets.SqsSendMessage(
            self._queue,
            message_group_id=MESSAGE_GROUP,
            input=scheduler.ScheduleTargetInput.from_object(
                {
                    "kind": kind.value,
                    "scheduled": scheduler.ContextAttribute.scheduled_time,
                    "execution": scheduler.ContextAttribute.execution_id,
                }
            ),
            # Without updates: the target would add rights to read the queue's attributes.
            role=self.role.without_policy_updates(),
            dead_letter_queue=self.dead_letters,
            retry_attempts=_RETRIES,
            max_event_age=_MAX_AGE,
        )

    def _role(self, group: scheduler.ScheduleGroup, queue: sqs.IQueue) -> iam.Role:
        """Only this group's schedules may use the role (AWS matches aws:SourceArn with the group, not the schedule)."""
        role = iam.Role(
            self,
            "Role",
            description="Sends ticks into the reconcile queue",
            assumed_by=iam.ServicePrincipal(
                "scheduler.amazonaws.com",
                conditions={"StringEquals": {"aws:SourceArn": group.schedule_group_arn}},
            ),
        )
        role.add_to_policy(
            iam.PolicyStatement(
                sid="SendTicks",
                actions=["sqs:SendMessage"],
                resources=[queue.queue_arn, self.dead_letters.queue_arn],
            )
        )
        return role
