"""CloudFormation resources that moto cannot create, made by the same backends that answer the API."""

import json
from collections.abc import Mapping
from typing import ClassVar, Final
from urllib.parse import urlsplit

from moto.core.common_models import CloudFormationModel

from tests.rehearsal.alarm_models import ALARMS
from tests.rehearsal.resources import Resource
from warmpool.sim.api.token_check import AccessEntry


class ScheduleGroup(Resource, CloudFormationModel):
    """AWS::Scheduler::ScheduleGroup."""

    TYPE, NAME = "AWS::Scheduler::ScheduleGroup", "Name"

    def make(self) -> None:
        self.place.backend("scheduler").create_schedule_group(self.name, [])

    def remove(self) -> None:
        self.place.backend("scheduler").delete_schedule_group(self.name)

    def get_cfn_attribute(self, attribute: str) -> str:
        arn: str = self.place.backend("scheduler").get_schedule_group(self.name).arn
        return arn if attribute == "Arn" else super().get_cfn_attribute(attribute)


class Schedule(Resource, CloudFormationModel):
    """AWS::Scheduler::Schedule."""

    TYPE, NAME = "AWS::Scheduler::Schedule", "Name"

    def make(self) -> None:
        given = self.properties
        self.place.backend("scheduler").create_schedule(
            name=self.name,
            group_name=given["GroupName"],
            description=given.get("Description"),
            schedule_expression=given["ScheduleExpression"],
            schedule_expression_timezone=given.get("ScheduleExpressionTimezone"),
            flexible_time_window=given["FlexibleTimeWindow"],
            target=given["Target"],
            state=given["State"],
            start_date=None,
            end_date=None,
            kms_key_arn=None,
            action_after_completion=None,
        )

    def remove(self) -> None:
        backend = self.place.backend("scheduler")
        if self.properties["GroupName"] in backend.schedule_groups:  # a group takes its schedules with it
            backend.delete_schedule(self.properties["GroupName"], self.name)


class QueuePolicy(Resource, CloudFormationModel):
    """AWS::SQS::QueuePolicy."""

    TYPE = "AWS::SQS::QueuePolicy"

    def make(self) -> None:
        self._set(json.dumps(self.properties["PolicyDocument"]))

    def remove(self) -> None:
        self._set("")

    def _set(self, policy: str) -> None:
        for url in self.properties["Queues"]:
            queue = urlsplit(url).path.rpartition("/")[2]
            backend = self.place.backend("sqs")
            if queue in backend.queues:
                backend.set_queue_attributes(queue, {"Policy": policy})


class TopicPolicy(Resource, CloudFormationModel):
    """AWS::SNS::TopicPolicy."""

    TYPE = "AWS::SNS::TopicPolicy"

    def make(self) -> None:
        for arn in self.properties["Topics"]:
            policy = json.dumps(self.properties["PolicyDocument"])
            self.place.backend("sns").set_topic_attribute(arn, "Policy", policy)

    def remove(self) -> None:
        """Remove nothing: the policy goes with its topic."""


class AccessEntryResource(Resource, CloudFormationModel):
    """AWS::EKS::AccessEntry: what the cluster's token check goes by."""

    TYPE = "AWS::EKS::AccessEntry"
    PRESENT: ClassVar[dict[tuple[str, str], AccessEntry]] = {}
    """By cluster and principal."""

    @property
    def _key(self) -> tuple[str, str]:
        return self.properties["ClusterName"], self.properties["PrincipalArn"]

    def make(self) -> None:
        self.place.backend("eks").describe_cluster(self.properties["ClusterName"])
        self.PRESENT[self._key] = AccessEntry(
            principal_arn=self.properties["PrincipalArn"], groups=tuple(self.properties["KubernetesGroups"])
        )

    def remove(self) -> None:
        del self.PRESENT[self._key]


class SubscriptionFilter(Resource, CloudFormationModel):
    """AWS::Logs::SubscriptionFilter."""

    TYPE, NAME = "AWS::Logs::SubscriptionFilter", "FilterName"

    def make(self) -> None:
        given = self.properties
        self.place.backend("logs").put_subscription_filter(
            given["LogGroupName"], self.name, given["FilterPattern"], given["DestinationArn"], None
        )

    def remove(self) -> None:
        self.place.backend("logs").delete_subscription_filter(self.properties["LogGroupName"], self.name)


MODELLED: Final = (
    ScheduleGroup,
    Schedule,
    QueuePolicy,
    TopicPolicy,
    AccessEntryResource,
    SubscriptionFilter,
    *ALARMS,
)
"""Importing this module registers them: moto looks for CloudFormationModel's subclasses when it first needs one."""

SKIPPED: Final[Mapping[str, str]] = {
    "AWS::Lambda::EventInvokeConfig": "tests/infra/test_events_audit.py",
    "AWS::S3::BucketPolicy": "",
}
"""What stays undone, by type, and which test looks at it in the template; the bucket is CDK's own, in its stack."""
