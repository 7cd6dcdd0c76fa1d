"""What the alarms say, as events for chat tools: every change of every alarm, also of those that wake nobody."""

from typing import Any

from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from infra.event_patterns import alarm_pattern


class AlarmEvents(Construct):
    """A topic of its own, so that the one that wakes people stays quiet; without a subscriber it costs nothing.

    Amazon Q Developer in chat applications (Slack, Teams) subscribes to it and reads these events as they are.
    """

    def __init__(self, scope: Construct, construct_id: str, *, stack_name: str) -> None:
        super().__init__(scope, construct_id)
        self.topic = sns.Topic(self, "Topic", display_name=f"Alarms of {stack_name} for chat", enforce_ssl=True)
        pattern: dict[str, Any] = alarm_pattern(stack_name)
        rule = events.Rule(
            self,
            "Rule",
            description=f"{stack_name}: an alarm goes off or is over",
            event_pattern=events.EventPattern(
                source=pattern["source"], detail_type=pattern["detail-type"], detail=pattern["detail"]
            ),
        )
        # Known by ARN alone, the topic takes no rights for the rule: CDK would let every rule of the account publish.
        rule.add_target(targets.SnsTopic(sns.Topic.from_topic_arn(self, "Target", self.topic.topic_arn)))
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmEventsOfThisStack",
                principals=[iam.ServicePrincipal("events.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[self.topic.topic_arn],
                conditions={"ArnEquals": {"aws:SourceArn": rule.rule_arn}},
            )
        )
