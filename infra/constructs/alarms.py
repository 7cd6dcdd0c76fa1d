"""What wakes somebody: each alarm with a sentence for people and its place in the runbook."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from warmpool.telemetry import CONFIG_INVALID, HEARTBEAT, HELD_LONG, NAMESPACE, PASS_FAILED, SERVICE

_MINUTE: Final = Duration.minutes(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What the alarms look at."""

    stack_name: str
    pools: Sequence[str]
    function: lambda_.IFunction
    queue: sqs.IQueue
    dead_letters: sqs.IQueue
    undelivered_ticks: sqs.IQueue
    runbook: str
    email: str | None = None
    audit_function: lambda_.IFunction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """When an alarm goes off: above `threshold` in `points` of `minutes`; no data is nothing to count."""

    points: int
    minutes: int
    threshold: float = 0
    comparison: cloudwatch.ComparisonOperator = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
    missing: cloudwatch.TreatMissingData = cloudwatch.TreatMissingData.NOT_BREACHING


class Alarms(Construct):
    """One topic and the alarms that post to it, when they go off and when they are over."""

    def __init__(self, scope: Construct, construct_id: str, watched: Watched) -> None:
        super().__init__(scope, construct_id)
        self._watched = watched
        self.topic = self._topic()
        if watched.email:
            self.topic.add_subscription(subscriptions.EmailSubscription(watched.email))
        self._passes()
        self._plumbing()
        if watched.audit_function is not None:
            self._audit(watched.audit_function)
        for pool in watched.pools:
            self._pool(pool)

    def _topic(self) -> sns.Topic:
        """Name the alarms in the topic's policy: with TLS enforced it replaces the default one, which let them in."""
        topic = sns.Topic(self, "Topic", display_name=f"Warm pools of {self._watched.stack_name}", enforce_ssl=True)
        alarms = Stack.of(self).format_arn(
            service="cloudwatch",
            resource="alarm",
            resource_name=f"{self._watched.stack_name}-*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmsOfThisStack",
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={"ArnLike": {"aws:SourceArn": alarms}},
            )
        )
        return topic

    def _passes(self) -> None:
        """Watch for gaps: a missing metric is no data, and CloudWatch would look back for old good points.

        FILL makes the gap a zero at once; 4 of 5 minutes, since metrics from a log arrive late and the newest
        minute always looks empty.
        """
        self._alarm(
            "HeartbeatLost",
            cloudwatch.MathExpression(
                expression="FILL(beats, 0)",
                using_metrics={"beats": self._own(HEARTBEAT)},
                label="Complete passes",
                period=_MINUTE,
            ),
            "no pass has seen the whole cluster in 4 of 5 minutes, so the pools stay as they are",
            _Rule(
                points=4,
                minutes=5,
                threshold=1,
                comparison=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
                missing=cloudwatch.TreatMissingData.BREACHING,
            ),
        )
        self._alarm(
            "PassFailed",
            self._own(PASS_FAILED),
            "a pool could not be reconciled in 3 of 5 minutes; the other pools went on",
            _Rule(points=3, minutes=5),
        )
        self._alarm(
            "FunctionErrors",
            self._watched.function.metric_errors(statistic="Sum", period=_MINUTE),
            "the reconciler crashed or was killed in 2 of 5 minutes",
            _Rule(points=2, minutes=5),
        )

    def _plumbing(self) -> None:
        self._alarm(
            "QueueLate",
            self._watched.queue.metric_approximate_age_of_oldest_message(statistic="Maximum", period=_MINUTE),
            "the oldest nudge has waited for more than 5 minutes: nobody takes them, or a killed pass blocks the group",
            _Rule(points=3, minutes=3, threshold=300),
        )
        for name, queue, what in (
            ("DeadLetters", self._watched.dead_letters, "a message could not be read, or its passes were killed"),
            ("UndeliveredTicks", self._watched.undelivered_ticks, "a schedule or a rule could not reach the queue"),
        ):
            depth = queue.metric_approximate_number_of_messages_visible(statistic="Maximum", period=_MINUTE)
            self._alarm(name, depth, what, _Rule(points=1, minutes=1))

    def _audit(self, function: lambda_.IFunction) -> None:
        self._alarm(
            "AuditErrors",
            function.metric_errors(statistic="Sum", period=_MINUTE),
            "the audit log's function failed in 2 of 5 minutes, so changes in the cluster are seen by the tick only",
            _Rule(points=2, minutes=5),
        )

    def _pool(self, pool: str) -> None:
        self._alarm(
            "HeldLong",
            self._own(HELD_LONG, pool=pool),
            f"pool {pool} has been held for longer than its holdLimit",
            _Rule(points=3, minutes=5),
            pool,
        )
        self._alarm(
            "ConfigInvalid",
            self._own(CONFIG_INVALID, pool=pool),
            f"a setting of pool {pool} is wrong and the last good one stays in force",
            _Rule(points=3, minutes=5),
            pool,
        )

    def _own(self, name: str, **dimensions: str) -> cloudwatch.Metric:
        """Return one of the controller's metrics; Maximum, since a metric from a log may arrive twice."""
        return cloudwatch.Metric(
            namespace=NAMESPACE,
            metric_name=name,
            dimensions_map={"service": SERVICE, "stack": self._watched.stack_name, **dimensions},
            statistic="Maximum",
            period=_MINUTE,
        )

    def _alarm(self, name: str, metric: cloudwatch.IMetric, what: str, rule: _Rule, pool: str = "") -> None:
        alarm = cloudwatch.Alarm(
            self,
            f"{pool}{name}",
            metric=metric,
            alarm_name="-".join(part for part in (self._watched.stack_name, pool, _slug(name)) if part),
            alarm_description=f"Warm pools: {what}. Runbook: {self._watched.runbook}#{_slug(name)}",
            threshold=rule.threshold,
            comparison_operator=rule.comparison,
            evaluation_periods=rule.minutes,
            datapoints_to_alarm=rule.points,
            treat_missing_data=rule.missing,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))
        alarm.add_ok_action(actions.SnsAction(self.topic))


def _slug(name: str) -> str:
    """Turn `HeartbeatLost` into `heartbeat-lost`, as the runbook's headings are linked."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")
