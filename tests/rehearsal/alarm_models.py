"""Alarms for moto's CloudFormation, which knows them not; its CloudWatch does, but evaluates none."""

from typing import Any, Final

from moto.cloudwatch.models import Dimension, Metric, MetricDataQuery, MetricStat
from moto.core.common_models import CloudFormationModel

from tests.rehearsal.resources import Resource


class _Alarm(Resource):
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
            metric_data_queries=[_query(each) for each in given.get("Metrics", [])] or None,
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
            alarm_actions=given.get("AlarmActions", []),
            ok_actions=given.get("OKActions", []),
            rule=given["AlarmRule"],
        )


def _query(given: Any) -> MetricDataQuery:
    stat = given.get("MetricStat")
    return MetricDataQuery(
        query_id=given["Id"],
        label=given.get("Label"),
        period=given.get("Period"),
        return_data=given["ReturnData"],
        expression=given.get("Expression"),
        metric_stat=None if stat is None else _stat(stat),
    )


def _stat(given: Any) -> MetricStat:
    metric = given["Metric"]
    dimensions = [Dimension(name=each["Name"], value=each["Value"]) for each in metric.get("Dimensions", [])]
    return MetricStat(
        metric=Metric(metric_name=metric["MetricName"], namespace=metric["Namespace"], dimensions=dimensions),
        period=given["Period"],
        stat=given["Stat"],
        unit=given.get("Unit"),
    )


ALARMS: Final = (Alarm, CompositeAlarm)
