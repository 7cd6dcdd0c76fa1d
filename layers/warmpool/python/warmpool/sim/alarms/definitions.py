"""Alarms out of a CloudFormation template, whose references are resolved already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from warmpool.app.measured import Query, Statistic

_DEFAULT_PERIOD: Final = 60


class State(StrEnum):
    """What an alarm can be."""

    OK = "OK"
    ALARM = "ALARM"
    INSUFFICIENT_DATA = "INSUFFICIENT_DATA"


class Missing(StrEnum):
    """What an alarm makes of periods without data."""

    BREACHING = "breaching"
    NOT_BREACHING = "notBreaching"
    IGNORE = "ignore"
    MISSING = "missing"


class Comparison(StrEnum):
    """How a value is compared with the threshold."""

    GREATER = "GreaterThanThreshold"
    GREATER_OR_EQUAL = "GreaterThanOrEqualToThreshold"
    LESS = "LessThanThreshold"
    LESS_OR_EQUAL = "LessThanOrEqualToThreshold"

    def holds(self, value: float, threshold: float) -> bool:
        """Tell whether the value is beyond the threshold."""
        match self:
            case Comparison.GREATER:
                return value > threshold
            case Comparison.GREATER_OR_EQUAL:
                return value >= threshold
            case Comparison.LESS:
                return value < threshold
        return value <= threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAlarm:
    """One alarm: `expression` of the named metrics, M points of N periods beyond the threshold."""

    name: str
    expression: str
    metrics: Mapping[str, Query]
    period: timedelta
    comparison: Comparison
    threshold: float
    periods: int
    points: int
    missing: Missing
    posted: bool
    """It has actions: somebody is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositeAlarm:
    """One alarm made of others."""

    name: str
    rule: str
    posted: bool


def metric_alarm(properties: Mapping[str, Any]) -> MetricAlarm:
    """Read the properties of an AWS::CloudWatch::Alarm. Raises KeyError or ValueError for what is not understood."""
    metrics = properties.get("Metrics")
    expression, queries, period = (
        ("m", _single(properties), int(properties["Period"])) if metrics is None else _math(metrics)
    )
    periods = int(properties["EvaluationPeriods"])
    return MetricAlarm(
        name=properties["AlarmName"],
        expression=expression,
        metrics=queries,
        period=timedelta(seconds=period),
        comparison=Comparison(properties["ComparisonOperator"]),
        threshold=float(properties["Threshold"]),
        periods=periods,
        points=int(properties.get("DatapointsToAlarm", periods)),
        missing=Missing(properties.get("TreatMissingData", Missing.MISSING)),
        posted=bool(properties.get("AlarmActions")),
    )


def composite_alarm(properties: Mapping[str, Any]) -> CompositeAlarm:
    """Read the properties of an AWS::CloudWatch::CompositeAlarm. Raises KeyError."""
    return CompositeAlarm(
        name=properties["AlarmName"], rule=properties["AlarmRule"], posted=bool(properties.get("AlarmActions"))
    )


def _single(properties: Mapping[str, Any]) -> dict[str, Query]:
    return {"m": _query(properties, properties.get("Statistic") or properties["ExtendedStatistic"])}


def _math(metrics: Sequence[Mapping[str, Any]]) -> tuple[str, dict[str, Query], int]:
    [expression] = [each["Expression"] for each in metrics if each.get("ReturnData", True)]
    stats = {each["Id"]: each["MetricStat"] for each in metrics if "MetricStat" in each}
    [period] = {int(each["Period"]) for each in stats.values()} or {_DEFAULT_PERIOD}
    return expression, {name: _query(each["Metric"], each["Stat"]) for name, each in stats.items()}, period


def _query(metric: Mapping[str, Any], statistic: str) -> Query:
    return Query(
        namespace=metric["Namespace"],
        metric=metric["MetricName"],
        dimensions=tuple(sorted((each["Name"], each["Value"]) for each in metric.get("Dimensions", ()))),
        statistic=Statistic(statistic),
    )
