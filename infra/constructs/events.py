"""EventBridge rules: what AWS says of the cluster and of the stack's parameters makes the next pass come sooner."""

from collections.abc import Mapping
from typing import Any, Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.event_patterns import cluster_event_pattern, cluster_state_pattern, parameter_pattern
from warmpool.adapters.aws.nudge_queue import MESSAGE_GROUP
from warmpool.app.kinds import Kind

_RETRIES: Final = 2
_MAX_AGE: Final = Duration.seconds(60)
"""An event that could not be delivered for a minute has been overtaken by a tick; the default replays a whole day."""


class EventRules(Construct):
    """One rule for the parameters and, on HyperPod, two for the cluster; their targets are the reconcile queue."""

    def __init__(
        self, scope: Construct, construct_id: str, *, queue: sqs.IQueue, undelivered: sqs.IQueue, prefix: str
    ) -> None:
        super().__init__(scope, construct_id)
        # Known by ARN alone, a queue takes no rights for the rules: CDK would also let them read its attributes.
        self._queue = sqs.Queue.from_queue_attributes(self, "Queue", queue_arn=queue.queue_arn, fifo=True)
        self._undelivered = sqs.Queue.from_queue_attributes(self, "Undelivered", queue_arn=undelivered.queue_arn)
        self._owned = (queue, undelivered)
        self._rules: list[events.Rule] = []
        self._rule("Parameters", Kind.PARAMETER, parameter_pattern(prefix), "A spec, override or stop switch changed")

    def watch_hyperpod(self, cluster: str) -> None:
        """Add the cluster's own events; they name it at different places.

        An instance that came, failed or went, a group that scales, a node that is ill: none says which pool it is, and
        the pass does not ask. Levels are absent in some events and too eager in others, so nothing is chosen by them.
        """
        self._rule("ClusterEvents", Kind.CLUSTER_EVENT, cluster_event_pattern(cluster), f"{cluster}: what happens")
        self._rule("ClusterState", Kind.CLUSTER_EVENT, cluster_state_pattern(cluster), f"{cluster}: state and health")

    def admit(self) -> None:
        """Let these rules, and no others, send into the queue and into that of undelivered messages."""
        arns = [rule.rule_arn for rule in self._rules]
        for queue in self._owned:
            queue.add_to_resource_policy(
                iam.PolicyStatement(
                    sid="EventsOfThisStack",
                    principals=[iam.ServicePrincipal("events.amazonaws.com")],
                    actions=["sqs:SendMessage"],
                    resources=[queue.queue_arn],
                    conditions={"ArnEquals": {"aws:SourceArn": arns}},
                )
            )

    def _rule(self, name: str, kind: Kind, pattern: Mapping[str, Any], description: str) -> None:
        rule = events.Rule(
            self,
            name,
            description=description,
            event_pattern=events.EventPattern(
                source=pattern["source"], detail_type=pattern["detail-type"], detail=pattern["detail"]
            ),
        )
        rule.add_target(
            targets.SqsQueue(
                self._queue,
                message_group_id=MESSAGE_GROUP,
                # Id and time keep two bodies apart: the queue drops a body that it has seen within five minutes.
                message=events.RuleTargetInput.from_object(
                    {
                        "kind": kind.value,
                        "id": events.EventField.event_id,
                        "time": events.EventField.time,
                        "type": events.EventField.detail_type,
                    }
                ),
                dead_letter_queue=self._undelivered,
                retry_attempts=_RETRIES,
                max_event_age=_MAX_AGE,
            )
        )
        self._rules.append(rule)
