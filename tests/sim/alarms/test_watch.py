"""Alarms over a log: periods, statistics, windows that slide, late data, alarms made of others."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from warmpool.adapters.emf_log import EmfLog
from warmpool.sim.alarms.definitions import State
from warmpool.sim.alarms.watch import Alarms, Behaviour, Change

START = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def line(minutes: float, *values: float, metric: str = "Depth") -> str:
    """Write values of one metric so many minutes after the start."""
    at = int((START + minutes * MINUTE).timestamp() * 1000)
    directive = {"Namespace": "N", "Dimensions": [["queue"]], "Metrics": [{"Name": metric}]}
    return json.dumps({"_aws": {"Timestamp": at, "CloudWatchMetrics": [directive]}, "queue": "q", metric: values})


def properties(name: str = "deep", **changes: Any) -> dict[str, Any]:
    return {
        "AlarmName": name,
        "Namespace": "N",
        "MetricName": "Depth",
        "Dimensions": [{"Name": "queue", "Value": "q"}],
        "Statistic": "Maximum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": 0,
        "TreatMissingData": "notBreaching",
        **changes,
    }


def happened(changes: Iterable[Change]) -> list[tuple[str, int, str]]:
    """Shorten changes to alarm, minutes after the start and state, without the first states."""
    return [
        (each.alarm, round((each.at - START) / MINUTE), each.after.value)
        for each in changes
        if each.before is not State.INSUFFICIENT_DATA
    ]


def over(lines: list[str], *alarms: dict[str, Any], minutes: int = 30, **how: Any) -> list[tuple[str, int, str]]:
    composite = [each for each in alarms if "AlarmRule" in each]
    found = Alarms([each for each in alarms if each not in composite], composite)
    return happened(found.changes(EmfLog(lines), START, START + minutes * MINUTE, Behaviour(**how)))


def depth(*values: float) -> list[str]:
    return [line(number, value) for number, value in enumerate(values)]


def test_an_alarm_goes_off_and_is_over_when_the_period_has_ended() -> None:
    assert over(depth(0, 0, 3, 0, 0), properties()) == [("deep", 3, "ALARM"), ("deep", 4, "OK")]


def test_two_of_three() -> None:
    alarm = properties(EvaluationPeriods=3, DatapointsToAlarm=2)

    assert over(depth(0, 0, 1, 0, 1, 0, 0, 0, 0), alarm) == [("deep", 5, "ALARM"), ("deep", 6, "OK")]


def test_an_hour_slides_by_the_minute() -> None:
    lines = [line(number, int(number in {10, 20})) for number in range(0, 90, 5)]
    alarm = properties(Period=3600, Statistic="Sum", Threshold=1)

    assert over(lines, alarm, minutes=90) == [("deep", 21, "ALARM"), ("deep", 71, "OK")]


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("Sum", 6), ("Average", 2), ("Minimum", 1), ("Maximum", 3), ("SampleCount", 3), ("p50", 2), ("p99", 3)],
)
def test_statistics(statistic: str, value: float) -> None:
    key = "ExtendedStatistic" if statistic.startswith("p") else "Statistic"
    given = {name: each for name, each in properties().items() if name != "Statistic"}
    alarms = Alarms([{**given, key: statistic}])

    assert alarms.values(EmfLog([line(0, 1, 3), line(0.5, 2)]), "deep", START + MINUTE)[0] == value


def test_metric_math_over_several_metrics() -> None:
    def stat(name: str, metric: str) -> dict[str, Any]:
        dimensions = [{"Name": "queue", "Value": "q"}]
        what = {"Namespace": "N", "MetricName": metric, "Dimensions": dimensions}
        return {"Id": name, "MetricStat": {"Metric": what, "Period": 60, "Stat": "Sum"}, "ReturnData": False}

    metrics = [{"Id": "e", "Expression": "FILL(bad, 0) / all"}, stat("bad", "Bad"), stat("all", "Depth")]
    alarm = {
        "AlarmName": "share",
        "Metrics": metrics,
        "EvaluationPeriods": 1,
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "Threshold": 0.5,
        "TreatMissingData": "notBreaching",
    }
    lines = [*depth(4, 4, 4, 4), line(1, 1, metric="Bad"), line(2, 2, metric="Bad")]

    assert over(lines, alarm) == [("share", 3, "ALARM"), ("share", 4, "OK")]


def test_late_data_is_not_seen_before_it_comes() -> None:
    lines = depth(0, 0, 3, 0, 0, 0)

    assert over(lines, properties(), delay=MINUTE) == [("deep", 4, "ALARM"), ("deep", 5, "OK")]


def test_old_points_decide_where_newer_ones_are_missing() -> None:
    lines = depth(0, 0, 3)

    assert over(lines, properties(), periods_more=2) == [("deep", 3, "ALARM"), ("deep", 6, "OK")]
    assert over(lines, properties(), periods_more=5) == [("deep", 3, "ALARM"), ("deep", 9, "OK")]


def test_an_alarm_made_of_others_follows_them_in_the_same_minute() -> None:
    lines = [*depth(0, 1, 1, 0, 0), line(2, 1, metric="Lost"), line(3, 0, metric="Lost")]
    lost = properties("lost", MetricName="Lost")
    both = {"AlarmName": "both", "AlarmRule": 'ALARM("deep") AND NOT ALARM("lost")'}

    assert [each for each in over(lines, properties(), lost, both) if each[0] == "both"] == [
        ("both", 2, "ALARM"),
        ("both", 3, "OK"),
    ]


def test_who_is_told_is_read_from_the_definition() -> None:
    alarms = Alarms([properties(), properties("loud", AlarmActions=["topic"])])

    assert {each.name: each.posted for each in alarms.metric} == {"deep": False, "loud": True}
