"""CloudFormation resources that moto cannot create, made by the same backends that answer the API."""

import json
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self
from urllib.parse import urlsplit

import moto.backends
from moto.core.common_models import CloudFormationModel

from warmpool.sim.api.token_check import AccessEntry

Properties = Mapping[str, Any]


class Place:
    """One account and region."""

    def __init__(self, account: str, region: str) -> None:
        self.account = account
        self.region = region

    def backend(self, service: Any) -> Any:
        """Return moto's backend of a service."""
        return moto.backends.get_backend(service)[self.account][self.region]


class _Resource:
    """What all of these share: made from its properties by `make`, taken away by `remove`."""

    TYPE: ClassVar[str]
    NAME: ClassVar[str] = ""
    """Which property names it, where one does."""

    def __init__(self, name: str, properties: Properties, place: Place) -> None:
        self.name = name
        self.properties = properties
        self.place = place

    @property
    def physical_resource_id(self) -> str:
        """What `Ref` gives."""
        return self.name

    @abstractmethod
    def make(self) -> None:
        """Create it in the account."""

    @abstractmethod
    def remove(self) -> None:
        """Take it out of the account."""

    def delete(self, account_id: str, region_name: str) -> None:
        self.remove()

    def is_created(self) -> bool:
        return True

    def get_cfn_attribute(self, attribute: str) -> str:
        raise KeyError(f"{self.TYPE} has no attribute {attribute}")

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        return attr == "Arn"

    @classmethod
    def cloudformation_type(cls) -> str:
        return cls.TYPE

    @classmethod
    def cloudformation_name_type(cls) -> str:
        return cls.NAME

    @classmethod
    def create_from_cloudformation_json(
        cls, resource_name: str, cloudformation_json: Any, account_id: str, region_name: str, **_: Any
    ) -> Self:
        made = cls(resource_name, cloudformation_json["Properties"], Place(account_id, region_name))
        made.make()
        return made


class ScheduleGroup(_Resource, CloudFormationModel):
    """AWS::Scheduler::ScheduleGroup."""

    TYPE, NAME = "AWS::Scheduler::ScheduleGroup", "Name"

    def make(self) -> None:
        self.place.backend("scheduler").create_schedule_group(self.name, [])

    def remove(self) -> None:
        self.place.backend("scheduler").delete_schedule_group(self.name)

    def get_cfn_attribute(self, attribute: str) -> str:
        arn: str = self.place.backend("scheduler").get_schedule_group(self.name).arn
        return arn if attribute == "Arn" else super().get_cfn_attribute(attribute)


class Schedule(_Resource, CloudFormationModel):
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


class QueuePolicy(_Resource, CloudFormationModel):
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


class TopicPolicy(_Resource, CloudFormationModel):
    """AWS::SNS::TopicPolicy."""

    TYPE = "AWS::SNS::TopicPolicy"

    def make(self) -> None:
        for arn in self.properties["Topics"]:
            policy = json.dumps(self.properties["PolicyDocument"])
            self.place.backend("sns").set_topic_attribute(arn, "Policy", policy)

    def remove(self) -> None:
        """Remove nothing: the policy goes with its topic."""


class AccessEntryResource(_Resource, CloudFormationModel):
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


class _Alarm(_Resource):
    """What both kinds of alarm share."""

    def remove(self) -> None:
        self.place.backend("cloudwatch").delete_alarms([self.name])

    def get_cfn_attribute(self, attribute: str) -> str:
        arn: str = self.place.backend("cloudwatch").alarms[self.name].alarm_arn
        return arn if attribute == "Arn" else super().get_cfn_attribute(attribute)


class Alarm(_Alarm, CloudFormationModel):
    """AWS::CloudWatch::Alarm."""

    TYPE, NAME = "AWS::CloudWatch::Alarm", "AlarmName"

    def make(self) -> None:
        given = self.properties
        self.place.backend("cloudwatch").put_metric_alarm(
            name=self.name,
            namespace=given.get("Namespace"),
            metric_name=given.get("MetricName"),
            comparison_operator=given["ComparisonOperator"],
            evaluation_periods=given["EvaluationPeriods"],
            period=given.get("Period"),
            threshold=given["Threshold"],
            statistic=given.get("Statistic"),
            description=given["AlarmDescription"],
            dimensions=given.get("Dimensions", []),
            alarm_actions=given.get("AlarmActions", []),
            ok_actions=given.get("OKActions", []),
            datapoints_to_alarm=given.get("DatapointsToAlarm"),
            treat_missing_data=given["TreatMissingData"],
        )


class CompositeAlarm(_Alarm, CloudFormationModel):
    """AWS::CloudWatch::CompositeAlarm: moto keeps one as an alarm with a rule."""

    TYPE, NAME = "AWS::CloudWatch::CompositeAlarm", "AlarmName"

    def make(self) -> None:
        given = self.properties
        self.place.backend("cloudwatch").put_metric_alarm(
            name=self.name,
            namespace=None,
            metric_name=None,
            comparison_operator=None,
            evaluation_periods=None,
            period=None,
            threshold=None,
            statistic=None,
            description=given["AlarmDescription"],
            dimensions=[],
            alarm_actions=given["AlarmActions"],
            ok_actions=given["OKActions"],
            rule=given["AlarmRule"],
        )


class SubscriptionFilter(_Resource, CloudFormationModel):
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
    Alarm,
    CompositeAlarm,
    SubscriptionFilter,
)
"""Importing this module registers them: moto looks for CloudFormationModel's subclasses when it first needs one."""

SKIPPED: Final[Mapping[str, str]] = {
    "AWS::Lambda::EventInvokeConfig": "tests/infra/test_events_audit.py",
    "AWS::S3::BucketPolicy": "",
}
"""What stays undone, by type, and which test looks at it in the template; the bucket is CDK's own, in its stack."""
