"""What wakes somebody: the topic, the alarms on the stack's own works, and the one on the promise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.alarm_events import AlarmEvents
from infra.constructs.alarm_factory import MINUTE, AlarmFactory, Says, When
from infra.constructs.pool_alarms import PoolAlarms
from warmpool.app.errors import ConfigInvalid
from warmpool.core.spec import PoolSpec

MOST_CHILDREN: Final = 100
"""Alarms that a composite alarm may be made of (CloudWatch quotas)."""
LONGEST_RULE: Final = 10_240
"""Characters that its rule may have (PutCompositeAlarm, AlarmRule)."""
CLOSE: Final = 0.8
"""This share of the timeout is close to it."""
QUEUE_LATE: Final = Duration.minutes(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What the alarms look at."""

    stack_name: str
    pools: Sequence[PoolSpec]
    function: lambda_.IFunction
    timeout: Duration
    queue: sqs.IQueue
    dead_letters: sqs.IQueue
    undelivered_ticks: sqs.IQueue
    runbook: str
    email: str | None = None
    audit_function: lambda_.IFunction | None = None


class Alarms(Construct):
    """One topic and the alarms that post to it; `events` has a topic for chat tools, with what all of them say.

    Raises ConfigInvalid where the pools are more than one composite alarm can watch.
    """

    def __init__(self, scope: Construct, construct_id: str, watched: Watched) -> None:
        super().__init__(scope, construct_id)
        self._watched = watched
        self.topic = sns.Topic(self, "Topic", display_name=f"Warm pools of {watched.stack_name}", enforce_ssl=True)
        self._factory = AlarmFactory(self, stack_name=watched.stack_name, runbook=watched.runbook, topic=self.topic)
        self._admit()
        self.events = AlarmEvents(self, "Chat", stack_name=watched.stack_name)
        heartbeat_lost = self._passes()
        self._function()
        self._queues()
        if watched.audit_function is not None:
            self._audit(watched.audit_function)
        broken = [alarm for pool in watched.pools for alarm in PoolAlarms(self._factory, pool).broken]
        if broken:
            self._promise(broken, unless=heartbeat_lost)

    def _admit(self) -> None:
        """Name the alarms in the topic's policy: with TLS enforced it replaces the default one, which let them in."""
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmsOfThisStack",
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[self.topic.topic_arn],
                conditions={"ArnLike": {"aws:SourceArn": self._factory.arns()}},
            )
        )
        if self._watched.email:
            self.topic.add_subscription(subscriptions.EmailSubscription(self._watched.email))

    def _passes(self) -> cloudwatch.Alarm:
        """Watch for gaps: a missing metric is no data, and CloudWatch would look back for old good points.

        FILL makes the gap a zero at once; 4 of 5 minutes, since metrics from a log arrive late and the newest
        minute always looks empty.
        """
        beats = cloudwatch.MathExpression(
            expression="FILL(beats, 0)",
            using_metrics={"beats": self._factory.own("Heartbeat")},
            label="Complete passes",
            period=MINUTE,
        )
        what = "no pass has seen the whole cluster in 4 of 5 minutes, so the pools stay as they are"
        lost = When(
            points=4,
            periods=5,
            threshold=1,
            comparison=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
            missing=cloudwatch.TreatMissingData.BREACHING,
        )
        alarm = self._factory.alarm(Says(name="HeartbeatLost", what=what), beats, lost)
        failed = "a pool could not be reconciled in 3 of 5 minutes; the other pools went on"
        self._factory.alarm(
            Says(name="PassFailed", what=failed), self._factory.own("PassFailed"), When(points=3, periods=5)
        )
        return alarm

    def _function(self) -> None:
        function, timeout = self._watched.function, self._watched.timeout.to_milliseconds()
        crashed = "the reconciler crashed or was killed in 2 of 5 minutes"
        self._factory.alarm(
            Says(name="FunctionErrors", what=crashed),
            function.metric_errors(statistic="Sum", period=MINUTE),
            When(points=2, periods=5),
        )
        refused = "Lambda refused to start the reconciler in 3 of 5 minutes"
        self._factory.alarm(
            Says(name="Throttled", what=refused),
            function.metric_throttles(statistic="Sum", period=MINUTE),
            When(points=3, periods=5),
        )
        slow = f"passes took more than {CLOSE:.0%} of the function's timeout in 3 of 5 minutes"
        self._factory.alarm(
            Says(name="CloseToTimeout", what=slow),
            function.metric_duration(statistic="Maximum", period=MINUTE),
            When(points=3, periods=5, threshold=CLOSE * timeout),
        )

    def _queues(self) -> None:
        late = (
            "the oldest nudge has waited for more than 5 minutes: nobody takes them, or a killed pass blocks the group"
        )
        self._factory.alarm(
            Says(name="QueueLate", what=late),
            self._watched.queue.metric_approximate_age_of_oldest_message(statistic="Maximum", period=MINUTE),
            When(points=3, periods=3, threshold=QUEUE_LATE.to_seconds()),
        )
        for name, queue, what in (
            ("DeadLetters", self._watched.dead_letters, "a message could not be read, or its passes were killed"),
            ("UndeliveredTicks", self._watched.undelivered_ticks, "a schedule or a rule could not reach the queue"),
        ):
            depth = queue.metric_approximate_number_of_messages_visible(statistic="Maximum", period=MINUTE)
            self._factory.alarm(Says(name=name, what=what), depth, When(points=1, periods=1))

    def _audit(self, function: lambda_.IFunction) -> None:
        what = "the audit log's function failed in 2 of 5 minutes, so changes in the cluster are seen by the tick only"
        self._factory.alarm(
            Says(name="AuditErrors", what=what),
            function.metric_errors(statistic="Sum", period=MINUTE),
            When(points=2, periods=5),
        )

    def _promise(self, broken: Sequence[cloudwatch.Alarm], *, unless: cloudwatch.Alarm) -> None:
        """Make one alarm of all pools', silent while the cluster is not seen: what is in it then is not known.

        Its children are silent themselves where the schedule wants nothing.
        """
        what = "people wait for workspaces: a pool's promise is not kept, or it has been below its floor for long"
        says = Says(name="WarmPromiseNotKept", what=what)
        name = self._factory.name_of(says)
        children = {_name(each) for each in broken}
        rule = f"({' OR '.join(_in_alarm(each) for each in broken)}) AND NOT {_in_alarm(unless)}"
        if len(children) + 1 > MOST_CHILDREN or len(rule) > LONGEST_RULE:
            raise ConfigInvalid(
                "pools",
                f"{len(self._watched.pools)} pools make a composite alarm of {len(children) + 1} alarms and"
                f" {len(rule)} characters; expected at most {MOST_CHILDREN} and {LONGEST_RULE}: name stack and pools"
                " shorter, or deploy some pools as a second stack",
            )
        if name in children:
            raise ConfigInvalid("pools.warm", f"gives an alarm the name {name}, which the stack needs; rename the pool")
        composite = cloudwatch.CompositeAlarm(
            self,
            says.name,
            composite_alarm_name=name,
            alarm_description=self._factory.description(says),
            alarm_rule=cloudwatch.AlarmRule.from_string(rule),
        )
        composite.node.add_dependency(*broken, unless)
        self._factory.post(composite)


def _in_alarm(alarm: cloudwatch.Alarm) -> str:
    return f'ALARM("{_name(alarm)}")'


def _name(alarm: cloudwatch.Alarm) -> str:
    """Return the name as it was given: of the construct, CDK would give a reference."""
    resource = alarm.node.default_child
    if not isinstance(resource, cloudwatch.CfnAlarm) or resource.alarm_name is None:
        raise TypeError(f"{alarm.node.path} has no name of its own")
    return resource.alarm_name
