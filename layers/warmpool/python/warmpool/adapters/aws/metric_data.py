"""Measured values out of CloudWatch."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe, refused
from warmpool.app.errors import MetricsUnreadable, NotPermitted
from warmpool.app.measured import Grid, Points, Progress, Query
from warmpool.app.ports import Budget

_BATCH: Final = 100
"""Queries in one call. CloudWatch takes 500 and 100,800 points; fewer answer sooner, so progress can be seen."""
_ACTION: Final = "cloudwatch:GetMetricData"


class CloudWatchMeasurements:
    """Implements warmpool.app.measured.Measurements with GetMetricData."""

    def __init__(self, clients: AwsClients) -> None:
        self._clients = clients

    def read(self, queries: Sequence[Query], grid: Grid, budget: Budget, progress: Progress) -> Mapping[Query, Points]:
        """Answer every query, in whole periods of the grid. Raises MetricsUnreadable or NotPermitted."""
        unique = list(dict.fromkeys(queries))
        answers: dict[Query, Points] = {}
        for start in range(0, len(unique), _BATCH):
            batch = unique[start : start + _BATCH]
            found: dict[str, dict[datetime, float]] = {_id(number): {} for number, _ in enumerate(batch)}
            for result in self._results(batch, grid, budget):
                instants = (each.astimezone(UTC) for each in result["Timestamps"])
                found[result["Id"]].update(zip(instants, result["Values"], strict=True))
            for number, query in enumerate(batch):
                answers[query] = sorted(found[_id(number)].items())
            progress((start + len(batch)) / len(unique))
        return answers

    def _results(self, batch: Sequence[Query], grid: Grid, budget: Budget) -> Iterator[Mapping[str, Any]]:
        """Yield results page by page; one metric may come in several parts."""
        request: dict[str, Any] = {
            "MetricDataQueries": [_written(number, each, grid) for number, each in enumerate(batch)],
            "StartTime": grid.start,
            "EndTime": grid.end,
            "ScanBy": "TimestampAscending",
        }
        while True:
            try:
                page: Mapping[str, Any] = self._clients.client("cloudwatch", budget).get_metric_data(**request)
            except AWS_FAILURES as error:
                text = describe(error, action=_ACTION, resource="*")
                raise (NotPermitted(text) if refused(error) else MetricsUnreadable(text)) from error
            for result in page["MetricDataResults"]:
                if result.get("StatusCode") in {"InternalError", "Forbidden"}:
                    raise MetricsUnreadable(f"{_ACTION} of {result.get('Label')}: {result['StatusCode']}; try again")
                yield result
            if not page.get("NextToken"):
                return
            request["NextToken"] = page["NextToken"]


def _id(number: int) -> str:
    return f"q{number}"


def _written(number: int, query: Query, grid: Grid) -> Mapping[str, Any]:
    return {
        "Id": _id(number),
        "MetricStat": {
            "Metric": {
                "Namespace": query.namespace,
                "MetricName": query.metric,
                "Dimensions": [{"Name": name, "Value": value} for name, value in query.dimensions],
            },
            "Period": int(grid.period.total_seconds()),
            "Stat": query.statistic.value,
        },
        "ReturnData": True,
    }
