"""Metrics out of a log: in whatever form it was printed, and whatever else is in it."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from warmpool.adapters.emf_log import EmfLog, Lines
from warmpool.adapters.memory import UnlimitedBudget
from warmpool.app.measured import Grid, Points, Query, Statistic

START = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
GRID = Grid(start=START, end=START + 4 * MINUTE, period=2 * MINUTE)


def document(minute: float, value: Any, *, name: str = "Wait", **dimensions: str) -> dict[str, Any]:
    dimensions = {"service": "warmpool", "stack": "s", "pool": "spaces", **dimensions}
    directive = {"Namespace": "Warmpool", "Dimensions": [list(dimensions)], "Metrics": [{"Name": name}]}
    at = int((START + minute * MINUTE).timestamp() * 1000)
    return {"_aws": {"Timestamp": at, "CloudWatchMetrics": [directive]}, **dimensions, name: value}


def lines(*documents: Any) -> list[str]:
    return [json.dumps(each) + "\n" for each in documents]


def query(statistic: Statistic = Statistic.SUM, name: str = "Wait", **dimensions: str) -> Query:
    found = {"service": "warmpool", "stack": "s", "pool": "spaces", **dimensions}
    return Query(namespace="Warmpool", metric=name, dimensions=tuple(sorted(found.items())), statistic=statistic)


def read(text: Iterable[str], *queries: Query) -> list[Points]:
    shares: list[float] = []
    answers = EmfLog(text).read(queries, GRID, UnlimitedBudget(), shares.append)
    assert shares[-1] == 1
    return [answers[each] for each in queries]


FIVE = lines(document(0, [10, 20]), document(1, 30), document(2, [5.5]), document(4, 99), document(-1, 99))


@pytest.mark.parametrize(
    ("statistic", "first", "second"),
    [
        (Statistic.SUM, 60, 5.5),
        (Statistic.AVERAGE, 20, 5.5),
        (Statistic.MINIMUM, 10, 5.5),
        (Statistic.MAXIMUM, 30, 5.5),
        (Statistic.SAMPLE_COUNT, 3, 1),
        (Statistic.P50, 20, 5.5),
        (Statistic.P90, 30, 5.5),
        (Statistic.P99, 30, 5.5),
    ],
)
def test_values_of_a_period_become_a_statistic(statistic: Statistic, first: float, second: float) -> None:
    (points,) = read(FIVE, query(statistic))
    assert points == [(START, first), (START + 2 * MINUTE, second)]


def test_a_period_and_a_metric_without_values_have_no_point() -> None:
    late, other, elsewhere = read(lines(document(3, 1)), query(), query(name="Hit"), query(pool="gpu"))
    assert (late, other, elsewhere) == ([(START + 2 * MINUTE, 1)], [], [])


def test_order_does_not_matter_as_several_streams_are_printed_one_after_another() -> None:
    (points,) = read(reversed(FIVE), query(Statistic.P50))
    assert points == [(START, 20), (START + 2 * MINUTE, 5.5)]


EVENTS = {"events": [{"timestamp": 1, "message": each} for each in FIVE], "searchedLogStreams": []}
FORMS = {
    "plain lines": FIVE,
    "aws logs tail": [f"2026-12-01T08:00:00.1+00:00 2026/12/01/[$LATEST]0f {each}" for each in FIVE],
    "aws logs filter-log-events, text": [f"EVENTS\t39\t17\tstream\t{each.strip()}\t17\n" for each in FIVE],
    "aws logs filter-log-events, JSON": json.dumps(EVENTS, indent=4).splitlines(keepends=True),
    "a list of events": json.dumps(EVENTS["events"], indent=4).splitlines(keepends=True),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_log_is_read_in_any_form_that_it_is_printed_in(form: str) -> None:
    assert read(FORMS[form], query()) == [[(START, 60), (START + 2 * MINUTE, 5.5)]]


def broken(**changes: Any) -> dict[str, Any]:
    return {**document(0, 1), **changes}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "REPORT RequestId: 1 Duration: 2 ms\n",
        '{"level": "INFO", "message": "pass"}\n',
        '{"message": "with \\"_aws\\" in it"}\n',
        '{"_aws": {"Timestamp": 1',
        '{"_aws": ' * 5000,
        *lines(
            broken(_aws=3),
            broken(_aws={"Timestamp": "soon", "CloudWatchMetrics": []}),
            broken(_aws={"Timestamp": 1e30, "CloudWatchMetrics": []}),
            broken(_aws={"Timestamp": 1, "CloudWatchMetrics": None}),
            broken(_aws={"Timestamp": 1, "CloudWatchMetrics": [{"Namespace": "Warmpool"}]}),
            broken(_aws={"Timestamp": 1, "CloudWatchMetrics": [4]}),
            broken(pool=7),
            broken(Wait="long"),
            broken(Wait=[True]),
            broken(Wait=[float("nan")]),
            {key: value for key, value in document(0, 1).items() if key != "Wait"},
            {key: value for key, value in document(0, 1).items() if key != "pool"},
        ),
    ],
)
def test_whatever_is_no_whole_metric_is_passed_over(line: str) -> None:
    assert read([line, *lines(document(1, 7)), line], query()) == [[(START, 7)]]


@pytest.mark.parametrize("end", ["", "\n"])
def test_lines_are_counted_by_what_they_are(end: str) -> None:
    metric = lines(document(0, 1))[0]
    text = [metric, '{"message": "pass"}' + end, "START RequestId: 1" + end, metric[:60] + end, end, metric]

    assert EmfLog(text).lines == Lines(metrics=2, other=2, broken=1)


@pytest.mark.parametrize("text", ["", "{\n", "[\n", '{\n"events": 3}', "[\n3]", '{\n"a": 1}', "{}\n"])
def test_a_log_without_metrics_spans_nothing(text: str) -> None:
    log = EmfLog(text.splitlines(keepends=True))
    assert log.span is None
    assert log.named("stack", "Warmpool") == ()


def test_a_log_tells_its_span_and_its_names() -> None:
    log = EmfLog([*FIVE, *lines(document(2, 1, pool="gpu"), document(9, 1, stack="other", pool="far"))])
    assert log.span == (START - MINUTE, START + 9 * MINUTE)
    assert log.named("stack", "Warmpool") == ("s", "other")
    assert log.named("pool", "Warmpool", stack="s") == ("spaces", "gpu")
    assert [key[2] for key in log.hours("Warmpool", stack="other")] == [
        (("pool", "far"), ("service", "warmpool"), ("stack", "other"))
    ]
    assert log.hours("Warmpool", stack="none") == log.hours("Else") == {}
    assert log.named("reason", "Warmpool") == log.named("pool", "Else") == ()
