"""Metrics out of CloudWatch: batches, pages, and refusals in words."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.session import Session
from moto import mock_aws

from tests.adapters.aws.faults import Faults
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.metric_data import CloudWatchMeasurements
from warmpool.adapters.memory import UnlimitedBudget
from warmpool.app.errors import MetricsUnreadable, NotPermitted
from warmpool.app.measured import Grid, Query, Statistic
from warmpool.app.ports import Budget

START = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
GRID = Grid(start=START, end=START + 10 * MINUTE, period=5 * MINUTE)


def query(number: int = 0, statistic: Statistic = Statistic.SUM) -> Query:
    dimensions = (("pool", f"p{number}"), ("service", "warmpool"))
    return Query(namespace="Warmpool", metric="Cold", dimensions=dimensions, statistic=statistic)


class TestOnMoto:
    @pytest.fixture
    def session(self) -> Iterator[Session]:
        with mock_aws():
            yield Session()

    def put(self, session: Session, minute: int, value: float, pool: str = "p0") -> None:
        client: Any = session.create_client("cloudwatch", region_name="eu-central-1")
        dimensions = [{"Name": "pool", "Value": pool}, {"Name": "service", "Value": "warmpool"}]
        datum = {"MetricName": "Cold", "Dimensions": dimensions, "Timestamp": START + minute * MINUTE, "Value": value}
        client.put_metric_data(Namespace="Warmpool", MetricData=[datum])

    def test_values_come_in_periods_and_what_was_not_measured_has_none(self, session: Session) -> None:
        for minute, value in ((0, 2), (4, 3), (5, 7), (10, 100)):
            self.put(session, minute, value)
        source = CloudWatchMeasurements(AwsClients(session, region="eu-central-1"))
        shares: list[float] = []
        asked = [query(), query(statistic=Statistic.MAXIMUM), query(1)]
        found = source.read(asked, GRID, UnlimitedBudget(), shares.append)
        assert found[query()] == [(START, 5), (START + 5 * MINUTE, 7)]
        assert found[query(statistic=Statistic.MAXIMUM)] == [(START, 3), (START + 5 * MINUTE, 7)]
        assert found[query(1)] == []
        assert shares == [1.0]

    def test_a_refusal_names_the_right_that_is_missing(self, session: Session) -> None:
        Faults().install(session).refuse("GetMetricData", "AccessDenied")
        source = CloudWatchMeasurements(AwsClients(session, region="eu-central-1"))
        with pytest.raises(NotPermitted, match="allow cloudwatch:GetMetricData"):
            source.read([query()], GRID, UnlimitedBudget(), lambda _: None)

    def test_silence_is_an_error_and_not_no_data(self, session: Session) -> None:
        Faults().install(session).silence("GetMetricData")
        source = CloudWatchMeasurements(AwsClients(session, region="eu-central-1"))
        with pytest.raises(MetricsUnreadable, match="cloudwatch:GetMetricData on"):
            source.read([query()], GRID, UnlimitedBudget(), lambda _: None)


class Pages:
    """A CloudWatch that gives two pages to each call, one value of each metric on each."""

    def __init__(self, status: str = "Complete") -> None:
        self.requests: list[Mapping[str, Any]] = []
        self.status = status

    def client(self, service: str, budget: Budget) -> "Pages":
        assert service == "cloudwatch"
        return self

    def get_metric_data(self, **request: Any) -> Mapping[str, Any]:
        self.requests.append(request)
        second = "NextToken" in request
        at = START + (0 if second else 5) * MINUTE
        results = [
            {"Id": each["Id"], "Label": "x", "StatusCode": self.status, "Timestamps": [at], "Values": [float(second)]}
            for each in request["MetricDataQueries"]
        ]
        return {"MetricDataResults": results, **({} if second else {"NextToken": "more"})}


def read(pages: Pages, *queries: Query) -> tuple[Mapping[Query, Any], list[float]]:
    shares: list[float] = []
    source = CloudWatchMeasurements(pages)  # type: ignore[arg-type]  # a stand-in for the clients
    return source.read(queries, GRID, UnlimitedBudget(), shares.append), shares


def test_parts_of_one_metric_on_several_pages_are_put_together_in_order() -> None:
    pages = Pages("PartialData")
    found, _ = read(pages, query())
    assert found == {query(): [(START, 1.0), (START + 5 * MINUTE, 0.0)]}
    assert pages.requests[0]["MetricDataQueries"][0]["MetricStat"]["Period"] == 300


def test_many_queries_go_in_batches_each_query_once() -> None:
    pages = Pages()
    found, shares = read(pages, *(query(number) for number in range(250)), query(3))
    assert len(found) == 250
    assert [len(each["MetricDataQueries"]) for each in pages.requests] == [100, 100, 100, 100, 50, 50]
    assert shares == [0.4, 0.8, 1.0]


def test_nothing_asked_is_nothing_sent() -> None:
    pages = Pages()
    assert read(pages) == ({}, [])
    assert pages.requests == []


@pytest.mark.parametrize("status", ["InternalError", "Forbidden"])
def test_a_part_that_failed_fails_the_whole(status: str) -> None:
    with pytest.raises(MetricsUnreadable, match=status):
        read(Pages(status), query())
