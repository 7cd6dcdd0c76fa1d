"""How every alarm of the stack is made: its name, its sentence for people, its place in the runbook, whom it tells."""

from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from constructs import Construct

from warmpool.metrics import METRICS, NAMESPACE, SERVICE

MINUTE: Final = Duration.minutes(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """When an alarm goes off: where `points` of the last `periods` are beyond `threshold`; no data is no trouble."""

    points: int
    periods: int
    threshold: float = 0
    comparison: cloudwatch.ComparisonOperator = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
    missing: cloudwatch.TreatMissingData = cloudwatch.TreatMissingData.NOT_BREACHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """What an alarm is called and says. One that is not `posted` is part of one that is, or wakes nobody."""

    name: str
    what: str
    pool: str = ""
    posted: bool = True


class AlarmFactory:
    """Makes the alarms of one stack below one construct."""

    def __init__(self, scope: Construct, *, stack_name: str, runbook: str, topic: sns.ITopic) -> None:
        self._scope = scope
        self._runbook = runbook
        self._topic = topic
        self.stack_name = stack_name

    def own(
        self, name: str, pool: str = "", *, statistic: str = "Maximum", period: Duration = MINUTE
    ) -> cloudwatch.Metric:
        """Return one of the controller's metrics; never a Sum, since a metric from a log may arrive twice."""
        metric = METRICS[name]
        values = {"service": SERVICE, "stack": self.stack_name, "pool": pool}
        return cloudwatch.Metric(
            namespace=NAMESPACE,
            metric_name=metric.name,
            dimensions_map={each: values[each] for each in metric.level.dimensions},
            statistic=statistic,
            period=period,
        )

    def alarm(self, says: Says, metric: cloudwatch.IMetric, when: When) -> cloudwatch.Alarm:
        """Make an alarm on a metric or an expression."""
        alarm = cloudwatch.Alarm(
            self._scope,
            f"{says.pool}{says.name}",
            metric=metric,
            alarm_name=self.name_of(says),
            alarm_description=self.description(says),
            threshold=when.threshold,
            comparison_operator=when.comparison,
            evaluation_periods=when.periods,
            datapoints_to_alarm=when.points,
            treat_missing_data=when.missing,
        )
        if says.posted:
            self.post(alarm)
        return alarm

    def name_of(self, says: Says) -> str:
        """Name an alarm after stack, pool and what it is about."""
        return "-".join(part for part in (self.stack_name, says.pool, slug(says.name)) if part)

    def description(self, says: Says) -> str:
        """Say in one sentence what is the matter, and where it says what to do."""
        return f"Warm pools: {says.what}. Runbook: {self._runbook}#{slug(says.name)}"

    def post(self, alarm: cloudwatch.AlarmBase) -> None:
        """Let an alarm post to the topic, when it goes off and when it is over."""
        alarm.add_alarm_action(actions.SnsAction(self._topic))
        alarm.add_ok_action(actions.SnsAction(self._topic))

    def arns(self) -> str:
        """Return the pattern of all alarms' ARNs."""
        stack = Stack.of(self._scope)
        return f"arn:{stack.partition}:cloudwatch:{stack.region}:{stack.account}:alarm:{self.stack_name}-*"


def slug(name: str) -> str:
    """Turn `HeartbeatLost` into `heartbeat-lost`, as the runbook's headings are linked."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")
