"""What is shown: metrics that exist, in units that fit, each explained."""

from collections.abc import Iterator

from warmpool.app.measured import Statistic
from warmpool.metrics import METRICS, Level, Unit
from warmpool.views.engineer import POOL, STACK
from warmpool.views.model import Chart, Number, Series, Stat
from warmpool.views.summary import MANAGER, SIDE_BY_SIDE

CHARTS = [chart for group in (*POOL, *STACK) for chart in group.charts]
EVERYTHING: list[Chart | Number] = [*CHARTS, *SIDE_BY_SIDE, *MANAGER]


def shown() -> Iterator[tuple[Chart | Number, Series, Stat]]:
    for each in EVERYTHING:
        for series in each.series:
            for stat in series.stats:
                yield each, series, stat


def test_every_metric_that_is_shown_is_written() -> None:
    assert {stat.metric for *_, stat in shown() if stat.of is None} <= set(METRICS)


def test_every_metric_that_is_written_is_shown() -> None:
    assert set(METRICS) - {stat.metric for *_, stat in shown()} == set()


def test_every_value_has_a_unit_and_a_sentence() -> None:
    for each in EVERYTHING:
        assert each.unit, each.title
        assert each.about[0].isupper(), each.title
        assert not each.about.endswith("."), each.title
        assert each.series, each.title


def test_seconds_are_shown_as_seconds_and_nothing_else_is() -> None:
    for each, _, stat in shown():
        seconds = stat.of is None and METRICS[stat.metric].unit is Unit.SECONDS
        if stat.of is None and stat.statistic is not Statistic.SAMPLE_COUNT:
            assert (each.unit == "seconds") == seconds, (each.title, stat.metric)


def test_a_quotient_is_of_one_level() -> None:
    assert all(series.level is stat.level for _, series, stat in shown())


def test_pools_charts_are_about_a_pool_and_the_stacks_about_the_stack() -> None:
    for level, groups in ((False, POOL), (True, STACK)):
        found = {series.level is Level.STACK for group in groups for each in group.charts for series in each.series}
        assert found == {level}


def test_labels_within_a_chart_differ() -> None:
    for chart in CHARTS:
        labels = [each.label for each in chart.series]
        assert len(set(labels)) == len(labels)
